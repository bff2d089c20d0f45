/* Finds the source files that an ETRecord names, also below --source-root. */
#define _DEFAULT_SOURCE
#include "cli/annotate/source_files.h"

#include <stdlib.h>
#include <string.h>

#include "host/os/os_files.h"

enum { PATH_BYTES = 4096, MOST_BYTES = 16 << 20 };

/* A file on its way to be shown: of all places that were tried, what came nearest to it. */
struct search {
    struct ets_file *file; /* NULL: not found yet */
    enum cli_source_state state;
    struct ets_error error; /* of a closed file */
};

static void reach(struct search *search, enum cli_source_state state)
{
    if (state > search->state) search->state = state;
}

static bool is_python(const char *path)
{
    const size_t size = strlen(path);
    return size >= 3 && strcmp(path + size - 3, ".py") == 0;
}

static bool is_slash(char c)
{
    return c == '/' || c == '\\';
}

/* Whether a file is below a folder, links followed: an ETRecord may name "../" and links lead away.
 */
static bool is_below(const char *folder, const char *path)
{
    char *root = ets_os_real_path(folder), *real = ets_os_real_path(path);
    const size_t size = root == NULL ? 0 : strlen(root);
    const bool is = root != NULL && real != NULL && strncmp(real, root, size) == 0 &&
                    (is_slash(real[size]) || (size > 0 && is_slash(root[size - 1])));
    free(root);
    free(real);
    return is;
}

/* A compressed file is unpacked: the limit is that of the text. */
static void open_source(struct search *search, const char *path)
{
    struct ets_file *file;
    struct ets_error error;
    if (cli_file_open_as_it_is(path, &file, &error) != ETS_OK) {
        if (search->state < CLI_SOURCE_CLOSED) search->error = error;
        reach(search, CLI_SOURCE_CLOSED);
    } else if (ets_file_bytes(file).size > MOST_BYTES) {
        ets_file_close(file);
        reach(search, CLI_SOURCE_UNFIT);
    } else {
        search->file = file;
        reach(search, CLI_SOURCE_FOUND);
    }
}

/*
 * The ETRecord, which is untrusted, names the file: opens only regular files of Python source, of
 * limited size, below the folder.
 */
static bool try_path(struct search *search, const char *folder, const char *path)
{
    if (ets_os_is_elsewhere(path)) return false;
    const struct ets_os_place place = ets_os_look(path);
    if (place.kind == ETS_OS_NOTHING) return false;
    if (!is_below(folder, path)) {
        reach(search, CLI_SOURCE_ELSEWHERE);
    } else if (place.kind != ETS_OS_FILE || place.size > MOST_BYTES || !is_python(path)) {
        reach(search, CLI_SOURCE_UNFIT);
    } else {
        open_source(search, path);
    }
    return search->file != NULL;
}

static bool try_below(struct search *search, const char *folder, struct ets_text rest)
{
    char path[PATH_BYTES];
    const size_t folder_size = strlen(folder);
    while (rest.size > 0 && rest.data[0] == '/')
        rest = (struct ets_text){rest.data + 1, rest.size - 1};
    if (rest.size == 0 || folder_size + rest.size + 2 > sizeof path) return false;
    snprintf(path, sizeof path, "%.*s/%.*s", (int)folder_size, folder, (int)rest.size, rest.data);
    return strlen(path) == folder_size + rest.size + 1 && try_path(search, folder, path);
}

/* DIR: the path below it, or the longest end of the path that exists there. */
static bool try_folder(struct search *search, const char *folder, struct ets_text name)
{
    enum { MOST_PARTS = 32 };
    for (int i = 0; i < MOST_PARTS && name.size > 0; i++) {
        if (try_below(search, folder, name)) return true;
        size_t at = name.data[0] == '/' ? 1 : 0;
        while (at < name.size && name.data[at] != '/') at++;
        name = (struct ets_text){name.data + at, name.size - at};
    }
    return false;
}

/* OLD=NEW: replaces the start of the path. */
static bool try_root(struct search *search, const char *root, struct ets_text name)
{
    const char *equals = strchr(root, '=');
    if (equals == NULL) return try_folder(search, root, name);
    size_t old = (size_t)(equals - root);
    while (old > 0 && root[old - 1] == '/') old--;
    if (name.size <= old || memcmp(name.data, root, old) != 0 || name.data[old] != '/')
        return false;
    return try_below(search, equals + 1, (struct ets_text){name.data + old, name.size - old});
}

static void find(struct search *search, const struct cli_arguments *arguments, struct ets_text name)
{
    char path[PATH_BYTES];
    const char *root;
    for (unsigned i = 0; (root = cli_value_at(arguments, "--source-root", i)) != NULL; i++) {
        if (try_root(search, root, name)) return;
    }
    if (name.size == 0 || name.size >= sizeof path || memchr(name.data, '\0', name.size) != NULL) {
        return;
    }
    memcpy(path, name.data, name.size);
    path[name.size] = '\0';
    if (strcmp(path, "-") != 0) (void)try_path(search, ".", path);
}

int cli_source_find(void *context, struct ets_text file, struct ets_bytes *text_out)
{
    struct cli_source_files *sources = context;
    unsigned at = 0;
    while (at < sources->count && !(sources->names[at].size == file.size &&
                                    memcmp(sources->names[at].data, file.data, file.size) == 0)) {
        at++;
    }
    if (at == CLI_MAX_SOURCES) {
        if (sources->beyond.data == NULL) sources->beyond = file;
        return 0;
    }
    if (at == sources->count) {
        struct search search = {.file = NULL};
        find(&search, sources->arguments, file);
        sources->names[at] = file;
        sources->files[at] = search.file;
        sources->states[at] = search.state;
        sources->count++;
        if (search.state == CLI_SOURCE_CLOSED && !sources->has_error) {
            sources->error = search.error;
            sources->has_error = true;
        }
    }
    if (sources->files[at] == NULL) return 0;
    *text_out = ets_file_bytes(sources->files[at]);
    return 1;
}

static const char *reason_of(const struct cli_source_files *sources, enum cli_source_state state)
{
    static const char *const reasons[] = {
        [CLI_SOURCE_MISSING] = "not found",
        [CLI_SOURCE_ELSEWHERE] = "outside of this folder",
        [CLI_SOURCE_UNFIT] = "not a regular .py file of at most 16 MiB",
    };
    return state == CLI_SOURCE_CLOSED ? sources->error.message : reasons[state];
}

void cli_source_note(const struct cli_source_files *sources)
{
    static const char *const remedies[] = {
        [CLI_SOURCE_MISSING] = "; --source-root DIR adds a folder",
        [CLI_SOURCE_ELSEWHERE] = "; --source-root DIR shows files below DIR",
        [CLI_SOURCE_UNFIT] = "",
        [CLI_SOURCE_CLOSED] = "",
    };
    for (int state = CLI_SOURCE_MISSING; state < CLI_SOURCE_FOUND; state++) {
        unsigned count = 0, first = 0;
        for (unsigned i = sources->count; i-- > 0;) {
            if (sources->states[i] != (enum cli_source_state)state) continue;
            count++;
            first = i;
        }
        if (count == 0) continue;
        char more[48] = "";
        if (count > 1) {
            snprintf(more, sizeof more, " and %u other file%s", count - 1, count == 2 ? "" : "s");
        }
        cli_note("%.*s%s: %s; showing the lines stored in the ETRecord%s",
                 ETS_TEXT(sources->names[first]), more,
                 reason_of(sources, (enum cli_source_state)state), remedies[state]);
    }
    if (sources->beyond.data == NULL) return;
    cli_note(
        "%.*s and the files after it: not looked for, as %d source files are the most; showing "
        "the lines stored in the ETRecord",
        ETS_TEXT(sources->beyond), CLI_MAX_SOURCES);
}

void cli_source_close(struct cli_source_files *sources)
{
    for (unsigned i = 0; i < sources->count; i++) ets_file_close(sources->files[i]);
}
