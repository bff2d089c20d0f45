/*
 * Reads the memory measurements of a trace: the memory of each owner, counted while the program
 * ran, and that of the process. docs/SPEC.md describes the entries of the extra block.
 *
 *     struct ets_recorded_memory memory;
 *     if (ets_recorded_memory_read(&arena, inspection, &memory, &error) == ETS_OK) {
 *         for (uint32_t i = 0; i < memory.held_count; i++) show(&memory.held[i]);
 *     }
 */
#ifndef ETSCOPE_INSPECT_RECORDED_MEMORY_H
#define ETSCOPE_INSPECT_RECORDED_MEMORY_H

#include <stdbool.h>

#include "base/memory_entries.h"
#include "etscope/inspect.h"
#include "etscope/trace_extra.h"
#include "host/arena.h"

/* An unknown amount; known ones are below 2^63. */
#define ETS_MEMORY_UNKNOWN UINT64_MAX

/* The memory of one owner. Texts are borrowed from the dump and may be absent. */
struct ets_held_memory {
    enum ets_memory_owner owner;
    enum ets_memory_phase phase;
    uint32_t index;      /* PLANNED: of the buffer, from 0; STACK: 0 the caller's, 1 the pool's */
    uint64_t bytes;      /* the maximum at one time, with padding */
    uint64_t count;      /* allocations; of inputs and outputs, values; STACK: threads */
    uint64_t touched;    /* PLANNED: bytes in pages that were written or read */
    uint64_t pool_bytes; /* enough for its allocator, for all owners together */
    uint32_t alignment;  /* the largest requested; 0: unknown */
    uint32_t runs;       /* RUN: number of counted runs */
    int32_t chain;       /* of the instruction that took `bytes`; -1: outside any */
    uint32_t instruction;
    bool is_shared;         /* PLANNED: with the program's other methods */
    struct ets_text method; /* PROGRAM, DATA: absent */
    struct ets_text
        backend; /* METHOD, TEMPORARY: a delegate took it; absent: the runtime, kernels */
    struct ets_text processor; /* STACK: where it was measured, as "x86_64" */
};

/* Temporary memory of one instruction. */
struct ets_step_memory {
    struct ets_text method;
    int32_t chain; /* -1: outside any instruction */
    uint32_t instruction;
    uint64_t bytes; /* the maximum of one execution */
    uint64_t count; /* total number of allocations */
    uint32_t runs;
};

/* Memory of the process at one moment of a method. */
struct ets_process_memory {
    struct ets_text method;
    enum ets_memory_moment moment;
    uint64_t resident; /* bytes in memory */
    uint64_t of_files; /* the part of these that is mapped from files */
    uint64_t heap;     /* bytes allocated with malloc, without the tracer's */
};

struct ets_recorded_memory {
    struct ets_held_memory *held;
    struct ets_step_memory *steps;
    struct ets_process_memory *process;
    uint32_t held_count, step_count, process_count;
};

/* Reads all in the trace's order. Skips damaged and unknown entries. NO_MEMORY. */
enum ets_status ets_recorded_memory_read(struct ets_arena *arena,
                                         const struct ets_inspection *inspection,
                                         struct ets_recorded_memory *memory_out,
                                         struct ets_error *error);
/* The same of an extra block. */
enum ets_status ets_recorded_memory_of(struct ets_arena *arena, const struct ets_trace_extra *extra,
                                       struct ets_recorded_memory *memory_out,
                                       struct ets_error *error);

/* The name of the allocator of that number, from 1, in a run; absent: the trace does not tell. */
struct ets_text ets_allocator_name(const struct ets_inspection *inspection, uint32_t run,
                                   uint64_t number);

#endif
