/*
 * Loops that exist twice: as compilers make them for every processor, and for AVX2, chosen as the
 * program runs. A body that is ETS_INLINED is compiled for whoever calls it.
 */
#ifndef ETSCOPE_NUMERICS_AVX2_H
#define ETSCOPE_NUMERICS_AVX2_H

#include <stdbool.h>

#if defined(__GNUC__)
#define ETS_INLINED static inline __attribute__((always_inline))
#else
#define ETS_INLINED static inline
#endif

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__OPTIMIZE_SIZE__)
#define ETS_HAS_AVX2 1
#define ETS_AVX2 __attribute__((target("avx2")))
static inline bool ets_has_avx2(void)
{
    return __builtin_cpu_supports("avx2") != 0;
}
#else
#define ETS_HAS_AVX2 0
#define ETS_AVX2
static inline bool ets_has_avx2(void)
{
    return false;
}
#endif

#endif
