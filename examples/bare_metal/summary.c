/*
 * Adds the times of 50 inferences up and sends the sums alone: to a file through the debugger
 * (semihosting), and as lines in the console's log, from which `etscope recover` takes them.
 */
#include "board.h"
#include "cortex_m/interrupt_lock.h"
#include "cortex_m/semihosting.h"
#include "cortex_m/systick.h"
#include "etscope/trace_summary.h"
#include "operators.h"
#include "text/text_sink.h"

enum { INFERENCES = 50, WARM_UP = 2, ROWS = 4 }; /* a row for each operator, one for the run */

static uint64_t buffer[128]; /* of one inference */
static struct ets_trace_summary_row rows[ROWS];
static char texts[64];
static struct ets_trace trace;
static struct ets_trace_thread thread;
static struct ets_trace_summary summary;
static struct ets_interrupt_lock lock;

static void start(void)
{
    const struct ets_trace_config config = {.buffer = buffer,
                                            .buffer_bytes = sizeof buffer,
                                            .names_are_static = 1,
                                            .clock = ets_systick_now,
                                            .clock_hz = SYSTEM_CLOCK_HZ,
                                            .section = ets_interrupt_section(&lock)};
    const struct ets_trace_summary_config kept = {.rows = rows,
                                                  .row_count = ROWS,
                                                  .texts = texts,
                                                  .text_bytes = sizeof texts,
                                                  .warm_up_runs = WARM_UP};
    ets_trace_init(&trace, &config);
    ets_trace_summary_init(&summary, &kept);
}

static struct ets_trace_span begin(const char *name, uint32_t instruction)
{
    return ets_trace_begin_at(&thread, ETS_TRACE_OPERATORS, name, 0, instruction);
}

/* The execution as a whole is an event of its own: without it, a run is not counted. */
static uint32_t infer(const struct picture *picture)
{
    static struct features features;
    int32_t scores[CLASSES];
    const struct ets_trace_span whole =
        ets_trace_begin(&thread, ETS_TRACE_METHODS, "Method::execute");
    struct ets_trace_span span = begin("conv", 0);
    conv(picture, &features);
    ets_trace_end(&thread, span);
    span = begin("relu", 1);
    relu(&features);
    ets_trace_end(&thread, span);
    span = begin("linear", 2);
    linear(&features, scores);
    ets_trace_end(&thread, span);
    ets_trace_end(&thread, whole);
    return best_class(scores);
}

/* The buffer begins anew with each inference; what stays is in the rows. */
static uint32_t run_all(void)
{
    static struct picture picture;
    uint32_t found = 0;
    for (uint32_t i = 0; i < INFERENCES; i++) {
        const struct ets_trace_run run = {
            .name = "Execute", .method = "forward", .purpose = ETS_TRACE_EXECUTE, .invocation = i};
        draw_picture(&picture, i);
        ets_trace_thread_init(&thread, &trace);
        ets_trace_begin_run(&thread, &run);
        found |= UINT32_C(1) << infer(&picture);
        ets_trace_end_run(&thread);
        ets_trace_finish(&trace);
        ets_trace_summary_add(&summary, &trace);
        ets_trace_reset(&trace);
    }
    return found;
}

static int write_file(const char *path)
{
    const int file = ets_semihosting_open(path);
    if (file < 0) return -1;
    const struct ets_etdump_sink sink = ets_semihosting_sink(&file);
    const enum ets_status status = ets_trace_summary_write(&summary, &sink, NULL);
    return ets_semihosting_close(file) == 0 && status == ETS_OK ? 0 : -1;
}

static int write_log(void)
{
    static struct ets_text_sink text;
    const struct ets_etdump_sink sink = ets_text_dump(&text, ets_cmsdk_uart_sink(&console));
    return ets_trace_summary_write(&summary, &sink, NULL) == ETS_OK ? ets_text_dump_end(&text) : -1;
}

int main(void)
{
    enum { EVERY_CLASS = (1 << CLASSES) - 1 };
    ets_cmsdk_uart_start(&console, SYSTEM_CLOCK_HZ, BAUD);
    ets_cmsdk_uart_print(&console, "summary: 50 inferences\n");
    ets_systick_start();
    start();
    const uint32_t found = run_all();
    const int status = write_file("summary.etsum") | write_log();
    ets_cmsdk_uart_print(&console, status == 0 ? "summary: done\n" : "summary: not written\n");
    return found == EVERY_CLASS && status == 0 && summary.lost_values == 0 ? 0 : 1;
}
