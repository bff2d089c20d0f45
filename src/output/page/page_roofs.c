/* The table `roofs`: what the machine can do with the threads that ran. */
#include "output/page/page_roofs.h"

#include <math.h>

#include "base/error.h"
#include "cost/roof.h"

static const struct ets_page_head columns[] = {
    {"kind", ETS_PAGE_TEXT},
    {"name", ETS_PAGE_TEXT},
    {"rate", ETS_PAGE_REAL},
    {NULL, ETS_PAGE_TEXT},
};

static void put_roof(struct ets_page_document *document, struct ets_page_table *table,
                     enum ets_roof_kind kind, const char *name, double rate)
{
    if (isnan(rate)) return;
    ets_page_put_string(document, table, ets_roof_kind_name(kind));
    ets_page_put_string(document, table, name);
    ets_page_put_real(document, table, rate);
}

/* Bytes that lie in a level, and in no smaller one; 0: the machine has no such level. */
static uint64_t bytes_of_level(const struct ets_machine *machine, enum ets_memory_level level,
                               uint32_t threads)
{
    for (unsigned shift = 12; shift < 34; shift++) { /* 4 KiB to 8 GiB */
        if (ets_machine_level(machine, (uint64_t)1 << shift, threads) == level) {
            return (uint64_t)1 << shift;
        }
    }
    return 0;
}

enum ets_status ets_page_add_roofs(struct ets_page_document *document,
                                   const struct ets_study *study, struct ets_error *error)
{
    const struct ets_machine *machine = study->sources.machine;
    const uint32_t threads = study->sources.threads;
    if (machine == NULL) return ETS_OK;
    struct ets_page_table *table = ets_page_add_named_table(document, "roofs", columns);
    if (table == NULL) return ets_fail_memory(error, "the roofs of the report");
    for (int p = ETS_ROOF_FLOAT32; p <= ETS_ROOF_INT8_DYNAMIC; p++) {
        const enum ets_roof_program program = (enum ets_roof_program)p;
        put_roof(document, table, ETS_ROOF_COMPUTE, ets_roof_program_name(program),
                 ets_machine_compute(machine, program, threads));
    }
    for (int l = ETS_LEVEL_L1; l <= ETS_LEVEL_MEMORY; l++) {
        const enum ets_memory_level level = (enum ets_memory_level)l;
        const uint64_t bytes = bytes_of_level(machine, level, threads);
        if (bytes == 0) continue;
        put_roof(document, table, ETS_ROOF_BANDWIDTH, ets_memory_level_name(level),
                 ets_machine_bandwidth(machine, bytes, threads, false));
    }
    return document->has_failed ? ets_fail_memory(error, "the roofs of the report") : ETS_OK;
}
