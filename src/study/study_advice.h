/*
 * The advice of a study: which findings are shown, what they save together, and the answer.
 *
 *     struct ets_study_advice advice;
 *     ETS_TRY(ets_study_coverage(&study, false, &advice.coverage, error));
 *     ETS_TRY(ets_study_advise(&study, false, &advice, error));
 *     puts(advice.headline);
 */
#ifndef ETSCOPE_STUDY_STUDY_ADVICE_H
#define ETSCOPE_STUDY_STUDY_ADVICE_H

#include "advice/advice_headline.h"
#include "study/study.h"

struct ets_study_advice {
    struct ets_advice_coverage coverage;
    const struct ets_studied_findings *of; /* of the first trace, or the first program */
    const struct ets_finding **shown;
    uint32_t count; /* of `shown` */
    struct ets_saving_total total;
    double tick_ns;    /* 0: cycles */
    bool is_undecided; /* nothing was found in what was read, and not all was */
    char headline[ETS_ADVICE_HEADLINE_BYTES];
};

/*
 * How much of the program was read. Statuses: those of ets_advice_coverage_find.
 */
enum ets_status ets_study_coverage(struct ets_study *study, bool allows_mismatch,
                                   struct ets_advice_coverage *coverage_out,
                                   struct ets_error *error);

/*
 * The rest, behind the coverage; `all`: also what ets_finding_is_shown leaves out. Statuses: those
 * of ets_study_findings; INVALID_ARGUMENT: the study is of no trace and no program.
 */
enum ets_status ets_study_advise(struct ets_study *study, bool all, struct ets_study_advice *advice,
                                 struct ets_error *error);

#endif
