/*
 * Measures what a machine can do: runs programs of known work on the runtime, and keeps their
 * shortest times.
 */
#ifndef ETSCOPE_CLI_MACHINE_MEASURE_H
#define ETSCOPE_CLI_MACHINE_MEASURE_H

#include <stdbool.h>

#include "cost/machine.h"
#include "etscope/engine.h"
#include "host/arena.h"

/* What else the machine did while it was measured. */
struct cli_measure_load {
    bool is_known;
    double cores; /* that other programs kept busy, on average */
};

struct cli_measure_options {
    uint32_t threads; /* this number of them only; 0: 1, 2, 4... up to the runtime's own choice */
    bool is_quick; /* few runs of small vectors: numbers of the right order, no roof to rely on */
};

/*
 * Fills the roofs of `machine`, whose caches are known; what it holds is the arena's. Returns an
 * exit code, and says what failed.
 */
int cli_measure(const struct ets_engine *engine, const struct cli_measure_options *options,
                struct ets_arena *arena, struct ets_machine *machine,
                struct cli_measure_load *load_out);

#endif
