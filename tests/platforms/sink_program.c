/*
 * sink_program SINK FORM [REFUSED]: records five runs of three operators and prints what a computer
 * would capture of them. SINK: android, rtt, rtt-lines, zephyr; FORM: stream, dump. From the
 * REFUSEDth call on, the platform takes nothing. It exits with 1 where the recorder heard of that.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <android/log.h>
#include <zephyr/irq.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>

#include "android/android_log.h"
#include "segger/rtt_sink.h"
#include "text/text_sink.h"
#include "zephyr/zephyr_trace.h"

unsigned SEGGER_RTT_Write(unsigned BufferIndex, const void *pBuffer, unsigned NumBytes);

enum { RUNS = 5, CHANNEL = 1, CYCLES_PER_READING = 1000000 };

static unsigned long calls, refused_from, locks;

static int is_refused(void)
{
    return ++calls >= refused_from && refused_from != 0;
}

/* As `adb logcat` prints it, with a line of another program before it. */
int __android_log_write(int prio, const char *tag, const char *text)
{
    if (is_refused()) return -11;
    printf("11-27 21:09:02.123   412   530 D WifiHAL : rssi -67\n");
    printf("11-27 21:09:02.124  4711  4733 %c %s : %s\n", prio == ANDROID_LOG_INFO ? 'I' : '?', tag,
           text);
    return 1;
}

/* As in mode NO_BLOCK_TRIM: takes at most eleven bytes. */
unsigned SEGGER_RTT_Write(unsigned BufferIndex, const void *pBuffer, unsigned NumBytes)
{
    const unsigned taken = NumBytes < 11 ? NumBytes : 11;
    if (BufferIndex != CHANNEL || is_refused()) return 0;
    return (unsigned)fwrite(pBuffer, 1, taken, stdout);
}

/* As Zephyr's console sends it, with a line of its log before it. */
void printk(const char *fmt, ...)
{
    va_list values;
    char text[256];
    va_start(values, fmt);
    vsnprintf(text, sizeof text, fmt, values);
    va_end(values);
    if (is_refused()) return;
    printf("[00:00:01.234,000] <inf> app: seen\r\n%.*s\r\n", (int)strcspn(text, "\n"), text);
}

unsigned irq_lock(void)
{
    return (unsigned)locks++;
}

void irq_unlock(unsigned key)
{
    if (key != --locks) abort();
}

/* It starts shortly before the counter's end. */
uint32_t k_cycle_get_32(void)
{
    static uint32_t now = UINT32_MAX - 10u * CYCLES_PER_READING;
    return now += CYCLES_PER_READING;
}

int sys_clock_hw_cycles_per_sec(void)
{
    return 1000000000;
}

static void record(struct ets_trace *trace, const struct ets_trace_config *config)
{
    static const char *const operators[] = {"conv", "relu", "linear"};
    static struct ets_trace_thread thread;
    struct ets_trace_run run = {
        .name = "Execute", .method = "forward", .purpose = ETS_TRACE_EXECUTE};
    ets_trace_init(trace, config);
    ets_trace_thread_init(&thread, trace);
    for (; run.invocation < RUNS; run.invocation++) {
        ets_trace_begin_run(&thread, &run);
        for (uint32_t at = 0; at < 3; at++) {
            const struct ets_trace_span span =
                ets_trace_begin_at(&thread, ETS_TRACE_OPERATORS, operators[at], 0, at);
            ets_trace_end(&thread, span);
        }
        ets_trace_end_run(&thread);
    }
    ets_trace_finish(trace);
}

/* Both return the first error of the trace. */
static enum ets_status stream(const struct ets_trace_config *config)
{
    static struct ets_trace trace;
    struct ets_trace_state state;
    record(&trace, config);
    ets_trace_get_state(&trace, &state);
    return state.first_error;
}

static enum ets_status dump(struct ets_trace_config *config, struct ets_text_sink *text,
                            struct ets_etdump_sink out)
{
    static struct ets_trace trace;
    config->mode = ETS_TRACE_RING;
    record(&trace, config);
    const struct ets_etdump_sink sink = text != NULL ? ets_text_dump(text, out) : out;
    const enum ets_status status = ets_trace_write(&trace, &sink, NULL);
    if (status != ETS_OK || text == NULL) return status;
    return ets_text_dump_end(text) == 0 ? ETS_OK : ETS_IO;
}

static struct ets_etdump_sink sink_of(const char *name)
{
    static const unsigned channel = CHANNEL;
    if (strcmp(name, "android") == 0) return ets_android_log_sink("etscope");
    return strcmp(name, "zephyr") == 0 ? ets_zephyr_printk_sink() : ets_rtt_sink(&channel);
}

int main(int argc, char **argv)
{
    static uint64_t buffer[512];
    static struct ets_text_sink lines;
    static struct ets_zephyr_lock lock;
    if (argc < 3) return 2;
    refused_from = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
    struct ets_text_sink *text = strcmp(argv[1], "rtt") != 0 ? &lines : NULL;
    const struct ets_etdump_sink out = sink_of(argv[1]);
    struct ets_trace_config config = {.buffer = buffer,
                                      .buffer_bytes = sizeof buffer,
                                      .names_are_static = 1,
                                      .mode = ETS_TRACE_STREAM,
                                      .stream = text != NULL ? ets_text_stream(text, out) : out,
                                      .clock = ets_zephyr_cycles,
                                      .clock_hz = ets_zephyr_cycles_hz(),
                                      .section = ets_zephyr_section(&lock)};
    const enum ets_status status =
        strcmp(argv[2], "stream") == 0 ? stream(&config) : dump(&config, text, out);
    if (locks != 0) return 2;
    return status == ETS_OK ? 0 : 1;
}
