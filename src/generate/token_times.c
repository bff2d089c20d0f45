/* Sums, medians, the slope of time over position, and means over recordings. */
#include "generate/token_times.h"

#include <math.h>
#include <string.h>

#include "base/quantile.h"

/* The 97.5 % quantile of Student's t; beyond the table by Fisher's series, exact to three digits.
 */
static double student(uint32_t freedom)
{
    static const double of[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131};
    const double z = 1.959964;
    if (freedom == 0) return NAN;
    if (freedom <= sizeof of / sizeof *of) return of[freedom - 1];
    const double n = freedom, z3 = z * z * z, z5 = z3 * z * z;
    return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n);
}

struct ets_ranged ets_mean_interval(double mean, double deviation, uint32_t count)
{
    if (count < 2) return (struct ets_ranged){mean, NAN, NAN};
    const double half = student(count - 1) * deviation / sqrt(count);
    return (struct ets_ranged){mean, mean - half, mean + half};
}

struct ets_ranged ets_mean_of(const double *values, uint32_t count, double *deviation_out)
{
    double sum = 0, squares = 0;
    *deviation_out = 0;
    for (uint32_t i = 0; i < count; i++) sum += values[i];
    const double mean = count > 0 ? sum / count : NAN;
    if (count < 2) return (struct ets_ranged){mean, NAN, NAN};
    for (uint32_t i = 0; i < count; i++) squares += (values[i] - mean) * (values[i] - mean);
    *deviation_out = sqrt(squares / (count - 1));
    return ets_mean_interval(mean, *deviation_out, count);
}

bool ets_phase_times_of(const struct ets_generation *generation, enum ets_generation_phase phase,
                        struct ets_arena *arena, struct ets_phase_times *times_out)
{
    double *x = ets_arena_alloc_array(arena, generation->call_count, sizeof *x);
    double *y = ets_arena_alloc_array(arena, generation->call_count, sizeof *y);
    double *slopes = ets_arena_alloc_array(arena, generation->call_count, sizeof *slopes);
    memset(times_out, 0, sizeof *times_out);
    if (x == NULL || y == NULL || slopes == NULL) return false;
    uint32_t later = 0;
    for (uint32_t i = 0; i < generation->call_count; i++) {
        const struct ets_generation_call *call = &generation->calls[i];
        if (call->phase != phase || call->is_warm_up) continue;
        if (times_out->calls++ == 0) times_out->first_ns = call->ns;
        times_out->tokens += call->tokens;
        times_out->total_ns += call->ns;
        if (times_out->calls == 1) continue;
        x[later] = call->position;
        y[later++] = call->ns;
    }
    times_out->slope_ns = ets_slope_of(x, y, later, slopes);
    times_out->median_ns = times_out->calls > 0 ? times_out->first_ns : NAN;
    if (later == 0) return true;
    ets_sort_doubles(y, later);
    times_out->median_ns = ets_quantile(y, later, 0.5);
    return true;
}

struct ets_cold_times ets_cold_times_of(const struct ets_generation *generation,
                                        enum ets_generation_phase phase)
{
    struct ets_cold_times cold = {NAN, 0};
    for (uint32_t i = 0; i < generation->call_count; i++) {
        const struct ets_generation_call *call = &generation->calls[i];
        if (call->phase != phase || !call->is_warm_up) continue;
        if (isnan(cold.first_ns)) cold.first_ns = call->ns;
        cold.total_ns += call->ns;
    }
    return cold;
}
