/* Writes the report of open traces and models. */
#include "cli/pages/print_report.h"

#include <string.h>

#include "cli/values/captured_gaps.h"
#include "etscope/file.h"
#include "host/os/os_files.h"
#include "inspect/stated_nodes.h"

struct ets_page_input cli_report_input(const char *role, const char *path, struct ets_bytes bytes)
{
    const bool is_captured = strcmp(role, "debug buffer") == 0; /* these are without a mark */
    const char *kind = is_captured ? "captured tensors" : ets_kind_name(ets_kind_sniff(bytes));
    return (struct ets_page_input){role, path, kind, bytes.size};
}

struct ets_page_input cli_report_input_file(const char *role, const char *path)
{
    struct ets_file *file;
    if (ets_file_open(path, &file, NULL) != ETS_OK) { /* it was read before */
        cli_note("%s cannot be opened again: the report does not tell its kind", path);
        return (struct ets_page_input){role, path, "a file that cannot be opened again",
                                       (size_t)ets_os_look(path).size};
    }
    const struct ets_page_input input = cli_report_input(role, path, ets_file_bytes(file));
    ets_file_close(file);
    return input;
}

static enum ets_status print(const struct ets_page_source *source, bool is_json,
                             struct ets_output *output, struct ets_error *error)
{
    struct ets_page *page;
    enum ets_status status = ets_page_open(source, NULL, &page, error);
    if (status != ETS_OK) return status;
    status = is_json ? ets_page_write_json(page, output, error)
                     : ets_page_write_html(page, output, error);
    ets_page_close(page);
    return status;
}

static enum ets_status print_to_memory(const struct ets_page_source *source, bool is_json,
                                       char **text_out, size_t *size_out, struct ets_error *error)
{
    struct ets_output *output;
    enum ets_status status = ets_output_open_memory(&output, text_out, size_out, error);
    if (status != ETS_OK) return status;
    status = print(source, is_json, output, error);
    if (status == ETS_OK) return ets_output_commit(output, error);
    ets_output_discard(output);
    return status;
}

/* Leaves out part by part until the report is small enough. */
static int print_within(struct ets_page_source *source, const struct cli_report *report,
                        struct ets_output *output)
{
    struct ets_error error;
    for (int part = 0;; part++) {
        char *text = NULL;
        size_t size = 0;
        const enum ets_status status =
            print_to_memory(source, report->is_json, &text, &size, &error);
        const bool is_small = status == ETS_OK && size <= report->max_size;
        if (is_small) ets_output_write(output, text, size);
        ets_output_free(text);
        if (is_small) return CLI_OK;
        if (status != ETS_OK && status != ETS_LIMIT) return cli_fail(NULL, &error);
        if (part == ETS_PAGE_PART_COUNT && status == ETS_OK) {
            return cli_complain(CLI_USAGE,
                                "--max-size %zu is too small: without all that can be left out, "
                                "the report takes %zu bytes",
                                report->max_size, size);
        }
        if (part == ETS_PAGE_PART_COUNT) return cli_fail(NULL, &error);
        if (source->left_out[part] == NULL) source->left_out[part] = "a larger --max-size";
    }
}

static int print_all(const struct ets_page_source *source, const struct cli_report *report,
                     struct ets_output *output)
{
    struct ets_error error;
    const enum ets_status status = print(source, report->is_json, output, &error);
    if (status == ETS_LIMIT) cli_note("--max-size 1G leaves out the events of most runs");
    return status == ETS_OK ? CLI_OK : cli_fail(NULL, &error);
}

/* Which option gives the captured tensors of the traces, or their comparison; NULL: none. */
static const char *missing_values(const struct ets_study_sources *sources,
                                  const struct cli_captured_gaps *gaps)
{
    if (gaps->reason[0] != '\0') return gaps->option;
    for (uint32_t i = 0; i < sources->trace_count; i++) {
        if (sources->traces[i].debug_buffer.data == NULL) return "--debug-buffer";
    }
    return NULL;
}

/* Whether all traces are profiles of other runtimes: no file of ExecuTorch's tells more of them. */
static bool are_foreign(const struct ets_study_sources *sources)
{
    uint32_t i = 0;
    while (i < sources->trace_count &&
           ets_inspection_runtime(sources->traces[i].inspection).data != NULL) {
        i++;
    }
    return i > 0 && i == sources->trace_count;
}

int cli_report_print(const struct cli_arguments *arguments, const struct cli_report *report,
                     struct ets_output *output)
{
    struct ets_study_sources all = *report->sources;
    const struct ets_study_sources *sources = &all;
    const bool has_trace = sources->trace_count > 0;
    struct cli_captured_gaps gaps = {.count = 0};
    int code = cli_captured_gaps_open(arguments, sources, &gaps);
    all.gaps = (const struct ets_gap_report *const *)gaps.reports;
    struct ets_page_source source = {
        .sources = sources,
        .inputs = report->inputs,
        .input_count = report->input_count,
        .writer = "etscope " ETS_VERSION,
        .live = report->live,
        .before_count = report->before_count,
        .differences = report->differences,
        .is_last = report->is_last,
        .gap_reason = gaps.reason[0] != '\0' ? gaps.reason : NULL,
        .missing_options = {
            [ETS_MISSING_RECORD] = sources->record_count > 0 ? NULL : "--etrecord",
            [ETS_MISSING_PROGRAM] = sources->program_count > 0 ? NULL : "--program",
            [ETS_MISSING_DEBUG_BUFFER] = missing_values(sources, &gaps),
            [ETS_MISSING_MACHINE] = has_trace && sources->machine == NULL ? "--machine" : NULL,
            [ETS_MISSING_TRACE] = has_trace ? NULL : "TRACE",
            [ETS_MISSING_BEFORE] = has_trace && report->before_count == 0 ? "--before" : NULL}};
    if (are_foreign(sources)) {
        source.missing_options[ETS_MISSING_RECORD] = NULL;
        source.missing_options[ETS_MISSING_PROGRAM] = NULL;
        source.missing_options[ETS_MISSING_DEBUG_BUFFER] = NULL;
        source.missing_options[ETS_MISSING_MACHINE] = NULL;
    }
    if (report->has_no_source) source.left_out[ETS_PAGE_SOURCE] = "no --no-source";
    if (report->has_no_tensors) source.left_out[ETS_PAGE_TENSORS] = "no --no-tensors";
    if (code == CLI_OK && report->max_size > 0) code = print_within(&source, report, output);
    else if (code == CLI_OK) code = print_all(&source, report, output);
    cli_captured_gaps_close(&gaps);
    return code;
}
