/* The command `import`: makes a trace of another runtime's profile. */
#include <stdlib.h>
#include <string.h>

#include "cli/core/cli_text.h"
#include "cli/core/default_trace.h"
#include "cli/core/document.h"
#include "cli/core/write_table.h"
#include "etscope/file.h"
#include "host/output.h"
#include "import/import.h"
#include "output/text/facts.h"

static const struct cli_command_option option_list[] = {
    {"--output",
     .help = "The ETDump to write; default: FILE with the ending .etdp, if no such file exists"},
    {"--format", .value = "table|json|jsonl",
     .help = "Output format; json: one row with path, runtime, output, output_bytes, run_count, "
             "event_count, left_out (what, count), may_lack_events, is_of_medians, is_in_ticks"},
    {NULL},
};

static void tell(const char *path, const char *output, const struct ets_imported *imported,
                 struct ets_facts *facts)
{
    ets_json_put_string(facts->json, "path", path);
    ets_facts_plain_line(facts, "%s", "");
    ets_facts_string(facts, NULL, cli_path_name(path));
    ets_facts_words(facts, ": a profile of ");
    ets_facts_string(facts, "runtime", imported->runtime);
    ets_facts_end(facts);
    ets_facts_line(facts, "imported");
    ets_facts_count(facts, "event_count", imported->event_count, "event");
    ets_facts_words(facts, " in ");
    ets_facts_count(facts, "run_count", imported->run_count, "run");
    ets_facts_end(facts);
    ets_json_begin_array(facts->json, "left_out");
    for (uint32_t i = 0; i < imported->left_out_count; i++) {
        const struct ets_left_out *left = &imported->left_out[i];
        ets_json_begin_object(facts->json, NULL);
        ets_facts_line(facts, i == 0 ? "left out" : "");
        ets_facts_number(facts, "count", left->count);
        ets_facts_words(facts, " ");
        ets_facts_string(facts, "what", left->what);
        ets_facts_end(facts);
        ets_json_end_object(facts->json);
    }
    ets_json_end_array(facts->json);
    if (imported->may_lack_events) {
        ets_facts_line(facts, "incomplete");
        ets_facts_words(facts,
                        "perhaps the last run: ONNX Runtime keeps no more events than these");
        ets_facts_end(facts);
    }
    ets_json_put_bool(facts->json, "may_lack_events", imported->may_lack_events);
    if (imported->is_of_medians) {
        ets_facts_line(facts, "incomplete");
        ets_facts_words(facts,
                        "the table does not have the times of single runs: each block is one "
                        "run of its medians");
        ets_facts_end(facts);
    }
    ets_json_put_bool(facts->json, "is_of_medians", imported->is_of_medians);
    if (imported->is_in_ticks) {
        ets_facts_line(facts, "times");
        ets_facts_words(facts,
                        "ticks of the device's timer, shown as cycles: the profile does not tell "
                        "how many are a second");
        ets_facts_end(facts);
    }
    ets_json_put_bool(facts->json, "is_in_ticks", imported->is_in_ticks);
    ets_facts_line(facts, "written");
    ets_facts_string(facts, "output", output);
    ets_facts_words(facts, ", ");
    ets_facts_bytes(facts, "output_bytes", imported->dump.size);
    ets_facts_end(facts);
}

static int report(const char *path, const char *output_path, const struct ets_imported *imported,
                  bool is_json)
{
    struct ets_facts facts;
    struct ets_json_writer *json;
    struct ets_output *output;
    struct ets_error error;
    if (is_json) {
        const int opened = cli_document_rows("-", &json);
        if (opened != CLI_OK) return opened;
        ets_facts_init(&facts, json, NULL);
        ets_json_begin_row(json);
        tell(path, output_path, imported, &facts);
        ets_json_end_row(json);
        return CLI_OK;
    }
    if (ets_output_open("-", &output, &error) != ETS_OK) return cli_fail_output("-", &error);
    ets_facts_init(&facts, NULL, output);
    facts.width = cli_output_width();
    tell(path, output_path, imported, &facts);
    if (ets_output_commit(output, &error) != ETS_OK) return cli_fail_output("-", &error);
    return CLI_OK;
}

static int write_dump(const char *path, struct ets_bytes dump)
{
    struct ets_output *output;
    struct ets_error error;
    if (ets_output_open(path, &output, &error) != ETS_OK) return cli_fail_output(path, &error);
    ets_output_write(output, dump.data, dump.size);
    if (ets_output_commit(output, &error) != ETS_OK) return cli_fail_output(path, &error);
    return CLI_OK;
}

static int check_words(const struct cli_arguments *arguments)
{
    const char *output = cli_value(arguments, "--output");
    if (arguments->word_count == 0) {
        return cli_complain(CLI_USAGE, "import needs a profile: etscope import profile.json");
    }
    if (arguments->word_count > 1) {
        return cli_complain(CLI_USAGE, "import reads one profile; unexpected argument \"%s\"",
                            arguments->words[1]);
    }
    if (output != NULL && strcmp(output, "-") == 0) {
        return cli_complain(CLI_USAGE, "the report goes to standard output; -o needs a file");
    }
    if (output == NULL && strcmp(arguments->words[0], "-") == 0) {
        return cli_complain(CLI_USAGE, "name the output with -o: standard input has no name");
    }
    return CLI_OK;
}

static int import(const struct cli_arguments *arguments, struct ets_bytes bytes, const char *output)
{
    struct ets_error error;
    struct ets_imported imported;
    const char *path = arguments->words[0];
    if (ets_import(bytes, ets_foreign_sniff(bytes), NULL, &imported, &error) != ETS_OK) {
        return cli_fail(path, &error);
    }
    int code = write_dump(output, imported.dump);
    if (code == CLI_OK) {
        code = report(path, output, &imported, cli_choice(arguments, "--format", 0) > 0);
    }
    ets_imported_reset(&imported);
    return code;
}

static int cmd_import(const struct cli_arguments *arguments)
{
    struct ets_file *file;
    struct ets_error error;
    int code = check_words(arguments);
    if (code != CLI_OK) return code;
    const char *output = cli_value(arguments, "--output");
    char *made = NULL;
    if (output == NULL) code = cli_default_trace(arguments->words[0], ".etdp", "-o", &made);
    if (code == CLI_OK && cli_file_open_as_it_is(arguments->words[0], &file, &error) != ETS_OK) {
        code = cli_fail(arguments->words[0], &error);
    } else if (code == CLI_OK) {
        code = import(arguments, ets_file_bytes(file), output != NULL ? output : made);
        ets_file_close(file);
    }
    free(made);
    return code;
}

const struct cli_command cli_import_command = {
    .name = "import",
    .task = CLI_TASK_DATA,
    .summary = "make a trace of another runtime's profile",
    .arguments = "FILE",
    .description =
        "Reads the profile that another runtime wrote and writes it as an ETDump, so that every "
        "command reads it and one model is compared across runtimes. FILE is recognized by its "
        "contents: ONNX Runtime's profile, the trace of PyTorch's profiler (export_chrome_trace), "
        "LiteRT's operator profile (CSV or protobuf of benchmark_model, or its profiler's events), "
        "a log with a list of TensorFlow Lite for Microcontrollers' MicroProfiler, "
        "or other Chrome JSON. Commands that take traces also read these files directly. "
        "docs/exchange.md says what becomes what, and what is left out.",
    .options = option_list,
    .examples =
        "etscope import ort.json\n"
        "etscope import litert.csv -o litert.etdp",
    .guide = "exchange.md#imports",
    .run = cmd_import,
};
