/* The finding of a gap report in sentences. */
#ifndef ETSCOPE_VIEWS_GAP_HEADLINE_H
#define ETSCOPE_VIEWS_GAP_HEADLINE_H

#include "etscope/experimental/gap.h"
#include "views/advice_words.h"

/*
 * The finding, and behind ";" what else must be known: "all 6 values agree with the exported
 * program in float64, by at most 1e-07 in linear_1 (models/zoo.py:16); same bits as this runtime's
 * kernels". `advice`: words for what would help; NULL: nothing is advised. Returns the length; cut
 * to `room`.
 */
ETS_API size_t ets_gap_headline(const struct ets_gap_report *report,
                                const struct ets_advice_words *advice, char *text, size_t room);

/*
 * What is known of the guilty operator, in a few lines that end in \n: source, module, what lies
 * inside, the statistics of both tensors, the worst element, and what it was computed from. Returns
 * the length, 0 where nobody is guilty; cut to `room`.
 */
ETS_API size_t ets_gap_describe_guilty(const struct ets_inspection *inspection,
                                       const struct ets_gap_report *report,
                                       const struct ets_advice_words *advice, char *text,
                                       size_t room);

/*
 * What the rows were judged by: "float32 1e-05 of the root mean square (80 roundings of 2^-23;
 * ...)", one for each that occurs, with ";" between. Returns the length; cut to `room`.
 */
ETS_API size_t ets_gap_describe_tolerances(const struct ets_gap_report *report, char *text,
                                           size_t room);

#endif
