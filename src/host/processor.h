/*
 * What the host computes with: the processor's name, its instruction sets and caches.
 *
 *     struct ets_processor processor;
 *     ets_processor_read(&processor);
 *     printf("%s, %u logical cores\n", processor.name, processor.cores);
 */
#ifndef ETSCOPE_HOST_PROCESSOR_H
#define ETSCOPE_HOST_PROCESSOR_H

#include <stdint.h>

enum { ETS_CACHE_LEVELS = 4 };

/* Of one level, for data. */
struct ets_cache {
    uint64_t bytes;     /* of one such cache; 0: the system tells of none */
    uint32_t shared_by; /* logical cores that use one together; at least 1 */
};

/* Empty texts: the system does not tell. */
struct ets_processor {
    char name[128];                            /* "AMD EPYC 9B45" */
    char flags[4096];                          /* as the system lists them, "fpu vme ... avx2" */
    char governor[64];                         /* who chooses the clock, "performance" */
    uint32_t cores;                            /* logical cores that are online; at least 1 */
    struct ets_cache caches[ETS_CACHE_LEVELS]; /* [level - 1] */
};

void ets_processor_read(struct ets_processor *processor);

#endif
