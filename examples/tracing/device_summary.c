/*
 * Writes what a device sends when whole traces are too much: times of 200 runs, in fixed memory.
 *
 *     cc -Iinclude -o device_summary examples/tracing/device_summary.c build/lib/libetscope_trace.a
 *     ./device_summary > device.etsum          # or --hash: hashes in place of names
 *     etscope info device.etsum
 *     etscope-fleet ingest device.etsum -o DATASET --label device=board --label build=1.3
 *
 * On a board, `model` is the model, the clock a counter, and the sink a UART or a radio. Here all
 * are made up, so that the file is the same each time.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "etscope/trace_summary.h"

enum { RUNS = 200, ROWS = 8 };

static uint64_t now_ns;
static uint32_t noise = 1;

static uint64_t read_clock(void *context)
{
    (void)context;
    return now_ns;
}

/* Takes about `ns`: up to an eighth more. */
static void work(uint64_t ns)
{
    noise = noise * 1664525u + 1013904223u;
    now_ns += ns + ns * (noise >> 24) / 2048;
}

static void operator_(struct ets_trace_thread *thread, const char *name, uint32_t at, uint64_t ns)
{
    ets_trace_set_instruction(thread, 0, at);
    struct ets_trace_span span = ets_trace_begin(thread, ETS_TRACE_OPERATORS, name);
    work(ns);
    ets_trace_end(thread, span);
}

static void model(struct ets_trace_thread *thread, uint64_t slowness)
{
    const struct ets_trace_run run = {.name = "Execute", .method = "forward"};
    ets_trace_begin_run(thread, &run);
    struct ets_trace_span whole = ets_trace_begin(thread, ETS_TRACE_METHODS, "Method::execute");
    operator_(thread, "native_call_convolution.out", 0, 800000 * slowness);
    operator_(thread, "native_call_relu.out", 1, 40000 * slowness);
    operator_(thread, "native_call_convolution.out", 2, 500000 * slowness);
    operator_(thread, "native_call_mean.out", 3, 30000 * slowness);
    operator_(thread, "native_call_addmm.out", 4, 90000 * slowness);
    ets_trace_end(thread, whole);
    ets_trace_end_run(thread);
}

static int write_stdout(void *context, const void *data, size_t size)
{
    (void)context;
    return fwrite(data, 1, size, stdout) != size;
}

int main(int count, char **words)
{
    static uint64_t buffer[256];
    static struct ets_trace_summary_row rows[ROWS];
    static char texts[160];
    struct ets_trace trace;
    struct ets_trace_thread thread;
    struct ets_trace_summary summary;
    const struct ets_trace_config config = {.buffer = buffer,
                                            .buffer_bytes = sizeof buffer,
                                            .clock = read_clock,
                                            .clock_hz = 1000000000};
    const struct ets_trace_summary_config kept = {
        .rows = rows,
        .row_count = ROWS,
        .texts = texts,
        .text_bytes = sizeof texts,
        .warm_up_runs = 2,
        .hash_names = count > 1 && !strcmp(words[1], "--hash"),
        .key = {20}, /* your own 16 random bytes */
        .start = 1};
    ets_trace_init(&trace, &config);
    ets_trace_summary_init(&summary, &kept);
    for (int run = 0; run < RUNS + 2; run++) {
        ets_trace_thread_init(&thread, &trace);
        model(&thread, run < 2 ? 4 : 1);
        ets_trace_finish(&trace);
        ets_trace_summary_add(&summary, &trace);
        ets_trace_reset(&trace);
    }
    return ets_trace_summary_write(&summary, &(struct ets_etdump_sink){NULL, write_stdout}, NULL);
}
