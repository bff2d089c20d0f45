/* Writes the report of open traces and models. */
#include "cli/report/print_report.h"

#include <string.h>

#include "cli/report/report_gaps.h"
#include "etscope/file.h"

struct ets_page_input cli_report_input(const char *role, const char *path, struct ets_bytes bytes)
{
    const bool is_captured = strcmp(role, "debug buffer") == 0; /* these are without a mark */
    const char *kind = is_captured ? "captured tensors" : ets_kind_name(ets_kind_sniff(bytes));
    return (struct ets_page_input){role, path, kind, bytes.size};
}

struct ets_page_input cli_report_input_file(const char *role, const char *path)
{
    struct ets_file *file;
    if (ets_file_open(path, &file, NULL) != ETS_OK) {
        return cli_report_input(role, path, (struct ets_bytes){NULL, 0});
    }
    const struct ets_page_input input = cli_report_input(role, path, ets_file_bytes(file));
    ets_file_close(file);
    return input;
}

static int print(const struct ets_page_source *source, bool is_json, struct ets_output *output)
{
    struct ets_page *page;
    struct ets_error error;
    if (ets_page_open(source, NULL, &page, &error) != ETS_OK) return cli_fail(NULL, &error);
    const enum ets_status status = is_json ? ets_page_write_json(page, output, &error)
                                           : ets_page_write_html(page, output, &error);
    ets_page_close(page);
    return status == ETS_OK ? CLI_OK : cli_fail(NULL, &error);
}

/* Which option gives the captured tensors of the traces, or their comparison; NULL: none. */
static const char *missing_values(const struct ets_sql_sources *sources,
                                  const struct cli_report_gaps *gaps)
{
    if (gaps->reason[0] != '\0') return gaps->option;
    for (uint32_t i = 0; i < sources->trace_count; i++) {
        if (sources->traces[i].debug_buffer.data == NULL) return "--debug-buffer";
    }
    return NULL;
}

int cli_report_print(const struct cli_arguments *arguments, const struct cli_report *report,
                     struct ets_output *output)
{
    const struct ets_sql_sources *sources = report->sources;
    const bool has_trace = sources->trace_count > 0;
    struct cli_report_gaps gaps = {.count = 0};
    int code = cli_report_gaps_open(arguments, sources, &gaps);
    const struct ets_page_source source = {
        .sources = sources,
        .inputs = report->inputs,
        .input_count = report->input_count,
        .writer = "etscope " ETS_VERSION,
        .gaps = (const struct ets_gap_report *const *)gaps.reports,
        .gap_reason = gaps.reason[0] != '\0' ? gaps.reason : NULL,
        .missing_options = {
            [ETS_MISSING_RECORD] = sources->record_count > 0 ? NULL : "--etrecord",
            [ETS_MISSING_PROGRAM] = sources->program_count > 0 ? NULL : "--program",
            [ETS_MISSING_DEBUG_BUFFER] = missing_values(sources, &gaps),
            [ETS_MISSING_MACHINE] = has_trace && sources->machine == NULL ? "--machine" : NULL,
            [ETS_MISSING_TRACE] = has_trace ? NULL : "TRACE"}};
    if (code == CLI_OK) code = print(&source, report->is_json, output);
    cli_report_gaps_close(&gaps);
    return code;
}
