/*
 * comparator_plugin.h - your own comparators, as shared libraries.
 *
 * Experimental: this header may change in any version, names and meanings included.
 *
 * A plug-in is a shared library that exports one function, which returns a struct that describes
 * the comparator. A complete plug-in:
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
 * examples/comparator reads the numbers of any type and layout with numerics.h. A plug-in runs with
 * the rights of the process that opens it.
 */
#ifndef ETSCOPE_COMPARATOR_PLUGIN_H
#define ETSCOPE_COMPARATOR_PLUGIN_H

#include <stdint.h>

#include "etscope/base.h"
#include "etscope/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Raised with every change of the struct below or of the meaning of its members. */
#define ETS_COMPARATOR_INTERFACE_VERSION 1

/* The longest name, without its terminator. */
#define ETS_COMPARATOR_NAME_LIMIT 31

struct ets_comparator {
    uint32_t interface_version; /* ETS_COMPARATOR_INTERFACE_VERSION */
    uint32_t struct_bytes;      /* sizeof(struct ets_comparator) */
    const char *name;  /* column name in output for programs: a-z, 0-9 and _, a letter first */
    const char *title; /* column title in output for people; NULL: `name` */
    /*
     * Computes one number for a pair of tensors, which are borrowed for the call. They have any
     * type, shape and layout that was captured: check what you need. For a pair that you cannot
     * compare, return another status with a line in error->message. NaN means no number. May be
     * called from any thread, but not concurrently.
     */
    enum ets_status (*compare)(const struct ets_tensor *reference, const struct ets_tensor *other,
                               double *result_out, struct ets_error *error);
};

/* Marks the exported function of a plug-in. */
#define ETS_PLUGIN ETS_API

/* The function that a plug-in defines. libetscope does not define it. */
ETS_PLUGIN const struct ets_comparator *ets_comparator_plugin(void);

#ifdef __cplusplus
}
#endif

#endif
