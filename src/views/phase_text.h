/* A line about a block's runs: warm-up, steady state, outliers. */
#ifndef ETSCOPE_VIEWS_PHASE_TEXT_H
#define ETSCOPE_VIEWS_PHASE_TEXT_H

#include "inspect/accounting/accounting.h"

/*
 * Describes a block's runs: "run 0 is warm-up (3.1 times the median of the others); steady from run
 * 1; 1 outlier: run 17". `runs`, `ticks`: the trace's number of each run and its time, in order;
 * `stage`: that of the block, as tokens that are decoded take longer the more are before them.
 * Returns the length, 0 if there is nothing to report; cut to `room`.
 */
ETS_API size_t ets_run_phases_print(const struct ets_run_phases *phases, const uint32_t *runs,
                                    const int64_t *ticks, enum ets_run_stage stage, char *text,
                                    size_t room);

#endif
