/* What the table and JUnit's XML call the lines of a gate. */
#ifndef ETSCOPE_VIEWS_BUDGET_WORDS_H
#define ETSCOPE_VIEWS_BUDGET_WORDS_H

#include "etscope/experimental/budget.h"
#include "views/difference_order.h"

/* What a gate checked. */
struct ets_budget_report {
    const struct ets_budget *budget;
    const struct ets_difference *difference;
    const struct ets_budget_verdicts *verdicts;
    const char *budget_path; /* for people and JUnit */
    int undecided_passes;    /* 1: what is undecided is no error for JUnit */
    int hides_passes;        /* 1: the table has no rows of what passes, but counts them */
};

/* The operator that a verdict is about; NULL: none. */
const struct ets_pool_operator *ets_budget_operator(const struct ets_budget_report *report,
                                                    const struct ets_budget_verdict *verdict);
/* The block that it is in, of the new trace; NULL: none. */
const struct ets_pool_block *ets_budget_block(const struct ets_budget_report *report,
                                              const struct ets_budget_verdict *verdict);

enum { ETS_BUDGET_REASON_BYTES = 768 };

/* Why a verdict is undecided, and what would decide it; "" where it is decided. */
void ets_budget_doubt(const struct ets_budget_report *report,
                      const struct ets_budget_verdict *verdict, char text[ETS_BUDGET_REASON_BYTES]);
/* The same behind what was measured; of a failure what broke. */
void ets_budget_reason(const struct ets_budget_report *report,
                       const struct ets_budget_verdict *verdict,
                       char text[ETS_BUDGET_REASON_BYTES]);
/* What a rule that holds uses of what it allows: "conv.out +3.1 % of 5 % allowed". */
void ets_budget_margin(const struct ets_budget_report *report,
                       const struct ets_budget_verdict *verdict,
                       char text[ETS_BUDGET_REASON_BYTES]);

#endif
