/* Lists the traces that arguments name: files, folders and @LIST. */
#include "cli/files/trace_paths.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/cli_text.h"
#include "cli/core/command.h"
#include "cli/core/input_files.h"
#include "etscope/file.h"
#include "host/os/os_files.h"

/* A piece of memory for names; pieces are freed together. */
struct piece {
    struct piece *next;
    char text[];
};

enum { MOST_NAME = 4096 };

static int complain_memory(void)
{
    return cli_complain(CLI_INTERNAL, "no memory for the names of the files");
}

static int add_item(struct cli_paths *paths, const char *path)
{
    if (paths->count == paths->room) {
        const unsigned room = paths->room < 32 ? 64 : paths->room * 2;
        const char **items =
            room < paths->room ? NULL : realloc(paths->items, (size_t)room * sizeof *items);
        if (items == NULL) return complain_memory();
        paths->items = items;
        paths->room = room;
    }
    paths->items[paths->count++] = path;
    return CLI_OK;
}

/* A copy of "FOLDER/NAME", or of `name` without a folder. */
static int add_copy(struct cli_paths *paths, const char *folder, const char *name, size_t size)
{
    const size_t before = folder == NULL ? 0 : strlen(folder);
    const bool has_slash = before > 0 && folder[before - 1] == '/';
    struct piece *piece = malloc(sizeof *piece + before + size + 2);
    if (piece == NULL) return complain_memory();
    piece->next = paths->texts;
    paths->texts = piece;
    size_t used = before;
    if (before > 0) memcpy(piece->text, folder, before);
    if (before > 0 && !has_slash) piece->text[used++] = '/';
    memcpy(piece->text + used, name, size);
    piece->text[used + size] = '\0';
    return add_item(paths, piece->text);
}

int cli_is_folder(const char *path)
{
    return strcmp(path, "-") != 0 && ets_os_look(path).kind == ETS_OS_FOLDER;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

struct listing {
    const char *folder;
    struct cli_paths *paths;
    int code;
};

static bool take_entry(void *context, const char *name)
{
    struct listing *listing = context;
    struct cli_paths *paths = listing->paths;
    if (name[0] == '.') return true;
    listing->code = add_copy(paths, listing->folder, name, strlen(name));
    if (listing->code != CLI_OK) return false;
    const enum ets_os_kind kind = ets_os_look(paths->items[paths->count - 1]).kind;
    if (kind == ETS_OS_FILE) return true;
    paths->count--;
    paths->folder_count += kind == ETS_OS_FOLDER;
    return true;
}

int cli_folder_open(const char *folder, struct cli_paths *paths_out)
{
    struct listing listing = {folder, paths_out, CLI_OK};
    *paths_out = (struct cli_paths){.items = NULL};
    if (!ets_os_list(folder, take_entry, &listing)) {
        return cli_complain(CLI_INPUT, "%s: %s", folder, strerror(errno));
    }
    if (paths_out->count > 0) {
        qsort(paths_out->items, paths_out->count, sizeof *paths_out->items, by_name);
    }
    return listing.code;
}

static bool is_trace(const char *path)
{
    struct ets_file *file;
    struct ets_error error;
    if (ets_file_open(path, &file, &error) != ETS_OK) return false;
    const bool is = ets_kind_sniff(ets_file_bytes(file)) == ETS_KIND_ETDUMP;
    ets_file_close(file);
    return is;
}

static int add_folder(struct cli_paths *paths, const char *folder)
{
    struct cli_paths files;
    const unsigned before = paths->count;
    int code = cli_folder_open(folder, &files);
    for (unsigned i = 0; code == CLI_OK && i < files.count; i++) {
        if (!is_trace(files.items[i])) continue;
        code = add_copy(paths, NULL, files.items[i], strlen(files.items[i]));
    }
    cli_paths_close(&files);
    if (code != CLI_OK || paths->count > before) return code;
    return cli_complain(CLI_INPUT, "%s: the folder has no ETDump", folder);
}

static int add_list(struct cli_paths *paths, const char *list)
{
    struct ets_file *file;
    struct ets_error error;
    const unsigned before = paths->count;
    int code = CLI_OK;
    if (ets_file_open(list, &file, &error) != ETS_OK) return cli_fail(list, &error);
    (void)cli_inputs_add(list);
    const struct ets_bytes bytes = ets_file_bytes(file);
    const char *text = (const char *)bytes.data;
    for (size_t at = 0, end; code == CLI_OK && at < bytes.size; at = end + 1) {
        const char *line_end = memchr(text + at, '\n', bytes.size - at);
        end = line_end == NULL ? bytes.size : (size_t)(line_end - text);
        size_t size = end - at;
        if (size > 0 && text[end - 1] == '\r') size--;
        if (size >= MOST_NAME || memchr(text + at, '\0', size) != NULL) {
            code = cli_complain(CLI_INPUT,
                                "%s: byte %zu: not a file name; a list has one name per line",
                                cli_path_name(list), at);
        } else if (size > 0) {
            code = add_copy(paths, NULL, text + at, size);
        }
    }
    ets_file_close(file);
    if (code != CLI_OK || paths->count > before) return code;
    return cli_complain(CLI_INPUT, "%s: the list is empty", cli_path_name(list));
}

int cli_paths_open(const char *const *words, unsigned word_count, struct cli_paths *paths_out)
{
    *paths_out = (struct cli_paths){.items = NULL};
    int code = CLI_OK;
    for (unsigned i = 0; code == CLI_OK && i < word_count; i++) {
        if (words[i][0] == '@' && words[i][1] != '\0') code = add_list(paths_out, words[i] + 1);
        else if (cli_is_folder(words[i])) code = add_folder(paths_out, words[i]);
        else code = add_item(paths_out, words[i]);
    }
    return code;
}

void cli_paths_close(struct cli_paths *paths)
{
    for (struct piece *piece = paths->texts, *next; piece != NULL; piece = next) {
        next = piece->next;
        free(piece);
    }
    free(paths->items);
}
