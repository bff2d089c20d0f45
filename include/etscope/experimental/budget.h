/*
 * budget.h - limits that a new trace must keep, and whether it does.
 *
 * Experimental: this header may change in any version, names and meanings included.
 *
 *     struct ets_budget *budget;
 *     struct ets_budget_verdicts *verdicts;
 *     if (ets_budget_open(ets_file_bytes(file), NULL, &budget, &error) == ETS_OK &&
 *         ets_budget_check(budget, difference, &verdicts, &error) == ETS_OK) {
 *         printf("%u of %u failed, %u undecided\n", ets_budget_failed(verdicts),
 *                ets_budget_count(verdicts), ets_budget_undecided(verdicts));
 *     }
 *     ets_budget_verdicts_close(verdicts);
 *     ets_budget_close(budget);
 *
 * A budget is a text of one rule a line; docs/budgets.md explains it:
 *
 *     # what            metric    limit
 *     total             p50    <= +5%      Method::execute: 5 % over the base at most
 *     operator *conv*   max    <= 2ms      every operator of such a name: 2 ms at most
 *     operator *        p50    <= +25% or +5us   broken where both are exceeded
 *     load              p50    <= +10ms    Program::load_method
 *     delegated         share  >= 90%      of the total, in the calls of delegates
 *     [decode]                             the rules below are for this method alone
 *
 * (without the remarks at the right). A limit over the base is broken where the change is beyond
 * the base's own noise and a rank test sees it; it holds where the runs could have shown a change
 * of its size; else it is undecided, with the number of runs that would decide it.
 */
#ifndef ETSCOPE_BUDGET_H
#define ETSCOPE_BUDGET_H

#include "etscope/experimental/difference.h"

ETS_DECLARATIONS_BEGIN

struct ets_budget;
struct ets_budget_verdicts;

enum ets_budget_subject {
    ETS_BUDGET_TOTAL = 0,
    ETS_BUDGET_LOAD = 1,
    ETS_BUDGET_OPERATOR = 2,
    ETS_BUDGET_DELEGATED = 3
};

enum ets_budget_metric {
    ETS_METRIC_MIN = 0,
    ETS_METRIC_P10 = 1,
    ETS_METRIC_P50 = 2,
    ETS_METRIC_P90 = 3,
    ETS_METRIC_MAX = 4,
    ETS_METRIC_AVG = 5,
    ETS_METRIC_SHARE = 6
};

enum ets_budget_limit {
    ETS_LIMIT_TIME = 0,       /* at most so many ns (cycles) */
    ETS_LIMIT_OVER_TIME = 1,  /* at most so many over the base */
    ETS_LIMIT_OVER_RATIO = 2, /* at most this part over the base: 0.05 */
    ETS_LIMIT_SHARE = 3       /* at least this part: 0.9 */
};

/* "+25% or +5us": the rule is broken where all of its limits are exceeded. */
struct ets_budget_bound {
    enum ets_budget_limit limit;
    double value;
    int is_cycles; /* 1: a time in cycles */
};

enum { ETS_BUDGET_MAX_BOUNDS = 2 };

struct ets_budget_rule {
    enum ets_budget_subject subject;
    enum ets_budget_metric metric;
    struct ets_budget_bound bounds[ETS_BUDGET_MAX_BOUNDS];
    uint32_t bound_count;    /* at least 1; of 2 one at least is relative to the base */
    struct ets_text scope;   /* of [scope]: a method or block; absent: all */
    struct ets_text pattern; /* OPERATOR: "*conv*"; * is any text, ? any character. What is no
                                operator, "(between operators)", needs a pattern that begins
                                with "(" */
    struct ets_text text;    /* the rule, one space between its words */
    uint32_t line;           /* from 1 */
};

/*
 * Reads a budget, from which patterns and scopes are borrowed: `text` must live as long. Statuses:
 * MALFORMED (with the line, and what it should be), LIMIT (over 10,000 rules), NO_MEMORY.
 */
ETS_API enum ets_status ets_budget_open(struct ets_bytes text,
                                        const struct ets_allocator *allocator,
                                        struct ets_budget **budget_out, struct ets_error *error);
ETS_API void ets_budget_close(struct ets_budget *budget); /* NULL is allowed */
ETS_API uint32_t ets_budget_rule_count(const struct ets_budget *budget);
ETS_API const struct ets_budget_rule *ets_budget_rule(const struct ets_budget *budget,
                                                      uint32_t index);

enum ets_budget_result {
    ETS_BUDGET_PASS = 0,
    ETS_BUDGET_UNDECIDED = 1, /* the runs tell neither that the rule holds nor that it is broken */
    ETS_BUDGET_NEW = 2,       /* the base has no such operator to compare with: passes */
    ETS_BUDGET_FAIL = 3,
    ETS_BUDGET_MISSING = 4, /* the new trace has nothing that the rule is about: fails */
    ETS_BUDGET_RESULT_COUNT = 5
};

/* The least runs whose p90 has an upper bound: of fewer it may lie above all of them. */
enum { ETS_BUDGET_P90_RUNS = 29 };

/* Why a rule is undecided. */
enum ets_budget_doubt {
    ETS_DOUBT_NONE = 0,
    ETS_DOUBT_RUNS = 1,   /* too few runs for such a spread: `runs_needed` */
    ETS_DOUBT_BASE = 2,   /* parts of the base are over the limit as well: `noise` */
    ETS_DOUBT_CLOCK = 3,  /* a delegate's clock is coarser than the change */
    ETS_DOUBT_ROOM = 4,   /* the rule allows no change at all (+0%), the runs differ */
    ETS_DOUBT_SLOWEST = 5 /* max: the slowest runs differ by more than the rule allows */
};

/*
 * One rule and one line of the difference that it is about. Times are as in the difference; NaN:
 * there is none.
 */
struct ets_budget_verdict {
    uint32_t rule;
    uint32_t line; /* of the difference; ETS_NO_INDEX where there is none */
    enum ets_budget_result result;
    enum ets_budget_doubt doubt; /* UNDECIDED */
    double base, value;          /* of the metric; for shares 0 to 1 */
    double limit;                /* what `value` is held against: of two limits the wider */
    double noise;  /* the metric's largest among the parts of the base; NaN: not asked */
    double p;      /* adjusted; NaN: not asked */
    double room;   /* UNDECIDED: limit - base, as a part of the base: 0.05 of "+5%" */
    double spread; /* UNDECIDED: p90 - p10 of the runs, as a part of their median, of the side where
                      it is larger; NaN: neither side has two runs */
    uint32_t runs_needed; /* DOUBT_RUNS: of each side, for runs of this spread; 0: over a million */
};

/*
 * Checks every rule against every line that it is about. The base's
 * noise is the largest value of the metric among its files, or of one file among the quarters of
 * its runs. Statuses: INVALID_ARGUMENT (a rule in time, the traces in cycles, or the reverse),
 * NO_MEMORY. The budget and the difference must live as long.
 */
ETS_API enum ets_status ets_budget_check(const struct ets_budget *budget,
                                         const struct ets_difference *difference,
                                         struct ets_budget_verdicts **verdicts_out,
                                         struct ets_error *error);
ETS_API void ets_budget_verdicts_close(struct ets_budget_verdicts *verdicts); /* NULL is allowed */
ETS_API uint32_t ets_budget_count(const struct ets_budget_verdicts *verdicts);
/* FAIL and MISSING. */
ETS_API uint32_t ets_budget_failed(const struct ets_budget_verdicts *verdicts);
ETS_API uint32_t ets_budget_undecided(const struct ets_budget_verdicts *verdicts);
ETS_API const struct ets_budget_verdict *ets_budget_verdict(
    const struct ets_budget_verdicts *verdicts, uint32_t index);

/*
 * 1: the new trace has what the rule's section names, or the rule is in none. 0: it has no such
 * method or block; `names` gets those that it has, "Default, Execute, forward", cut at `room`
 * bytes, which are at least 1.
 */
ETS_API int ets_budget_section_exists(const struct ets_budget_rule *rule,
                                      const struct ets_difference *difference, char *names,
                                      size_t room);

/* 1: FAIL and MISSING. */
ETS_API int ets_budget_is_failure(enum ets_budget_result result);
/* "pass", "undecided", "new", "fail", "missing". */
ETS_API const char *ets_budget_result_name(enum ets_budget_result result);
/* "min", "p10", "p50", "p90", "max", "avg", "share". */
ETS_API const char *ets_budget_metric_name(enum ets_budget_metric metric);

ETS_DECLARATIONS_END

#endif
