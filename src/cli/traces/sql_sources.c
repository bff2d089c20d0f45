/* Opens the files of `sql` and `report`, and assigns ETRecords and programs to traces. */
#include "cli/traces/sql_sources.h"

#include <stdlib.h>
#include <string.h>

#include "cli/beside/debug_buffer.h"
#include "cli/core/cli_text.h"
#include "cli/core/what_to_type.h"
#include "cli/files/trace_file.h"
#include "cli/traces/delegation.h"
#include "cli/traces/inspected.h"
#include "etscope/file.h"

static int add_record(struct cli_sql_sources *sources, const char *path)
{
    struct cli_record *file = &sources->record_files[sources->all.record_count];
    const int code = cli_record_open(path, file);
    sources->records[sources->all.record_count++] =
        (struct ets_study_record){.path = path, .record = file->record};
    return code;
}

static int add_program(struct cli_sql_sources *sources, const char *path)
{
    struct cli_program *file = &sources->program_files[sources->all.program_count];
    const int code = cli_program_open(path, file);
    sources->programs[sources->all.program_count++] =
        (struct ets_study_program){.path = path, .program = &file->program};
    return code;
}

enum turn { ALL_FILES, TRACES, MODELS };

/* Opens a trace, unless the file's first bytes are those of an ETRecord or a program; what it is
 * not the turn of is left out. */
static int add_file(struct cli_sql_sources *sources, const char *path, enum turn turn)
{
    struct ets_error error;
    struct ets_file *file;
    if (cli_trace_open(path, &file, &error) != ETS_OK) return cli_fail(path, &error);
    const enum ets_kind kind = ets_kind_sniff(ets_file_bytes(file));
    const bool is_program = kind == ETS_KIND_PROGRAM || kind == ETS_KIND_BUNDLE;
    if (is_program || kind == ETS_KIND_ETRECORD) {
        ets_file_close(file);
        if (turn == TRACES) return CLI_OK;
        return is_program ? add_program(sources, path) : add_record(sources, path);
    }
    if (turn == MODELS) {
        ets_file_close(file);
        return CLI_OK;
    }
    sources->trace_files[sources->all.trace_count++] =
        (struct cli_sql_trace_file){.path = path, .file = file};
    return CLI_OK;
}

static int allocate(struct cli_sql_sources *sources, const struct cli_arguments *arguments)
{
    const size_t room = (size_t)sources->paths.count + arguments->value_count + 1;
    sources->trace_files = calloc(room, sizeof *sources->trace_files);
    sources->record_files = calloc(room, sizeof *sources->record_files);
    sources->program_files = calloc(room, sizeof *sources->program_files);
    sources->traces = calloc(room, sizeof *sources->traces);
    sources->records = calloc(room, sizeof *sources->records);
    sources->programs = calloc(room, sizeof *sources->programs);
    sources->all.traces = sources->traces;
    sources->all.records = sources->records;
    sources->all.programs = sources->programs;
    sources->all.words = &cli_advice;
    const bool ok = sources->trace_files != NULL && sources->record_files != NULL &&
                    sources->program_files != NULL && sources->traces != NULL &&
                    sources->records != NULL && sources->programs != NULL;
    return ok ? CLI_OK : cli_complain(CLI_INTERNAL, "no memory for %zu files", room);
}

/* Traces that the others are compared with; then their models, which come last. */
static int add_before(struct cli_sql_sources *sources, const struct cli_arguments *arguments,
                      enum turn turn)
{
    const char *path, *model = NULL;
    for (unsigned i = 0; (path = cli_value_at(arguments, "--before", i)) != NULL; i++) {
        const uint32_t traces = sources->all.trace_count;
        if (traces - sources->before_count == 0) {
            return cli_complain(CLI_USAGE, "--before needs a trace to compare %s with",
                                cli_path_name(path));
        }
        const int code = add_file(sources, path, turn);
        if (code != CLI_OK) return code;
        if (turn == MODELS) continue;
        if (sources->all.trace_count > traces) sources->before_count++;
        else model = path;
    }
    if (model == NULL || sources->before_count > 0) return CLI_OK;
    return cli_complain(CLI_INPUT, "%s: --before needs a trace; this is a model",
                        cli_path_name(model));
}

/* One model alone would count for all traces. */
static int add_models_before(struct cli_sql_sources *sources, const struct cli_arguments *arguments)
{
    const uint32_t records = sources->all.record_count, programs = sources->all.program_count;
    const int code = add_before(sources, arguments, MODELS);
    const bool is_record = records == 0 && sources->all.record_count > 0;
    if (code != CLI_OK || (!is_record && (programs > 0 || sources->all.program_count == 0))) {
        return code;
    }
    return cli_complain(
        CLI_USAGE, "--before has %s of its own: name that of the other trace, too, with %s",
        is_record ? "an ETRecord" : "a program", is_record ? "--etrecord" : "--program");
}

static int add_all(struct cli_sql_sources *sources, const struct cli_arguments *arguments,
                   unsigned first_word)
{
    const char *path;
    int code = cli_paths_open(arguments->words + first_word, arguments->word_count - first_word,
                              &sources->paths);
    if (code == CLI_OK) code = allocate(sources, arguments);
    for (unsigned i = 0; code == CLI_OK && i < sources->paths.count; i++) {
        code = add_file(sources, sources->paths.items[i], ALL_FILES);
    }
    if (code == CLI_OK) code = add_before(sources, arguments, TRACES);
    for (unsigned i = 0; code == CLI_OK && (path = cli_value_at(arguments, "--etrecord", i)); i++) {
        code = add_record(sources, path);
    }
    for (unsigned i = 0; code == CLI_OK && (path = cli_value_at(arguments, "--program", i)); i++) {
        code = add_program(sources, path);
    }
    return code == CLI_OK ? add_models_before(sources, arguments) : code;
}

/* None, one for all traces, or one for each. */
static int check_count(const struct cli_sql_sources *sources, const char *what, uint32_t count)
{
    const uint32_t traces = sources->all.trace_count;
    if (count <= 1 || traces == 0 || count == traces) return CLI_OK;
    return cli_complain(
        CLI_USAGE,
        "%u %s for %u traces: give one for all traces, or one per trace in the same order", count,
        what, traces);
}

/* Which of `count` files belongs to trace `number`. */
static uint32_t partner(uint32_t count, uint32_t number)
{
    return count == 0 ? ETS_NO_INDEX : count == 1 ? 0 : number;
}

static int open_debug_buffer(const struct cli_arguments *arguments, uint32_t number,
                             struct cli_sql_trace_file *file, struct ets_study_trace *trace)
{
    return cli_debug_buffer_open(cli_value_at(arguments, "--debug-buffer", number),
                                 &file->debug_buffer, &trace->debug_buffer);
}

/* The number of a sibling's ETRecord; ETS_NO_INDEX: none. */
static uint32_t list_record(struct cli_sql_sources *sources, const struct cli_sibling *sibling)
{
    struct ets_etrecord *record = sibling->model.record.record;
    uint32_t i = 0;
    if (record == NULL) return ETS_NO_INDEX;
    while (i < sources->all.record_count && sources->records[i].record != record) i++;
    sources->records[i] = (struct ets_study_record){.path = sibling->record_path, .record = record};
    if (i == sources->all.record_count) sources->all.record_count++;
    return i;
}

static uint32_t list_program(struct cli_sql_sources *sources, const struct cli_sibling *sibling)
{
    const struct ets_program *program = cli_model_program(&sibling->model);
    uint32_t i = 0;
    if (program == NULL) return ETS_NO_INDEX;
    while (i < sources->all.program_count && sources->programs[i].program != program) i++;
    sources->programs[i] =
        (struct ets_study_program){.path = sibling->program_path, .program = program};
    if (i == sources->all.program_count) sources->all.program_count++;
    return i;
}

/* A trace before that has no siblings of its own may have those of the first trace, as in diff. */
static bool may_share_siblings(const struct cli_sql_sources *sources,
                               const struct ets_study_trace *trace)
{
    const struct ets_study_trace *first = sources->traces;
    const uint32_t own = sources->all.trace_count - sources->before_count;
    const bool has_siblings = first->record != ETS_NO_INDEX || first->program != ETS_NO_INDEX;
    return trace >= first + own && has_siblings;
}

static void find_siblings(struct cli_sql_sources *sources, const struct cli_arguments *arguments,
                          struct cli_subject *subject, struct ets_study_trace *trace)
{
    const struct ets_inspect_options options = cli_inspection_options(arguments, subject);
    struct cli_sibling *sibling = cli_siblings_join(&sources->siblings, arguments, subject->path,
                                                    subject->dump, &options, &subject->inspection);
    if (sibling == NULL && may_share_siblings(sources, trace)) {
        sibling = cli_siblings_join_as(&sources->siblings, sources->traces[0].path, subject->dump,
                                       &options, &subject->inspection);
    }
    if (sibling == NULL) return;
    sibling->is_needed = true;
    trace->record = list_record(sources, sibling);
    trace->program = list_program(sources, sibling);
}

/* The ETRecord beside the only program, if none is given. */
static void find_record(struct cli_sql_sources *sources, const struct cli_arguments *arguments)
{
    struct ets_delegation *delegation = NULL;
    struct cli_record *record = &sources->record_files[0];
    if (sources->all.program_count != 1 || sources->all.record_count != 0) return;
    cli_delegation_find_record(arguments, sources->programs[0].path, sources->programs[0].program,
                               record, &delegation);
    ets_delegation_close(delegation);
    if (record->record == NULL) return;
    sources->records[0] = (struct ets_study_record){record->path, record->record};
    sources->all.record_count = 1;
}

/* The debug buffer beside a trace that captured tensors. */
static int find_debug_buffer(const struct cli_arguments *arguments, struct cli_sql_trace_file *file,
                             struct ets_study_trace *trace)
{
    char found[CLI_SIBLING_BYTES];
    if (!cli_sibling_debug_buffer(arguments, file->path, trace->inspection, found)) return CLI_OK;
    file->debug_path = malloc(strlen(found) + 1);
    if (file->debug_path == NULL) return cli_complain(CLI_INTERNAL, "no memory for a file's name");
    memcpy(file->debug_path, found, strlen(found) + 1);
    return cli_debug_buffer_open(file->debug_path, &file->debug_buffer, &trace->debug_buffer);
}

/* `records` and `programs`: how many were given. */
static int open_trace(struct cli_sql_sources *sources, const struct cli_arguments *arguments,
                      uint32_t records, uint32_t programs, uint32_t number)
{
    struct cli_sql_trace_file *file = &sources->trace_files[number];
    struct ets_study_trace *trace = &sources->traces[number];
    struct cli_subject subject = {.path = file->path,
                                  .dump = ets_file_bytes(file->file),
                                  .file = file->file,
                                  .method = cli_value(arguments, "--method")};
    trace->path = file->path;
    trace->record = partner(records, number);
    trace->program = partner(programs, number);
    int code = open_debug_buffer(arguments, number, file, trace);
    if (code != CLI_OK) return code;
    if (records + programs == 0) find_siblings(sources, arguments, &subject, trace);
    if (trace->record != ETS_NO_INDEX) subject.record = sources->records[trace->record].record;
    if (trace->program != ETS_NO_INDEX) subject.program = sources->programs[trace->program].program;
    const struct ets_inspect_options options = cli_inspection_options(arguments, &subject);
    struct ets_inspection *inspection;
    code = cli_open_inspection(&subject, &options, &inspection);
    if (code != CLI_OK) return code;
    trace->inspection = file->inspection = inspection;
    cli_print_notes(inspection);
    cli_note_debug_buffer(inspection, cli_value_at(arguments, "--debug-buffer", number),
                          trace->debug_buffer);
    return sources->wants_values ? find_debug_buffer(arguments, file, trace) : CLI_OK;
}

int cli_sql_sources_open(struct cli_sql_sources *sources, const struct cli_arguments *arguments,
                         unsigned first_word)
{
    const unsigned buffers = cli_value_count(arguments, "--debug-buffer");
    int code = cli_check_stdin(arguments);
    if (code == CLI_OK) code = add_all(sources, arguments, first_word);
    if (code == CLI_OK) code = check_count(sources, "ETRecords", sources->all.record_count);
    if (code == CLI_OK) code = check_count(sources, "programs", sources->all.program_count);
    if (code == CLI_OK && buffers != 0 && buffers != sources->all.trace_count &&
        buffers != sources->all.trace_count - sources->before_count) {
        code = cli_complain(CLI_USAGE, "%u debug buffers for %u traces: give one per trace",
                            buffers, sources->all.trace_count);
    }
    if (code == CLI_OK && sources->wants_record) find_record(sources, arguments);
    const uint32_t records = sources->all.record_count, programs = sources->all.program_count;
    for (uint32_t i = 0; code == CLI_OK && i < sources->all.trace_count; i++) {
        code = open_trace(sources, arguments, records, programs, i);
    }
    return code;
}

void cli_sql_sources_close(struct cli_sql_sources *sources)
{
    for (uint32_t i = 0; i < sources->all.trace_count; i++) {
        ets_inspection_close(sources->trace_files[i].inspection);
        ets_file_close(sources->trace_files[i].debug_buffer);
        free(sources->trace_files[i].debug_path);
        ets_file_close(sources->trace_files[i].file);
    }
    for (uint32_t i = 0; i < sources->all.program_count; i++) {
        cli_program_close(&sources->program_files[i]);
    }
    for (uint32_t i = 0; i < sources->all.record_count; i++) {
        cli_record_close(&sources->record_files[i]);
    }
    cli_siblings_close(&sources->siblings);
    free(sources->programs);
    free(sources->records);
    free(sources->traces);
    free(sources->program_files);
    free(sources->record_files);
    free(sources->trace_files);
    cli_paths_close(&sources->paths);
}
