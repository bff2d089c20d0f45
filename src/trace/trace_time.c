/* Scales ticks to nanoseconds with fixed-point factors, with integers only and without division. */
#include "trace/trace_time.h"

/* Long division bit by bit: 64 integer bits and 33 fractional bits; the last one is for rounding.
 */
uint64_t ets_scale_from_ratio(uint64_t numerator, uint64_t denominator)
{
    uint64_t quotient = 0, rest = 0;
    if (denominator == 0) return UINT64_MAX;
    while (denominator >> 63 != 0) { /* so that the remainder can be doubled */
        denominator >>= 1;
        numerator >>= 1;
    }
    for (int bit = 63; bit >= -33; bit--) {
        if (quotient >> 63 != 0) return UINT64_MAX;
        rest <<= 1;
        if (bit >= 0) rest |= numerator >> bit & 1;
        quotient <<= 1;
        if (rest >= denominator) {
            rest -= denominator;
            quotient |= 1;
        }
    }
    return (quotient >> 1) + (quotient & 1);
}

uint64_t ets_scale(uint64_t value, uint64_t scale)
{
    const uint64_t value_high = value >> 32, value_low = value & UINT32_MAX;
    const uint64_t scale_high = scale >> 32, scale_low = scale & UINT32_MAX;
    const uint64_t lowest = value_low * scale_low;
    return ((value_high * scale_high) << 32) + value_high * scale_low + value_low * scale_high +
           (lowest >> 32) + (lowest >> 31 & 1);
}
