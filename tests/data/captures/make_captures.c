/*
 * Writes the captures of this folder, as a device would that runs mlp_portable: see README.md.
 *
 *     cc -std=c11 -Iinclude tests/data/captures/make_captures.c build/lib/libetscope_trace.a \
 *         -o make_captures && ./make_captures tests/data/captures
 */
#include <stdio.h>
#include <string.h>

#include "etscope/trace.h"

static uint64_t now;

/* A millisecond at each reading. */
static uint64_t read_clock(void *context)
{
    (void)context;
    return now += 1000000;
}

static int write_raw(void *context, const void *data, size_t size)
{
    return fwrite(data, 1, size, context) == size ? 0 : -1;
}

/* The text form of docs/SPEC.md: each call's bytes as lines of their own. */
static int write_lines(void *context, const void *data, size_t size)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *bytes = data;
    for (size_t at = 0; at < size; at += 48) {
        const size_t end = size - at < 48 ? size : at + 48;
        fprintf(context, "[00:00:%02u.%03u] etsf:", (unsigned)(now / 1000000000),
                (unsigned)(now / 1000000 % 1000));
        for (size_t i = at; i < end; i += 3) {
            const size_t left = end - i;
            const uint32_t group = (uint32_t)bytes[i] << 16 |
                                   (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                                   (left > 2 ? bytes[i + 2] : 0);
            fprintf(context, "%c%c%c%c", letters[group >> 18], letters[group >> 12 & 63],
                    left > 1 ? letters[group >> 6 & 63] : '=',
                    left > 2 ? letters[group & 63] : '=');
        }
        fputs("\r\n", context);
    }
    return 0;
}

static const char *const kernels[] = {
    "native_call_permute_copy.out", "native_call_addmm.out", "native_call_relu.out",
    "native_call_permute_copy.out", "native_call_addmm.out", "native_call__softmax.out"};
enum { INSTRUCTIONS = 6 };

/* Executes all instructions but those from `hang_at` on, in which it stays. */
static void execute(struct ets_trace_thread *thread, uint32_t hang_at)
{
    ets_trace_begin_run(thread,
                        &(struct ets_trace_run){
                            .name = "Execute", .method = "forward", .purpose = ETS_TRACE_EXECUTE});
    const struct ets_trace_span method =
        ets_trace_begin_at(thread, ETS_TRACE_METHODS, "Method::execute", -1, 0);
    for (uint32_t i = 0; i < INSTRUCTIONS; i++) {
        ets_trace_set_instruction(thread, 0, i);
        const struct ets_trace_span call =
            ets_trace_begin(thread, ETS_TRACE_OPERATORS, "OPERATOR_CALL");
        const struct ets_trace_span kernel =
            ets_trace_begin(thread, ETS_TRACE_OPERATORS, kernels[i]);
        if (i == hang_at) return;
        ets_trace_end(thread, kernel);
        ets_trace_end(thread, call);
    }
    ets_trace_set_instruction(thread, -1, 0);
    ets_trace_end(thread, method);
    ets_trace_end_run(thread);
}

/* Three runs; in the last one it hangs in instruction `hang_at`, unless there is none such. */
static void write_capture(const char *folder, const char *name,
                          int (*write)(void *context, const void *data, size_t size),
                          uint32_t hang_at)
{
    static uint8_t buffer[2048];
    char path[512];
    struct ets_trace trace;
    struct ets_trace_thread thread;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL) return;
    now = 0;
    if (write == write_lines) fputs("boot: ok\r\n", file);
    ets_trace_init(&trace, &(struct ets_trace_config){.buffer = buffer,
                                                      .buffer_bytes = sizeof buffer,
                                                      .clock = read_clock,
                                                      .clock_hz = 1000000000,
                                                      .mode = ETS_TRACE_STREAM,
                                                      .stream = {file, write},
                                                      .flush_begins = hang_at < INSTRUCTIONS});
    ets_trace_thread_init(&thread, &trace);
    for (int run = 0; run < 3; run++) {
        execute(&thread, run == 2 ? hang_at : INSTRUCTIONS);
        if (write == write_lines) fprintf(file, "app: run %d\r\n", run);
    }
    if (hang_at >= INSTRUCTIONS) ets_trace_finish(&trace);
    fclose(file);
}

int main(int count, char **words)
{
    const char *folder = count > 1 ? words[1] : ".";
    write_capture(folder, "finished.bin", write_raw, INSTRUCTIONS);
    write_capture(folder, "hang.bin", write_raw, 4);
    write_capture(folder, "uart.log", write_lines, 4);
    return 0;
}
