/* The command `quality`: two language models on the same tokens, and how far they are apart. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/bounds.h"
#include "cli/core/cli_text.h"
#include "cli/core/columns.h"
#include "cli/core/interrupt.h"
#include "cli/core/progress.h"
#include "cli/core/write_table.h"
#include "cli/tokens/prompt_tokens.h"
#include "cli/tokens/token_program.h"
#include "generate/generation.h"
#include "output/table/quality_table.h"
#include "output/text/quality_text.h"

static const struct cli_command_option option_list[] = {
    {"--data"},
    {"--tokens", .value = "FILE",
     .help = "The tokens of a text: numbers with spaces or commas between them, or a .npy"},
    {"--reference", .value = "FILE",
     .help = "The program to compare with (a .pte or .bpte), such as the float original of a "
             "quantized model; with the same vocabulary"},
    {"--reference-data"},
    {"--map", .value = "KEY=VALUE[,...]", .is_repeatable = true,
     .help = "How both programs take tokens, where it is not recognized; as of `generate`"},
    {"--feed", .help = "An input that is the output of the call before, from zeros on, such as "
                       "decode.2=decode.1; in both programs"},
    {"--max-kl"},
    {"--min-top1"},
    {"--top", .help =
                  "Only the N tokens with the largest KL divergence; 0: all, in order. Default: "
                  "10 for people, all for machines"},
    {"--threads"},
    {"--columns"},
    {"--format"},
    {"--color"},
    {"--width"},
    {"--output"},
    {"--load-library"},
    {"--python"},
    {"--engine"},
    {NULL},
};

enum { MODEL = 0, REFERENCE = 1, SIDES = 2, FEWEST_TOKENS = 2, SHOWN = 10 };

static const char *const titles[SIDES] = {"recognized", "reference recognized"};

struct side {
    struct cli_session session;
    struct ets_token_model model;
};

struct comparing {
    const struct cli_arguments *arguments;
    struct ets_arena arena;
    struct side sides[SIDES];
    struct ets_quality_limits limits;
    int64_t *tokens;
    uint32_t count;
    struct ets_quality_runs runs;
    struct cli_progress progress;
    uint32_t before; /* tokens of the runs that ended */
};

static int read_limits(struct comparing *c)
{
    const char *most = cli_value(c->arguments, "--max-kl");
    c->limits.most_kl = NAN;
    c->limits.least_same = cli_percent(c->arguments, "--min-top1", NAN);
    if (most == NULL) return CLI_OK;
    char *end;
    c->limits.most_kl = strtod(most, &end);
    if (end != most && *end == '\0' && c->limits.most_kl >= 0 && isfinite(c->limits.most_kl)) {
        return CLI_OK;
    }
    return cli_complain(CLI_USAGE,
                        "--max-kl takes a number of nats from 0 on, such as 0.05, not "
                        "\"%s\"",
                        most);
}

static int check_words(struct comparing *c)
{
    const struct cli_arguments *arguments = c->arguments;
    if (arguments->word_count != 1) {
        return cli_complain(CLI_USAGE,
                            "quality needs one program: etscope quality model.pte "
                            "--tokens text.txt --reference float.pte");
    }
    if (!cli_has(arguments, "--reference")) {
        return cli_complain(CLI_USAGE,
                            "quality compares with another program: --reference float.pte");
    }
    if (!cli_has(arguments, "--tokens")) {
        return cli_complain(CLI_USAGE, "quality needs the tokens of a text: --tokens text.txt");
    }
    const int code = read_limits(c);
    return code == CLI_OK ? cli_check_stdin(arguments) : code;
}

static int open_side(struct comparing *c, int index, const char *path)
{
    struct side *side = &c->sides[index];
    side->session =
        (struct cli_session){.arguments = c->arguments,
                             .path = path,
                             .data_option = index == REFERENCE ? "--reference-data" : NULL};
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

/* The tokens, which both programs must take. */
static int read_tokens(struct comparing *c)
{
    const char *path = cli_value(c->arguments, "--tokens");
    const struct side *model = &c->sides[MODEL], *reference = &c->sides[REFERENCE];
    struct ets_error error;
    if (model->model.vocabulary != reference->model.vocabulary) {
        return cli_complain(CLI_MISMATCH,
                            "different vocabularies: %s has %u tokens, the reference %s %u",
                            model->session.path, model->model.vocabulary, reference->session.path,
                            reference->model.vocabulary);
    }
    const int code =
        cli_read_tokens(path, model->model.vocabulary, &c->arena, &c->tokens, &c->count);
    if (code != CLI_OK) return code;
    if (c->count < FEWEST_TOKENS) {
        return cli_complain(CLI_INPUT,
                            "%s has 1 token: each is predicted from those before it, so expected 2 "
                            "or more",
                            cli_path_name(path));
    }
    for (int i = 0; i < SIDES; i++) {
        if (ets_generation_check_each(&c->sides[i].model, c->count, &error) != ETS_OK) {
            return cli_fail(c->sides[i].session.path, &error);
        }
    }
    cli_evaluation_bytes(); /* logits are larger than the files say */
    if (ets_quality_runs_init(&c->runs, c->tokens, c->count, model->model.vocabulary, &c->arena,
                              &error) != ETS_OK) {
        return cli_fail(path, &error);
    }
    return CLI_OK;
}

static bool is_stopped(void *context, uint32_t used)
{
    struct comparing *c = context;
    cli_progress_count(&c->progress, "token", (double)c->before + used, 2.0 * c->count);
    return cli_interrupted() != 0;
}

/* Runs one program over all tokens; the engine is open. */
static int run_side(struct comparing *c, int index, ets_generation_logits_function *logits)
{
    struct cli_session *session = &c->sides[index].session;
    struct ets_generation generation;
    struct ets_error error;
    const int code =
        cli_session_program(session, (unsigned)cli_number(c->arguments, "--threads", 0));
    if (code != CLI_OK) return code;
    const struct ets_generation_options options = {.engine = session->engine,
                                                   .program = session->program,
                                                   .model = &c->sides[index].model,
                                                   .now_ns = cli_now_ns,
                                                   .is_stopped = is_stopped,
                                                   .stop_context = c,
                                                   .tokens = c->tokens,
                                                   .prompt_count = c->count,
                                                   .logits = logits,
                                                   .logits_context = &c->runs};
    const enum ets_status status = ets_generation_run(&options, &c->arena, &generation, &error);
    c->before += c->count;
    cli_session_close_program(session);
    if (status != ETS_OK) return cli_fail(session->path, &error);
    if (!generation.is_stopped) return CLI_OK;
    return cli_complain(CLI_SIGNAL + cli_interrupted(),
                        "interrupted before both programs saw all tokens: there is nothing to "
                        "show");
}

static int run(struct comparing *c)
{
    int code = cli_session_engine(&c->sides[MODEL].session);
    if (code != CLI_OK) return code;
    c->sides[REFERENCE].session.engine = c->sides[MODEL].session.engine;
    c->progress = cli_progress_start();
    cli_interrupt_begin();
    code = run_side(c, REFERENCE, ets_quality_keep);
    if (code == CLI_OK) code = run_side(c, MODEL, ets_quality_score);
    cli_interrupt_end();
    cli_progress_end(&c->progress);
    if (code == CLI_OK) ets_quality_sum_up(&c->runs.result);
    return code;
}

/* How many of the worst tokens are shown; 0: all in order. */
static uint32_t count_shown(const struct comparing *c, const struct ets_table_style *style)
{
    const bool is_human = style->format == ETS_FORMAT_TABLE || style->format == ETS_FORMAT_MARKDOWN;
    return (uint32_t)cli_number(c->arguments, "--top", is_human ? SHOWN : 0);
}

static void put_sentences(const struct comparing *c, struct ets_table *table)
{
    char rooms[2][768];
    struct ets_text sentences[2];
    uint32_t count = 0;
    for (; count < 2; count++) {
        struct ets_text_builder text = {rooms[count], sizeof rooms[count], 0};
        if (!ets_quality_sentence(&c->runs.result, &c->limits, c->sides[REFERENCE].session.path,
                                  count, &text)) {
            break;
        }
        sentences[count] = ets_built_text(&text);
    }
    cli_put_headline(table, sentences, count);
}

static int show(const struct comparing *c)
{
    const char *path = cli_result_path(c->arguments);
    struct ets_table *table;
    struct ets_table_style style;
    struct ets_error error;
    if (cli_table_open(&table, &error) != ETS_OK) return cli_fail(NULL, &error);
    cli_style(c->arguments, path, &style);
    const uint32_t shown = count_shown(c, &style);
    int code = CLI_OK;
    if (ets_quality_table_fill(table, &c->runs.result, shown, &error) != ETS_OK) {
        code = cli_fail(NULL, &error);
    }
    if (code == CLI_OK) code = cli_choose_columns(c->arguments, table);
    if (code == CLI_OK) {
        put_sentences(c, table);
        code = cli_write_table(c->arguments, table, &style);
    }
    ets_table_close(table);
    if (code == CLI_OK && shown > 0 && shown < c->runs.result.count) {
        cli_note("the %u of %u tokens with the largest KL; --top 0 shows all", shown,
                 c->runs.result.count);
    }
    return code;
}

static int cmd_quality(const struct cli_arguments *arguments)
{
    static struct comparing c;
    c = (struct comparing){.arguments = arguments};
    ets_arena_init(&c.arena, NULL, 0);
    int code = check_words(&c);
    if (code == CLI_OK) code = open_side(&c, MODEL, arguments->words[0]);
    if (code == CLI_OK) code = open_side(&c, REFERENCE, cli_value(arguments, "--reference"));
    if (code == CLI_OK) code = read_tokens(&c);
    if (code == CLI_OK) code = run(&c);
    if (code == CLI_OK) code = show(&c);
    if (code == CLI_OK && !ets_quality_passes(&c.runs.result, &c.limits)) code = CLI_NEGATIVE;
    cli_session_close(&c.sides[REFERENCE].session);
    cli_session_close(&c.sides[MODEL].session);
    ets_arena_reset(&c.arena);
    return code;
}

const struct cli_command cli_quality_command = {
    .name = "quality",
    .task = CLI_TASK_CHECK,
    .summary = "compare a language model's predictions with those of a reference, token by token",
    .arguments = "MODEL",
    .description =
        "Runs MODEL and the program of --reference over the tokens of a text, and compares what "
        "they predict for each token from those before it: the KL divergence of the distributions, "
        "(reference || MODEL) in nats, from a softmax in float64; whether the most likely token is "
        "the same, or among the reference's five most likely; and the perplexity of both. Prints "
        "the means, where the divergence is largest, where the most likely tokens first differ, "
        "and a table of tokens: position in the file (from 0), KL divergence, token of the file, "
        "both most likely tokens, top1, top5 or none, and natural logarithms of the probabilities "
        "of the file's token. Exits with 1 if --max-kl or --min-top1 is not kept.",
    .options = option_list,
    .examples =
        "etscope quality llm_4bit.pte --tokens text.txt --reference float.pte\n"
        "etscope quality llm_4bit.pte --tokens text.txt --reference float.pte --max-kl 0.05 "
        "--min-top1 90\n"
        "etscope quality llm_4bit.pte --tokens text.txt --reference float.pte --format json",
    .guide = "language-models.md#quality",
    .run = cmd_quality,
};
