/* Chooses the roof that stands over an operator, by its numbers, its bytes and its threads. */
#include "cost/roof.h"

#include <math.h>

static const char *const levels[ETS_LEVEL_COUNT] = {"L1", "L2", "L3", "L4", "memory", NULL};

const char *ets_memory_level_name(enum ets_memory_level level)
{
    return (unsigned)level < ETS_LEVEL_COUNT ? levels[level] : NULL;
}

/* What `threads` have of a level: of caches that few cores share, as many as there are threads. */
static double capacity(const struct ets_machine *machine, uint32_t level, uint32_t threads)
{
    const struct ets_cache *cache = &machine->caches[level];
    if (cache->bytes == 0) return 0;
    const uint32_t shared_by = cache->shared_by > 0 ? cache->shared_by : 1;
    const uint32_t there = machine->cores > shared_by ? machine->cores / shared_by : 1;
    return (double)cache->bytes * (threads < there ? threads : there);
}

enum ets_memory_level ets_machine_level(const struct ets_machine *machine, uint64_t bytes,
                                        uint32_t threads)
{
    bool is_known = false;
    for (uint32_t level = 0; level < ETS_CACHE_LEVELS; level++) {
        const double room = capacity(machine, level, threads);
        if (room > 0 && (double)bytes <= room) return (enum ets_memory_level)level;
        is_known = is_known || room > 0;
    }
    return is_known ? ETS_LEVEL_MEMORY : ETS_LEVEL_UNKNOWN;
}

uint32_t ets_machine_most_threads(const struct ets_machine *machine)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < machine->roof_count; i++) {
        if (machine->roofs[i].threads > most) most = machine->roofs[i].threads;
    }
    return most;
}

bool ets_machine_has_threads(const struct ets_machine *machine, uint32_t threads)
{
    for (uint32_t i = 0; i < machine->roof_count; i++) {
        if (machine->roofs[i].threads == threads) return true;
    }
    return false;
}

/* The best rate of a program; NaN for none. */
static double best_rate(const struct ets_machine *machine, enum ets_roof_program program,
                        uint32_t threads)
{
    double best = NAN;
    for (uint32_t i = 0; i < machine->roof_count; i++) {
        const struct ets_roof *roof = &machine->roofs[i];
        if (roof->program == program && roof->threads == threads) {
            best = fmax(best, ets_roof_rate(roof));
        }
    }
    return best;
}

double ets_machine_compute(const struct ets_machine *machine, enum ets_roof_program program,
                           uint32_t threads)
{
    return best_rate(machine, program, threads);
}

double ets_machine_call_ns(const struct ets_machine *machine, enum ets_roof_program program,
                           uint32_t threads)
{
    return 1e9 / best_rate(machine, program, threads);
}

/*
 * Whether a measured working set says what one of `bytes` may reach. Beyond the caches a part of it
 * stays in the last one, the less the larger it is.
 */
static bool is_comparable(const struct ets_machine *machine, const struct ets_roof *roof,
                          uint64_t bytes, enum ets_memory_level level)
{
    const uint64_t set = roof->working_set_bytes;
    if (level == ETS_LEVEL_UNKNOWN || level == ETS_LEVEL_MEMORY) return set >= bytes / 2;
    return ets_machine_level(machine, set, roof->threads) >= level;
}

double ets_machine_bandwidth(const struct ets_machine *machine, uint64_t working_set_bytes,
                             uint32_t threads, bool in_place)
{
    double best = NAN, largest = NAN;
    uint64_t largest_set = 0;
    const enum ets_memory_level level = ets_machine_level(machine, working_set_bytes, threads);
    for (uint32_t i = 0; i < machine->roof_count; i++) {
        const struct ets_roof *roof = &machine->roofs[i];
        const uint64_t set = roof->working_set_bytes;
        if (ets_roof_kind(roof->program) != ETS_ROOF_BANDWIDTH || roof->threads != threads ||
            (roof->program == ETS_ROOF_IN_PLACE && !in_place)) {
            continue;
        }
        if (is_comparable(machine, roof, working_set_bytes, level)) {
            best = fmax(best, ets_roof_rate(roof));
        }
        if (set < largest_set) continue;
        largest = set > largest_set ? ets_roof_rate(roof) : fmax(largest, ets_roof_rate(roof));
        largest_set = set;
    }
    return isnan(best) ? largest : best;
}
