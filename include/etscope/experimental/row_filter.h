/*
 * row_filter.h - some rows of an inspection: by name, module, debug handle, line, backend, method.
 *
 * Experimental: this header may change in any version, names and meanings included.
 *
 *     const struct ets_row_filter filter = {.module = "layers.0", .name = "addmm*"};
 *     for (uint32_t i = 0; i < ets_inspection_row_count(inspection); i++) {
 *         if (ets_row_filter_matches(&filter, inspection, i)) count++;
 *     }
 *
 * A row matches where all that the filter names fits; of a row with several modules, lines or
 * handles (operators that a delegate fused, a delegate call) one that fits is enough, and the row
 * counts as a whole. Texts are borrowed. In patterns `*` stands for any characters, `?` for one.
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
    const char *module;     /* pattern of a module's path or of one that it is inside of */
    const char *source;     /* "models/zoo.py" or the end of it, whole names: "zoo.py" */
    uint32_t source_line;   /* 0: any line of `source` */
    const char *backend;    /* pattern of the backend; "portable" for kernels */
    const char *method;     /* of the block */
    const int64_t *handles; /* [handle_count] debug handles */
    size_t handle_count;
};

/* 1 where the filter lets every row of its method's blocks through. */
ETS_API int ets_row_filter_is_empty(const struct ets_row_filter *filter);

/* 0 where a block is known not to have run the filter's method. */
ETS_API int ets_row_filter_has_block(const struct ets_row_filter *filter,
                                     const struct ets_block *block);

/* 1 where row `index` matches. */
ETS_API int ets_row_filter_matches(const struct ets_row_filter *filter,
                                   const struct ets_inspection *inspection, uint32_t index);

/* 1 where `text` as a whole is what `pattern` says; an absent text never is. */
ETS_API int ets_pattern_matches(const char *pattern, struct ets_text text);

/* Likewise of an operator's name, which may go without its overload: "addmm" is "addmm.out". */
ETS_API int ets_operator_matches(const char *pattern, struct ets_text name);

/* 1 where `path` is `end`, or ends in it behind a separator: "/a/models/zoo.py", "zoo.py". */
ETS_API int ets_path_ends_with(struct ets_text path, const char *end);

/*
 * What people call a row: the kernel without "native_call_", the program's name for a bare call,
 * the nodes of a look-up table of XNNPACK ("Hardswish (table) #1" for "Invalid Unary Op #1").
 */
ETS_API struct ets_text ets_row_operator(const struct ets_row *row);
/* The backend that did its work; "portable" for kernels, "delegate" where it is not known. */
ETS_API const char *ets_row_backend(const struct ets_row *row);

#ifdef __cplusplus
}
#endif

#endif
