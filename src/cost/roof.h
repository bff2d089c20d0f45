/*
 * roof.h - how far an operator is from what a machine can do.
 *
 *     const double rate = ets_machine_bandwidth(&machine, 3 * 4096, 1);
 *
 * The bound of an operator is the longer of two times: its arithmetic at the machine's rate for
 * such numbers, its bytes at the bandwidth of the smallest cache that holds them all; and at least
 * what an empty call takes. Both sides are shortest times. docs/cost.md has the rules.
 */
#ifndef ETSCOPE_COST_ROOF_H
#define ETSCOPE_COST_ROOF_H

#include <stdbool.h>

#include "cost/machine.h"

enum ets_memory_level {
    ETS_LEVEL_L1 = 0,
    ETS_LEVEL_L2 = 1,
    ETS_LEVEL_L3 = 2,
    ETS_LEVEL_L4 = 3,
    ETS_LEVEL_MEMORY = 4,
    ETS_LEVEL_UNKNOWN = 5, /* the machine tells of no cache */
    ETS_LEVEL_COUNT = 6
};

/* "L1", "memory"; NULL for UNKNOWN. Static storage. */
const char *ets_memory_level_name(enum ets_memory_level level);

/* The smallest cache that holds `bytes` when `threads` use theirs together. */
enum ets_memory_level ets_machine_level(const struct ets_machine *machine, uint64_t bytes,
                                        uint32_t threads);

/* The most threads that were measured; 0: nothing was. */
uint32_t ets_machine_most_threads(const struct ets_machine *machine);

/* Whether anything was measured with so many. */
bool ets_machine_has_threads(const struct ets_machine *machine, uint32_t threads);

/* Operations in a second; NaN: not measured for these threads. */
double ets_machine_compute(const struct ets_machine *machine, enum ets_roof_program program,
                           uint32_t threads);

/*
 * Bytes in a second of a working set: the best of what was measured in its level or a slower one,
 * as of small vectors the call takes a part; beyond the caches, with half as many bytes or more, or
 * else the most. `in_place`: of operators that write over what they read, too. NaN: nothing for
 * these threads.
 */
double ets_machine_bandwidth(const struct ets_machine *machine, uint64_t working_set_bytes,
                             uint32_t threads, bool in_place);

/* The same of reading alone, as of weights and caches: the best at which a program read. NaN: no
 * program that only reads was measured with these threads, as by versions before. */
double ets_machine_read_bandwidth(const struct ets_machine *machine, uint64_t working_set_bytes,
                                  uint32_t threads);

/* What an instruction takes that has nothing to do: ETS_ROOF_KERNEL or _DELEGATE; NaN: not
 * measured. */
double ets_machine_call_ns(const struct ets_machine *machine, enum ets_roof_program program,
                           uint32_t threads);

#endif
