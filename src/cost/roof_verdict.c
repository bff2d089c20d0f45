/* Sets an operator's time against the roofs of a machine. */
#include "cost/roof_verdict.h"

#include <math.h>

/* A time of fewer empty calls says nothing of the work. */
#define LEAST_CALLS 3
/* From this share of its roof on, an operator is held back by it. */
#define REACHED 0.6
/* A stage is not held back by its calls if so much of its time is in long ones. */
#define MOST_LONG 0.5

static const char *const verdicts[ETS_ROOF_VERDICT_COUNT] = {
    NULL, "compute-bound", "memory-bound", "overhead-bound", "below the roof", "unknown"};

static const char *const reasons[ETS_ROOF_REASON_COUNT] = {
    NULL,
    "its work is not known",
    "its work is known as an upper bound only",
    "its time may be a neighbour's",
    "its time is not known",
    "the machine was not measured with such numbers or threads",
    "its work is known for the example inputs only",
    "faster than the measured roof: measure the machine again",
    "no roof for products of int4",
    "no roof for products of bfloat16",
    "no roof for products of float64",
    "no roof for products of integers"};

const char *ets_roof_verdict_name(enum ets_roof_verdict verdict)
{
    return (unsigned)verdict < ETS_ROOF_VERDICT_COUNT ? verdicts[verdict] : NULL;
}

const char *ets_roof_reason_name(enum ets_roof_reason reason)
{
    return (unsigned)reason < ETS_ROOF_REASON_COUNT ? reasons[reason] : NULL;
}

/* The longest of the two times and of the empty calls; NaN: one that counts was not measured. */
static void find_bound(const struct ets_machine *machine, const struct ets_roof_question *q,
                       double empty_ns, struct ets_roof_answer *answer)
{
    const double set = (q->bytes - q->in_place_bytes) / q->calls;
    const uint64_t working_set = set < 9e18 ? (uint64_t)set : UINT64_MAX;
    double compute = 0, memory = 0;
    if (q->operations > 0) {
        compute = q->numbers < ETS_ROOF_PROGRAMS
                      ? q->operations * 1e9 / ets_machine_compute(machine, q->numbers, q->threads)
                      : NAN;
    }
    if (q->bytes > 0) {
        memory = q->bytes * 1e9 /
                 ets_machine_bandwidth(machine, working_set, q->threads, q->in_place_bytes > 0);
    }
    answer->level = ets_machine_level(machine, working_set, q->threads);
    answer->bound_ns = compute + memory; /* NaN where either is */
    if (isnan(answer->bound_ns)) return;
    answer->binding = compute > memory ? ETS_ROOF_COMPUTE : ETS_ROOF_BANDWIDTH;
    answer->bound_ns = fmax(compute, memory);
    if (answer->bound_ns >= empty_ns || isnan(empty_ns)) return;
    answer->binding = ETS_ROOF_CALL;
    answer->bound_ns = empty_ns;
}

static enum ets_roof_verdict unknown(struct ets_roof_answer *answer, enum ets_roof_reason reason)
{
    answer->reason = reason;
    return ETS_ROOF_VERDICT_UNKNOWN;
}

static enum ets_roof_verdict judge(const struct ets_roof_question *q, double empty_ns,
                                   struct ets_roof_answer *answer)
{
    const double time = (q->least_ns + q->most_ns) / 2;
    if (q->reason != ETS_ROOF_REASON_NONE) return unknown(answer, q->reason);
    if (!(time > 0)) return unknown(answer, ETS_ROOF_NO_TIME);
    if (isnan(answer->bound_ns)) return unknown(answer, ETS_ROOF_NOT_MEASURED);
    if (time / q->calls < ETS_ROOF_LEAST_CALL_NS || time < LEAST_CALLS * empty_ns) {
        return ETS_ROOF_VERDICT_OVERHEAD_BOUND;
    }
    if (answer->bound_ns / q->most_ns > ETS_ROOF_TOLERANCE)
        return unknown(answer, ETS_ROOF_TOO_FAST);
    answer->least_share = answer->bound_ns / q->most_ns;
    answer->most_share = answer->bound_ns / q->least_ns;
    if (answer->bound_ns / time < REACHED) return ETS_ROOF_VERDICT_BELOW_ROOF;
    return answer->binding == ETS_ROOF_COMPUTE ? ETS_ROOF_VERDICT_COMPUTE_BOUND
                                               : ETS_ROOF_VERDICT_MEMORY_BOUND;
}

struct ets_roof_answer ets_roof_judge(const struct ets_machine *machine,
                                      const struct ets_roof_question *question)
{
    struct ets_roof_answer answer = {
        .level = ETS_LEVEL_UNKNOWN, .bound_ns = NAN, .least_share = NAN, .most_share = NAN};
    const double empty_ns =
        question->calls *
        ets_machine_call_ns(machine, question->is_delegated ? ETS_ROOF_DELEGATE : ETS_ROOF_KERNEL,
                            question->threads);
    if (question->reason == ETS_ROOF_REASON_NONE) find_bound(machine, question, empty_ns, &answer);
    answer.verdict = judge(question, empty_ns, &answer);
    return answer;
}

static enum ets_roof_verdict judge_stage(const struct ets_machine *machine,
                                         const struct ets_stage_question *q,
                                         struct ets_roof_answer *answer)
{
    const double calls = q->kernel_calls + q->delegate_calls;
    const double empty_ns =
        q->kernel_calls * ets_machine_call_ns(machine, ETS_ROOF_KERNEL, q->threads) +
        q->delegate_calls * ets_machine_call_ns(machine, ETS_ROOF_DELEGATE, q->threads);
    const double reading = answer->least_share, computing = q->compute_ns / q->ns;
    if (reading > ETS_ROOF_TOLERANCE) return unknown(answer, ETS_ROOF_TOO_FAST);
    if (reading >= REACHED && reading >= computing) return ETS_ROOF_VERDICT_MEMORY_BOUND;
    if (computing >= REACHED) return ETS_ROOF_VERDICT_COMPUTE_BOUND;
    const bool is_short = q->ns < ETS_ROOF_LEAST_CALL_NS * calls || q->ns < LEAST_CALLS * empty_ns;
    if (is_short && q->long_ns < MOST_LONG * q->ns) { /* else few long calls are most of it */
        return ETS_ROOF_VERDICT_OVERHEAD_BOUND;
    }
    return q->missing != ETS_ROOF_REASON_NONE ? unknown(answer, q->missing)
                                              : ETS_ROOF_VERDICT_BELOW_ROOF;
}

struct ets_roof_answer ets_roof_judge_stage(const struct ets_machine *machine,
                                            const struct ets_stage_question *question)
{
    const double bytes = question->read_bytes;
    const uint64_t set = bytes < 9e18 ? (uint64_t)bytes : UINT64_MAX;
    struct ets_roof_answer answer = {
        .level = ETS_LEVEL_UNKNOWN, .bound_ns = NAN, .least_share = NAN, .most_share = NAN};
    if (question->reason != ETS_ROOF_REASON_NONE) {
        answer.verdict = unknown(&answer, question->reason);
        return answer;
    }
    answer.level = ets_machine_level(machine, set, question->threads);
    answer.bound_ns = bytes * 1e9 / ets_machine_read_bandwidth(machine, set, question->threads);
    answer.binding = ETS_ROOF_BANDWIDTH;
    answer.least_share = answer.most_share = answer.bound_ns / question->ns;
    if (!(question->ns > 0)) answer.verdict = unknown(&answer, ETS_ROOF_NO_TIME);
    else if (isnan(answer.bound_ns)) answer.verdict = unknown(&answer, ETS_ROOF_NOT_MEASURED);
    else answer.verdict = judge_stage(machine, question, &answer);
    return answer;
}

enum ets_roof_program ets_roof_program_of(enum ets_arithmetic arithmetic)
{
    switch (arithmetic) {
    case ETS_ARITHMETIC_FLOAT32: return ETS_ROOF_FLOAT32;
    case ETS_ARITHMETIC_FLOAT16: return ETS_ROOF_FLOAT16;
    case ETS_ARITHMETIC_INT8: return ETS_ROOF_INT8;
    case ETS_ARITHMETIC_INT8_DYNAMIC: return ETS_ROOF_INT8_DYNAMIC;
    default: return ETS_ROOF_PROGRAMS;
    }
}

enum ets_roof_reason ets_roof_missing(enum ets_arithmetic arithmetic)
{
    switch (arithmetic) {
    case ETS_ARITHMETIC_INT4_DYNAMIC: return ETS_ROOF_NO_INT4;
    case ETS_ARITHMETIC_BFLOAT16: return ETS_ROOF_NO_BFLOAT16;
    case ETS_ARITHMETIC_FLOAT64: return ETS_ROOF_NO_FLOAT64;
    case ETS_ARITHMETIC_INTEGER: return ETS_ROOF_NO_INTEGER;
    default: return ETS_ROOF_REASON_NONE;
    }
}
