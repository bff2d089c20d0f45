/*
 * Traces 50 inferences into a ring of 2 KiB, which keeps the last ones, and writes the ETDump
 * twice: to a file through the debugger (semihosting), and as lines in the console's log.
 */
#include "board.h"
#include "cortex_m/interrupt_lock.h"
#include "cortex_m/semihosting.h"
#include "cortex_m/systick.h"
#include "operators.h"
#include "text/text_sink.h"

static uint64_t buffer[256]; /* 2 KiB */
static struct ets_trace trace;
static struct ets_trace_thread thread;
static struct ets_interrupt_lock lock;

static void start_trace(void)
{
    const struct ets_trace_config config = {.buffer = buffer,
                                            .buffer_bytes = sizeof buffer,
                                            .names_are_static = 1,
                                            .mode = ETS_TRACE_RING,
                                            .clock = ets_systick_now,
                                            .clock_hz = SYSTEM_CLOCK_HZ,
                                            .section = ets_interrupt_section(&lock)};
    ets_trace_init(&trace, &config); /* what goes wrong is in ets_trace_get_state, and the dump */
    ets_trace_thread_init(&thread, &trace);
}

/* Each operator between begin and end, at its instruction of the program. */
static uint32_t infer(const struct picture *picture)
{
    static struct features features;
    int32_t scores[CLASSES];
    struct ets_trace_span span, whole;

    whole = ets_trace_begin_at(&thread, ETS_TRACE_METHODS, "Method::execute", -1, 0);
    ets_trace_set_instruction(&thread, 0, 0);
    span = ets_trace_begin(&thread, ETS_TRACE_OPERATORS, "conv");
    conv(picture, &features);
    ets_trace_end(&thread, span);

    ets_trace_set_instruction(&thread, 0, 1);
    span = ets_trace_begin(&thread, ETS_TRACE_OPERATORS, "relu");
    relu(&features);
    ets_trace_end(&thread, span);

    ets_trace_set_instruction(&thread, 0, 2);
    span = ets_trace_begin(&thread, ETS_TRACE_OPERATORS, "linear");
    linear(&features, scores);
    ets_trace_end(&thread, span);
    ets_trace_end(&thread, whole);
    return best_class(scores);
}

static uint32_t run_all(void)
{
    enum { INFERENCES = 50 };
    static struct picture picture;
    uint32_t found = 0;
    for (uint32_t i = 0; i < INFERENCES; i++) {
        const struct ets_trace_run run = {
            .name = "Execute", .method = "forward", .purpose = ETS_TRACE_EXECUTE, .invocation = i};
        draw_picture(&picture, i);
        ets_trace_begin_run(&thread, &run);
        found |= UINT32_C(1) << infer(&picture);
        ets_trace_end_run(&thread);
    }
    return found;
}

static int write_file(const char *path)
{
    const int file = ets_semihosting_open(path);
    if (file < 0) return -1;
    const struct ets_etdump_sink sink = ets_semihosting_sink(&file);
    const enum ets_status status = ets_trace_write(&trace, &sink, NULL);
    return ets_semihosting_close(file) == 0 && status == ETS_OK ? 0 : -1;
}

static int write_log(void)
{
    static struct ets_text_sink text;
    const struct ets_etdump_sink sink = ets_text_dump(&text, ets_cmsdk_uart_sink(&console));
    return ets_trace_write(&trace, &sink, NULL) == ETS_OK ? ets_text_dump_end(&text) : -1;
}

int main(void)
{
    enum { EVERY_CLASS = (1 << CLASSES) - 1 };
    ets_cmsdk_uart_start(&console, SYSTEM_CLOCK_HZ, BAUD);
    ets_cmsdk_uart_print(&console, "ring: 50 inferences\n");
    ets_systick_start();
    start_trace();
    const uint32_t found = run_all();
    ets_trace_finish(&trace);
    if (found != EVERY_CLASS) ets_cmsdk_uart_print(&console, "ring: wrong classes\n");
    const int status = write_file("ring.etdp") | write_log();
    ets_cmsdk_uart_print(&console, status == 0 ? "ring: done\n" : "ring: not written\n");
    return found == EVERY_CLASS && status == 0 ? 0 : 1;
}
