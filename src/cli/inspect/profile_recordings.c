/*
 * Records one or two programs several times, each time in a new process: runs of one process share
 * its memory layout, clock and neighbours. Two programs are recorded round by round, in random
 * order within each round, so that what changes over time (heat, other programs) hits both alike.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/inspect/profile_recordings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/core/cli_text.h"
#include "cli/core/interrupt.h"
#include "cli/session/child.h"
#include "cli/session/session.h"
#include "cli/sides/show_sides.h"
#include "cli/sides/sides.h"
#include "host/os/os_files.h"
#include "host/os/os_processes.h"

enum { MOST_RECORDINGS = 100, SIDES = 2 };

/* One program and its recordings. */
struct side {
    const char *program, *record; /* NULL: none */
    char record_path[CLI_SIBLING_BYTES];
    char traces[MOST_RECORDINGS][CLI_PATH_BYTES];
    struct cli_side_paths paths;
};

struct recorder {
    const struct cli_arguments *arguments;
    struct side *sides;          /* [2] before and after; of one program only after */
    unsigned first;              /* 0, or 1 without a program before */
    unsigned count;              /* recordings of each */
    char folder[CLI_PATH_BYTES]; /* removed at the end; "": the traces are kept */
    uint64_t random;
};

bool cli_wants_recordings(const struct cli_arguments *arguments)
{
    return cli_has(arguments, "--recordings") || cli_has(arguments, "--before");
}

/* Options that `run` takes from `profile`. */
static const char *const passed[] = {"--runs",         "--method",         "--input",  "--case",
                                     "--inputs",       "--seed",           "--range",  "--time",
                                     "--int-range",    "--data",           "--warmup", "--threads",
                                     "--load-library", "--python",         "--engine", "--tracer",
                                     "--target",       "--target-runtime", NULL};

/* Options of the tables. */
static const char *const shown[] = {"--etrecord",       "--before-etrecord",
                                    "--before",         "--recordings",
                                    "--output",         "--no-siblings",
                                    "--format",         "--unit",
                                    "--color",          "--width",
                                    "--table",          "--bounds",
                                    "--steady",         "--top",
                                    "--allow-mismatch", NULL};

static bool is_among(const char *option, const char *const *list)
{
    while (*list != NULL && strcmp(*list, option) != 0) list++;
    return *list != NULL;
}

static int check_options(const struct recorder *r)
{
    const char *option, *value;
    bool begins;
    for (unsigned i = 0; (option = cli_given(r->arguments, i, &value, &begins)) != NULL; i++) {
        if (is_among(option, passed) || is_among(option, shown)) continue;
        return cli_complain(CLI_USAGE, "%s and several recordings exclude each other", option);
    }
    if (r->first == 1 && cli_has(r->arguments, "--before-etrecord")) {
        return cli_complain(CLI_USAGE, "--before-etrecord needs --before");
    }
    if (r->arguments->word_count != 1) {
        return cli_complain(CLI_USAGE, "profile needs one program: etscope profile model.pte");
    }
    const char *threads = cli_value(r->arguments, "--threads");
    if (threads != NULL && strchr(threads, ',') != NULL) {
        return cli_complain(CLI_USAGE, "several recordings take one number of --threads");
    }
    return CLI_OK;
}

/* The ETRecord that was given, or that lies beside the program. */
static void find_record(struct recorder *r, struct side *side, const char *option)
{
    side->record = cli_value(r->arguments, option);
    if (side->record != NULL || cli_has(r->arguments, "--no-siblings")) return;
    if (cli_sibling_path(side->program, ".etrecord", side->record_path)) {
        side->record = side->record_path;
    }
}

static uint64_t seed(void)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return ((uint64_t)now.tv_nsec << 16 ^ (uint64_t)ets_os_process_number()) | 1;
}

static const char *side_name(const struct recorder *r, unsigned side)
{
    return r->first == 1 ? "recording" : side == 0 ? "before" : "after";
}

static int name_traces(struct recorder *r)
{
    const char *path = cli_value(r->arguments, "--output");
    for (unsigned s = r->first; s < SIDES; s++) {
        struct side *side = &r->sides[s];
        for (unsigned i = 0; i < r->count; i++) {
            int code = CLI_OK;
            if (path == NULL) {
                snprintf(side->traces[i], CLI_PATH_BYTES, "%.4000s/%s-%u.etdp", r->folder,
                         side_name(r, s), i + 1);
            } else {
                code = cli_child_trace_path(path, side_name(r, s), i + 1, side->traces[i]);
            }
            if (code != CLI_OK) return code;
            side->paths.items[side->paths.count++] = side->traces[i];
        }
        side->paths.record = side->record;
        side->paths.program = side->program;
    }
    return CLI_OK;
}

static int record(struct recorder *r, unsigned which, unsigned number)
{
    const struct side *side = &r->sides[which];
    const bool have_records = side->record != NULL && r->sides[SIDES - 1].record != NULL &&
                              (r->first == 1 || r->sides[0].record != NULL);
    struct cli_child_words words = {.count = 0};
    const char *option, *value;
    bool begins;
    cli_child_add(&words, "run");
    cli_child_add(&words, side->program);
    cli_child_add(&words, "-o");
    cli_child_add(&words, side->traces[number]);
    if (!cli_has(r->arguments, "--runs") && !cli_has(r->arguments, "--time")) {
        cli_child_add(&words, "--runs");
        cli_child_add(&words, "10");
    }
    if (!cli_has(r->arguments, "--warmup")) {
        cli_child_add(&words, "--warmup");
        cli_child_add(&words, "1");
    }
    if (have_records) { /* both with inputs of records, or none */
        cli_child_add(&words, "--etrecord");
        cli_child_add(&words, side->record);
    }
    for (unsigned i = 0; (option = cli_given(r->arguments, i, &value, &begins)) != NULL; i++) {
        if (!is_among(option, passed)) continue;
        cli_child_add(&words, option);
        cli_child_add(&words, value);
    }
    return cli_child_run(&words, CLI_CHILD_DROPPED,
                         number == 0 ? CLI_CHILD_HEARD : CLI_CHILD_DROPPED);
}

static unsigned draw(struct recorder *r)
{
    r->random = r->random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(r->random >> 62) & 1;
}

static int record_all(struct recorder *r)
{
    int code = CLI_OK;
    for (unsigned i = 0; i < r->count && code == CLI_OK; i++) {
        const unsigned turned = r->first == 1 ? 0 : draw(r);
        for (unsigned k = r->first; k < SIDES && code == CLI_OK; k++) {
            code = record(r, turned ? SIDES - 1 - k : k, i);
        }
    }
    return code;
}

static void clean(struct recorder *r)
{
    if (r->folder[0] == '\0') return;
    for (unsigned s = r->first; s < SIDES; s++) {
        for (unsigned i = 0; i < r->count; i++) ets_os_remove(r->sides[s].traces[i]);
    }
    ets_os_remove_folder(r->folder);
}

static int show(struct recorder *r)
{
    if (r->first == 1) return cli_show_summary(r->arguments, &r->sides[1].paths);
    const struct cli_side_programs programs = {r->sides[0].program, r->sides[1].program};
    return cli_show_sides(r->arguments, &r->sides[0].paths, &r->sides[1].paths, &programs);
}

static int open(struct recorder *r)
{
    r->sides[1].program = r->arguments->words[0];
    r->sides[0].program = cli_value(r->arguments, "--before");
    r->first = r->sides[0].program == NULL;
    r->random = seed();
    int code = check_options(r);
    if (code != CLI_OK) return code;
    r->count = (unsigned)cli_number(r->arguments, "--recordings", ETS_ADVISED_RECORDINGS);
    find_record(r, &r->sides[1], "--etrecord");
    if (r->first == 0) find_record(r, &r->sides[0], "--before-etrecord");
    if (!cli_has(r->arguments, "--output")) code = cli_child_folder(r->folder, sizeof r->folder);
    return code == CLI_OK ? name_traces(r) : code;
}

int cli_profile_recordings(const struct cli_arguments *arguments)
{
    struct recorder r = {.arguments = arguments, .sides = calloc(SIDES, sizeof *r.sides)};
    if (r.sides == NULL) return cli_complain(CLI_INTERNAL, "no memory for the recordings");
    cli_interrupt_begin(); /* before there is a folder; the recording that runs gets the signal, too
                            */
    int code = open(&r);
    if (code == CLI_OK) code = record_all(&r);
    cli_interrupt_end();
    if (cli_interrupted() != 0) code = CLI_SIGNAL + cli_interrupted();
    if (code == CLI_OK) code = show(&r);
    clean(&r);
    free(r.sides);
    return code;
}
