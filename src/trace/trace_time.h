/* Converts ticks to nanoseconds without divisions, which small processors lack. */
#ifndef ETSCOPE_TRACE_TRACE_TIME_H
#define ETSCOPE_TRACE_TRACE_TIME_H

#include <stdint.h>

/* Nanoseconds in a tick as a fixed-point number with 32 fractional bits. */
#define ETS_SCALE_ONE (UINT64_C(1) << 32)

/* nanoseconds = ns + (ticks - origin) * scale; ticks may be before the origin. */
struct ets_time_map {
    uint64_t origin_ticks, ns, scale;
};

/* numerator / denominator as a scale, rounded; the largest scale on overflow or for x/0. */
uint64_t ets_scale_from_ratio(uint64_t numerator, uint64_t denominator);

/* value * scale, rounded to the nearest. */
uint64_t ets_scale(uint64_t value, uint64_t scale);

static inline uint64_t ets_time_ns(const struct ets_time_map *map, uint64_t ticks)
{
    if (map->scale == ETS_SCALE_ONE) return map->ns + (ticks - map->origin_ticks);
    if (ticks >= map->origin_ticks) {
        return map->ns + ets_scale(ticks - map->origin_ticks, map->scale);
    }
    const uint64_t before = ets_scale(map->origin_ticks - ticks, map->scale);
    return before <= map->ns ? map->ns - before : 0;
}

#endif
