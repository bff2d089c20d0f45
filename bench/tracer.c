/*
 * What the recorder costs: a begin and end pair over the two clock readings, also where many names
 * alternate, a disabled pair, bytes of an event, writing 100,000 events as an ETDump; beside
 * ExecuTorch's ETDumpGen where the build has the runtime. One summary line comes last.
 */
#define _POSIX_C_SOURCE 200809L
#include "tracer_upstream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "posix/posix_trace.h"
#include "trace/cycles.h"

enum { PAIRS = 100000, BATCH = 1000, ROUNDS = 30 };

static uint64_t read_monotonic(void *context)
{
    struct timespec now;
    (void)context;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t bench_now(void)
{
    return read_monotonic(NULL);
}

/* A recorder with room for everything. */
struct bed {
    struct ets_trace trace;
    struct ets_trace_thread thread;
    void *buffer, *names;
};

static void bed_open(struct bed *bed, ets_trace_clock clock, int names_are_static,
                     size_t names_bytes)
{
    const size_t bytes = (size_t)PAIRS * 52 + (1 << 16); /* two slots for names beyond 65,535 */
    bed->buffer = malloc(bytes);
    bed->names = malloc(names_bytes);
    if (bed->buffer == NULL || bed->names == NULL) exit(1);
    memset(bed->buffer, 0xff, bytes); /* the pages are there */
    const struct ets_trace_config config = {.buffer = bed->buffer,
                                            .buffer_bytes = bytes,
                                            .names = bed->names,
                                            .names_bytes = names_bytes,
                                            .names_are_static = names_are_static,
                                            .clock = clock};
    if (ets_trace_init(&bed->trace, &config) != ETS_OK) exit(1);
    ets_trace_thread_init(&bed->thread, &bed->trace);
    ets_trace_begin_run(&bed->thread, &(struct ets_trace_run){.name = "Execute"});
}

static void bed_close(struct bed *bed)
{
    free(bed->buffer);
    free(bed->names);
}

static volatile uint64_t sum;

/* The readings alone, a subtraction and a store: what any tracer pays. Nanoseconds of BATCH pairs.
 */
static uint64_t read_cycles_batch(void)
{
    const uint64_t before = bench_now();
    for (unsigned i = 0; i < BATCH; i++) {
#ifdef ETS_TRACE_HAS_CYCLES
        const uint64_t start = ets_read_cycles();
        sum = ets_read_cycles() - start;
#endif
    }
    return bench_now() - before;
}

static uint64_t read_monotonic_batch(void)
{
    ets_trace_clock volatile opaque = read_monotonic;
    const ets_trace_clock read = opaque;
    const uint64_t before = bench_now();
    for (unsigned i = 0; i < BATCH; i++) {
        const uint64_t start = read(NULL);
        sum = read(NULL) - start;
    }
    return bench_now() - before;
}

static uint64_t record_batch(struct bed *bed)
{
    static const char *const names[] = {"OPERATOR_CALL", "native_call_add.out", "DELEGATE_CALL",
                                        "native_call_relu.out"};
    const uint64_t before = bench_now();
    for (unsigned i = 0; i < BATCH; i++) {
        ets_trace_set_instruction(&bed->thread, 0, i);
        ets_trace_end(&bed->thread,
                      ets_trace_begin(&bed->thread, ETS_TRACE_OPERATORS, names[i & 3]));
    }
    return bench_now() - before;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Of the batch that was disturbed least. */
static double measure_pairs(ets_trace_clock clock, int names_are_static, uint32_t what)
{
    uint64_t best = UINT64_MAX;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct bed bed;
        bed_open(&bed, clock, names_are_static, 1 << 16);
        ets_trace_enable(&bed.trace, what);
        for (unsigned i = 0; i < PAIRS / BATCH; i++) best = least(best, record_batch(&bed));
        bed_close(&bed);
    }
    return (double)best / BATCH;
}

static double measure_reads(uint64_t (*batch)(void))
{
    uint64_t best = UINT64_MAX;
    for (unsigned i = 0; i < ROUNDS * (PAIRS / BATCH); i++) best = least(best, batch());
    return (double)best / BATCH;
}

static int take(void *context, const void *data, size_t size)
{
    (void)data;
    *(size_t *)context += size;
    return 0;
}

/* Milliseconds for a dump of PAIRS events; and what an event takes in the buffer. */
static double measure_writing(double *bytes_out, size_t *file_out)
{
    struct bed bed;
    struct ets_trace_state state;
    uint64_t best = UINT64_MAX;
    bed_open(&bed, ets_posix_cycles, 0, 1 << 16);
    for (unsigned i = 0; i < PAIRS / BATCH; i++) record_batch(&bed);
    ets_trace_finish(&bed.trace);
    ets_trace_get_state(&bed.trace, &state);
    if (state.dropped != 0) exit(1);
    *bytes_out = (double)state.used_bytes / PAIRS;
    for (unsigned i = 0; i < ROUNDS; i++) {
        *file_out = 0;
        const struct ets_etdump_sink sink = {file_out, take};
        const uint64_t before = bench_now();
        if (ets_trace_write(&bed.trace, &sink, NULL) != ETS_OK) exit(1);
        best = least(best, bench_now() - before);
    }
    bed_close(&bed);
    return (double)best / 1e6;
}

enum { NAME_BYTES = 24, MOST_NAMES = 100000 };

/* A pair where `count` names take turns, as those of a delegate's operators do; all are known. */
static double measure_names(char (*names)[NAME_BYTES], unsigned count)
{
    const unsigned passes = count < PAIRS / 20 ? 20 : 3; /* the first ones make the names known */
    uint64_t best = UINT64_MAX;
    struct bed bed;
    bed_open(&bed, ets_posix_cycles, 0, (size_t)count * 80 + (1 << 16));
    for (unsigned pass = 0; pass < passes; pass++) {
        struct ets_trace_state state;
        const uint64_t before = bench_now();
        for (unsigned i = 0; i < count; i++) {
            ets_trace_end(&bed.thread, ets_trace_begin(&bed.thread, ETS_TRACE_OPERATORS, names[i]));
        }
        const uint64_t took = bench_now() - before;
        ets_trace_get_state(&bed.trace, &state);
        if (state.unnamed != 0 || state.names != count + 1) exit(1);
        if (pass > 0) best = least(best, took);
    }
    bed_close(&bed);
    return (double)best / count;
}

static void print_names(void)
{
    static const unsigned counts[] = {60, 400, 3200, MOST_NAMES};
    char(*names)[NAME_BYTES] = malloc(MOST_NAMES * sizeof *names);
    if (names == NULL) exit(1);
    for (unsigned i = 0; i < MOST_NAMES; i++) {
        snprintf(names[i], sizeof names[i], "Convolution #%u", i);
    }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        char label[48];
        snprintf(label, sizeof label, "begin + end, cycle counter, %u names", counts[i]);
        printf("%-46s %8.1f ns\n", label, measure_names(names, counts[i]));
    }
    free(names);
}

int main(void)
{
    double bytes;
    size_t file;
    const double cycles = measure_reads(read_cycles_batch);
    const double system = measure_reads(read_monotonic_batch);
    const double checked = measure_pairs(ets_posix_cycles, 0, ETS_TRACE_DEFAULT);
    const double fixed = measure_pairs(ets_posix_cycles, 1, ETS_TRACE_DEFAULT);
    const double slow = measure_pairs(read_monotonic, 0, ETS_TRACE_DEFAULT);
    const double off = measure_pairs(ets_posix_cycles, 0, ETS_TRACE_METHODS);
    const double writing = measure_writing(&bytes, &file);
    printf("%-46s %8.1f ns\n", "two readings of the cycle counter", cycles);
    printf("%-46s %8.1f ns\n", "two readings of clock_gettime", system);
    printf("%-46s %8.1f ns  (+%.1f)\n", "begin + end, cycle counter", checked, checked - cycles);
    printf("%-46s %8.1f ns  (+%.1f)\n", "begin + end, cycle counter, static names", fixed,
           fixed - cycles);
    printf("%-46s %8.1f ns  (+%.1f)\n", "begin + end, clock_gettime", slow, slow - system);
    print_names();
    printf("%-46s %8.2f ns\n", "begin + end, disabled", off);
    printf("%-46s %8.2f\n", "bytes of an event in the buffer", bytes);
    printf("%-46s %8.2f ms, %.1f bytes an event\n", "writing 100,000 events", writing,
           (double)file / PAIRS);
    const double upstream = bench_upstream(PAIRS);
    if (upstream > 0) printf("%-46s %8.1f ns\n", "ETDumpGen, start + end", upstream);
    printf(
        "tracer: +%.1f ns over two clock readings (static names +%.1f), disabled %.2f ns, "
        "%.1f bytes an event, 100,000 events written in %.1f ms",
        checked - cycles, fixed - cycles, off, bytes, writing);
    if (upstream > 0) printf(", ETDumpGen %.0f ns", upstream);
    printf("\n");
    return 0;
}
