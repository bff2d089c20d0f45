/* Counts errors of one block in quantization steps: the inner loops. */
#ifndef ETSCOPE_NUMERICS_STEPS_H
#define ETSCOPE_NUMERICS_STEPS_H

#include <stddef.h>
#include <stdint.h>

#include "numerics/avx2.h"

/* If a number is NaN or infinite, `sum` is not finite and the other fields are undefined. */
struct ets_step_sums {
    double sum, max;    /* of errors in steps */
    uint64_t within[3]; /* errors that are 0, 1 and 2 steps, rounded */
};

/* For `count` pairs of numbers of one type in place; `count` is a multiple of 4. */
typedef void ets_steps_function(const uint8_t *reference, const uint8_t *other, size_t count,
                                double step, struct ets_step_sums *out);

#if ETS_HAS_AVX2
/* For a processor with AVX2 and F16C: the function for a type, or NULL. */
ets_steps_function *ets_avx2_steps(int scalar_type);
#endif

#endif
