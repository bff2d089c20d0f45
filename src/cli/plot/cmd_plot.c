/* The command `plot`: writes one picture without a browser. */
#include <string.h>

#include "cli/core/cli_text.h"
#include "cli/open/siblings.h"
#include "cli/plot/plot_error.h"
#include "cli/plot/plot_trace.h"
#include "cli/plot/plot_waterfall.h"
#include "cli/plot/write_plot.h"

/* clang-format off */
const struct cli_option cli_plot_options[] = {
    {"--output", "-o", "FILE", "The picture to write: FILE.svg; of icicle, runs, timeline and waterfall also FILE.png", NULL, false},
    {"--by", NULL, "module|call",
     "icicle: what a box stands for; default: module where there is an ETRecord, else call", NULL,
     false},
    {"--etrecord", "--etrecord_path", "FILE",
     "The ETRecord of the export; waterfall: of BEFORE, and of AFTER without --etrecord-b", NULL,
     false},
    {"--etrecord-b", NULL, "FILE", "waterfall: the ETRecord of AFTER", NULL, false},
    {"--program", NULL, "FILE",
     "The .pte or .bpte that ran; waterfall: of BEFORE, and of AFTER without --program-b", NULL,
     false},
    {"--program-b", NULL, "FILE", "waterfall: the .pte or .bpte of AFTER", NULL, false},
    {"--debug-buffer", "--debug_buffer_path", "FILE", "error: the captured tensors", NULL, false},
    {"--machine", NULL, "FILE", "roofline: the machine (etscope machine --save)", NULL, false},
    {"--threads", NULL, "N",
     "roofline: how many threads ran; default: the most that were measured", NULL, false},
    {"--engine", NULL, "FILE",
     "error: the engine plug-in, which evaluates the graph; default: search the usual places", NULL,
     false},
    {"--method", "-m", "NAME", "memory: the method to draw; otherwise the one that ran, if the trace fits several", NULL,
     false},
    {"--block", NULL, "NAME",
     "Only this block, by name or number; default: the one whose runs took most", NULL, false},
    {"--run", NULL, "N", "Only this run of the trace; runs count from 0", NULL, false},
    {"--steady", NULL, NULL, "Leave out warm-up runs; runs: only in the median", NULL, false},
    {"--width", NULL, "PIXELS", "Width of the picture, 320 to 4000; default 960", NULL, false},
    CLI_SIBLINGS_OPTION,
    {"--partial", NULL, NULL, "Read the intact part of a damaged trace", NULL, false},
    {"--allow-mismatch", NULL, NULL, "Continue if the files disagree", NULL, false},
    {"--source-time-scale", "--source_time_scale", "ns|us|ms|s|cycles",
     "Clock unit of traces that do not state one; default ns", NULL, false},
    {NULL, NULL, NULL, NULL, NULL, false},
};
/* clang-format on */

/* A picture, what it is made of, and the options that change it. */
struct kind {
    const char *name, *inputs;
    unsigned input_count; /* 0: one or more */
    bool is_drawn_as_png;
    int (*draw)(const struct cli_arguments *arguments);
    const char *const *options; /* besides --output; ended by NULL */
};

#define OF_TRACE                                                                              \
    "--etrecord", "--program", "--method", "--block", "--steady", "--width", "--no-siblings", \
        "--partial", "--allow-mismatch", "--source-time-scale"
static const char *const of_icicle[] = {OF_TRACE, "--by", "--run", NULL};
static const char *const of_timeline[] = {OF_TRACE, "--run", NULL};
static const char *const of_runs[] = {OF_TRACE, NULL};
static const char *const of_waterfall[] = {
    "--etrecord", "--etrecord-b", "--program",     "--program-b",      "--method",
    "--steady",   "--width",      "--no-siblings", "--allow-mismatch", "--source-time-scale",
    NULL};
static const char *const of_roofline[] = {
    "--etrecord",          "--program", "--method",      "--run",     "--steady",
    "--machine",           "--threads", "--no-siblings", "--partial", "--allow-mismatch",
    "--source-time-scale", NULL};
static const char *const of_error[] = {
    "--etrecord", "--program",     "--debug-buffer", "--method",         "--block", "--run",
    "--engine",   "--no-siblings", "--partial",      "--allow-mismatch", NULL};
static const char *const of_memory[] = {"--etrecord", "--method", "--no-siblings", NULL};
static const char *const of_size[] = {"--etrecord", "--no-siblings", NULL};

static const struct kind kinds[] = {
    {"icicle", "TRACE", 1, true, cli_plot_icicle, of_icicle},
    {"runs", "TRACE", 1, true, cli_plot_runs, of_runs},
    {"timeline", "TRACE", 1, true, cli_plot_timeline, of_timeline},
    {"waterfall", "BEFORE AFTER", 2, true, cli_plot_waterfall, of_waterfall},
    {"roofline", "TRACE", 1, false, cmd_inspect, of_roofline},
    {"error", "TRACE", 1, false, cli_plot_error, of_error},
    {"memory", "PROGRAM", 1, false, cmd_memory, of_memory},
    {"size", "FILE...", 0, false, cmd_size, of_size},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static int complain_kind(const char *word)
{
    const char *names[KINDS + 1] = {NULL};
    for (int i = 0; i < KINDS; i++) names[i] = kinds[i].name;
    const char *nearest = cli_nearest(word, names);
    if (nearest != NULL) {
        return cli_complain(CLI_USAGE, "there is no picture %s; did you mean %s?",
                            cli_path_name(word), nearest);
    }
    return cli_complain(CLI_USAGE, "there is no picture %s; `etscope plot --help` lists them",
                        cli_path_name(word));
}

static int find_kind(const struct cli_arguments *arguments, const struct kind **kind_out)
{
    if (arguments->word_count == 0) {
        return cli_complain(CLI_USAGE,
                            "plot needs a picture and its files: etscope plot icicle "
                            "profile.etdp -o icicle.svg");
    }
    for (int i = 0; i < KINDS; i++) {
        if (strcmp(arguments->words[0], kinds[i].name) != 0) continue;
        *kind_out = &kinds[i];
        return CLI_OK;
    }
    return complain_kind(arguments->words[0]);
}

static int check_inputs(const struct cli_arguments *arguments, const struct kind *kind)
{
    const unsigned count = arguments->word_count - 1;
    if (count > 0 && (count == kind->input_count || kind->input_count == 0)) return CLI_OK;
    if (count > kind->input_count && kind->input_count > 0) {
        return cli_complain(CLI_USAGE, "plot %s reads %s; unexpected argument \"%s\"", kind->name,
                            kind->inputs, arguments->words[kind->input_count + 1]);
    }
    return cli_complain(CLI_USAGE, "plot needs %s: etscope plot %s %s -o %s.svg", kind->inputs,
                        kind->name, kind->inputs, kind->name);
}

static bool is_among(const char *const *names, const char *name)
{
    while (*names != NULL && strcmp(*names, name) != 0) names++;
    return *names != NULL;
}

/* An option that changes other pictures only is a mistake. */
static int check_options(const struct cli_arguments *arguments, const struct kind *kind)
{
    const char *name, *value;
    bool begins;
    for (unsigned i = 0; (name = cli_given(arguments, i, &value, &begins)) != NULL; i++) {
        if (strcmp(name, "--output") == 0 || is_among(kind->options, name)) continue;
        return cli_complain(CLI_USAGE, "%s does not change the picture %s: leave it out", name,
                            kind->name);
    }
    return CLI_OK;
}

static int check_output(const struct cli_arguments *arguments, const struct kind *kind)
{
    bool ok = true;
    const char *path = cli_value(arguments, "--output");
    if (path == NULL) {
        return cli_complain(CLI_USAGE, "plot needs a file to write: --output %s.svg", kind->name);
    }
    (void)cli_number(arguments, "--width", ETS_PICTURE_WIDTH, ETS_PICTURE_LEAST, ETS_PICTURE_MOST,
                     &ok); /* read by cli_plot_look */
    if (!ok) return CLI_USAGE;
    if (cli_ends_with(path, ".svg")) return CLI_OK;
    if (!cli_ends_with(path, ".png")) {
        return cli_complain(CLI_USAGE, "%s: the name of a picture ends in .svg%s", path,
                            kind->is_drawn_as_png ? " or .png" : "");
    }
    if (kind->is_drawn_as_png) return CLI_OK;
    return cli_complain(CLI_USAGE, "%s: plot %s writes .svg only", path, kind->name);
}

int cmd_plot(const struct cli_arguments *arguments)
{
    const struct kind *kind = NULL;
    int code = find_kind(arguments, &kind);
    if (code == CLI_OK) code = check_inputs(arguments, kind);
    if (code == CLI_OK) code = check_options(arguments, kind);
    if (code == CLI_OK) code = check_output(arguments, kind);
    if (code != CLI_OK) return code;
    struct cli_arguments inputs = *arguments; /* without the name of the picture */
    inputs.words++;
    inputs.word_count--;
    return kind->draw(&inputs);
}
