/* What a spreadsheet runs. Every writer of CSV and TSV puts an apostrophe before it. */
#ifndef ETSCOPE_OUTPUT_TEXT_FORMULA_TEXT_H
#define ETSCOPE_OUTPUT_TEXT_FORMULA_TEXT_H

#include <stdbool.h>

#include "host/strings.h"

/*
 * Whether a spreadsheet would run a text instead of showing it: it begins with =, +, -, @, a tab, a
 * carriage return or a full-width form of those, and is no number.
 */
bool ets_is_formula(struct ets_text text);

#endif
