/*
 * budget.h - checks a new trace against limits.
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
 * A budget is a text with one rule per line. docs/budgets.md explains it:
 *
 *     # what            metric    limit
 *     total             p50    <= +5%      Method::execute: at most 5 % over the base
 *     operator *conv*   max    <= 2ms      every operator with such a name: at most 2 ms
 *     operator *        p50    <= +25% or +5us   fails if both are exceeded
 *     load              p50    <= +10ms    Program::load_method
 *     delegated         share  >= 90%      of the total, in delegate calls
 *     decode            tokens/s >= 40     of a language model, by the median time of a run
 *     [decode]                             the following rules are for this method only
 *
 * (without the remarks at the right). A rule relative to the base compares recordings, not runs:
 * the metric of each recording is one value, and both sides need ETS_LEAST_RECORDINGS of them. It
 * fails if the change exceeds the limit and the spread between recordings, and a permutation test
 * confirms it. It passes if the recordings could have shown a change of that size. Otherwise it is
 * undecided, and the verdict gives the number of recordings that would decide it. An absolute limit
 * is judged with any number of recordings.
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
    ETS_METRIC_SHARE = 6,
    ETS_METRIC_RATE = 7 /* tokens/s, at the median time of a run */
};

enum ets_budget_limit {
    ETS_LIMIT_TIME = 0,       /* at most this time: ns or cycles */
    ETS_LIMIT_OVER_TIME = 1,  /* at most this time over the base */
    ETS_LIMIT_OVER_RATIO = 2, /* at most this fraction over the base: 0.05 */
    ETS_LIMIT_SHARE = 3,      /* at least this fraction: 0.9 */
    ETS_LIMIT_RATE = 4        /* at least so many tokens/s */
};

/* One limit of a rule. A rule with several, "+25% or +5us", fails if all are exceeded. */
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
    uint32_t bound_count;     /* at least 1; of 2 at least one is relative to the base */
    struct ets_text scope;    /* [scope]: a method, block or stage; absent: all */
    enum ets_run_stage stage; /* only this stage; NONE: all */
    struct ets_text pattern;  /* OPERATOR: "*conv*"; * matches any text, ? any character. Only
                                 patterns that begin with "(" match "(between operators)", which
                                 is not an operator */
    struct ets_text text;     /* the rule, with single spaces */
    uint32_t line;            /* from 1 */
};

/*
 * Reads a budget. Patterns and scopes point into `text`, which must live as long. Statuses:
 * MALFORMED (the message names the line and says what it should be), LIMIT (over 10,000 rules),
 * NO_MEMORY.
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
    ETS_BUDGET_UNDECIDED = 1, /* the runs can neither confirm nor refute the rule */
    ETS_BUDGET_NEW = 2,       /* the base has no such operator: passes */
    ETS_BUDGET_FAIL = 3,
    ETS_BUDGET_MISSING = 4, /* nothing in the new trace matches the rule: fails */
    ETS_BUDGET_RESULT_COUNT = 5
};

/* Why a rule is undecided. */
enum ets_budget_uncertainty {
    ETS_DOUBT_NONE = 0,
    ETS_DOUBT_RECORDINGS = 1, /* too few for this spread: `recordings_needed` */
    ETS_DOUBT_SPREAD = 2,     /* recordings of one side differ by more than the change: `noise` */
    ETS_DOUBT_CLOCK = 3,      /* a delegate's clock is coarser than the change */
    ETS_DOUBT_ROOM = 4,       /* the rule allows no change (+0%), but the recordings differ */
    ETS_DOUBT_LENGTH = 5,     /* recordings of unequally many runs, on which the metric depends */
    ETS_DOUBT_APART = 6,      /* one side was recorded after the other: it may be the machine */
    ETS_DOUBT_TOKENS = 7,     /* not all runs computed the same known number of tokens */
    ETS_DOUBT_WORK = 8        /* the sides computed other tokens, or at other positions */
};

/*
 * The verdict of one rule on one line of the difference. Times are as in the difference; NaN: none.
 */
struct ets_budget_verdict {
    uint32_t rule;
    uint32_t line; /* of the difference; ETS_NO_INDEX: none */
    enum ets_budget_result result;
    enum ets_budget_uncertainty doubt; /* UNDECIDED */
    double base, value; /* of the metric, mean over the recordings; for shares 0 to 1. Of an
                           absolute limit over all runs. For tokens/s, the time of a run */
    double limit;       /* compared with `value`; of two limits the wider */
    uint32_t tokens;    /* of a run, if the rule is about tokens/s; 0: not known */
    double noise;       /* as spread of struct ets_difference_line; NaN: not needed */
    double p;           /* adjusted; NaN: not needed */
    double room;        /* UNDECIDED: (limit - base) / base: 0.05 for "+5%" */
    double spread;      /* UNDECIDED: noise / base; NaN: one recording a side */
    uint32_t before_recordings, after_recordings; /* of a relative limit */
    uint32_t recordings_needed; /* DOUBT_RECORDINGS: of each side, at this spread; 0: too many */
};

/* Tokens/s of a time of a verdict about them: its base, value or limit. 0: not known. */
static inline double ets_budget_rate(const struct ets_budget_verdict *verdict, double time)
{
    return time > 0 ? verdict->tokens * 1e9 / time : 0;
}

/*
 * Checks every rule against all lines that it matches. Statuses:
 * INVALID_ARGUMENT (a rule in time for traces in cycles, or the reverse), NO_MEMORY. The budget and
 * the difference must outlive the verdicts.
 */
ETS_API enum ets_status ets_budget_check(const struct ets_budget *budget,
                                         const struct ets_difference *difference,
                                         struct ets_budget_verdicts **verdicts_out,
                                         struct ets_error *error);
ETS_API void ets_budget_verdicts_close(struct ets_budget_verdicts *verdicts); /* NULL is allowed */
ETS_API uint32_t ets_budget_count(const struct ets_budget_verdicts *verdicts);
/* Number of FAIL and MISSING. */
ETS_API uint32_t ets_budget_failed(const struct ets_budget_verdicts *verdicts);
ETS_API uint32_t ets_budget_undecided(const struct ets_budget_verdicts *verdicts);
ETS_API const struct ets_budget_verdict *ets_budget_verdict(
    const struct ets_budget_verdicts *verdicts, uint32_t index);

/*
 * 1: the new trace has the method or block of the rule's section, or the rule has no section. 0: it
 * has not; `names` receives those that it has, "Default, Execute, forward", cut to `room` bytes (at
 * least 1).
 */
ETS_API int ets_budget_section_exists(const struct ets_budget_rule *rule,
                                      const struct ets_difference *difference, char *names,
                                      size_t room);

ETS_DECLARATIONS_END

#endif
