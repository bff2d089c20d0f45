/* Words the finding of a gap report. */
#ifndef ETSCOPE_VIEWS_GAP_HEADLINE_H
#define ETSCOPE_VIEWS_GAP_HEADLINE_H

#include <stdbool.h>

#include "etscope/experimental/gap.h"
#include "views/advice_words.h"

/*
 * Prints the finding, then further facts after ";": "all 6 values agree with the exported program
 * in float64; the largest error is 1e-07 in linear_1 (models/zoo.py:16); bit-identical to this
 * runtime's kernels". `advice`: how to word advice; NULL: no advice. Returns the length; cut to
 * `room`.
 */
ETS_API size_t ets_gap_headline(const struct ets_gap_report *report,
                                const struct ets_advice_words *advice, char *text, size_t room);

/*
 * Describes the guilty operator in a few lines that end in \n: source, module, operators inside,
 * statistics of both tensors, the worst element, and what it was computed from. Returns the length,
 * 0 if no operator is guilty; cut to `room`.
 */
ETS_API size_t ets_gap_describe_guilty(const struct ets_inspection *inspection,
                                       const struct ets_gap_report *report,
                                       const struct ets_advice_words *advice, char *text,
                                       size_t room);

/*
 * Prints which activation a scale cuts off, where that is worth a word: "relu (models/net.py:15) is
 * cut off: 12 % of its values are beyond its scale, 0 to 0.703: they reach 1.21, an error of 0.26".
 * Returns the length, 0 if there is none; cut to `room`.
 */
size_t ets_gap_describe_cut_off(const struct ets_gap_report *report, char *text, size_t room);

/*
 * Explains the findings that rows have, as far as their names do not: "inherited: right for inputs
 * that were already off"; where an operator is guilty, also what errors are fractions of. Returns
 * the length, 0 if there is nothing to explain; cut to `room`.
 */
size_t ets_gap_describe_findings(const struct ets_gap_report *report, char *text, size_t room);

/*
 * Lists the tolerances used, separated by ";": "float32 1e-05 of the root mean square (80 roundings
 * of 2^-23; ...)". Returns the length; cut to `room`.
 */
ETS_API size_t ets_gap_describe_tolerances(const struct ets_gap_report *report, char *text,
                                           size_t room);

#endif
