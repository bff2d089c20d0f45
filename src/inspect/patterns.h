/* Patterns of names, as filters and budgets have them. */
#ifndef ETSCOPE_INSPECT_PATTERNS_H
#define ETSCOPE_INSPECT_PATTERNS_H

#include "etscope/experimental/row_filter.h"

/* 1 where `text` as a whole is what `pattern` says; an absent text never is. */
int ets_pattern_matches(const char *pattern, struct ets_text text);

/* Likewise of an operator's name, which may go without its overload: "addmm" is "addmm.out". */
int ets_operator_matches(const char *pattern, struct ets_text name);

/* 1 where the filter lets every row of its method's blocks through. */
int ets_row_filter_is_empty(const struct ets_row_filter *filter);

/* 0 where a block is known not to have run the filter's method. */
int ets_row_filter_has_block(const struct ets_row_filter *filter, const struct ets_block *block);

/* 1 where `path` is `end`, or ends in it behind a separator: "/a/models/zoo.py", "zoo.py". */
int ets_path_ends_with(struct ets_text path, const char *end);

#endif
