/*
 * Sends every event of 50 inferences while they run, through 2 KiB: as frames on the console,
 * between its log lines, and as lines of text on the second UART.
 */
#include "board.h"
#include "cortex_m/interrupt_lock.h"
#include "cortex_m/systick.h"
#include "operators.h"
#include "text/text_sink.h"

static uint64_t buffer[256]; /* 2 KiB */
static struct ets_trace trace;
static struct ets_trace_thread thread;
static struct ets_interrupt_lock lock;

static void start_trace(struct ets_etdump_sink stream)
{
    const struct ets_trace_config config = {.buffer = buffer,
                                            .buffer_bytes = sizeof buffer,
                                            .names_are_static = 1,
                                            .mode = ETS_TRACE_STREAM,
                                            .stream = stream,
                                            .clock = ets_systick_now,
                                            .clock_hz = SYSTEM_CLOCK_HZ,
                                            .section = ets_interrupt_section(&lock)};
    ets_trace_init(&trace, &config);
    ets_trace_thread_init(&thread, &trace);
}

static uint32_t infer(const struct picture *picture)
{
    static struct features features;
    int32_t scores[CLASSES];
    const struct ets_trace_span whole =
        ets_trace_begin(&thread, ETS_TRACE_METHODS, "Method::execute");
    struct ets_trace_span span = ets_trace_begin_at(&thread, ETS_TRACE_OPERATORS, "conv", 0, 0);
    conv(picture, &features);
    ets_trace_end(&thread, span);
    span = ets_trace_begin_at(&thread, ETS_TRACE_OPERATORS, "relu", 0, 1);
    relu(&features);
    ets_trace_end(&thread, span);
    span = ets_trace_begin_at(&thread, ETS_TRACE_OPERATORS, "linear", 0, 2);
    linear(&features, scores);
    ets_trace_end(&thread, span);
    ets_trace_end(&thread, whole);
    return best_class(scores);
}

/* Ordinary output of the program: where the edge was seen, once in ten inferences. */
static void log_class(const struct ets_cmsdk_uart *uart, uint32_t number, uint32_t class)
{
    static const char *const texts[CLASSES] = {"far left", "left", "right", "far right"};
    if (number % 10 != 0) return;
    ets_cmsdk_uart_print(uart, "seen: ");
    ets_cmsdk_uart_print(uart, texts[class]);
    ets_cmsdk_uart_print(uart, "\n");
}

static int run_all(const struct ets_cmsdk_uart *uart, struct ets_etdump_sink stream)
{
    enum { INFERENCES = 50 };
    static struct picture picture;
    struct ets_trace_state state;
    start_trace(stream);
    for (uint32_t i = 0; i < INFERENCES; i++) {
        const struct ets_trace_run run = {
            .name = "Execute", .method = "forward", .purpose = ETS_TRACE_EXECUTE, .invocation = i};
        draw_picture(&picture, i);
        ets_trace_begin_run(&thread, &run);
        const uint32_t class = infer(&picture);
        ets_trace_end_run(&thread); /* sends what the run recorded */
        log_class(uart, i, class);
    }
    ets_trace_finish(&trace);
    ets_trace_get_state(&trace, &state);
    return state.first_error == ETS_OK && state.dropped == 0 ? 0 : 1;
}

int main(void)
{
    static struct ets_text_sink text;
    ets_cmsdk_uart_start(&console, SYSTEM_CLOCK_HZ, BAUD);
    ets_cmsdk_uart_start(&second_uart, SYSTEM_CLOCK_HZ, BAUD);
    ets_systick_start();
    ets_cmsdk_uart_print(&console, "stream: frames follow\n");
    const int raw = run_all(&console, ets_cmsdk_uart_sink(&console));
    ets_cmsdk_uart_print(&console, "stream: done\n");
    ets_cmsdk_uart_print(&second_uart, "stream: lines follow\n");
    const int lines =
        run_all(&second_uart, ets_text_stream(&text, ets_cmsdk_uart_sink(&second_uart)));
    ets_cmsdk_uart_print(&second_uart, "stream: done\n");
    return raw | lines;
}
