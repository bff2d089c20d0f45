/* Studies layers, and writes code that quantizes them. */
#include "cli/quality/layer_quality.h"

#include "cli/core/interrupt.h"
#include "host/output.h"
#include "output/text/layer_quality_text.h"

static bool is_stopped(void *context, uint32_t done, uint32_t expected)
{
    struct cli_quality *quality = context;
    cli_progress_count(&quality->progress, "evaluation", done,
                       done < expected ? expected : (double)done + 1);
    return cli_interrupted() != 0;
}

int cli_layer_quality_run(struct cli_quality *quality, struct cli_layer_quality *layers)
{
    const struct cli_quality_side *reference = &quality->sides[CLI_QUALITY_REFERENCE];
    const char *own = cli_value(quality->arguments, "--etrecord");
    struct ets_error error;
    if (!reference->is_record) {
        return cli_complain(CLI_USAGE,
                            "%s: --group-by layer needs the float weights and graph of an "
                            "ETRecord: --reference float.etrecord",
                            reference->session.path);
    }
    int code = own != NULL ? cli_record_open(own, &quality->own) : CLI_OK;
    if (code != CLI_OK) return code;
    const struct ets_layer_study_options options = {
        .engine = reference->session.engine,
        .reference = reference->session.record.record,
        .own = quality->own.record,
        .program = &quality->sides[CLI_QUALITY_MODEL].session.model.program,
        .model = &quality->sides[CLI_QUALITY_MODEL].model,
        .tokens = quality->tokens,
        .count = quality->count,
        .memory_limit = quality->memory_limit,
        .now_ns = cli_now_ns,
        .wanted = layers->wanted,
        .is_stopped = is_stopped,
        .stop_context = quality};
    quality->progress = cli_progress_start();
    cli_interrupt_begin();
    const enum ets_status status =
        ets_layer_study_run(&options, &quality->arena, &layers->study, &error);
    cli_interrupt_end();
    cli_progress_end(&quality->progress);
    if (status != ETS_OK) {
        return cli_fail(layers->study.is_of_own ? own : reference->session.path, &error);
    }
    if (!layers->study.is_stopped) return CLI_OK;
    return cli_complain(CLI_SIGNAL + cli_interrupted(),
                        "interrupted before all layers were evaluated: there is nothing to show");
}

int cli_layer_quality_filter(const struct cli_quality *quality,
                             const struct cli_layer_quality *layers)
{
    const char *path = cli_value(quality->arguments, "--filter");
    struct ets_output *output;
    struct ets_error error;
    if (path == NULL) return CLI_OK;
    if (ets_output_open(path, &output, &error) != ETS_OK) return cli_fail_output(path, &error);
    ets_layer_quality_filter(&layers->study, output);
    return ets_output_commit(output, &error) == ETS_OK ? CLI_OK : cli_fail_output(path, &error);
}
