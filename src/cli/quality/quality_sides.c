/* Opens and runs the two sides of `quality`. */
#include "cli/quality/quality_sides.h"

#include "cli/core/bounds.h"
#include "cli/core/cli_text.h"
#include "cli/core/interrupt.h"
#include "cli/tokens/prompt_tokens.h"
#include "cli/tokens/token_program.h"
#include "etscope/file.h"
#include "quality/graph_engine.h"

enum { FEWEST_TOKENS = 2 };

static const char *const titles[CLI_QUALITY_SIDES] = {"recognized", "reference recognized"};

const char *cli_quality_reference(const struct cli_arguments *arguments)
{
    const char *reference = cli_value(arguments, "--reference");
    return reference != NULL ? reference : cli_value(arguments, "--etrecord");
}

static bool is_record(const char *path)
{
    struct ets_file *file = NULL;
    if (ets_file_open(path, &file, NULL) != ETS_OK) return false;
    const enum ets_kind kind = ets_kind_sniff(ets_file_bytes(file));
    ets_file_close(file);
    return kind == ETS_KIND_ETRECORD || kind == ETS_KIND_ZIP;
}

static struct cli_quality_side *side_of(struct cli_quality *quality, int index, const char *path)
{
    struct cli_quality_side *side = &quality->sides[index];
    side->session = (struct cli_session){
        .arguments = quality->arguments,
        .path = path,
        .data_option = index == CLI_QUALITY_REFERENCE ? "--reference-data" : NULL};
    return side;
}

static int open_program(struct cli_quality *quality, int index, const char *path)
{
    struct cli_quality_side *side = side_of(quality, index, path);
    int code = cli_program_open(path, &side->session.model);
    if (code == CLI_OK) code = cli_recognize_tokens(&side->session, titles[index], &side->model);
    if (code == CLI_OK && cli_tokens_need_inputs(&side->model)) {
        return cli_complain(CLI_INPUT,
                            "%s: an encoder has inputs of its own: quality compares programs that "
                            "take tokens alone",
                            path);
    }
    return code == CLI_OK ? cli_check_token_data(&side->session, &side->model) : code;
}

/* The graphs of a record take tokens as the model does. */
static int open_reference(struct cli_quality *quality)
{
    const char *path = cli_quality_reference(quality->arguments);
    if (!is_record(path)) return open_program(quality, CLI_QUALITY_REFERENCE, path);
    struct cli_quality_side *side = side_of(quality, CLI_QUALITY_REFERENCE, path);
    side->is_record = true;
    side->model = quality->sides[CLI_QUALITY_MODEL].model;
    return cli_record_open(path, &side->session.record);
}

/* The tokens, which both sides must take. */
static int read_tokens(struct cli_quality *quality)
{
    const char *path = cli_value(quality->arguments, "--tokens");
    const struct cli_quality_side *model = &quality->sides[CLI_QUALITY_MODEL];
    const struct cli_quality_side *reference = &quality->sides[CLI_QUALITY_REFERENCE];
    struct ets_error error;
    if (model->model.vocabulary != reference->model.vocabulary) {
        return cli_complain(CLI_MISMATCH,
                            "different vocabularies: %s has %u tokens, the reference %s %u",
                            model->session.path, model->model.vocabulary, reference->session.path,
                            reference->model.vocabulary);
    }
    const int code = cli_read_tokens(path, model->model.vocabulary, &quality->arena,
                                     &quality->tokens, &quality->count);
    if (code != CLI_OK) return code;
    if (quality->count < FEWEST_TOKENS) {
        return cli_complain(CLI_INPUT,
                            "%s has 1 token: each is predicted from those before it, so expected 2 "
                            "or more",
                            cli_path_name(path));
    }
    for (int i = 0; i < CLI_QUALITY_SIDES; i++) {
        const struct cli_quality_side *side = &quality->sides[i];
        if (ets_generation_check_each(&side->model, quality->count, &error) != ETS_OK) {
            return cli_fail(side->session.path, &error);
        }
    }
    quality->memory_limit = cli_evaluation_bytes(); /* logits are larger than the files say */
    if (ets_quality_runs_init(&quality->runs, quality->tokens, quality->count,
                              model->model.vocabulary, &quality->arena, &error) != ETS_OK) {
        return cli_fail(path, &error);
    }
    return CLI_OK;
}

int cli_quality_open(const struct cli_arguments *arguments, struct cli_quality *quality)
{
    *quality = (struct cli_quality){.arguments = arguments};
    ets_arena_init(&quality->arena, NULL, 0);
    int code = open_program(quality, CLI_QUALITY_MODEL, arguments->words[0]);
    if (code == CLI_OK) code = open_reference(quality);
    return code == CLI_OK ? read_tokens(quality) : code;
}

static bool is_stopped(void *context, uint32_t used)
{
    struct cli_quality *quality = context;
    cli_progress_count(&quality->progress, "token", (double)quality->before + used,
                       2.0 * quality->count);
    return cli_interrupted() != 0;
}

/* Opens what the side runs on; the engine is open. */
static int start_side(struct cli_quality *quality, struct cli_quality_side *side,
                      struct ets_generation_options *options)
{
    struct cli_session *session = &side->session;
    struct ets_error error;
    if (!side->is_record) {
        const int code =
            cli_session_program(session, (unsigned)cli_number(quality->arguments, "--threads", 0));
        options->engine = session->engine;
        options->program = session->program;
        return code;
    }
    const struct ets_graph_engine_options graphs = {.engine = session->engine,
                                                    .record = session->record.record,
                                                    .use_double = 1,
                                                    .memory_limit = quality->memory_limit,
                                                    .gives_all = 1,
                                                    .logits = side->model.prefill.logits};
    options->engine = &ets_graph_engine;
    enum ets_status status = ets_graph_engine_widen(&graphs, &side->model, &error);
    if (status == ETS_OK) status = ets_graph_engine_open(&graphs, &options->program, &error);
    return status == ETS_OK ? CLI_OK : cli_fail(session->path, &error);
}

/* Runs one side over all tokens. */
static int run_side(struct cli_quality *quality, int index, ets_generation_logits_function *logits)
{
    struct cli_quality_side *side = &quality->sides[index];
    struct ets_generation generation;
    struct ets_error error;
    struct ets_generation_options options = {.model = &side->model,
                                             .now_ns = cli_now_ns,
                                             .is_stopped = is_stopped,
                                             .stop_context = quality,
                                             .tokens = quality->tokens,
                                             .prompt_count = quality->count,
                                             .logits = logits,
                                             .logits_context = &quality->runs};
    const int code = start_side(quality, side, &options);
    if (code != CLI_OK) return code;
    const enum ets_status status =
        ets_generation_run(&options, &quality->arena, &generation, &error);
    quality->before += quality->count;
    if (side->is_record) ets_graph_engine_close(options.program);
    else cli_session_close_program(&side->session);
    if (status != ETS_OK) return cli_fail(side->session.path, &error);
    if (!generation.is_stopped) return CLI_OK;
    return cli_complain(CLI_SIGNAL + cli_interrupted(),
                        "interrupted before both programs saw all tokens: there is nothing to "
                        "show");
}

int cli_quality_run(struct cli_quality *quality)
{
    int code = cli_session_engine(&quality->sides[CLI_QUALITY_MODEL].session);
    if (code != CLI_OK) return code;
    quality->sides[CLI_QUALITY_REFERENCE].session.engine =
        quality->sides[CLI_QUALITY_MODEL].session.engine;
    quality->progress = cli_progress_start();
    cli_interrupt_begin();
    code = run_side(quality, CLI_QUALITY_REFERENCE, ets_quality_keep);
    if (code == CLI_OK) code = run_side(quality, CLI_QUALITY_MODEL, ets_quality_score);
    cli_interrupt_end();
    cli_progress_end(&quality->progress);
    if (code == CLI_OK) ets_quality_sum_up(&quality->runs.result);
    return code;
}

void cli_quality_close(struct cli_quality *quality)
{
    cli_session_close(&quality->sides[CLI_QUALITY_REFERENCE].session);
    cli_session_close(&quality->sides[CLI_QUALITY_MODEL].session);
    cli_record_close(&quality->own);
    ets_arena_reset(&quality->arena);
}
