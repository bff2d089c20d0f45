/* Remembers inputs by device and number, so that links and other spellings are the same file. */
#include "cli/core/input_files.h"

#include <stdlib.h>
#include <string.h>

#include "host/memory_budget.h"
#include "host/os/os_files.h"
#include "host/output.h"

static struct {
    struct ets_os_place *items;
    size_t count, capacity;
} inputs;

static bool identify(const char *path, struct ets_os_place *identity_out)
{
    if (strcmp(path, "-") == 0) return false;
    *identity_out = ets_os_look(path);
    return identity_out->kind == ETS_OS_FILE;
}

/* Where a file that does not exist would be created: its folder, and its name. NULL: nowhere. */
static const char *find_place(char *target, struct ets_os_place *folder_out)
{
    char *name = target + (ets_os_name(target) - target);
    const char kept = *name;
    *name = '\0'; /* leaves the folder with its slash */
    *folder_out = ets_os_look(name == target ? "." : target);
    *name = kept;
    return folder_out->kind == ETS_OS_NOTHING ? NULL : name;
}

static bool is_same_place(char *left, char *right)
{
    struct ets_os_place a, b;
    const char *left_name = find_place(left, &a), *right_name = find_place(right, &b);
    if (left_name == NULL || right_name == NULL) return strcmp(left, right) == 0;
    return ets_os_is_same(&a, &b) && strcmp(left_name, right_name) == 0;
}

bool cli_is_same_file(const char *left, const char *right)
{
    if (strcmp(left, "-") == 0 || strcmp(right, "-") == 0) return false;
    const struct ets_os_place a = ets_os_look(left), b = ets_os_look(right);
    if (a.kind != ETS_OS_NOTHING || b.kind != ETS_OS_NOTHING) {
        return a.kind == ETS_OS_FILE && b.kind == ETS_OS_FILE && ets_os_is_same(&a, &b);
    }
    char *left_target = ets_output_resolve(left), *right_target = ets_output_resolve(right);
    const bool is_same = left_target != NULL && right_target != NULL
                             ? is_same_place(left_target, right_target)
                             : strcmp(left, right) == 0;
    free(left_target);
    free(right_target);
    return is_same;
}

static bool has(const struct ets_os_place *identity)
{
    for (size_t i = inputs.count; i-- > 0;) { /* from the last: most are opened again at once */
        if (ets_os_is_same(&inputs.items[i], identity)) return true;
    }
    return false;
}

static bool is_input(const char *path)
{
    struct ets_os_place identity;
    /* Without memory, every existing file counts as an input. */
    return identify(path, &identity) && (has(&identity) || ets_memory_was_refused());
}

void cli_inputs_guard(void)
{
    ets_output_set_guard(is_input);
}

bool cli_inputs_add(const char *path)
{
    struct ets_os_place identity;
    if (!identify(path, &identity)) return true;
    if (has(&identity)) return false;
    if (inputs.count == inputs.capacity) {
        const size_t capacity = 2 * inputs.capacity + 16;
        struct ets_os_place *grown = realloc(inputs.items, capacity * sizeof *grown);
        if (grown == NULL) {
            ets_memory_note_refusal();
            return true;
        }
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
