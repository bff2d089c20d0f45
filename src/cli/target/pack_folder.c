/* Writes a tar (ustar) of the files of one folder. */
#define _POSIX_C_SOURCE 200809L
#include "cli/target/pack_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/command.h"
#include "etscope/file.h"
#include "host/os/os_files.h"
#include "host/output.h"

enum { MOST_FILES = 256, NAME_BYTES = 100, BLOCK_BYTES = 512, END_BLOCKS = 2 };

struct names {
    char items[MOST_FILES][NAME_BYTES];
    unsigned count;
    bool is_too_much;
};

static bool take(void *context, const char *name)
{
    struct names *names = context;
    if (names->count == MOST_FILES || strlen(name) >= NAME_BYTES) {
        names->is_too_much = true;
        return false;
    }
    snprintf(names->items[names->count++], NAME_BYTES, "%s", name);
    return true;
}

static int compare(const void *left, const void *right)
{
    return strcmp(left, right);
}

/* Numbers in octal; of what a tar can say, nothing that changes from one packing to the next. */
static void write_header(const char *name, size_t size, struct ets_output *output)
{
    char block[BLOCK_BYTES] = {0};
    unsigned sum = 0;
    memcpy(block, name, strlen(name));
    memcpy(block + 100, "0000755", 8);
    memcpy(block + 108, "0000000", 8);
    memcpy(block + 116, "0000000", 8);
    snprintf(block + 124, 12, "%011zo", size);
    memcpy(block + 136, "00000000000", 12);
    memcpy(block + 148, "        ", 8);
    block[156] = '0';
    memcpy(block + 257, "ustar\00000", 8);
    for (size_t i = 0; i < sizeof block; i++) sum += (unsigned char)block[i];
    snprintf(block + 148, 8, "%06o", sum);
    ets_output_write(output, block, sizeof block);
}

static int add_file(const char *folder, const char *name, struct ets_output *output)
{
    static const char zeros[BLOCK_BYTES];
    char path[ETS_OS_PATH_BYTES];
    struct ets_error error;
    struct ets_file *file;
    snprintf(path, sizeof path, "%.3900s/%s", folder, name);
    const struct ets_os_place place = ets_os_look(path);
    if (place.kind != ETS_OS_FILE) return CLI_OK;
    if (place.size >> 33 != 0) return cli_complain(CLI_INPUT, "%s: too large for a tar", path);
    if (cli_file_open_as_it_is(path, &file, &error) != ETS_OK) return cli_fail(path, &error);
    const struct ets_bytes bytes = ets_file_bytes(file);
    write_header(name, bytes.size, output);
    ets_output_write(output, bytes.data, bytes.size);
    ets_output_write(output, zeros, (BLOCK_BYTES - bytes.size % BLOCK_BYTES) % BLOCK_BYTES);
    ets_file_close(file);
    return CLI_OK;
}

static int write_all(const char *folder, const struct names *names, const char *path)
{
    static const char end[END_BLOCKS * BLOCK_BYTES];
    struct ets_error error;
    struct ets_output *output;
    int code = CLI_OK;
    if (ets_output_open(path, &output, &error) != ETS_OK) return cli_fail_output(path, &error);
    for (unsigned i = 0; i < names->count && code == CLI_OK; i++) {
        code = add_file(folder, names->items[i], output);
    }
    ets_output_write(output, end, sizeof end);
    if (code != CLI_OK) ets_output_discard(output);
    else if (ets_output_commit(output, &error) != ETS_OK) code = cli_fail_output(path, &error);
    return code;
}

int cli_pack_folder(const char *folder, const char *path)
{
    static struct names names;
    names.count = 0;
    names.is_too_much = false;
    if (!ets_os_list(folder, take, &names)) {
        return cli_complain(CLI_INPUT, "%s: %s", folder, strerror(errno));
    }
    if (names.is_too_much) {
        return cli_complain(CLI_INPUT, "%s: more than %d files, or a name of %d characters", folder,
                            MOST_FILES, NAME_BYTES);
    }
    qsort(names.items, names.count, NAME_BYTES, compare);
    if (bsearch("start", names.items, names.count, NAME_BYTES, compare) == NULL) {
        return cli_complain(CLI_INPUT,
                            "%s: has no program `start`; tools/build_engine.sh makes such a folder",
                            folder);
    }
    return write_all(folder, &names, path);
}
