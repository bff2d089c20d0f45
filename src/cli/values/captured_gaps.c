/* Opens a gap report for each trace with captured values. */
#include "cli/values/captured_gaps.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/core/bounds.h"
#include "cli/core/cli_text.h"
#include "etscope/engine.h"
#include "host/os/os_system.h"

/* Keeps the first reason. */
static void refuse(struct cli_captured_gaps *gaps, const char *option, const char *reason)
{
    if (gaps->reason[0] != '\0') return;
    snprintf(gaps->reason, sizeof gaps->reason, "captured values are not compared: %s", reason);
    gaps->option = option;
}

static bool evaluate(struct cli_captured_gaps *gaps, struct ets_gap_report *report)
{
    static const struct ets_value nothing;
    const bool takes_any = ets_gap_input_count(report) > 0;
    const struct ets_gap_evaluation how = {.engine = gaps->engine,
                                           .inputs = takes_any ? NULL : &nothing,
                                           .use_double = 1,
                                           .memory_limit = cli_evaluation_bytes()};
    struct ets_etrecord *other = gaps->other.record;
    const enum ets_status status = other != NULL
                                       ? ets_gap_evaluate_other(report, other, &how, &gaps->error)
                                       : ets_gap_evaluate(report, &how, &gaps->error);
    if (status == ETS_OK) return true;
    refuse(gaps, "etscope gap", gaps->error.message);
    return false;
}

/* NULL: not compared. */
static struct ets_gap_report *open_one(struct cli_captured_gaps *gaps,
                                       const struct ets_study_sources *sources, uint32_t number)
{
    struct ets_gap_report *report;
    const struct ets_study_trace *trace = &sources->traces[number];
    if (trace->record == ETS_NO_INDEX) {
        refuse(gaps, "--etrecord", "the graph to compare with is in the ETRecord");
        return NULL;
    }
    const struct ets_gap_options options = {.inspection = trace->inspection,
                                            .record = sources->records[trace->record].record,
                                            .debug_buffer = trace->debug_buffer,
                                            .run = ETS_NO_INDEX,
                                            .pictures = ETS_GAP_MOST_PICTURES};
    if (ets_gap_open(&options, &report, &gaps->error) != ETS_OK) {
        refuse(gaps, "etscope gap", gaps->error.message);
        return NULL;
    }
    if (evaluate(gaps, report)) return report;
    ets_gap_close(report);
    return NULL;
}

static bool has_captured(const struct ets_study_sources *sources)
{
    uint32_t i = 0;
    while (i < sources->trace_count && sources->traces[i].debug_buffer.data == NULL) i++;
    return i < sources->trace_count;
}

int cli_captured_gaps_open(const struct cli_arguments *arguments,
                           const struct ets_study_sources *sources, struct cli_captured_gaps *gaps)
{
    gaps->count = sources->trace_count;
    gaps->reports = calloc((size_t)gaps->count + 1, sizeof *gaps->reports);
    if (gaps->reports == NULL) return cli_complain(CLI_INTERNAL, "no memory for the gap reports");
    const char *other = cli_value(arguments, "--reference-etrecord");
    if (!has_captured(sources)) {
        return other == NULL ? CLI_OK
                             : cli_complain(CLI_USAGE, "--reference-etrecord needs --debug-buffer");
    }
    if (other != NULL) {
        const int code = cli_record_open(other, &gaps->other);
        if (code != CLI_OK) return code;
    }
    const char *path = cli_value(arguments, "--engine");
    if (ets_engine_open(path, &gaps->library, &gaps->engine, &gaps->error) != ETS_OK) {
        if (path != NULL) return cli_fail(path, &gaps->error);
        refuse(gaps, "--engine", gaps->error.message);
        return CLI_OK;
    }
    ets_os_keep_released_memory();
    for (uint32_t i = 0; i < gaps->count; i++) {
        if (sources->traces[i].debug_buffer.data == NULL) continue;
        gaps->reports[i] = open_one(gaps, sources, i);
        const bool no_memory = gaps->reports[i] == NULL && gaps->error.status == ETS_NO_MEMORY;
        if (no_memory) return cli_fail(NULL, &gaps->error);
    }
    /* Asked for: to be said before anything else. */
    if (gaps->reason[0] != '\0' && cli_has(arguments, "--debug-buffer")) {
        cli_note("%s", gaps->reason);
    }
    return CLI_OK;
}

void cli_captured_gaps_close(struct cli_captured_gaps *gaps)
{
    for (uint32_t i = 0; gaps->reports != NULL && i < gaps->count; i++) {
        ets_gap_close(gaps->reports[i]);
    }
    free(gaps->reports);
    cli_record_close(&gaps->other);
    ets_engine_close(gaps->library);
}
