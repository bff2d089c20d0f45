/* The words of the table and the JUnit XML for the verdicts of a gate. */
#ifndef ETSCOPE_VIEWS_BUDGET_WORDS_H
#define ETSCOPE_VIEWS_BUDGET_WORDS_H

#include "etscope/experimental/budget.h"
#include "views/difference_order.h"

/* The results of a gate. */
struct ets_budget_report {
    const struct ets_budget *budget;
    const struct ets_difference *difference;
    const struct ets_budget_verdicts *verdicts;
    const char *budget_path; /* for people and JUnit */
    int undecided_passes;    /* 1: undecided rules are not errors in JUnit XML */
    int hides_passes;        /* 1: the table counts passed rules, but does not list them */
};

/* The operator that a verdict is about; NULL: none. */
const struct ets_pool_operator *ets_budget_operator(const struct ets_budget_report *report,
                                                    const struct ets_budget_verdict *verdict);
/* The block that it is in, of the new trace; NULL: none. */
const struct ets_pool_block *ets_budget_block(const struct ets_budget_report *report,
                                              const struct ets_budget_verdict *verdict);

enum { ETS_BUDGET_REASON_BYTES = 768 };

/* Why a verdict is undecided, and what would decide it; "" if it is decided. */
void ets_budget_uncertainty(const struct ets_budget_report *report,
                            const struct ets_budget_verdict *verdict,
                            char text[ETS_BUDGET_REASON_BYTES]);
/* The measured value and the limit, followed by the doubt if it is undecided. */
void ets_budget_reason(const struct ets_budget_report *report,
                       const struct ets_budget_verdict *verdict,
                       char text[ETS_BUDGET_REASON_BYTES]);
/* How much of its limit a passed rule uses: "conv.out +3.1 % of 5 % allowed". */
void ets_budget_margin(const struct ets_budget_report *report,
                       const struct ets_budget_verdict *verdict,
                       char text[ETS_BUDGET_REASON_BYTES]);

#endif
