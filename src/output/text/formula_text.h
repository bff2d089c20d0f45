/* What a spreadsheet runs. Every writer of CSV and TSV, also Python's, puts an apostrophe before
 * it. */
#ifndef ETSCOPE_OUTPUT_TEXT_FORMULA_TEXT_H
#define ETSCOPE_OUTPUT_TEXT_FORMULA_TEXT_H

#include <stdbool.h>

#include "etscope/base.h"
#include "host/strings.h"

/*
 * Whether a spreadsheet would run a text instead of showing it: it begins with =, +, -, @, a tab,
 * an end of line or a full-width form of those, and is no number.
 */
ETS_API bool ets_is_formula(struct ets_text text);

#endif
