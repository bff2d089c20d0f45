/* Patterns of names in filters and budgets. */
#ifndef ETSCOPE_INSPECT_PATTERNS_H
#define ETSCOPE_INSPECT_PATTERNS_H

#include "etscope/experimental/row_filter.h"

/* 1 if `pattern` matches the whole `text`; an absent text never matches. */
int ets_pattern_matches(const char *pattern, struct ets_text text);

/* The same for the name of an operator; its overload is optional: "addmm" matches "addmm.out". */
int ets_operator_matches(const char *pattern, struct ets_text name);

/* 1 if the filter matches every row of its method's blocks. */
int ets_row_filter_is_empty(const struct ets_row_filter *filter);

/* 0 if a block is known not to have run the filter's method. */
int ets_row_filter_has_block(const struct ets_row_filter *filter, const struct ets_block *block);

/* 1 if `path` is `end` or ends in it after a separator: "/a/models/zoo.py", "zoo.py". */
int ets_path_ends_with(struct ets_text path, const char *end);

#endif
