/* Opens several traces, joins them with models, and pools them. */
#include "cli/traces/traces.h"

#include <stdlib.h>
#include <string.h>

#include "cli/core/cli_text.h"
#include "cli/files/trace_file.h"
#include "cli/traces/trace_notes.h"
#include "inspect/stated_nodes.h"

int cli_traces_check_units(const char *left, const struct ets_inspection *left_inspection,
                           const char *right, const struct ets_inspection *right_inspection)
{
    const bool left_cycles = ets_inspection_tick_unit(left_inspection, NULL) == ETS_UNIT_CYCLES;
    const bool right_cycles = ets_inspection_tick_unit(right_inspection, NULL) == ETS_UNIT_CYCLES;
    if (left_cycles == right_cycles) return CLI_OK;
    return cli_complain(CLI_MISMATCH, "%s counts %s, but %s counts %s: they cannot be compared",
                        cli_path_name(left), left_cycles ? "cycles" : "time", cli_path_name(right),
                        right_cycles ? "cycles" : "time");
}

static struct ets_inspect_options options_of(const struct cli_arguments *arguments,
                                             const struct ets_file *file)
{
    return (struct ets_inspect_options){
        .file = file,
        .method = cli_value(arguments, "--method"),
        .prompt = (uint32_t)cli_number(arguments, "--prompt", 0),
        .subtract_overhead = cli_has(arguments, "--subtract-overhead"),
        .tick_unit = (enum ets_time_unit)cli_choice(arguments, "--source-time-scale", ETS_UNIT_NS)};
}

static enum ets_status inspect(const struct cli_arguments *arguments, const struct ets_file *file,
                               const struct cli_model *models, unsigned model_count,
                               struct ets_inspection **inspection, struct ets_error *error)
{
    struct ets_inspect_options options = options_of(arguments, file);
    enum ets_status status = ETS_OK;
    unsigned i = 0;
    do {
        if (i < model_count) {
            options.record = models[i].record.record;
            options.program = cli_model_program(&models[i]);
        }
        status = ets_inspection_open(ets_file_bytes(file), &options, inspection, error);
    } while (status == ETS_MISMATCH && ++i < model_count);
    return status;
}

const char *cli_traces_with_siblings(struct cli_traces *traces)
{
    if (traces->has_looked) return traces->first_with_siblings;
    traces->has_looked = true;
    traces->first_with_siblings = traces->request.other;
    for (unsigned i = 0; i < traces->paths.count; i++) {
        if (!cli_siblings_exist(traces->paths.items[i])) continue;
        traces->first_with_siblings = traces->paths.items[i];
        break;
    }
    return traces->first_with_siblings;
}

/* The siblings of the trace, or of the first trace that has any. */
static struct cli_sibling *find_sibling(const struct cli_arguments *arguments,
                                        struct cli_traces *traces, const char *path,
                                        const struct ets_file *file,
                                        struct ets_inspection **inspection)
{
    const struct ets_bytes dump = ets_file_bytes(file);
    const struct ets_inspect_options options = options_of(arguments, file);
    *inspection = NULL;
    if (traces->request.without_siblings || !cli_siblings_wanted(arguments)) return NULL;
    struct cli_sibling *own =
        cli_siblings_join(&traces->siblings, arguments, path, dump, &options, inspection);
    if (own != NULL) return own;
    const char *other = cli_traces_with_siblings(traces);
    if (other == NULL || strcmp(other, path) == 0) return NULL;
    return cli_siblings_join_as(&traces->siblings, other, dump, &options, inspection);
}

/* Notes corrected times and blocks that are not joined. */
static void print_notes(const char *path, const struct ets_inspection *inspection)
{
    uint32_t wrapped, backwards;
    const char *name = cli_path_name(path);
    ets_inspection_clock_faults(inspection, &wrapped, &backwards);
    if (wrapped + backwards > 0) {
        const bool is_one = wrapped + backwards == 1;
        cli_note("%s: %u event%s before %s: read %u as a wrapped 32-bit counter, %u as lasting 0",
                 name, wrapped + backwards, is_one ? " ends" : "s end",
                 is_one ? "it starts" : "they start", wrapped, backwards);
    }
    cli_note_unjoined(name, inspection);
}

/* Makes room for one more trace that stays open; does not count it yet. */
static struct cli_kept_trace *room_for(struct cli_traces *traces)
{
    if (traces->kept_count == traces->kept_room) {
        const unsigned room = traces->kept_room == 0 ? 8 : traces->kept_room * 2;
        struct cli_kept_trace *kept = realloc(traces->kept, room * sizeof *kept);
        if (kept == NULL) return NULL;
        traces->kept = kept;
        traces->kept_room = room;
    }
    return &traces->kept[traces->kept_count];
}

/* Adds an open trace to the pool; *is_kept_out: the pool keeps using it. */
static int add(const char *path, const struct cli_traces *traces,
               const struct ets_inspection *inspection, int *is_kept_out)
{
    struct ets_error error;
    print_notes(path, inspection);
    if (ets_inspection_events(inspection)->count == 0) {
        return cli_complain(CLI_INPUT, "%s: the trace has no events", cli_path_name(path));
    }
    if (traces->kept_count > 0 &&
        cli_traces_check_units(traces->paths.items[0], traces->kept[0].inspection, path,
                               inspection) != CLI_OK) {
        return CLI_MISMATCH;
    }
    return ets_pool_add(traces->pool, inspection, is_kept_out, &error) == ETS_OK
               ? CLI_OK
               : cli_fail(NULL, &error);
}

/* Adds an open trace to the pool, and closes it unless the pool keeps using it. */
static int add_and_close(const char *path, struct cli_traces *traces, struct cli_kept_trace *trace,
                         struct cli_sibling *sibling)
{
    int is_kept = 0;
    const int code = add(path, traces, trace->inspection, &is_kept);
    if (is_kept) {
        traces->kept_count++;
        if (sibling != NULL) sibling->is_needed = true;
        return code;
    }
    ets_inspection_close(trace->inspection);
    if (sibling != NULL) cli_siblings_drop(&traces->siblings, sibling);
    ets_file_close(trace->file);
    return code;
}

static int open_one(const struct cli_arguments *arguments, const char *path,
                    struct cli_traces *traces)
{
    struct ets_error error;
    const struct cli_model *models = traces->request.models;
    unsigned model_count = traces->request.model_count;
    struct cli_kept_trace *trace = room_for(traces);
    if (trace == NULL) return cli_complain(CLI_INTERNAL, "no memory for the traces");
    if (cli_trace_open(path, &trace->file, &error) != ETS_OK) return cli_fail(path, &error);
    struct cli_sibling *sibling = NULL;
    trace->inspection = NULL;
    if (ets_dump_is_foreign(ets_file_bytes(trace->file)))
        model_count = 0; /* ExecuTorch's models do not describe it */
    else sibling = find_sibling(arguments, traces, path, trace->file, &trace->inspection);
    if (sibling != NULL) {
        models = &sibling->model;
        model_count = 1;
    }
    if (trace->inspection != NULL) return add_and_close(path, traces, trace, sibling);
    const enum ets_status status =
        inspect(arguments, trace->file, models, model_count, &trace->inspection, &error);
    if (status == ETS_OK) return add_and_close(path, traces, trace, sibling);
    ets_file_close(trace->file);
    const int code = cli_fail(path, &error);
    return status == ETS_NOT_FOUND ? CLI_USAGE : code; /* an unknown --method */
}

int cli_traces_open(const struct cli_arguments *arguments, const struct cli_traces_request *request,
                    struct cli_traces *traces_out)
{
    struct ets_error error;
    const struct ets_pool_options options = {
        .steady = cli_has(arguments, "--steady"),
        .by = (enum ets_pool_by)cli_choice(arguments, "--group-by", ETS_POOL_BY_NONE)};
    *traces_out = (struct cli_traces){.request = *request};
    int code = cli_paths_open(request->words, request->word_count, &traces_out->paths);
    if (code != CLI_OK) return code;
    if (ets_pool_begin(&options, &traces_out->pool, &error) != ETS_OK) {
        return cli_fail(NULL, &error);
    }
    for (unsigned i = 0; i < traces_out->paths.count && code == CLI_OK; i++) {
        code = open_one(arguments, traces_out->paths.items[i], traces_out);
    }
    if (code != CLI_OK) return code;
    return ets_pool_end(traces_out->pool, &error) == ETS_OK ? CLI_OK : cli_fail(NULL, &error);
}

void cli_traces_close(struct cli_traces *traces)
{
    ets_pool_close(traces->pool);
    for (unsigned i = 0; i < traces->kept_count; i++) {
        ets_inspection_close(traces->kept[i].inspection);
        ets_file_close(traces->kept[i].file);
    }
    cli_siblings_close(&traces->siblings);
    free(traces->kept);
    cli_paths_close(&traces->paths);
}
