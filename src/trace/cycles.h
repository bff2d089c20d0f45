/* Reads the processor's counter inline. */
#ifndef ETSCOPE_TRACE_CYCLES_H
#define ETSCOPE_TRACE_CYCLES_H

#include "etscope/trace.h"

#ifdef ETS_TRACE_HAS_CYCLES

static inline uint64_t ets_read_cycles(void)
{
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    uint64_t ticks;
    __asm__ volatile("rdtime %0" : "=r"(ticks));
    return ticks;
#endif
}

#endif

#endif
