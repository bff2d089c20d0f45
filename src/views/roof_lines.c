/* The lines of a roofline chart. */
#include "views/roof_lines.h"

#include <math.h>

static const double SAME_RATE = 0.03;

static void add(struct ets_cost_roof *lines, uint32_t *count, struct ets_cost_roof line)
{
    if (!isnan(line.rate)) lines[(*count)++] = line;
}

uint32_t ets_roof_lines_list(const struct ets_machine *machine, uint32_t threads,
                             struct ets_cost_roof lines_out[ETS_ROOF_LINES])
{
    uint32_t count = 0;
    uint64_t last = 0;
    double before = 0;
    for (int p = ETS_ROOF_FLOAT32; p <= ETS_ROOF_INT8_DYNAMIC; p++) {
        const enum ets_roof_program program = (enum ets_roof_program)p;
        add(lines_out, &count,
            (struct ets_cost_roof){ets_roof_program_name(program), 0,
                                   ets_machine_compute(machine, program, threads)});
    }
    for (int i = 0; i < ETS_CACHE_LEVELS; i++) {
        const uint64_t bytes = machine->caches[i].bytes;
        const char *name = ets_memory_level_name(ets_machine_level(machine, bytes, 1));
        if (bytes == 0 || name == NULL) continue;
        const double rate = ets_machine_bandwidth(machine, bytes, threads, false);
        last = bytes;
        if (fabs(rate - before) > SAME_RATE * before) {
            add(lines_out, &count, (struct ets_cost_roof){name, 1, rate});
        }
        before = rate;
    }
    const uint64_t large = last == 0 ? UINT64_C(1) << 26 : 4 * last;
    add(lines_out, &count,
        (struct ets_cost_roof){"memory", 1, ets_machine_bandwidth(machine, large, threads, false)});
    return count;
}
