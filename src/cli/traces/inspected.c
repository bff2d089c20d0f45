/* The inspection that a command works on, by the options that commands share. */
#include "cli/traces/inspected.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/cli_text.h"
#include "cli/traces/trace_notes.h"

struct ets_inspect_options cli_inspection_options(const struct cli_arguments *arguments,
                                                  const struct cli_subject *subject)
{
    return (struct ets_inspect_options){
        .file = subject->file,
        .record = subject->record,
        .program = subject->program,
        .method = subject->method,
        .partial = cli_has(arguments, "--partial"),
        .allow_mismatch = cli_has(arguments, "--allow-mismatch"),
        .prompt = (uint32_t)cli_number(arguments, "--prompt", 0),
        .subtract_overhead = cli_has(arguments, "--subtract-overhead"),
        .tick_unit = (enum ets_time_unit)cli_choice(arguments, "--source-time-scale", ETS_UNIT_NS),
    };
}

/* A block's names: its own, that of its stage, and both as the first lines say: "forward decode".
 */
static bool is_called(const struct ets_block *block, const char *wanted)
{
    const char *stage = ets_run_stage_name(block->stage);
    char name[256];
    if (cli_text_is(block->name, wanted)) return true;
    if (stage == NULL) return false;
    if (strcmp(stage, wanted) == 0) return true;
    snprintf(name, sizeof name, "%.*s %s", (int)(block->name.size < 200 ? block->name.size : 200),
             block->name.data, stage);
    if (strcmp(name, wanted) == 0) return true;
    snprintf(name, sizeof name, "%.200s %s", block->method == NULL ? "" : block->method, stage);
    return strcmp(name, wanted) == 0;
}

int cli_choose_rows(const struct cli_arguments *arguments, const struct ets_inspection *inspection,
                    uint32_t *block_out, uint32_t *run_out)
{
    const uint32_t blocks = ets_inspection_block_count(inspection);
    const uint32_t runs = ets_inspection_run_count(inspection);
    const char *wanted = cli_value(arguments, "--block");
    const long long run = cli_number(arguments, "--run", -1);
    *block_out = *run_out = ETS_NO_INDEX;
    if (run >= runs) {
        return cli_complain(CLI_USAGE, "--run %lld: the trace has %u runs, counted from 0", run,
                            runs);
    }
    if (run >= 0) *run_out = (uint32_t)run;
    if (wanted == NULL) return CLI_OK;
    char *end;
    const unsigned long number = strtoul(wanted, &end, 10);
    const bool is_number = isdigit((unsigned char)wanted[0]) && *end == '\0';
    uint32_t named = 0;
    for (uint32_t i = 0; i < blocks; i++) {
        const struct ets_block *block = ets_inspection_block(inspection, i);
        const bool is_named = is_called(block, wanted);
        if (!is_named && !(is_number && number == i)) continue;
        *block_out = i;
        named++;
    }
    if (named == 1) return CLI_OK;
    char list[256] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < blocks && used < 200; i++) {
        const struct ets_block *block = ets_inspection_block(inspection, i);
        const char *stage = ets_run_stage_name(block->stage);
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%u %.*s%s%s", i > 0 ? ", " : "", i,
                             (int)(block->name.size < 40 ? block->name.size : 40), block->name.data,
                             stage == NULL ? "" : " ", stage == NULL ? "" : stage);
    }
    return cli_complain(CLI_USAGE, "the trace has %s \"%s\"; its blocks are %s",
                        named == 0 ? "no block" : "several blocks", wanted, list);
}

static void note_backwards(uint32_t count, const char *how)
{
    if (count == 1) cli_note("1 event ends before it starts: %s", how);
    else if (count > 1) cli_note("%u events end before they start: %s", count, how);
}

void cli_print_notes(const struct ets_inspection *inspection)
{
    enum { MOST = 3 };
    const uint32_t damages = ets_inspection_damage_total(inspection);
    for (uint32_t i = 0; i < damages && i < MOST; i++) {
        cli_note_damage(ets_inspection_damage(inspection, i));
    }
    if (damages > MOST) cli_note("and %u more damaged parts", damages - MOST);
    cli_note_trace(inspection);
    uint32_t wrapped, backwards;
    ets_inspection_clock_faults(inspection, &wrapped, &backwards);
    note_backwards(wrapped, "read as a wrapped 32-bit counter");
    note_backwards(backwards, "read as lasting 0");
    const uint32_t unknown = ets_inspection_unknown_event_count(inspection);
    if (unknown > 0)
        cli_note("skipped %u events of kinds that this version does not know", unknown);
    cli_note_unjoined(NULL, inspection);
    if (ets_inspection_events(inspection)->count == 0 && damages == 0) {
        cli_note("the trace has no events; `etscope doctor` shows whether the runtime records any");
    }
}

int cli_check_steady(const struct cli_arguments *arguments)
{
    if (!cli_has(arguments, "--steady") || !cli_has(arguments, "--run")) return CLI_OK;
    return cli_complain(CLI_USAGE, "--run and --steady exclude each other");
}

static int open_anew(const struct cli_subject *subject, const struct ets_inspect_options *options,
                     struct ets_inspection **inspection_out)
{
    struct ets_error error;
    const enum ets_status status =
        ets_inspection_open(subject->dump, options, inspection_out, &error);
    if (status == ETS_OK) return CLI_OK;
    const int code = cli_fail(subject->path, &error);
    const bool is_damaged = status == ETS_TRUNCATED || status == ETS_MALFORMED;
    if (is_damaged && error.file == NULL && !options->partial) {
        cli_note("--partial reads the intact part");
    }
    return status == ETS_NOT_FOUND ? CLI_USAGE : code; /* the method of --method was not found */
}

int cli_open_inspection(struct cli_subject *subject, const struct ets_inspect_options *options,
                        struct ets_inspection **inspection_out)
{
    if (options->method != NULL && options->record == NULL && options->program == NULL) {
        return cli_complain(CLI_USAGE, "--method needs --etrecord or --program");
    }
    *inspection_out = subject->inspection;
    subject->inspection = NULL;
    if (*inspection_out == NULL) {
        const int code = open_anew(subject, options, inspection_out);
        if (code != CLI_OK) return code;
    }
    if (ets_inspection_events(*inspection_out)->count == 0 &&
        ets_inspection_damage_count(*inspection_out) > 0) {
        cli_print_notes(*inspection_out);
        ets_inspection_close(*inspection_out);
        *inspection_out = NULL;
        return cli_complain(CLI_INPUT, "%s: no part of the trace is intact",
                            cli_path_name(subject->path));
    }
    return CLI_OK;
}
