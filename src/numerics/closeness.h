/* The inner loops of closeness over one block of pairs. */
#ifndef ETSCOPE_NUMERICS_CLOSENESS_H
#define ETSCOPE_NUMERICS_CLOSENESS_H

#include <stddef.h>
#include <stdint.h>

#include "etscope/experimental/comparators.h"
#include "numerics/avx2.h"

/* Whether any of `count` pairs of doubles may be outside the tolerance and needs a closer check. */
bool ets_has_outside(const double *expected, const double *actual, size_t count,
                     const struct ets_tolerance *tolerance);

/* The same for numbers of one type in place. `count` is a multiple of 4. */
typedef bool ets_has_outside_function(const uint8_t *expected, const uint8_t *actual, size_t count,
                                      const struct ets_tolerance *tolerance);

#if ETS_HAS_AVX2
/* For a processor with AVX2 and F16C: the function for a type, or NULL. */
ets_has_outside_function *ets_avx2_has_outside(int scalar_type);
#endif

#endif
