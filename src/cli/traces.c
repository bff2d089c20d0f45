#include "traces.h"

#include <stdlib.h>

#include "cli_text.h"

int cli_model_open(const char *record_path, const char *program_path, struct cli_model *model_out)
{
    *model_out = (struct cli_model){{NULL, NULL}, {.file = NULL}};
    const int code = cli_record_open(record_path, &model_out->record);
    return code == CLI_OK ? cli_program_open(program_path, &model_out->program) : code;
}

void cli_model_close(struct cli_model *model)
{
    cli_record_close(&model->record);
    cli_program_close(&model->program);
}

int cli_traces_check_units(const char *left, const struct ets_inspection *left_inspection,
                           const char *right, const struct ets_inspection *right_inspection)
{
    const bool left_cycles = ets_inspection_tick_unit(left_inspection, NULL) == ETS_UNIT_CYCLES;
    const bool right_cycles = ets_inspection_tick_unit(right_inspection, NULL) == ETS_UNIT_CYCLES;
    if (left_cycles == right_cycles) return CLI_OK;
    return cli_complain(CLI_MISMATCH, "%s counts %s, %s %s: neither can be turned into the other",
                        cli_path_name(left), left_cycles ? "cycles" : "time", cli_path_name(right),
                        right_cycles ? "cycles" : "time");
}

static enum ets_status inspect(const struct cli_arguments *arguments, struct ets_bytes dump,
                               const struct cli_model *models, unsigned model_count,
                               struct ets_inspection **inspection, struct ets_error *error)
{
    struct ets_inspect_options options = {
        .method = cli_value(arguments, "--method"),
        .subtract_overhead = cli_has(arguments, "--subtract-overhead")};
    options.tick_unit =
        (enum ets_time_unit)cli_choice(arguments, "--source-time-scale", ETS_UNIT_NS);
    enum ets_status status = ETS_OK;
    unsigned i = 0;
    do {
        if (i < model_count) {
            options.record = models[i].record.record;
            options.program = models[i].program.is_open ? &models[i].program.program : NULL;
        }
        status = ets_inspection_open(dump, &options, inspection, error);
    } while (status == ETS_MISMATCH && ++i < model_count);
    return status;
}

/* What the table cannot show: events whose times were mended, blocks that nothing explains. */
static void print_notes(const char *path, const struct ets_inspection *inspection)
{
    uint32_t wrapped, backwards;
    const char *name = cli_path_name(path);
    ets_inspection_clock_faults(inspection, &wrapped, &backwards);
    if (wrapped + backwards > 0) {
        cli_note(
            "%s: %u events end before they start: %u taken as a wrapped 32-bit counter, %u as "
            "lasting 0",
            name, wrapped + backwards, wrapped, backwards);
    }
    for (uint32_t i = 0; i < ets_inspection_block_count(inspection); i++) {
        const struct ets_block *block = ets_inspection_block(inspection, i);
        if (block->method_state == ETS_METHOD_AMBIGUOUS) {
            cli_note("%s: block %u is not joined, its method is ambiguous: %s; --method decides",
                     name, i, block->method);
        } else if (block->method_state == ETS_METHOD_MISMATCH) {
            cli_note("%s: block %u is not joined: %s", name, i, block->reason);
        }
    }
}

static int open_one(const struct cli_arguments *arguments, const char *path,
                    const struct cli_model *models, unsigned model_count, struct cli_traces *traces)
{
    struct ets_error error;
    const unsigned at = traces->count;
    if (cli_file_open(path, &traces->files[at], &error) != ETS_OK) return cli_fail(path, &error);
    traces->count++;
    const enum ets_status status = inspect(arguments, ets_file_bytes(traces->files[at]), models,
                                           model_count, &traces->inspections[at], &error);
    if (status != ETS_OK) {
        const int code = cli_fail(path, &error);
        return status == ETS_NOT_FOUND ? CLI_USAGE : code; /* --method names nothing */
    }
    print_notes(path, traces->inspections[at]);
    if (ets_inspection_events(traces->inspections[at])->count > 0) return CLI_OK;
    return cli_complain(CLI_INPUT, "%s: the trace holds no events", cli_path_name(path));
}

int cli_traces_open(const struct cli_arguments *arguments, const char *const *paths,
                    unsigned path_count, const struct cli_model *models, unsigned model_count,
                    struct cli_traces *traces_out)
{
    struct ets_error error;
    *traces_out =
        (struct cli_traces){.files = calloc(path_count + 1, sizeof *traces_out->files),
                            .inspections = calloc(path_count + 1, sizeof *traces_out->inspections)};
    if (traces_out->files == NULL || traces_out->inspections == NULL) {
        return cli_complain(CLI_INTERNAL, "no memory for %u traces", path_count);
    }
    for (unsigned i = 0; i < path_count; i++) {
        const int code = open_one(arguments, paths[i], models, model_count, traces_out);
        if (code != CLI_OK) return code;
        if (cli_traces_check_units(paths[0], traces_out->inspections[0], paths[i],
                                   traces_out->inspections[i]) != CLI_OK) {
            return CLI_MISMATCH;
        }
    }
    const struct ets_inspection *const *inspections =
        (const struct ets_inspection *const *)traces_out->inspections;
    const struct ets_pool_options options = {.steady = cli_has(arguments, "--steady")};
    return ets_pool_open(inspections, path_count, &options, &traces_out->pool, &error) == ETS_OK
               ? CLI_OK
               : cli_fail(NULL, &error);
}

void cli_traces_close(struct cli_traces *traces)
{
    ets_pool_close(traces->pool);
    for (unsigned i = 0; i < traces->count; i++) {
        ets_inspection_close(traces->inspections[i]);
        ets_file_close(traces->files[i]);
    }
    free(traces->inspections);
    free(traces->files);
}
