/* Remembers inputs by device and number, so that links and other spellings are the same file. */
#define _POSIX_C_SOURCE 200809L
#include "cli/core/input_files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/output.h"

struct identity {
    dev_t device;
    ino_t file;
};

static struct {
    struct identity *items;
    size_t count, capacity;
    bool is_incomplete; /* no memory: every existing file counts as an input */
} inputs;

static bool identify(const char *path, struct identity *identity_out)
{
    struct stat info;
    if (strcmp(path, "-") == 0 || stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return false;
    *identity_out = (struct identity){info.st_dev, info.st_ino};
    return true;
}

static bool is_equal(const struct identity *left, const struct identity *right)
{
    return left->device == right->device && left->file == right->file;
}

bool cli_is_same_file(const char *left, const char *right)
{
    struct identity a, b;
    struct stat info;
    if (strcmp(left, right) == 0 && strcmp(left, "-") != 0 && stat(left, &info) != 0) return true;
    return identify(left, &a) && identify(right, &b) && is_equal(&a, &b);
}

static bool has(const struct identity *identity)
{
    for (size_t i = inputs.count; i-- > 0;) { /* from the last: most are opened again at once */
        if (is_equal(&inputs.items[i], identity)) return true;
    }
    return false;
}

static bool is_input(const char *path)
{
    struct identity identity;
    return identify(path, &identity) && (has(&identity) || inputs.is_incomplete);
}

void cli_inputs_guard(void)
{
    ets_output_set_guard(is_input);
}

bool cli_inputs_add(const char *path)
{
    struct identity identity;
    if (!identify(path, &identity)) return true;
    if (has(&identity)) return false;
    if (inputs.count == inputs.capacity) {
        const size_t capacity = 2 * inputs.capacity + 16;
        struct identity *grown = realloc(inputs.items, capacity * sizeof *grown);
        inputs.is_incomplete |= grown == NULL;
        if (grown == NULL) return true;
        inputs.items = grown;
        inputs.capacity = capacity;
    }
    inputs.items[inputs.count++] = identity;
    return true;
}

void cli_inputs_free(void)
{
    free(inputs.items);
    inputs.items = NULL;
    inputs.count = inputs.capacity = 0;
}
