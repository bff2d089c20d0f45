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

/* Where a file that does not exist would be created: its folder, and its name. NULL: nowhere. */
static const char *find_place(char *target, struct identity *folder_out)
{
    struct stat info;
    char *slash = strrchr(target, '/');
    char *name = slash == NULL ? target : slash + 1;
    const char kept = *name;
    *name = '\0'; /* leaves the folder with its slash */
    const int failed = stat(slash == NULL ? "." : target, &info);
    *name = kept;
    if (failed != 0) return NULL;
    *folder_out = (struct identity){info.st_dev, info.st_ino};
    return name;
}

static bool is_same_place(char *left, char *right)
{
    struct identity a, b;
    const char *left_name = find_place(left, &a), *right_name = find_place(right, &b);
    if (left_name == NULL || right_name == NULL) return strcmp(left, right) == 0;
    return is_equal(&a, &b) && strcmp(left_name, right_name) == 0;
}

bool cli_is_same_file(const char *left, const char *right)
{
    struct identity a, b;
    struct stat info;
    if (strcmp(left, "-") == 0 || strcmp(right, "-") == 0) return false;
    const bool is_left = stat(left, &info) == 0, is_right = stat(right, &info) == 0;
    if (is_left || is_right) {
        return identify(left, &a) && identify(right, &b) && is_equal(&a, &b);
    }
    char *left_target = ets_output_resolve(left), *right_target = ets_output_resolve(right);
    const bool is_same = left_target != NULL && right_target != NULL
                             ? is_same_place(left_target, right_target)
                             : strcmp(left, right) == 0;
    free(left_target);
    free(right_target);
    return is_same;
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
