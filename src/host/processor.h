/*
 * The host's processor: its name, instruction sets and caches.
 *
 *     struct ets_processor processor;
 *     ets_processor_read(&processor);
 *     printf("%s, %u logical cores\n", processor.name, processor.cores);
 */
#ifndef ETSCOPE_HOST_PROCESSOR_H
#define ETSCOPE_HOST_PROCESSOR_H

#include <stdint.h>

enum { ETS_CACHE_LEVELS = 4 };

/* The data cache of one level. */
struct ets_cache {
    uint64_t bytes;     /* of one cache of this level; 0: unknown or none */
    uint32_t shared_by; /* logical cores that share one; at least 1 */
};

/* Properties of the processor. Unknown texts are empty. */
struct ets_processor {
    char name[128];                            /* "AMD EPYC 9B45" */
    char flags[4096];                          /* as listed by the system, "fpu vme ... avx2" */
    char governor[64];                         /* policy for the clock rate, "performance" */
    uint32_t cores;                            /* logical cores that are online; at least 1 */
    struct ets_cache caches[ETS_CACHE_LEVELS]; /* [level - 1] */
};

void ets_processor_read(struct ets_processor *processor);

#endif
