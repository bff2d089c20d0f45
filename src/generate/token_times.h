/*
 * Times of a generation in phases, and of several recordings as a mean with its interval.
 *
 *     struct ets_phase_times decode;
 *     ets_phase_times_of(&generation, ETS_PHASE_DECODE, &arena, &decode);
 *     printf("%.1f tokens/s\n", decode.tokens / decode.total_ns * 1e9);
 */
#ifndef ETSCOPE_GENERATE_TOKEN_TIMES_H
#define ETSCOPE_GENERATE_TOKEN_TIMES_H

#include "base/slope.h"
#include "generate/generation.h"

/* A number with its 95 % interval, `low` to `high`. */
struct ets_ranged {
    double value, low, high; /* low and high NaN: one value alone */
};

struct ets_phase_times {
    uint32_t calls, tokens;
    double total_ns;
    double first_ns;  /* the first call */
    double median_ns; /* of a call, without the first where there are others; NaN: no call */
    struct ets_slope slope_ns; /* more for each position further, in the calls but the first */
};

/* Of all calls but those of the warm-up. False: no memory. */
bool ets_phase_times_of(const struct ets_generation *generation, enum ets_generation_phase phase,
                        struct ets_arena *arena, struct ets_phase_times *times_out);

/* What the calls of a phase took in the warm-up, the first and all; NaN and 0: there are none. */
struct ets_cold_times {
    double first_ns, total_ns;
};
struct ets_cold_times ets_cold_times_of(const struct ets_generation *generation,
                                        enum ets_generation_phase phase);

/* The mean, its 95 % interval (Student's t) and the sample's standard deviation; 0 for one value.
 */
struct ets_ranged ets_mean_of(const double *values, uint32_t count, double *deviation_out);
/* The same of a mean and a deviation that are known. */
struct ets_ranged ets_mean_interval(double mean, double deviation, uint32_t count);

#endif
