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

/* What part of what a program moves it reads; 0: it is no program of a bandwidth. */
static double read_part(enum ets_roof_program program)
{
    switch (program) {
    case ETS_ROOF_READ: return 1;
    case ETS_ROOF_ADD: return 2.0 / 3;
    case ETS_ROOF_COPY:
    case ETS_ROOF_IN_PLACE: return 0.5;
    default: return 0;
    }
}

/* What of a roof's rate is asked for; 0: nothing. */
static double part_of(enum ets_roof_program program, bool in_place, bool reads_alone)
{
    if (reads_alone) return read_part(program);
    if (ets_roof_kind(program) != ETS_ROOF_BANDWIDTH || program == ETS_ROOF_READ) return 0;
    return program != ETS_ROOF_IN_PLACE || in_place ? 1 : 0;
}

static double bandwidth_of(const struct ets_machine *machine, uint64_t working_set_bytes,
                           uint32_t threads, bool in_place, bool reads_alone)
{
    double best = NAN, largest = NAN;
    uint64_t largest_set = 0;
    const enum ets_memory_level level = ets_machine_level(machine, working_set_bytes, threads);
    for (uint32_t i = 0; i < machine->roof_count; i++) {
        const struct ets_roof *roof = &machine->roofs[i];
        const uint64_t set = roof->working_set_bytes;
        const double part = part_of(roof->program, in_place, reads_alone);
        if (roof->threads != threads || part <= 0) continue;
        const double rate = part * ets_roof_rate(roof);
        if (is_comparable(machine, roof, working_set_bytes, level)) best = fmax(best, rate);
        if (set < largest_set) continue;
        largest = set > largest_set ? rate : fmax(largest, rate);
        largest_set = set;
    }
    return isnan(best) ? largest : best;
}

double ets_machine_bandwidth(const struct ets_machine *machine, uint64_t working_set_bytes,
                             uint32_t threads, bool in_place)
{
    return bandwidth_of(machine, working_set_bytes, threads, in_place, false);
}

double ets_machine_read_bandwidth(const struct ets_machine *machine, uint64_t working_set_bytes,
                                  uint32_t threads)
{
    const bool is_measured = !isnan(best_rate(machine, ETS_ROOF_READ, threads));
    return is_measured ? bandwidth_of(machine, working_set_bytes, threads, false, true) : NAN;
}
