/* Renews the report of a stream while it arrives, and serves it. */
#define _POSIX_C_SOURCE 200809L
#include "cli/report/follow.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/core/cli_text.h"
#include "cli/core/what_to_type.h"
#include "cli/files/inputs.h"
#include "cli/files/machine_option.h"
#include "cli/pages/print_report.h"
#include "cli/report/stream_input.h"
#include "cli/streams/recovered_stream.h"
#include "cli/traces/inspected.h"
#include "etscope/experimental/device_log.h"
#include "etscope/trace_extra.h"
#include "host/os/os_signals.h"
#include "host/output.h"
#include "host/page_server.h"

enum {
    PERIOD_MS = 1000, /* between two reports, if they are made fast */
    GRACE_MS = 5000,  /* for a browser to get the last one */
    ASK_MS = 200      /* whether a file has grown, or another has opened a pipe */
};

struct follower {
    const struct cli_arguments *arguments;
    struct stream_input input;
    struct cli_record record;
    struct cli_program program;
    struct ets_arena arena; /* of the machine */
    struct ets_machine machine;
    uint32_t threads; /* 0: no machine */
    struct ets_page_server *server;
    size_t reported; /* bytes of the stream that the page is of */
    uint32_t page;   /* number of the page that is served */
    bool has_end;    /* the device ended its stream */
    bool has_report;
    bool was_seen; /* somebody looks at the page */
};

static volatile sig_atomic_t stops;

/* The first ends the stream, the second the wait for a browser, the third all. */
static bool stop(int number)
{
    if (ets_os_is_request(number) && stops < 2) {
        stops = stops + 1;
        return true;
    }
    ets_output_remove_temporaries();
    return false;
}

static long long now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (long long)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Nothing more will come, or is wanted. */
static bool is_over(const struct follower *follower)
{
    return follower->input.has_ended || follower->has_end || stops > 0;
}

/* Writes the report of a trace. */
static int print_trace(struct follower *follower, struct ets_bytes dump, uint32_t live,
                       struct ets_output *output)
{
    const struct cli_arguments *arguments = follower->arguments;
    const bool has_record = follower->record.record != NULL;
    const bool has_program = follower->program.is_open;
    const char *record_path = cli_value(arguments, "--etrecord");
    const char *program_path = cli_value(arguments, "--program");
    struct cli_subject subject = {.path = follower->input.path,
                                  .dump = dump,
                                  .record = follower->record.record,
                                  .program = has_program ? &follower->program.program : NULL,
                                  .method = cli_value(arguments, "--method")};
    struct ets_inspect_options options = cli_inspection_options(arguments, &subject);
    struct ets_inspection *inspection;
    options.allow_mismatch |= live > 0; /* a run that is not whole yet may disagree */
    const int code = cli_open_inspection(&subject, &options, &inspection);
    if (code != CLI_OK) return code;
    const struct ets_study_trace trace = {.path = subject.path,
                                          .inspection = inspection,
                                          .record = has_record ? 0 : ETS_NO_INDEX,
                                          .program = has_program ? 0 : ETS_NO_INDEX};
    const struct ets_study_record record = {record_path, subject.record};
    const struct ets_study_program program = {program_path, subject.program};
    const struct ets_study_sources sources = {
        .traces = &trace,
        .trace_count = 1,
        .records = &record,
        .record_count = has_record,
        .programs = &program,
        .program_count = has_program,
        .words = &cli_advice,
        .machine = follower->threads > 0 ? &follower->machine : NULL,
        .threads = follower->threads};
    struct ets_page_input inputs[3] = {cli_report_input("trace", subject.path, dump)};
    uint32_t count = 1;
    if (has_record) inputs[count++] = cli_report_input_file("record", record_path);
    if (has_program) inputs[count++] = cli_report_input_file("program", program_path);
    const struct cli_report report = {.sources = &sources,
                                      .inputs = inputs,
                                      .input_count = count,
                                      .live = live,
                                      .is_last = is_over(follower),
                                      .has_no_source = cli_has(arguments, "--no-source"),
                                      .has_no_tensors = cli_has(arguments, "--no-tensors"),
                                      .max_size = cli_bytes(arguments, "--max-size", 0)};
    const int printed = cli_report_print(arguments, &report, output);
    ets_inspection_close(inspection);
    return printed;
}

/* The trace of the last stream, which the caller frees; data NULL: there is no whole frame yet. */
static int make_dump(struct follower *follower, struct ets_bytes bytes, struct ets_bytes *dump_out)
{
    struct ets_stream_reader capture;
    struct recovered_stream stream;
    struct ets_error error;
    uint8_t *file = NULL;
    size_t size = 0;
    *dump_out = (struct ets_bytes){NULL, 0};
    if (ets_stream_reader_init(&capture, bytes) != ETS_OK) return CLI_OK;
    while (ets_stream_reader_init(&capture, capture.rest) == ETS_OK) bytes = capture.rest;
    int code = recovered_stream_open(follower->input.path, bytes, &stream);
    if (code == CLI_OK && ets_trace_dump_size(&stream.trace, &size, &error) != ETS_OK) {
        code = cli_fail(follower->input.path, &error);
    }
    if (code == CLI_OK && (file = malloc(size)) == NULL) {
        code = cli_complain(CLI_INTERNAL, "no memory for a trace of %zu bytes", size);
    }
    if (code == CLI_OK &&
        ets_trace_write_buffer(&stream.trace, file, size, &size, &error) != ETS_OK) {
        code = cli_fail(follower->input.path, &error);
    }
    follower->has_end = code == CLI_OK && stream.capture.has_end != 0;
    free(stream.memory);
    if (code == CLI_OK) *dump_out = (struct ets_bytes){file, size};
    else free(file);
    return code;
}

/* Writes the report of what has arrived, or of `live` > 0 a page that says that nothing has. */
static int print_now(struct follower *follower, uint32_t live, struct ets_output *output)
{
    const struct stream_input *input = &follower->input;
    const struct ets_bytes bytes = {input->bytes, input->size};
    struct ets_device_log found = {.stream = {NULL, 0}};
    struct ets_bytes dump = {NULL, 0};
    int code = CLI_OK;
    void *memory = malloc(input->size + 1);
    if (memory == NULL) {
        return cli_complain(CLI_INTERNAL, "no memory to decode %zu bytes", input->size);
    }
    if (ets_device_log_find(&found, bytes, ETS_LOG_AUTO, memory, input->size, NULL) == ETS_OK) {
        code = make_dump(follower, found.stream, &dump);
    }
    if (code == CLI_OK && dump.data != NULL) {
        code = print_trace(follower, dump, live, output);
        follower->has_report = code == CLI_OK;
    } else if (code == CLI_OK && live > 0) {
        ets_page_write_empty(cli_path_name(input->path), live, output);
    }
    free((void *)dump.data);
    free(memory);
    return code;
}

/* Serves the page of what has arrived. */
static int renew(struct follower *follower)
{
    struct ets_output *output;
    struct ets_error error;
    char *page = NULL, state[64];
    size_t size = 0;
    follower->reported = follower->input.size;
    if (ets_output_open_memory(&output, &page, &size, &error) != ETS_OK) {
        return cli_fail(NULL, &error);
    }
    const int code = print_now(follower, follower->page + 1, output);
    if (code != CLI_OK) {
        ets_output_discard(output);
        return code;
    }
    enum ets_status status = ets_output_commit(output, &error);
    const int length = snprintf(state, sizeof state, "{\"page\":%u}", ++follower->page);
    follower->was_seen |= ets_page_server_is_seen(follower->server);
    if (status == ETS_OK) {
        status = ets_page_server_show(follower->server, (struct ets_text){page, size},
                                      (struct ets_text){state, (size_t)length}, &error);
    }
    ets_output_free(page);
    return status == ETS_OK ? CLI_OK : cli_fail(NULL, &error);
}

/* Renews the page while the stream arrives, at most one time in four. */
static int serve(struct follower *follower)
{
    long long next = now_ms();
    int waits_for = stream_input_waits_for(&follower->input);
    int code = renew(follower);
    while (code == CLI_OK && !is_over(follower)) {
        struct stream_input *input = &follower->input;
        const size_t before = input->size;
        if (ets_page_server_wait(follower->server, waits_for, ASK_MS) || waits_for < 0) {
            code = stream_input_read(input);
            waits_for = input->size > before ? stream_input_waits_for(input) : -1;
        }
        const long long now = now_ms();
        const bool is_due = now >= next && input->size > follower->reported;
        if (code != CLI_OK || !(is_due || input->has_ended)) continue;
        code = renew(follower);
        next = now_ms() + PERIOD_MS + 3 * (now_ms() - now);
    }
    return code;
}

/* A browser that has the page gets its end, too. */
static int end(struct follower *follower)
{
    const int code = renew(follower);
    const long long late = now_ms() + GRACE_MS;
    while (code == CLI_OK && follower->was_seen && stops < 2 && now_ms() < late &&
           !ets_page_server_is_seen(follower->server)) {
        ets_page_server_wait(follower->server, -1, ASK_MS);
    }
    return code;
}

static int write_last(struct follower *follower)
{
    const char *path = cli_value(follower->arguments, "--output");
    struct ets_output *output;
    struct ets_error error;
    if (path == NULL) return CLI_OK;
    if (ets_output_open(path, &output, &error) != ETS_OK) return cli_fail_output(path, &error);
    const int code = print_now(follower, 0, output);
    if (code != CLI_OK) {
        ets_output_discard(output);
        return code;
    }
    if (ets_output_commit(output, &error) != ETS_OK) return cli_fail_output(path, &error);
    printf("wrote %s\n", path);
    return CLI_OK;
}

static int follow(struct follower *follower)
{
    const char *name = cli_path_name(follower->input.path);
    printf("following %s: %s\n", name, ets_page_server_address(follower->server));
    fflush(stdout);
    ets_os_watch_interrupts(stop); /* ends waits, too */
    ets_os_ignore_lost_readers();
    int code = serve(follower);
    if (code == CLI_OK) code = end(follower);
    if (code == CLI_OK && !follower->has_report) {
        return cli_complain(CLI_INPUT, "%s: no whole frame of a stream arrived", name);
    }
    return code == CLI_OK ? write_last(follower) : code;
}

static int open_all(struct follower *follower, unsigned port)
{
    const struct cli_arguments *arguments = follower->arguments;
    struct ets_error error;
    int code = stream_input_open(cli_value(arguments, "--follow"), &follower->input);
    if (code == CLI_OK) {
        code = cli_record_open(cli_value(arguments, "--etrecord"), &follower->record);
    }
    if (code == CLI_OK) {
        code = cli_program_open(cli_value(arguments, "--program"), &follower->program);
    }
    if (code == CLI_OK) {
        code =
            cli_machine_option(arguments, &follower->arena, &follower->machine, &follower->threads);
    }
    if (code == CLI_OK && ets_page_server_open(port, &follower->server, &error) != ETS_OK) {
        code = cli_complain(CLI_INTERNAL, "%s", error.message);
    }
    return code;
}

static int check(const struct cli_arguments *arguments, unsigned *port_out)
{
    static const char *const others[] = {"--debug-buffer", "--format", NULL};
    const char *other = cli_first_given(arguments, others);
    const char *output = cli_value(arguments, "--output");
    *port_out = (unsigned)cli_number(arguments, "--port", 0);
    if (arguments->word_count > 0) {
        return cli_complain(CLI_USAGE, "--follow reads one stream; %s cannot be shown beside it",
                            arguments->words[0]);
    }
    if (other != NULL) return cli_complain(CLI_USAGE, "--follow excludes %s", other);
    if (output != NULL && strcmp(output, "-") == 0) {
        return cli_complain(CLI_USAGE, "the address goes to standard output; -o needs a file");
    }
    return cli_check_stdin(arguments);
}

int cli_report_follow(const struct cli_arguments *arguments)
{
    unsigned port;
    int code = check(arguments, &port);
    if (code != CLI_OK) return code;
    struct follower *follower = calloc(1, sizeof *follower);
    if (follower == NULL) return cli_complain(CLI_INTERNAL, "no memory to follow the stream");
    follower->arguments = arguments;
    ets_arena_init(&follower->arena, NULL, 0);
    code = open_all(follower, port);
    if (code == CLI_OK) code = follow(follower);
    ets_page_server_close(follower->server);
    cli_program_close(&follower->program);
    cli_record_close(&follower->record);
    stream_input_close(&follower->input);
    ets_arena_reset(&follower->arena);
    free(follower);
    return code;
}
