/*
 * comparator_plugin.h - comparators of your own, as shared libraries.
 *
 * Experimental: this header may change in any version, names and meanings included.
 *
 * A plug-in is a shared library that exports one function, which hands out a struct that describes
 * the comparator. The whole of one:
 *
 *     #include "etscope/experimental/comparator_plugin.h"
 *
 *     static enum ets_status compare(const struct ets_tensor *reference,
 *                                    const struct ets_tensor *other, double *result_out,
 *                                    struct ets_error *error)
 *     {
 *         (void)error;
 *         *result_out = reference->scalar_type == other->scalar_type ? 0 : 1;
 *         return ETS_OK;
 *     }
 *
 *     const struct ets_comparator *ets_comparator_plugin(void)
 *     {
 *         static const struct ets_comparator comparator = {
 *             .interface_version = ETS_COMPARATOR_INTERFACE_VERSION,
 *             .struct_bytes = sizeof comparator,
 *             .name = "retyped",
 *             .title = "type differs",
 *             .compare = compare,
 *         };
 *         return &comparator;
 *     }
 *
 *     cc -shared -fPIC retyped.c -o retyped.so $(pkg-config --cflags --libs etscope)
 *     etscope verify model.bpte --comparator ./retyped.so
 *
 * examples/comparator has one that reads the numbers of any type and layout (numerics.h). Plug-ins
 * run with the rights of the process that opens them. Opening one:
 *
 *     struct ets_comparator_library *library;
 *     const struct ets_comparator *comparator;
 *     struct ets_error error;
 *     double result;
 *     if (ets_comparator_open("retyped.so", &library, &comparator, &error) != ETS_OK) {
 *         fprintf(stderr, "%s\n", error.message);
 *         return 1;
 *     }
 *     if (ets_comparator_run(comparator, &reference, &other, &result, &error) == ETS_OK) {
 *         printf("%s: %g\n", comparator->name, result);
 *     }
 *     ets_comparator_close(library);
 */
#ifndef ETSCOPE_COMPARATOR_PLUGIN_H
#define ETSCOPE_COMPARATOR_PLUGIN_H

#include <stdint.h>

#include "etscope/base.h"
#include "etscope/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Raised with every change of the struct below, and of what its members mean. */
#define ETS_COMPARATOR_INTERFACE_VERSION 1

/* The longest name, without its terminator. */
#define ETS_COMPARATOR_NAME_LIMIT 31

struct ets_comparator {
    uint32_t interface_version; /* ETS_COMPARATOR_INTERFACE_VERSION */
    uint32_t struct_bytes;      /* sizeof(struct ets_comparator) */
    const char *name;           /* of a column for programs: a-z, 0-9 and _, a letter first */
    const char *title;          /* of a column for people; NULL: `name` */
    /*
     * One number for a pair of tensors, which are borrowed during the call. Types, shapes and
     * layouts are whatever was captured: a comparator checks what it needs, and answers another
     * status, with a line in error->message, for pairs that it cannot compare. NaN stands for no
     * number. Called by any thread, but by one at a time.
     */
    enum ets_status (*compare)(const struct ets_tensor *reference, const struct ets_tensor *other,
                               double *result_out, struct ets_error *error);
};

/* What a plug-in defines and exports; libetscope has no such function. */
ETS_API const struct ets_comparator *ets_comparator_plugin(void);

struct ets_comparator_library;

/*
 * Opens a plug-in by its path; one without a slash is a file of the current folder. The comparator
 * lives until the library is closed. Statuses: NOT_FOUND (no such file), UNAVAILABLE (the dynamic
 * loader refuses it, with its reason), WRONG_KIND (no ets_comparator_plugin in it, or it hands out
 * nothing), MISMATCH (made for another version of this interface), MALFORMED (name or function are
 * missing or wrong), NO_MEMORY.
 */
ETS_API enum ets_status ets_comparator_open(const char *path,
                                            struct ets_comparator_library **library_out,
                                            const struct ets_comparator **comparator_out,
                                            struct ets_error *error);

/*
 * Compares one pair: what `compare` answers, with the comparator's name in front of its message.
 * `*result_out` is untouched on failure.
 */
ETS_API enum ets_status ets_comparator_run(const struct ets_comparator *comparator,
                                           const struct ets_tensor *reference,
                                           const struct ets_tensor *other, double *result_out,
                                           struct ets_error *error);

/* NULL does nothing. */
ETS_API void ets_comparator_close(struct ets_comparator_library *library);

#ifdef __cplusplus
}
#endif

#endif
