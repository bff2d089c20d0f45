/* The command `recover`: rebuilds a trace from a device's serial log or stream. */
#include <stdlib.h>
#include <string.h>

#include "cli/core/cli_text.h"
#include "cli/recover/recover.h"
#include "dump/logged_dump.h"
#include "dump/runner_log.h"
#include "etscope/etdump.h"
#include "etscope/file.h"
#include "format/summary_file.h"
#include "inspect/stated_nodes.h"

static const struct cli_command_option option_list[] = {
    {"--output", .help = "The ETDump to write; default: CAPTURE with the ending .etdp (.etsum for "
                         "a summary), if no such file exists"},
    {"--debug-buffer", .is_output = true,
     .help = "The captured tensors to write, if the capture has them; default: the ETDump's name "
             "with the ending .bin, if no such file exists"},
    {"--encoding"},
    {"--part"},
    {"--program", .help = "The .pte or .bpte that ran; names the running operators"},
    {"--etrecord", .help = "The ETRecord of the export; adds their source lines"},
    {"--format", .value = "table|json|jsonl",
     .help =
         "Output format; json: one row with path, capture_bytes, encoding, part, part_count, "
         "output, output_bytes, debug_buffer, debug_buffer_bytes, is_in_cycles, counters (lines of "
         "the device), run_count, event_count, stream (null for an ETDump; frames, lost_frames, "
         "damaged_frames, other_bytes, refused_records, finished, dropped_events, running: thread, "
         "name, delegate_id, method, chain, instruction, operator, source, began_ns, lasted_ns)"},
    {NULL},
};

/* Finds the requested part and its bytes in the stream. */
static int choose_part(const struct cli_arguments *arguments, struct recovery *recovery,
                       struct ets_bytes *bytes_out)
{
    struct ets_stream_reader capture;
    struct ets_bytes rest = recovery->found.stream;
    uint32_t streams = 0;
    for (; ets_stream_reader_init(&capture, rest) == ETS_OK; rest = capture.rest) streams++;
    recovery->part_count = streams + (recovery->found.dump.size != 0);
    const uint32_t last = streams != 0 ? streams : 1;
    recovery->part = (uint32_t)cli_number(arguments, "--part", last);
    if (recovery->part > recovery->part_count) {
        return cli_complain(CLI_USAGE, "--part takes a whole number from 1 to %u, not \"%u\"",
                            recovery->part_count, recovery->part);
    }
    recovery->is_stream = recovery->part <= streams;
    rest = recovery->found.stream;
    for (uint32_t i = 1; i < recovery->part && recovery->is_stream; i++) {
        (void)ets_stream_reader_init(&capture, rest);
        rest = capture.rest;
    }
    *bytes_out = rest;
    recovery->is_summary =
        !recovery->is_stream && ets_kind_sniff(recovery->found.dump) == ETS_KIND_SUMMARY;
    return CLI_OK;
}

/* Ignores a program with another fingerprint than the stream's. */
static void check_program(struct recovery *recovery)
{
    const struct ets_bytes told = recovery->stream.trace.config.fingerprint;
    uint64_t there;
    if (recovery->program == NULL || !cli_fingerprint_number(told, &there)) return;
    const uint64_t here = ets_program_fingerprint(recovery->program);
    if (here == there) return;
    recovery->program = NULL;
    cli_note(
        "ignored %s: another program was running; its fingerprint is %016llx, but this file's is "
        "%016llx",
        cli_path_name(recovery->program_path), (unsigned long long)there, (unsigned long long)here);
}

/* The stream's trace as an ETDump, at `*file_out`, to be freed. */
static int make_dump(struct recovery *recovery, uint8_t **file_out)
{
    struct ets_error error;
    if (ets_trace_as_dump(&recovery->stream.trace, &recovery->dump, &error) != ETS_OK) {
        return cli_fail(recovery->path, &error);
    }
    *file_out = (uint8_t *)(uintptr_t)recovery->dump.data;
    return CLI_OK;
}

static int count_runs_of_summary(struct recovery *recovery)
{
    struct ets_summary_file file;
    struct ets_error error;
    if (ets_summary_file_open(recovery->dump, &file, &error) != ETS_OK) {
        return cli_fail(recovery->path, &error);
    }
    recovery->runs = file.runs;
    return CLI_OK;
}

static int count_events(struct recovery *recovery)
{
    struct ets_etdump dump;
    struct ets_etdump_run run;
    struct ets_error error;
    if (ets_etdump_init(&dump, recovery->dump, &error) != ETS_OK) {
        return cli_fail(recovery->path, &error);
    }
    recovery->runs = dump.run_count;
    for (uint32_t i = 0; i < dump.run_count; i++) {
        ets_etdump_run(&dump, i, &run);
        recovery->events += run.event_count;
    }
    return CLI_OK;
}

/* States in the ETDump that its times are cycles, at `*file_out`, to be freed. */
static int mark_cycles(struct recovery *recovery, uint8_t **file_out)
{
    if (ets_dump_is_in_cycles(recovery->dump)) return CLI_OK; /* it was marked before */
    uint8_t *file = malloc(recovery->dump.size + ETS_RUNNER_EXTRA_BYTES);
    if (file == NULL) return cli_complain(CLI_INTERNAL, "no memory for the trace");
    const size_t size = ets_runner_mark_cycles(recovery->dump, file);
    if (size > 0) recovery->dump = (struct ets_bytes){file, size};
    *file_out = file;
    return CLI_OK;
}

/* The log's word for the unit stands only if the ETDump that is written has it, too. */
static void check_unit(struct recovery *recovery)
{
    recovery->is_in_cycles = !recovery->is_summary && ets_dump_is_in_cycles(recovery->dump);
    if (!recovery->found.is_in_cycles || recovery->is_stream || recovery->is_in_cycles) return;
    struct ets_trace_extra extra;
    const bool has_block = ets_trace_extra_init(&extra, recovery->dump, NULL) == ETS_OK;
    cli_note("the log says that times are cycles, but the ETDump is written as it is: %s",
             has_block ? "it has a block of etscope, which states its clock"
                       : "it does not begin with its size, so no block with the unit can be "
                         "appended; read it with --source-time-scale cycles");
}

static int recover_part(struct recovery *recovery, struct ets_bytes bytes, bool is_json)
{
    uint8_t *file = NULL;
    int code = CLI_OK;
    recovery->dump = recovery->found.dump;
    if (recovery->is_stream) {
        code = recovered_stream_open(recovery->path, bytes, &recovery->stream);
        if (code == CLI_OK) check_program(recovery);
        if (code == CLI_OK) code = make_dump(recovery, &file);
    } else if (recovery->found.is_in_cycles) {
        code = mark_cycles(recovery, &file);
    }
    if (code == CLI_OK) {
        code = recovery->is_summary ? count_runs_of_summary(recovery) : count_events(recovery);
    }
    if (code == CLI_OK) check_unit(recovery);
    if (code == CLI_OK) code = recovery_write(recovery);
    if (code == CLI_OK) code = recovery_report(recovery, is_json);
    free(recovery->stream.memory);
    free(file);
    return code;
}

static int recover(const struct cli_arguments *arguments, struct recovery *recovery)
{
    struct ets_error error;
    struct ets_bytes bytes;
    void *memory = malloc(recovery->bytes.size + 1);
    if (memory == NULL) {
        return cli_complain(CLI_INTERNAL, "%s: no memory to decode %zu bytes",
                            cli_path_name(recovery->path), recovery->bytes.size);
    }
    const enum ets_log_encoding encoding =
        (enum ets_log_encoding)cli_choice(arguments, "--encoding", ETS_LOG_AUTO);
    int code = CLI_OK;
    if (ets_device_log_find(&recovery->found, recovery->bytes, encoding, memory,
                            recovery->bytes.size, &error) != ETS_OK) {
        code = cli_fail(recovery->path, &error);
    }
    if (code == CLI_OK) code = choose_part(arguments, recovery, &bytes);
    if (code == CLI_OK) code = recovery_choose_outputs(arguments, recovery);
    if (code == CLI_OK) {
        code = recover_part(recovery, bytes, cli_choice(arguments, "--format", 0) > 0);
    }
    free(memory);
    return code;
}

static int check_words(const struct cli_arguments *arguments)
{
    const char *output = cli_value(arguments, "--output");
    if (arguments->word_count == 0) {
        return cli_complain(CLI_USAGE, "recover needs a capture: etscope recover uart.log");
    }
    if (arguments->word_count > 1) {
        return cli_complain(CLI_USAGE, "recover reads one capture; unexpected argument \"%s\"",
                            arguments->words[1]);
    }
    if (output != NULL && strcmp(output, "-") == 0) {
        return cli_complain(CLI_USAGE, "the report goes to standard output; -o needs a file");
    }
    if (output == NULL && strcmp(arguments->words[0], "-") == 0) {
        return cli_complain(CLI_USAGE, "name the output with -o: standard input has no name");
    }
    return cli_check_stdin(arguments);
}

/* Opens the program and ETRecord that name the operators, then continues. */
static int recover_with_names(const struct cli_arguments *arguments, struct recovery *recovery)
{
    struct cli_record record;
    struct cli_program program;
    recovery->program_path = cli_value(arguments, "--program");
    recovery->record_path = cli_value(arguments, "--etrecord");
    int code = cli_record_open(recovery->record_path, &record);
    if (code == CLI_OK) {
        code = cli_program_open(recovery->program_path, &program);
        recovery->record = record.record;
        recovery->program = program.is_open ? &program.program : NULL;
        if (code == CLI_OK) code = recover(arguments, recovery);
        cli_program_close(&program);
    }
    cli_record_close(&record);
    return code;
}

static int cmd_recover(const struct cli_arguments *arguments)
{
    struct ets_file *file;
    struct ets_error error;
    int code = check_words(arguments);
    if (code != CLI_OK) return code;
    struct recovery recovery = {.path = arguments->words[0]};
    recovery.output_path = cli_value(arguments, "--output");
    if (cli_file_open_as_it_is(recovery.path, &file, &error) != ETS_OK) {
        code = cli_fail(recovery.path, &error);
    } else {
        recovery.bytes = ets_file_bytes(file);
        code = recover_with_names(arguments, &recovery);
        ets_file_close(file);
    }
    free(recovery.made);
    free(recovery.made_debug);
    return code;
}

const struct cli_command cli_recover_command = {
    .name = "recover",
    .task = CLI_TASK_DATA,
    .summary = "rebuild a trace from a device's serial log or stream",
    .arguments = "CAPTURE",
    .description =
        "Reads a device's stream (a file, or a serial log with other lines in between) and writes "
        "the intact part as an ETDump, beside CAPTURE unless -o names it. Reports how much was "
        "lost, and which operators were running when the stream ended: --program adds their names, "
        "--etrecord their source lines. Frames may be raw bytes, hexadecimal digits (also as "
        "printed by xxd and hexdump -C), base64, or `etsf:` lines. A complete ETDump in CAPTURE, "
        "as bytes or in `etsd:` lines, is written unchanged, and so is a summary in `etsd:` lines. "
        "Other commands that read a trace take CAPTURE as it is, without this report.",
    .options = option_list,
    .examples =
        "etscope recover uart.log\n"
        "etscope recover uart.log -o crash.etdp --program model.pte --etrecord model.etrecord",
    .guide = "tracing.md#recover-a-trace-after-a-crash",
    .run = cmd_recover,
};
