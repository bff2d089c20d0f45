/*
 * Loops with a portable and an AVX2 version, selected at run time. An ETS_INLINED body is compiled
 * for the target of its caller.
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
#include <cpuid.h>

#define ETS_HAS_AVX2 1
#define ETS_AVX2 __attribute__((target("avx2")))
#define ETS_FMA __attribute__((target("avx2,fma")))
/* Processors with AVX2 also have FMA, but a virtual machine may hide it. */
static inline bool ets_has_avx2(void)
{
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
}

/* Conversions of float16. If the compiler cannot query the feature, this asks the processor: 1 us.
 */
static inline bool ets_has_f16c(void)
{
#if defined(__clang__) || __GNUC__ < 11
    unsigned a, b, c, d;
    return ets_has_avx2() && __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
#else
    return ets_has_avx2() && __builtin_cpu_supports("f16c") != 0;
#endif
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
