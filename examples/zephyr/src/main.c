/* Traces 20 runs of two operators on Zephyr; every event is a line of the console as it happens. */
#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>

#include "text/text_sink.h"
#include "zephyr/zephyr_trace.h"

enum { RUNS = 20, FEATURES = 64, CLASSES = 8 };

static uint64_t buffer[256]; /* 2 KiB */
static struct ets_trace trace;
static struct ets_trace_thread thread;
static struct ets_text_sink text;
static struct ets_zephyr_lock lock;

static void scale(int32_t *features, uint32_t run)
{
    for (uint32_t i = 0; i < FEATURES; i++) features[i] = (int32_t)(i * (run + 1)) - 100;
}

static void linear(const int32_t *features, int32_t *scores)
{
    for (uint32_t class = 0; class < CLASSES; class ++) {
        scores[class] = 0;
        for (uint32_t i = 0; i < FEATURES; i++) {
            scores[class] += features[i] * (int32_t)((i + class) % 7);
        }
    }
}

static int32_t infer(uint32_t run)
{
    static int32_t features[FEATURES], scores[CLASSES];
    const struct ets_trace_span whole =
        ets_trace_begin(&thread, ETS_TRACE_METHODS, "Method::execute");
    struct ets_trace_span span = ets_trace_begin_at(&thread, ETS_TRACE_OPERATORS, "scale", 0, 0);
    scale(features, run);
    ets_trace_end(&thread, span);
    span = ets_trace_begin_at(&thread, ETS_TRACE_OPERATORS, "linear", 0, 1);
    linear(features, scores);
    ets_trace_end(&thread, span);
    ets_trace_end(&thread, whole);
    return scores[0];
}

int main(void)
{
    const struct ets_trace_config config = {
        .buffer = buffer,
        .buffer_bytes = sizeof buffer,
        .names_are_static = 1,
        .mode = ETS_TRACE_STREAM,
        .stream = ets_text_stream(&text, ets_zephyr_printk_sink()),
        .clock = ets_zephyr_cycles,
        .clock_hz = ets_zephyr_cycles_hz(),
        .section = ets_zephyr_section(&lock)};
    struct ets_trace_run run = {
        .name = "Execute", .method = "forward", .purpose = ETS_TRACE_EXECUTE};
    ets_trace_init(&trace, &config);
    ets_trace_thread_init(&thread, &trace);
    for (; run.invocation < RUNS; run.invocation++) {
        ets_trace_begin_run(&thread, &run);
        const int32_t score = infer(run.invocation);
        ets_trace_end_run(&thread); /* sends what the run recorded */
        if (run.invocation % 10 == 0) printk("score %d\n", (int)score);
    }
    ets_trace_finish(&trace);
    printk("done\n");
    return 0;
}
