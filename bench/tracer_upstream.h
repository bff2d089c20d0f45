/* Between the benchmark and its part over ExecuTorch's own tracer. */
#ifndef ETSCOPE_BENCH_TRACER_H
#define ETSCOPE_BENCH_TRACER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

uint64_t bench_now(void);

/* Nanoseconds of a start and end pair of ETDumpGen; 0: not built with the runtime. */
double bench_upstream(unsigned pairs);

#ifdef __cplusplus
}
#endif

#endif
