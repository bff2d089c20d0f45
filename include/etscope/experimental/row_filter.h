/*
 * row_filter.h - selects rows of an inspection by name, module, debug handle, source line, backend
 * or method.
 *
 * Experimental: this header may change in any version, names and meanings included.
 *
 *     const struct ets_row_filter filter = {.module = "layers.0", .name = "addmm*"};
 *     for (uint32_t i = 0; i < ets_inspection_row_count(inspection); i++) {
 *         if (ets_row_filter_matches(&filter, inspection, i)) count++;
 *     }
 *
 * A row matches if it fits all fields of the filter. A row with several modules, lines or handles
 * (operators that a delegate fused, a delegate call) matches if one of them fits, and then counts
 * as a whole. Texts are borrowed. In patterns `*` matches any text and `?` one character.
 */
#ifndef ETSCOPE_ROW_FILTER_H
#define ETSCOPE_ROW_FILTER_H

#include "etscope/inspect.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All zero: every row. */
struct ets_row_filter {
    const char *name;       /* pattern of the operator as shown, the event, or the kernel, with or
                               without the overload: "addmm" is "addmm.out" */
    const char *module;     /* pattern of the path of a module, or of one that contains it */
    const char *source;     /* "models/zoo.py", or its last components: "zoo.py" */
    uint32_t source_line;   /* 0: any line of `source` */
    const char *backend;    /* pattern of the backend; "portable" for kernels */
    const char *method;     /* of the block */
    const int64_t *handles; /* [handle_count] debug handles */
    size_t handle_count;
};

/* 1 if row `index` matches. */
ETS_API int ets_row_filter_matches(const struct ets_row_filter *filter,
                                   const struct ets_inspection *inspection, uint32_t index);

/*
 * The display name of a row: the kernel without "native_call_", the program's operator name for a
 * bare call, or the nodes of a look-up table of XNNPACK ("Hardswish (table) #1" for "Invalid Unary
 * Op #1").
 */
ETS_API struct ets_text ets_row_operator(const struct ets_row *row);
/* The backend of a row; "portable" for kernels, "delegate" if unknown. */
ETS_API const char *ets_row_backend(const struct ets_row *row);

#ifdef __cplusplus
}
#endif

#endif
