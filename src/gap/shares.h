/*
 * What part of the outputs' error each operator makes: its own error alone is put into the clean
 * evaluation, and what arrives at the outputs is projected on their actual error.
 */
#ifndef ETSCOPE_GAP_SHARES_H
#define ETSCOPE_GAP_SHARES_H

#include "gap/gap_parts.h"

/*
 * Sets `share` of the rows with the largest own errors. Bounded in number and in time. Does nothing
 * where no output was compared, or one has NaNs or infinities. Statuses: those of
 * ets_reference_run.
 */
enum ets_status ets_gap_shares_measure(struct ets_gap_report *report,
                                       const struct gap_evaluation *e,
                                       const struct ets_gap_evaluation *how,
                                       struct ets_error *error);

#endif
