/*
 * Measures a program with several numbers of threads. Each turn loads the method anew for every
 * number and runs it, so that what changes over time (heat, other programs) hits all numbers alike.
 */
#include "cli/inspect/profile_threads.h"

#include <stdlib.h>
#include <string.h>

#include "cli/core/bounds.h"
#include "cli/core/cli_text.h"
#include "cli/core/columns.h"
#include "cli/core/interrupt.h"
#include "cli/core/write_table.h"
#include "cli/session/child.h"
#include "cli/session/session.h"
#include "cli/traces/inspected.h"
#include "host/os/os_files.h"
#include "output/table/thread_table.h"

/* Of six turns, the smallest and the largest are a 95 % interval of the median. */
enum { TURNS = 6, RUNS = 30, LABEL_BYTES = 64 };

/* One number of threads. */
struct count {
    unsigned threads;
    struct cli_session session; /* a copy, with a program of its own */
    struct ets_inspection *inspection;
    char path[CLI_PATH_BYTES]; /* of the trace, if it is kept */
};

struct measuring {
    const struct cli_arguments *arguments;
    struct cli_session whole; /* the files and the engine */
    struct count *counts;
    uint32_t count;
    struct ets_arena arena;
    struct ets_thread_line lines[ETS_MOST_THREAD_COUNTS];
};

bool cli_wants_thread_counts(const struct cli_arguments *arguments)
{
    const char *value = cli_value(arguments, "--threads");
    return value != NULL && strchr(value, ',') != NULL;
}

static int by_threads(const void *left, const void *right)
{
    const struct count *a = left, *b = right;
    return a->threads < b->threads ? -1 : a->threads > b->threads;
}

/* "1,2,4", in any order, each once. */
static int read_counts(struct measuring *m)
{
    const char *list = cli_value(m->arguments, "--threads"), *at = list;
    bool ok = true;
    while (ok && m->count < ETS_MOST_THREAD_COUNTS) {
        char *end;
        const long threads = strtol(at, &end, 10);
        ok = end != at && *at != '-' && *at != '+' && threads >= 1 && threads <= CLI_MOST_THREADS &&
             (*end == ',' || *end == '\0');
        for (uint32_t i = 0; i < m->count; i++) ok &= m->counts[i].threads != (unsigned)threads;
        if (ok) m->counts[m->count++].threads = (unsigned)threads;
        if (!ok || *end == '\0') break;
        at = end + 1;
        ok = m->count < ETS_MOST_THREAD_COUNTS;
    }
    if (!ok) {
        return cli_complain(
            CLI_USAGE,
            "--threads takes a number from 1 to %d, or up to %d different ones such "
            "as 1,2,4, not \"%s\"",
            CLI_MOST_THREADS, ETS_MOST_THREAD_COUNTS, list);
    }
    qsort(m->counts, m->count, sizeof *m->counts, by_threads);
    return CLI_OK;
}

/* The options that a table of numbers of threads has no use for. */
static int check_options(const struct cli_arguments *arguments)
{
    static const char *const used[] = {
        "--etrecord",  "--no-siblings", "--runs",           "--output",
        "--format",    "--columns",     "--unit",           "--color",
        "--width",     "--table",       "--method",         "--input",
        "--case",      "--inputs",      "--seed",           "--range",
        "--int-range", "--shape",       "--time",           "--warmup",
        "--threads",   "--data",        "--load-library",   "--python",
        "--engine",    "--tracer",      "--allow-mismatch", NULL};
    static const char *const once[] = {"--method", "--case"};
    const char *option, *value, *format = cli_value(arguments, "--format");
    bool begins;
    for (unsigned i = 0; (option = cli_given(arguments, i, &value, &begins)) != NULL; i++) {
        const char *const *of = used;
        while (*of != NULL && strcmp(*of, option) != 0) of++;
        if (*of == NULL) {
            return cli_complain(CLI_USAGE, "%s and a list of --threads exclude each other", option);
        }
    }
    for (size_t i = 0; i < sizeof once / sizeof *once; i++) {
        if (cli_value_at(arguments, once[i], 1) == NULL) continue;
        return cli_complain(CLI_USAGE, "a list of --threads takes one %s", once[i]);
    }
    if (format != NULL && strcmp(format, "upstream") == 0) {
        return cli_complain(CLI_USAGE, "--format upstream has no numbers of threads");
    }
    return CLI_OK;
}

static int open_counts(struct measuring *m)
{
    const char *path = cli_value(m->arguments, "--output");
    int code = CLI_OK;
    struct cli_run_limits *limits = &m->whole.limits;
    if (limits->is_runs_chosen) limits->runs = (limits->runs + TURNS - 1) / TURNS;
    limits->time_ns /= TURNS;
    for (uint32_t i = 0; i < m->count && code == CLI_OK; i++) {
        m->counts[i].session = m->whole;
        code = cli_session_program(&m->counts[i].session, m->counts[i].threads);
        if (code == CLI_OK && path != NULL) {
            code = cli_child_trace_path(path, "threads", m->counts[i].threads, m->counts[i].path);
        }
    }
    return code;
}

/* Every other turn goes backwards, so that no number always comes behind the same one. */
static int run_turns(struct measuring *m)
{
    int code = CLI_OK;
    bool is_told = false;
    cli_interrupt_begin();
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        for (uint32_t k = 0; k < m->count && code == CLI_OK && cli_interrupted() == 0; k++) {
            struct count *count = &m->counts[turn % 2 == 0 ? k : m->count - 1 - k];
            char label[LABEL_BYTES];
            snprintf(label, sizeof label, "turn %u of %d, %u thread%s: ", turn + 1, TURNS,
                     count->threads, count->threads == 1 ? "" : "s");
            count->session.limits.label = label;
            count->session.is_next_turn = is_told;
            code = cli_session_turn(&count->session, count->threads);
            is_told = true;
        }
    }
    cli_interrupt_end();
    return code;
}

/* The same trace for all readers, with what is beside it. */
static int inspect(struct measuring *m, struct count *count)
{
    struct cli_subject subject = {.path = m->whole.path,
                                  .dump = count->session.trace,
                                  .record = m->whole.record.record,
                                  .program = &m->whole.model.program};
    const struct ets_inspect_options options = cli_inspection_options(m->arguments, &subject);
    return cli_open_inspection(&subject, &options, &count->inspection);
}

static int read_traces(struct measuring *m)
{
    struct ets_thread_turns *turns = calloc(m->count, sizeof *turns);
    int code = turns == NULL ? cli_complain(CLI_INTERNAL, "no memory for the times") : CLI_OK;
    for (uint32_t i = 0; i < m->count && code == CLI_OK; i++) {
        struct count *count = &m->counts[i];
        code = cli_session_finish(&count->session);
        if (code == CLI_OK && count->path[0] != '\0') {
            code = cli_session_keep(&m->whole, count->path, &count->session.trace, 1);
        }
        if (code == CLI_OK) code = inspect(m, count);
        if (code == CLI_OK &&
            !ets_thread_turns_find(&m->arena, count->inspection, count->threads, &turns[i])) {
            code = cli_complain(CLI_INTERNAL, "no memory for the times");
        }
        if (code == CLI_OK && turns[i].count == 0) {
            code =
                cli_complain(CLI_SIGNAL + cli_interrupted(),
                             "interrupted before the first turn ended: there is nothing to show");
        }
    }
    if (code == CLI_OK) ets_thread_scaling(turns, m->count, m->lines);
    free(turns);
    return code;
}

/* What gains nothing: with the best number, or with the most where none is better. */
static int find_operators(struct measuring *m, struct ets_text *sentence_out)
{
    const uint32_t best = ets_thread_best(m->lines, m->count);
    const uint32_t more = best == 0 ? m->count - 1 : best;
    struct ets_error error;
    const enum ets_status status =
        ets_thread_operators(&m->arena, m->counts[0].inspection, m->counts[more].inspection,
                             m->counts[more].threads, sentence_out, &error);
    return status == ETS_OK ? CLI_OK : cli_fail(m->whole.path, &error);
}

static int write_table(struct measuring *m)
{
    const char *traces[ETS_MOST_THREAD_COUNTS];
    struct ets_text sentences[2];
    struct ets_table *table;
    struct ets_error error;
    int code = find_operators(m, &sentences[1]);
    if (code != CLI_OK) return code;
    if (!ets_thread_headline(&m->arena, m->lines, m->count, &sentences[0])) {
        return cli_complain(CLI_INTERNAL, "no memory for the headline");
    }
    for (uint32_t i = 0; i < m->count; i++) {
        traces[i] = m->counts[i].path[0] == '\0' ? NULL : m->counts[i].path;
    }
    if (cli_table_open(&table, &error) != ETS_OK) return cli_fail(NULL, &error);
    ets_thread_table_fill(table, m->lines, traces, m->count);
    cli_put_headline(table, sentences, sentences[1].data == NULL ? 1 : 2);
    code = cli_choose_columns(m->arguments, table);
    if (code == CLI_OK) code = cli_write_styled(m->arguments, table);
    ets_table_close(table);
    return code;
}

static int measure(struct measuring *m)
{
    int code = cli_session_prepare(m->arguments, true, RUNS, 1, &m->whole);
    if (code == CLI_OK) code = cli_session_engine(&m->whole);
    if (code == CLI_OK) code = open_counts(m);
    if (code == CLI_OK) code = run_turns(m);
    if (code == CLI_OK) code = read_traces(m);
    if (code == CLI_OK) code = cli_session_commit(&m->whole);
    if (code == CLI_OK) code = write_table(m);
    return cli_session_end(&m->whole, code);
}

int cli_profile_threads(const struct cli_arguments *arguments)
{
    struct measuring *m = calloc(1, sizeof *m);
    int code = check_options(arguments);
    if (code == CLI_OK && m != NULL) m->counts = calloc(ETS_MOST_THREAD_COUNTS, sizeof *m->counts);
    if (code == CLI_OK && (m == NULL || m->counts == NULL)) {
        code = cli_complain(CLI_INTERNAL, "no memory to measure threads");
    }
    if (m == NULL) return code;
    m->arguments = arguments;
    ets_arena_init(&m->arena, NULL, 0);
    if (code == CLI_OK) code = read_counts(m);
    if (code == CLI_OK) code = measure(m);
    for (uint32_t i = 0; i < m->count; i++) {
        ets_inspection_close(m->counts[i].inspection);
        cli_session_close_program(&m->counts[i].session);
    }
    cli_session_close(&m->whole);
    ets_arena_reset(&m->arena);
    free(m->counts);
    free(m);
    return code;
}
