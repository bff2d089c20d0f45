/* Finds the source files that an ETRecord names, also below --source-root. */
#define _DEFAULT_SOURCE
#include "cli/open/source_files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_BYTES = 4096, MOST_BYTES = 16 << 20 };

/* The ETRecord, which is untrusted, names the file: opens only regular files of limited size. */
static struct ets_file *open_text(const char *path)
{
    struct stat info;
    struct ets_file *file = NULL;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > MOST_BYTES) return NULL;
    return cli_file_open(path, &file, NULL) == ETS_OK ? file : NULL;
}

/* Whether a file is below a folder, links followed: an ETRecord may name "../" and links lead away.
 */
static bool is_below(const char *folder, const char *path)
{
    char *root = realpath(folder, NULL), *real = realpath(path, NULL);
    const size_t size = root == NULL ? 0 : strlen(root);
    const bool is = root != NULL && real != NULL && strncmp(real, root, size) == 0 &&
                    (real[size] == '/' || (size > 0 && root[size - 1] == '/'));
    free(root);
    free(real);
    return is;
}

static struct ets_file *open_below(const char *folder, size_t folder_size, struct ets_text rest)
{
    char path[PATH_BYTES];
    while (rest.size > 0 && rest.data[0] == '/')
        rest = (struct ets_text){rest.data + 1, rest.size - 1};
    if (rest.size == 0 || folder_size + rest.size + 2 > sizeof path) return NULL;
    snprintf(path, sizeof path, "%.*s/%.*s", (int)folder_size, folder, (int)rest.size, rest.data);
    const bool is_whole = strlen(path) == folder_size + rest.size + 1;
    return is_whole && is_below(folder, path) ? open_text(path) : NULL;
}

/* DIR: the path below it, or the longest end of the path that exists there. */
static struct ets_file *open_in_folder(const char *folder, struct ets_text name)
{
    enum { MOST_PARTS = 32 };
    for (int i = 0; i < MOST_PARTS && name.size > 0; i++) {
        struct ets_file *file = open_below(folder, strlen(folder), name);
        if (file != NULL) return file;
        size_t at = name.data[0] == '/' ? 1 : 0;
        while (at < name.size && name.data[at] != '/') at++;
        name = (struct ets_text){name.data + at, name.size - at};
    }
    return NULL;
}

/* OLD=NEW: replaces the start of the path. */
static struct ets_file *open_at_root(const char *root, struct ets_text name)
{
    const char *equals = strchr(root, '=');
    if (equals == NULL) return open_in_folder(root, name);
    size_t old = (size_t)(equals - root);
    while (old > 0 && root[old - 1] == '/') old--;
    if (name.size <= old || memcmp(name.data, root, old) != 0 || name.data[old] != '/') return NULL;
    return open_below(equals + 1, strlen(equals + 1),
                      (struct ets_text){name.data + old, name.size - old});
}

static struct ets_file *find(const struct cli_arguments *arguments, struct ets_text name)
{
    char path[PATH_BYTES];
    const char *root;
    for (unsigned i = 0; (root = cli_value_at(arguments, "--source-root", i)) != NULL; i++) {
        struct ets_file *file = open_at_root(root, name);
        if (file != NULL) return file;
    }
    if (name.size == 0 || name.size >= sizeof path || memchr(name.data, '\0', name.size) != NULL) {
        return NULL;
    }
    memcpy(path, name.data, name.size);
    path[name.size] = '\0';
    return strcmp(path, "-") != 0 && is_below(".", path) ? open_text(path) : NULL;
}

int cli_source_find(void *context, struct ets_text file, struct ets_bytes *text_out)
{
    struct cli_source_files *sources = context;
    unsigned at = 0;
    while (at < sources->count && !(sources->names[at].size == file.size &&
                                    memcmp(sources->names[at].data, file.data, file.size) == 0)) {
        at++;
    }
    if (at == CLI_MAX_SOURCES) return 0;
    if (at == sources->count) {
        sources->names[at] = file;
        sources->files[at] = find(sources->arguments, file);
        sources->count++;
    }
    if (sources->files[at] == NULL) return 0;
    *text_out = ets_file_bytes(sources->files[at]);
    return 1;
}

void cli_source_close(struct cli_source_files *sources)
{
    for (unsigned i = 0; i < sources->count; i++) ets_file_close(sources->files[i]);
}
