/* Records two operators with the installed tracer and writes the dump to the file that is named. */
#include <stdio.h>

#include <etscope/trace.h>

static uint64_t ticks;

static uint64_t read_clock(void *context)
{
    (void)context;
    return ticks += 1000;
}

static int write_file(void *context, const void *data, size_t size)
{
    return fwrite(data, 1, size, (FILE *)context) != size;
}

int main(int argc, char **argv)
{
    static uint64_t buffer[256];
    struct ets_trace trace;
    struct ets_trace_thread thread;
    const struct ets_trace_config config = {
        .buffer = buffer, .buffer_bytes = sizeof buffer, .clock = read_clock};
    const struct ets_trace_run run = {.name = "Execute", .method = "forward"};
    FILE *file = argc == 2 ? fopen(argv[1], "wb") : NULL;
    if (file == NULL || ets_trace_init(&trace, &config) != ETS_OK) return 1;
    ets_trace_thread_init(&thread, &trace);
    ets_trace_begin_run(&thread, &run);
    for (uint32_t i = 0; i < 2; i++) {
        ets_trace_set_instruction(&thread, 0, i);
        ets_trace_end(&thread, ets_trace_begin(&thread, ETS_TRACE_OPERATORS, "OPERATOR_CALL"));
    }
    ets_trace_end_run(&thread);
    ets_trace_finish(&trace);
    const struct ets_etdump_sink sink = {file, write_file};
    const enum ets_status status = ets_trace_write(&trace, &sink, NULL);
    return fclose(file) != 0 || status != ETS_OK;
}
