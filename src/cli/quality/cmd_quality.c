/* The command `quality`: two language models on the same tokens, and how far they are apart. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/bounds.h"
#include "cli/core/columns.h"
#include "cli/core/write_table.h"
#include "cli/quality/layer_quality.h"
#include "cli/quality/quality_sides.h"
#include "output/table/layer_quality_table.h"
#include "output/table/quality_table.h"
#include "output/text/layer_quality_text.h"
#include "output/text/quality_text.h"

static const struct cli_command_option option_list[] = {
    {"--data"},
    {"--tokens", .value = "FILE",
     .help = "The tokens of a text: numbers with spaces or commas between them, or a .npy"},
    {"--reference", .value = "FILE",
     .help = "What to compare with, such as the float original of a quantized model: a program "
             "(.pte or .bpte) with the same vocabulary, or an ETRecord with the inputs of MODEL, "
             "whose graph is evaluated in float64"},
    {"--etrecord",
     .help = "The ETRecord of MODEL; without --reference its graph is what MODEL is compared with"},
    {"--reference-data"},
    {"--map", .value = "KEY=VALUE[,...]", .is_repeatable = true,
     .help = "How both programs take tokens, where it is not recognized; as of `generate`"},
    {"--feed", .help = "An input that is the output of the call before, from zeros on, such as "
                       "decode.2=decode.1; in both programs"},
    {"--group-by", .value = "token|layer",
     .help = "A row for each token (default), or for each layer: what its quantization adds to the "
             "KL divergence, and what other schemes would; needs a --reference that is an "
             "ETRecord. --etrecord tells the weights that are not found in MODEL"},
    {"--want-kl"},
    {"--max-kl"},
    {"--min-top1"},
    {"--top",
     .help = "Only the N tokens with the largest KL divergence; 0: all, in order. Default: "
             "10 for people, all for machines. With --group-by layer: only the first N layers"},
    {"--threads"},
    {"--columns"},
    {"--format"},
    {"--color"},
    {"--width"},
    {"--output"},
    {"--filter"},
    {"--load-library"},
    {"--python"},
    {"--engine"},
    {NULL},
};

enum { SHOWN = 10 };

struct comparing {
    const struct cli_arguments *arguments;
    struct cli_quality quality;
    struct ets_quality_limits limits;
    bool is_by_layer;
    struct cli_layer_quality layers;
};

/* A number of nats; `*nats_out` NaN: not given. */
static int read_nats(const struct comparing *c, const char *option, double *nats_out)
{
    const char *most = cli_value(c->arguments, option);
    *nats_out = NAN;
    if (most == NULL) return CLI_OK;
    char *end;
    *nats_out = strtod(most, &end);
    if (end != most && *end == '\0' && *nats_out >= 0 && isfinite(*nats_out)) return CLI_OK;
    return cli_complain(CLI_USAGE, "%s takes a number of nats from 0 on, such as 0.05, not \"%s\"",
                        option, most);
}

static int read_limits(struct comparing *c)
{
    c->limits.least_same = cli_percent(c->arguments, "--min-top1", NAN);
    const int code = read_nats(c, "--max-kl", &c->limits.most_kl);
    return code == CLI_OK ? read_nats(c, "--want-kl", &c->layers.wanted) : code;
}

/* What is asked of layers needs them and records. */
static int check_layers(const struct comparing *c)
{
    static const char *const only[] = {"--want-kl", "--filter"};
    for (size_t i = 0; i < sizeof only / sizeof *only; i++) {
        if (!cli_has(c->arguments, only[i])) continue;
        if (!c->is_by_layer) {
            return cli_complain(CLI_USAGE, "%s is about layers: add --group-by layer", only[i]);
        }
        if (!cli_has(c->arguments, "--etrecord")) {
            return cli_complain(CLI_USAGE,
                                "%s needs the schemes that the model has: --etrecord "
                                "model.etrecord",
                                only[i]);
        }
    }
    if (c->is_by_layer && !cli_has(c->arguments, "--reference")) {
        return cli_complain(CLI_USAGE,
                            "--group-by layer compares with the float weights: --reference "
                            "float.etrecord");
    }
    return CLI_OK;
}

static int check_words(struct comparing *c)
{
    const struct cli_arguments *arguments = c->arguments;
    if (arguments->word_count != 1) {
        return cli_complain(CLI_USAGE,
                            "quality needs one program: etscope quality model.pte "
                            "--tokens text.txt --reference float.pte");
    }
    if (cli_quality_reference(arguments) == NULL) {
        return cli_complain(CLI_USAGE,
                            "quality compares with another program: --reference float.pte, or "
                            "float.etrecord");
    }
    if (!cli_has(arguments, "--tokens")) {
        return cli_complain(CLI_USAGE, "quality needs the tokens of a text: --tokens text.txt");
    }
    int code = read_limits(c);
    if (code == CLI_OK) code = check_layers(c);
    return code == CLI_OK ? cli_check_stdin(arguments) : code;
}

/* How many of the worst tokens are shown; 0: all in order. */
static uint32_t count_shown(const struct comparing *c, const struct ets_table_style *style)
{
    const bool is_human = style->format == ETS_FORMAT_TABLE || style->format == ETS_FORMAT_MARKDOWN;
    return (uint32_t)cli_number(c->arguments, "--top", is_human && !c->is_by_layer ? SHOWN : 0);
}

/* The sentences: what is wanted of layers, the model, its layers. */
static void put_sentences(const struct comparing *c, struct ets_table *table)
{
    enum { MOST = 4, CHARS = 1024 };
    char rooms[MOST][CHARS];
    struct ets_text sentences[MOST];
    uint32_t count = 0;
    const double kl = c->quality.runs.result.kl;
    const bool is_wanted = c->is_by_layer && !isnan(c->layers.wanted);
    for (uint32_t i = 0; i < MOST; i++) {
        struct ets_text_builder text = {rooms[count], CHARS, 0};
        /* number i is the first of layers, all of the model, the others of layers */
        const bool is_first = is_wanted && i == 0;
        const uint32_t of_model = i - (is_wanted ? 1 : 0);
        const uint32_t model_count = c->is_by_layer ? 1 : 2;
        const bool is_there =
            is_first || of_model >= model_count
                ? c->is_by_layer &&
                      ets_layer_quality_sentence(&c->layers.study, kl, c->layers.wanted,
                                                 is_first ? 0 : i - model_count, &text)
                : ets_quality_sentence(&c->quality.runs.result, &c->limits,
                                       cli_quality_reference(c->arguments), of_model, &text);
        if (!is_there) continue;
        sentences[count++] = ets_built_text(&text);
    }
    cli_put_headline(table, sentences, count);
}

static int fill(const struct comparing *c, struct ets_table *table, uint32_t shown)
{
    struct ets_error error;
    if (c->is_by_layer) {
        ets_layer_quality_table_fill(table, &c->layers.study, shown);
        return CLI_OK;
    }
    return ets_quality_table_fill(table, &c->quality.runs.result, shown, &error) == ETS_OK
               ? CLI_OK
               : cli_fail(NULL, &error);
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
    int code = fill(c, table, shown);
    if (code == CLI_OK) code = cli_choose_columns(c->arguments, table);
    if (code == CLI_OK) {
        put_sentences(c, table);
        code = cli_write_table(c->arguments, table, &style);
    }
    ets_table_close(table);
    if (code == CLI_OK && !c->is_by_layer && shown > 0 && shown < c->quality.runs.result.count) {
        cli_note("the %u of %u tokens with the largest KL; --top 0 shows all", shown,
                 c->quality.runs.result.count);
    }
    return code;
}

static int cmd_quality(const struct cli_arguments *arguments)
{
    static struct comparing c;
    c = (struct comparing){.arguments = arguments,
                           .is_by_layer = cli_choice(arguments, "--group-by", 0) == 1};
    int code = check_words(&c);
    if (code != CLI_OK) return code;
    code = cli_quality_open(arguments, &c.quality);
    if (code == CLI_OK) code = cli_quality_run(&c.quality);
    if (code == CLI_OK && c.is_by_layer) code = cli_layer_quality_run(&c.quality, &c.layers);
    if (code == CLI_OK) code = show(&c);
    if (code == CLI_OK && c.is_by_layer) code = cli_layer_quality_filter(&c.quality, &c.layers);
    if (code == CLI_OK && !ets_quality_passes(&c.quality.runs.result, &c.limits)) {
        code = CLI_NEGATIVE;
    }
    cli_quality_close(&c.quality);
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
        "of the file's token. With --group-by layer a table of the weights of products and "
        "embeddings: the mean KL divergence that each adds when it alone is quantized, as MODEL "
        "has "
        "it and in other schemes. Exits with 1 if --max-kl or --min-top1 is not kept.",
    .options = option_list,
    .examples =
        "etscope quality llm_4bit.pte --tokens text.txt --reference float.pte\n"
        "etscope quality llm_4bit.pte --tokens text.txt --reference float.pte --max-kl 0.05 "
        "--min-top1 90\n"
        "etscope quality llm_4bit.pte --tokens text.txt --reference float.pte --format json\n"
        "etscope quality llm_8da4w.pte --tokens text.txt --reference llm_float.etrecord "
        "--etrecord llm_8da4w.etrecord --group-by layer --want-kl 0.02",
    .guide = "language-models.md#quality",
    .run = cmd_quality,
};
