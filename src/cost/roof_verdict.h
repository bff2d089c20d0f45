/*
 * roof_verdict.h - how far an operator is from what a machine can do, and what holds it back.
 *
 *     const struct ets_roof_question question = {
 *         .numbers = ETS_ROOF_FLOAT32, .operations = 2e6, .bytes = 48e3, .calls = 1, .threads = 1,
 *         .least_ns = 20e3, .most_ns = 21e3, .is_delegated = true};
 *     const struct ets_roof_answer answer = ets_roof_judge(&machine, &question);
 *     printf("%s, at best %.1f us\n", ets_roof_verdict_name(answer.verdict), answer.bound_ns /
 * 1e3);
 *
 * The bound is the longer of two times: the arithmetic at the machine's rate for such numbers, and
 * the bytes at the bandwidth of the smallest cache that holds them all; but no less than a call
 * that has nothing to do. Times on both sides are the shortest. docs/cost.md has the rules.
 */
#ifndef ETSCOPE_COST_ROOF_VERDICT_H
#define ETSCOPE_COST_ROOF_VERDICT_H

#include <stdbool.h>

#include "cost/cost.h"
#include "cost/roof.h"

enum ets_roof_verdict {
    ETS_ROOF_VERDICT_NONE = 0,           /* no operator */
    ETS_ROOF_VERDICT_COMPUTE_BOUND = 1,  /* arithmetic binds, and reaches 60 % of its roof */
    ETS_ROOF_VERDICT_MEMORY_BOUND = 2,   /* bytes bind, and reach 60 % of their roof */
    ETS_ROOF_VERDICT_OVERHEAD_BOUND = 3, /* the call costs, not the work: no share is told */
    ETS_ROOF_VERDICT_BELOW_ROOF = 4,     /* neither reaches 60 %; the reason is in no trace */
    ETS_ROOF_VERDICT_UNKNOWN = 5,        /* see `reason` */
    ETS_ROOF_VERDICT_COUNT = 6
};

/* Why a verdict is UNKNOWN. */
enum ets_roof_reason {
    ETS_ROOF_REASON_NONE = 0,
    ETS_ROOF_NO_COST = 1,      /* the operator's work is not known */
    ETS_ROOF_AT_MOST = 2,      /* only an upper bound of it is */
    ETS_ROOF_NEAR = 3,         /* the event may stand for a neighbour */
    ETS_ROOF_NO_TIME = 4,      /* it did not run, or its clock has no unit */
    ETS_ROOF_NOT_MEASURED = 5, /* the machine has no roof for such numbers or threads */
    ETS_ROOF_EXAMPLE = 6,      /* its work is known for the example inputs only */
    ETS_ROOF_TOO_FAST = 7,     /* it is faster than its roof, which is measured too low */
    ETS_ROOF_NO_INT4 = 8,      /* a product of such numbers, which no machine is measured with */
    ETS_ROOF_NO_BFLOAT16 = 9,
    ETS_ROOF_NO_FLOAT64 = 10,
    ETS_ROOF_NO_INTEGER = 11,
    ETS_ROOF_REASON_COUNT = 12
};

struct ets_roof_question {
    enum ets_roof_program
        numbers;              /* what it computes with; ETS_ROOF_PROGRAMS: nothing is measured */
    double operations;        /* of one run, as all that follows */
    double bytes;             /* inputs, weights and outputs */
    double in_place_bytes;    /* of these, outputs that are written over inputs */
    double calls;             /* how often it ran in the run; at least 1 */
    double least_ns, most_ns; /* its shortest time: at least and below; equal: exact */
    uint32_t threads;
    bool is_delegated;           /* a delegate's call, or what one ran inside */
    enum ets_roof_reason reason; /* what the caller knows to make it UNKNOWN; else NONE */
};

/* A call that takes fewer nanoseconds says nothing of its work. */
#define ETS_ROOF_LEAST_CALL_NS 10e3

/* Operators may be so much faster than a measured roof; a larger share means that it is wrong. */
#define ETS_ROOF_TOLERANCE 1.05

struct ets_roof_answer {
    enum ets_roof_verdict verdict;
    enum ets_roof_reason reason;
    enum ets_roof_kind binding;     /* of the bound: COMPUTE, BANDWIDTH or CALL */
    enum ets_memory_level level;    /* that holds one call's bytes */
    double bound_ns;                /* of a run; NaN: not known */
    double least_share, most_share; /* of the bound in the time; NaN: none is told */
};

/* Answers for UNKNOWN and OVERHEAD_BOUND have a bound where it is known, and no share. */
struct ets_roof_answer ets_roof_judge(const struct ets_machine *machine,
                                      const struct ets_roof_question *question);

/* A stage of a generation as a whole: what of a run's time it takes to read weights and caches. */
struct ets_stage_question {
    double read_bytes; /* of one run, as all that follows */
    double compute_ns; /* of products at their roofs; at least that where `missing` */
    double ns;
    double kernel_calls, delegate_calls;
    double long_ns; /* in calls that take too long to be overhead; 0: that is not known */
    uint32_t threads;
    enum ets_roof_reason missing; /* why some products have no roof; NONE: all have */
    enum ets_roof_reason reason;  /* what the caller knows to make it UNKNOWN; else NONE */
};

/* `least_share` and `most_share` are those of reading. */
struct ets_roof_answer ets_roof_judge_stage(const struct ets_machine *machine,
                                            const struct ets_stage_question *question);

/* The program that measures such numbers; ETS_ROOF_PROGRAMS: none does. */
enum ets_roof_program ets_roof_program_of(enum ets_arithmetic arithmetic);
/* Why no product of such numbers has a roof; NONE: it may have one. */
enum ets_roof_reason ets_roof_missing(enum ets_arithmetic arithmetic);

/* "compute-bound", "below the roof"; NULL for NONE. Static storage. */
const char *ets_roof_verdict_name(enum ets_roof_verdict verdict);
/* "no roof for such numbers or threads"; NULL for NONE. Static storage. */
const char *ets_roof_reason_name(enum ets_roof_reason reason);

#endif
