/* Finds the folders of source files, and cuts them out of texts. */
#include "output/page/page_folders.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "host/strings.h"
#include "host/text_builder.h"
#include "inspect/inspection.h"

static bool is_slash(char c)
{
    return c == '/' || c == '\\';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* "/home/a/net.py", "C:\a\net.py" */
static bool is_absolute(struct ets_text path)
{
    if (path.size > 0 && is_slash(path.data[0])) return true;
    return path.size > 2 && is_letter(path.data[0]) && path.data[1] == ':' &&
           is_slash(path.data[2]);
}

/* Where a folder whose name begins with `name` begins in a path; 0: nowhere. */
static size_t find_folder(struct ets_text path, const char *name)
{
    for (size_t at = 1; at < path.size; at++) {
        const struct ets_text rest = {path.data + at, path.size - at};
        if (is_slash(path.data[at - 1]) && ets_text_starts_with(rest, name)) return at;
    }
    return 0;
}

/* The size of the folder around what was installed: "/usr/lib/" of "/usr/lib/python3.10/abc.py". */
static size_t folder_of_package(struct ets_text path)
{
    static const char *const names[] = {"site-packages", "dist-packages", "python3."};
    size_t at = 0;
    for (size_t i = 0; at == 0 && i < sizeof names / sizeof *names; i++) {
        at = find_folder(path, names[i]);
    }
    return at;
}

/* The size of the first `most` folders of a path, with their slashes. */
static size_t size_of_folders(struct ets_text path, size_t size, uint32_t most)
{
    size_t found = 0;
    uint32_t count = 0;
    for (size_t i = 0; i < size && count <= most; i++) { /* the first slash is the root's */
        if (!is_slash(path.data[i])) continue;
        found = i + 1;
        count++;
    }
    return found;
}

static size_t size_in_common(struct ets_text left, struct ets_text right)
{
    size_t same = 0;
    while (same < left.size && same < right.size && left.data[same] == right.data[same]) same++;
    return size_of_folders(left, same, UINT32_MAX - 1);
}

static void add_file(struct ets_page_folders *folders, struct ets_text file)
{
    const size_t package = folder_of_package(file);
    struct ets_text root = {NULL, 0};
    struct ets_text folder = {file.data, package};
    if (package == 0) {
        root = (struct ets_text){file.data, size_of_folders(file, file.size, 2)};
        folder.size = size_of_folders(file, file.size, UINT32_MAX - 1);
    }
    if (size_of_folders(folder, folder.size, 0) == folder.size) return; /* a root tells nothing */
    for (uint32_t i = 0; i < folders->count; i++) {
        struct ets_page_folder *known = &folders->items[i];
        if (package > 0 && known->root.size == 0 && ets_text_equal(known->path, folder)) return;
        if (package == 0 && ets_text_equal(known->root, root)) {
            known->path.size = size_in_common(known->path, folder);
            return;
        }
    }
    if (folders->count == ETS_PAGE_MOST_FOLDERS) return;
    folders->items[folders->count++] = (struct ets_page_folder){.path = folder, .root = root};
}

static bool add_node(struct ets_strings *files, const struct ets_graph_node *node)
{
    for (uint32_t i = 0; i < node->frame_count; i++) {
        const struct ets_text file = node->frames[i].file;
        if (is_absolute(file) && ets_strings_add(files, file) == UINT32_MAX) return false;
    }
    return true;
}

static bool add_graph(struct ets_strings *files, const struct ets_graph *graph)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (!add_node(files, &graph->nodes[i])) return false;
    }
    return true;
}

/* Of a graph that another record may have: values are told by the lines of its nodes. */
static bool add_reference(struct ets_strings *files, const struct ets_gap_report *gap)
{
    const struct ets_graph *graph = gap == NULL ? NULL : ets_gap_reference(gap);
    if (graph == NULL) return true;
    for (uint32_t i = 0; i < graph->subgraph_count; i++) {
        if (!add_graph(files, graph->subgraphs[i])) return false;
    }
    return add_graph(files, graph);
}

static bool collect_files(struct ets_strings *files, const struct ets_study *study)
{
    for (uint32_t i = 0; i < study->graph_count; i++) {
        if (!add_graph(files, study->graphs[i].graph)) return false;
    }
    for (uint32_t i = 0; i < study->sources.trace_count; i++) {
        const struct ets_stated_nodes *told = &study->traces[i].inspection->told;
        if (study->sources.gaps != NULL && !add_reference(files, study->sources.gaps[i]))
            return false;
        for (uint32_t n = 0; n < told->instructions.count; n++) {
            if (!add_node(files, &told->items[n].node)) return false;
        }
    }
    return true;
}

static int by_size(const void *left, const void *right)
{
    const struct ets_page_folder *a = left, *b = right;
    if (a->path.size != b->path.size) return a->path.size < b->path.size ? 1 : -1;
    return ets_text_compare(a->path, b->path);
}

/* Whether a file outside of packages has the name of another where the folders are cut. */
static bool find_equal_names(const struct ets_page_folders *folders,
                             const struct ets_strings *files, bool *found_out)
{
    struct ets_strings names;
    uint32_t count = 0;
    if (ets_strings_init(&names, files->arena) != 0) return false;
    const uint32_t before = names.count;
    for (uint32_t i = 1; i < files->count; i++) {
        const struct ets_text file = ets_strings_get(files, i);
        if (folder_of_package(file) > 0) continue;
        const struct ets_text name = ets_page_cut_folders(folders, file);
        if (name.data == NULL || ets_strings_add(&names, name) == UINT32_MAX) return false;
        count++;
    }
    *found_out = names.count - before < count;
    return true;
}

static bool find_in(struct ets_page_folders *folders, struct ets_strings *files,
                    const struct ets_study *study)
{
    bool has_equal = false;
    uint32_t number = 0;
    if (ets_strings_init(files, files->arena) != 0 || !collect_files(files, study)) return false;
    for (uint32_t i = 1; i < files->count; i++) add_file(folders, ets_strings_get(files, i));
    if (folders->count == 0) return true;
    qsort(folders->items, folders->count, sizeof *folders->items, by_size);
    if (!find_equal_names(folders, files, &has_equal)) return false;
    for (uint32_t i = 0; has_equal && i < folders->count; i++) {
        if (folders->items[i].root.size > 0) folders->items[i].number = ++number;
    }
    return true;
}

enum ets_status ets_page_find_folders(struct ets_page_folders *folders,
                                      const struct ets_study *study, struct ets_error *error)
{
    struct ets_arena arena;
    ets_arena_init(&arena, folders->arena->allocator, 0);
    struct ets_strings files = {.arena = &arena};
    const bool ok = find_in(folders, &files, study);
    ets_arena_reset(&arena);
    return ok ? ETS_OK : ets_fail_memory(error, "the names of source files in the report");
}

/* A path begins where no other goes on. */
static bool may_begin(struct ets_text text, size_t at)
{
    if (at == 0) return true;
    const char c = text.data[at - 1];
    const bool is_word = is_letter(c) || (c >= '0' && c <= '9') || (c & 0x80) != 0;
    return !is_word && strchr("_.~-/\\", c) == NULL;
}

static const struct ets_page_folder *folder_at(const struct ets_page_folders *folders,
                                               struct ets_text text, size_t at)
{
    if (!may_begin(text, at)) return NULL;
    for (uint32_t i = 0; i < folders->count; i++) {
        const struct ets_text path = folders->items[i].path;
        if (path.size <= text.size - at && memcmp(text.data + at, path.data, path.size) == 0) {
            return &folders->items[i];
        }
    }
    return NULL;
}

/* The text without folders: its size, and its bytes where `out` is given. */
static size_t copy_without(const struct ets_page_folders *folders, struct ets_text text, char *out,
                           bool *found_out)
{
    size_t used = 0;
    for (size_t i = 0; i < text.size;) {
        const struct ets_page_folder *folder = folder_at(folders, text, i);
        char number[16];
        const size_t size = folder == NULL || folder->number == 0
                                ? 0
                                : ets_print_text(number, sizeof number, "%u/", folder->number);
        if (out != NULL && folder == NULL) out[used] = text.data[i];
        if (out != NULL && size > 0) memcpy(out + used, number, size);
        *found_out |= folder != NULL;
        used += folder == NULL ? 1 : size;
        i += folder == NULL ? 1 : folder->path.size;
    }
    return used;
}

struct ets_text ets_page_cut_folders(const struct ets_page_folders *folders, struct ets_text text)
{
    if (folders->count == 0 || text.data == NULL) return text;
    bool found = false;
    const size_t size = copy_without(folders, text, NULL, &found);
    if (!found) return text;
    char *copy = ets_arena_alloc(folders->arena, size + 1);
    if (copy == NULL) return (struct ets_text){NULL, 0};
    copy_without(folders, text, copy, &found);
    return (struct ets_text){copy, size};
}
