/* Opens comparator plug-ins of the user. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "etscope/experimental/comparator_plugin.h"
#include "host/comparator_library.h"
#include "host/os/os_files.h"
#include "host/os/os_libraries.h"

#define SYMBOL "ets_comparator_plugin"

struct ets_comparator_library {
    void *handle;
};

typedef const struct ets_comparator *plugin_function(void);

/* The loader would search the system's folders for a name without a folder. */
static enum ets_status load(const char *path, void **handle_out, struct ets_error *error)
{
    const size_t capacity = strlen(path) + 3;
    if (ets_os_look(path).kind == ETS_OS_NOTHING) {
        return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET, "no such file");
    }
    char *full = malloc(capacity);
    if (full == NULL) {
        return ets_fail(error, ETS_NO_MEMORY, ETS_NO_OFFSET, "no memory to open a comparator");
    }
    snprintf(full, capacity, "%s%s", ets_os_has_folder(path) ? "" : "./", path);
    *handle_out = ets_os_load(full, false);
    free(full);
    if (*handle_out != NULL) return ETS_OK;
    return ets_fail(error, ETS_UNAVAILABLE, ETS_NO_OFFSET, "cannot be loaded as a comparator: %s",
                    ets_os_load_failure());
}

static bool is_letter(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_good_name(const char *name)
{
    if (name == NULL || !is_letter(name[0])) return false;
    size_t size = 1;
    for (; name[size] != '\0'; size++) {
        const char c = name[size];
        const bool is_good = is_letter(c) || (c >= '0' && c <= '9') || c == '_';
        if (!is_good || size == ETS_COMPARATOR_NAME_LIMIT) return false;
    }
    return true;
}

static enum ets_status check(const struct ets_comparator *comparator, struct ets_error *error)
{
    if (comparator == NULL) {
        return ets_fail(error, ETS_WRONG_KIND, ETS_NO_OFFSET,
                        "its " SYMBOL " returns no comparator");
    }
    if (comparator->interface_version != ETS_COMPARATOR_INTERFACE_VERSION ||
        comparator->struct_bytes != sizeof *comparator) {
        return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET,
                        "it has comparator interface %u (%u bytes), but this etscope needs %u (%zu "
                        "bytes): recompile it",
                        (unsigned)comparator->interface_version, (unsigned)comparator->struct_bytes,
                        (unsigned)ETS_COMPARATOR_INTERFACE_VERSION, sizeof *comparator);
    }
    if (!is_good_name(comparator->name)) {
        return ets_fail(
            error, ETS_MALFORMED, ETS_NO_OFFSET,
            "its comparator's name must start with a letter and have 1 to %u of a-z, 0-9 and _",
            (unsigned)ETS_COMPARATOR_NAME_LIMIT);
    }
    if (comparator->compare == NULL) {
        return ets_fail(error, ETS_MALFORMED, ETS_NO_OFFSET, "comparator %s has no function",
                        comparator->name);
    }
    return ETS_OK;
}

/* The comparator of a loaded library. */
static enum ets_status ask(void *handle, const struct ets_comparator **comparator_out,
                           struct ets_error *error)
{
    void *symbol = ets_os_symbol(handle, SYMBOL);
    plugin_function *function = NULL;
    _Static_assert(sizeof symbol == sizeof function, "POSIX function pointers");
    memcpy(&function, &symbol, sizeof function);
    if (function == NULL) {
        return ets_fail(error, ETS_WRONG_KIND, ETS_NO_OFFSET,
                        "not a comparator: it does not export " SYMBOL);
    }
    const struct ets_comparator *comparator = function();
    ETS_TRY(check(comparator, error));
    *comparator_out = comparator;
    return ETS_OK;
}

enum ets_status ets_comparator_open(const char *path, struct ets_comparator_library **library_out,
                                    const struct ets_comparator **comparator_out,
                                    struct ets_error *error)
{
    struct ets_comparator_library *library = calloc(1, sizeof *library);
    if (library == NULL) {
        return ets_fail(error, ETS_NO_MEMORY, ETS_NO_OFFSET, "no memory to open a comparator");
    }
    enum ets_status status = load(path, &library->handle, error);
    if (status == ETS_OK) status = ask(library->handle, comparator_out, error);
    if (status != ETS_OK) {
        ets_comparator_close(library);
        return status;
    }
    *library_out = library;
    return ETS_OK;
}

enum ets_status ets_comparator_run(const struct ets_comparator *comparator,
                                   const struct ets_tensor *reference,
                                   const struct ets_tensor *other, double *result_out,
                                   struct ets_error *error)
{
    struct ets_error reason = {.offset = ETS_NO_OFFSET, .message = ""};
    double result = 0;
    const enum ets_status status = comparator->compare(reference, other, &result, &reason);
    if (status == ETS_OK) {
        *result_out = result;
        return ETS_OK;
    }
    reason.message[sizeof reason.message - 1] = '\0';
    return ets_fail(error, status, ETS_NO_OFFSET, "comparator %s: %s", comparator->name,
                    reason.message[0] != '\0' ? reason.message : ets_status_name(status));
}

void ets_comparator_close(struct ets_comparator_library *library)
{
    if (library == NULL) return;
    if (library->handle != NULL) ets_os_unload(library->handle);
    free(library);
}
