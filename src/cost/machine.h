/*
 * machine.h - what a machine can do at most, as ExecuTorch's own kernels reach it: its roofs.
 *
 *     struct ets_arena arena;
 *     struct ets_machine machine;
 *     ets_arena_init(&arena, NULL, 0);
 *     if (ets_machine_read(ets_file_bytes(file), &arena, &machine, &error) == ETS_OK) {
 *         for (uint32_t i = 0; i < machine.roof_count; i++) show(&machine.roofs[i]);
 *     }
 *     ets_arena_reset(&arena);
 *
 * A roof is one program of a known amount of work and the shortest of its times. `etscope machine`
 * measures them and writes them to a file (docs/json.md), which may come from another machine.
 * Plain values; any thread may read them.
 */
#ifndef ETSCOPE_COST_MACHINE_H
#define ETSCOPE_COST_MACHINE_H

#include <stdbool.h>

#include "etscope/base.h"
#include "host/arena.h"
#include "host/processor.h"

/* The version of the file that is read and written. */
enum { ETS_MACHINE_VERSION = 1 };

/* What a roof limits. */
enum ets_roof_kind {
    ETS_ROOF_COMPUTE = 0,   /* operations in a second */
    ETS_ROOF_BANDWIDTH = 1, /* bytes in a second */
    ETS_ROOF_CALL = 2,      /* the time of an instruction that has nothing to do */
    ETS_ROOF_KINDS = 3
};

/* The programs that are measured. */
enum ets_roof_program {
    ETS_ROOF_FLOAT32 = 0,      /* a matrix product, delegated */
    ETS_ROOF_FLOAT16 = 1,      /* likewise */
    ETS_ROOF_INT8 = 2,         /* likewise, weights and activations quantized beforehand */
    ETS_ROOF_INT8_DYNAMIC = 3, /* likewise, activations quantized at run time */
    ETS_ROOF_ADD = 4,          /* two vectors, delegated: reads two bytes for each it writes */
    ETS_ROOF_COPY = 5,         /* of a vector, a kernel */
    ETS_ROOF_IN_PLACE = 6,     /* a vector negated in its place, delegated */
    ETS_ROOF_READ = 7,     /* the mean of images, delegated: reads, and writes next to nothing */
    ETS_ROOF_KERNEL = 8,   /* kernels on four numbers */
    ETS_ROOF_DELEGATE = 9, /* delegate calls on four numbers */
    ETS_ROOF_PROGRAMS = 10
};

struct ets_roof {
    enum ets_roof_program program;
    uint32_t threads;           /* of the runtime's pool; at least 1 */
    uint64_t working_set_bytes; /* all tensors of a run, or of a chain's operator */
    uint64_t work;              /* of `time_ns`: operations, bytes, or calls; at least 1 */
    double time_ns;             /* the shortest; above 0 */
    uint32_t runs;              /* that were timed */
    double spread; /* how much longer the third best of its rounds took, as a part of `time_ns`;
                      NaN: not known */
};

/* A time with more spread than this part is not reproducible. */
#define ETS_ROOF_MOST_SPREAD 0.1

struct ets_machine {
    const char *cpu, *flags, *governor; /* "": not known */
    const char *runtime;                /* ExecuTorch's version; "": not known */
    const char *date;                   /* "2026-11-23T03:30:00Z"; "": not known */
    uint32_t cores;                     /* logical ones; 0: not known */
    bool is_busy; /* others ran meanwhile, or there were too few runs: roofs may be too low */
    struct ets_cache caches[ETS_CACHE_LEVELS];
    const struct ets_roof *roofs;
    uint32_t roof_count;
};

/* Never NULL; static storage. "float32", "compute", "operation". */
const char *ets_roof_program_name(enum ets_roof_program program);
enum ets_roof_kind ets_roof_kind(enum ets_roof_program program);
const char *ets_roof_kind_name(enum ets_roof_kind kind);

/* Work in a second. */
static inline double ets_roof_rate(const struct ets_roof *roof)
{
    return (double)roof->work * 1e9 / roof->time_ns;
}

/*
 * Reads a file that `etscope machine` wrote; all memory is the arena's. Programs that this version
 * does not know are passed over. Statuses: WRONG_KIND (no such file), UNSUPPORTED (another
 * version), MALFORMED with the roof and the member, LIMIT, NO_MEMORY; UNAVAILABLE in a build
 * without RapidJSON.
 */
enum ets_status ets_machine_read(struct ets_bytes text, struct ets_arena *arena,
                                 struct ets_machine *machine_out, struct ets_error *error);

#endif
