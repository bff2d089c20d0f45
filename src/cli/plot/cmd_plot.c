/* The command `plot`: writes one picture without a browser. */
#include <string.h>

#include "cli/beside/siblings.h"
#include "cli/core/cli_text.h"
#include "cli/core/nearest.h"
#include "cli/plot/plot_error.h"
#include "cli/plot/plot_trace.h"
#include "cli/plot/plot_waterfall.h"
#include "cli/plot/write_plot.h"
#include "host/os/os_files.h"
#include "host/text_builder.h"

static const struct cli_command_option option_list[] = {
    {"--output",
     .help =
         "The picture to write: FILE.svg; of icicle, runs, timeline and waterfall also FILE.png"},
    {"--group-by", .value = "module|call",
     .help =
         "icicle: what a box stands for; default: module where there is an ETRecord, else call"},
    {"--etrecord",
     .help = "The ETRecord of the export; waterfall: of BEFORE, and of AFTER without --etrecord-b"},
    {"--etrecord-b", .help = "waterfall: the ETRecord of AFTER"},
    {"--program",
     .help = "The .pte or .bpte that ran; waterfall: of BEFORE, and of AFTER without --program-b"},
    {"--program-b", .help = "waterfall: the .pte or .bpte of AFTER"},
    {"--debug-buffer", .help = "error: the captured tensors"},
    {"--machine", .help = "roofline: the machine (etscope machine --save)"},
    {"--threads", .help = "roofline: how many threads ran; default: the most that were measured"},
    {"--engine",
     .help =
         "error: the engine plug-in, which evaluates the graph; default: search the usual places"},
    {"--method",
     .help = "memory: the method to draw; otherwise the one that ran, if the trace fits several"},
    {"--block",
     .help = "Only this block, by name or number; default: the one whose runs took most"},
    {"--run"},
    {"--steady", .help = "Leave out warm-up runs; runs: only in the median"},
    {"--pixels", .aliases = {"--width"}},
    {"--no-siblings"},
    {"--partial"},
    {"--allow-mismatch", .help = "Continue if the files disagree"},
    {"--source-time-scale"},
    {NULL},
};

/* A picture, what it is made of, and the options that change it. */
struct kind {
    const char *name, *inputs;
    unsigned input_count; /* 0: one or more */
    bool is_drawn_as_png;
    int (*draw)(const struct cli_arguments *arguments); /* NULL: `command` does */
    const char *const *options;                         /* besides --output; ended by NULL */
    const char *command; /* that draws it if its output is a picture */
};

#define OF_TRACE                                                                               \
    "--etrecord", "--program", "--method", "--block", "--steady", "--pixels", "--no-siblings", \
        "--partial", "--allow-mismatch", "--source-time-scale"
static const char *const of_icicle[] = {OF_TRACE, "--group-by", "--run", NULL};
static const char *const of_timeline[] = {OF_TRACE, "--run", NULL};
static const char *const of_runs[] = {OF_TRACE, NULL};
static const char *const of_waterfall[] = {
    "--etrecord", "--etrecord-b", "--program",     "--program-b",      "--method",
    "--steady",   "--pixels",     "--no-siblings", "--allow-mismatch", "--source-time-scale",
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
    {"roofline", "TRACE", 1, false, NULL, of_roofline, "inspect"},
    {"error", "TRACE", 1, false, cli_plot_error, of_error},
    {"memory", "PROGRAM", 1, false, NULL, of_memory, "memory"},
    {"size", "FILE...", 0, false, NULL, of_size, "size"},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static int complain_kind(const char *word)
{
    const char *names[KINDS + 1] = {NULL};
    char list[128] = "";
    struct ets_text_builder text = {list, sizeof list, 0};
    for (int i = 0; i < KINDS; i++) {
        names[i] = kinds[i].name;
        ets_add_text(&text, "%s%s", i > 0 ? ", " : "", kinds[i].name);
    }
    if (ets_os_look(word).kind == ETS_OS_FILE) {
        struct ets_arena arena;
        ets_arena_init(&arena, NULL, 0);
        const char *file = cli_shell_word(&arena, word);
        const int code = cli_complain(CLI_USAGE,
                                      "plot needs a picture before its files: etscope plot PICTURE "
                                      "%s; the pictures are %s",
                                      file == NULL ? "FILE" : file, list);
        ets_arena_reset(&arena);
        return code;
    }
    const char *nearest = cli_nearest(word, names);
    if (nearest != NULL) {
        return cli_complain(CLI_USAGE, "there is no picture %s; did you mean %s?",
                            cli_path_name(word), nearest);
    }
    return cli_complain(CLI_USAGE, "there is no picture %s; the pictures are %s",
                        cli_path_name(word), list);
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
    const char *path = cli_value(arguments, "--output");
    if (path == NULL) {
        return cli_complain(CLI_USAGE, "plot needs a file to write: --output %s.svg", kind->name);
    }
    if (cli_ends_with(path, ".svg")) return CLI_OK;
    if (!cli_ends_with(path, ".png")) {
        return cli_complain(CLI_USAGE, "%s: the name of a picture ends in .svg%s", path,
                            kind->is_drawn_as_png ? " or .png" : "");
    }
    if (kind->is_drawn_as_png) return CLI_OK;
    return cli_complain(CLI_USAGE, "%s: plot %s writes .svg only", path, kind->name);
}

static int cmd_plot(const struct cli_arguments *arguments)
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
    if (kind->draw != NULL) return kind->draw(&inputs);
    return cli_find_command(arguments->commands, kind->command)->run(&inputs);
}

const struct cli_command cli_plot_command = {
    .name = "plot",
    .task = CLI_TASK_UNDERSTAND,
    .summary = "write one picture for a document, as SVG or PNG",
    .arguments = "PICTURE FILE...",
    .description =
        "Writes a picture as SVG, readable on light and on dark and when printed, or some also as "
        "PNG. PICTURE is one of icicle TRACE (where the time of a run goes, by module or by call), "
        "runs TRACE (the time of each run, with warm-up, outliers and the median), timeline TRACE "
        "(when the calls of one run happened), waterfall BEFORE AFTER (what changed between two "
        "traces), roofline TRACE (how far operators are from what a machine can do), error TRACE "
        "(numeric errors along the execution), memory PROGRAM (planned memory over instructions) "
        "and size FILE... (what takes the bytes of programs).\n\n"
        "The numbers are those of the tables. Times that a coarse clock leaves undecided are "
        "hatched. Titles, shown by browsers under the pointer, tell names, times and shares.",
    .options = option_list,
    .examples =
        "etscope plot icicle profile.etdp --etrecord model.etrecord -o icicle.svg\n"
        "etscope plot runs profile.etdp --pixels 640 -o runs.svg\n"
        "etscope plot waterfall before.etdp after.etdp --etrecord model.etrecord -o changes.svg\n"
        "etscope plot memory model.pte --etrecord model.etrecord -o memory.svg",
    .guide = "plot.md",
    .run = cmd_plot,
};
