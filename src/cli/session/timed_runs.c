/* The loop of measured runs. Everything but a run itself happens between runs. */
#include "cli/session/timed_runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/interrupt.h"
#include "cli/core/progress.h"
#include "etscope/inspect.h"
#include "inspect/accounting/stopping.h"

enum {
    MOST_RUNS = 100000000,
    RECORDED_OF_A_TIME = 100000, /* which bounds the trace and the times, */
    EVENTS_OF_A_TIME = 2000000,  /* as does this number of events */
    RECORDED_FIRST = 1000,       /* of these each run, before their number is spread */
    MEDIAN_OF = 1000
};
#define TIME_TO_BE_SURE 60e9

int cli_run_limits_read(const struct cli_arguments *arguments, uint32_t runs,
                        struct cli_run_limits *limits_out)
{
    const bool wants_time = cli_has(arguments, "--time");
    const bool wants_sure = cli_has(arguments, "--until-sure");
    const bool has_runs = cli_has(arguments, "--runs");
    const uint32_t fallback = wants_time || wants_sure ? MOST_RUNS : runs;
    const double most_ns = wants_sure && !has_runs ? TIME_TO_BE_SURE : INFINITY;
    *limits_out = (struct cli_run_limits){
        .runs = (uint32_t)cli_number(arguments, "--runs", fallback),
        .time_ns = cli_duration_ns(arguments, "--time", most_ns),
        .sure = cli_percent(arguments, "--until-sure", 0) / 100,
        .is_runs_chosen = has_runs || !(wants_time || wants_sure),
    };
    if (wants_sure && !(limits_out->sure > 0)) {
        return cli_complain(CLI_USAGE, "--until-sure takes a percentage above 0, such as 2%%");
    }
    return CLI_OK;
}

void cli_timed_runs_reset(struct cli_timed_runs *runs)
{
    free(runs->ns);
    *runs = (struct cli_timed_runs){.ns = NULL};
}

static int no_memory(void)
{
    return cli_complain(CLI_INTERNAL, "no memory for the times");
}

static bool make_room(struct cli_timed_runs *runs)
{
    if (runs->count < runs->room) return true;
    const uint32_t room = runs->room == 0 ? 1024 : 2 * runs->room;
    double *grown = realloc(runs->ns, room * sizeof *grown);
    if (grown == NULL) return false;
    runs->ns = grown;
    runs->room = room;
    return true;
}

struct span_text {
    char text[24];
};

/* "51.2 us", "3.40 s" */
static struct span_text time_text(double ns)
{
    static const struct {
        double ns;
        const char *name;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    size_t i = 0;
    while (i < 3 && ns < units[i].ns) i++;
    struct span_text out;
    const double number = ns / units[i].ns;
    const int digits = number >= 100 ? 1 : number >= 10 ? 2 : 3;
    snprintf(out.text, sizeof out.text, "%.*f %s", digits, number, units[i].name);
    return out;
}

/* Of the last runs, so that it costs little. */
static double running_median(const struct cli_timed_runs *runs)
{
    static double last[MEDIAN_OF];
    const uint32_t count = runs->count < MEDIAN_OF ? runs->count : MEDIAN_OF;
    memcpy(last, runs->ns + runs->count - count, count * sizeof *last);
    struct ets_statistics statistics;
    ets_statistics_compute(last, count, &statistics);
    return statistics.p50;
}

/* "run 120 of 1000, 24.1/s, median 41.2 ms, 36 s left" */
static void show(struct cli_progress *progress, uint64_t now, const struct cli_run_limits *limits,
                 const char *what, const struct cli_timed_runs *runs)
{
    const double spent = (double)(now - progress->start_ns);
    const double executed = (double)runs->executed, rate = executed / spent;
    const double runs_left = limits->is_runs_chosen ? limits->runs - executed : INFINITY;
    const double left = fmin(runs_left / rate, limits->time_ns - spent);
    char of[24] = "";
    if (limits->is_runs_chosen) snprintf(of, sizeof of, " of %u", limits->runs);
    cli_progress_show(progress, now, "%s%s %.0f%s, %.3g/s, median %s, %s%.0f s left",
                      limits->label == NULL ? "" : limits->label, what, executed, of, rate * 1e9,
                      time_text(running_median(runs)).text, limits->sure > 0 ? "at most " : "",
                      fmax(left, 0) / 1e9);
}

/* "1.9 % wide (51.2 us to 52.1 us)" */
static void print_interval(const struct ets_certainty *c, char *text, size_t room)
{
    snprintf(text, room, "%.2g %% wide (%s to %s)", 100 * c->width, time_text(c->low).text,
             time_text(c->high).text);
}

static void note_certainty(const struct ets_certainty *c, const struct cli_run_limits *limits,
                           uint32_t runs, const char *reason)
{
    char interval[96];
    print_interval(c, interval, sizeof interval);
    const double wanted = 100 * limits->sure;
    switch (c->state) {
    case ETS_CERTAINTY_SURE:
        cli_note(
            "sure after %u runs: the 95 %% interval of the median wall time is %s in this process; "
            "another may differ by more",
            runs, interval);
        break;
    case ETS_CERTAINTY_WIDE:
        cli_note(
            "not sure after %u runs (%s): the 95 %% interval of the median wall time in this "
            "process "
            "is %s, not %g %%",
            runs, reason, interval, wanted);
        break;
    case ETS_CERTAINTY_DRIFTING:
        cli_note(
            "not sure after %u runs (%s): times drift, the last third of the runs by %+.1f %% "
            "from the first; warm up longer (--warmup) or let the machine come to rest",
            runs, reason, 100 * c->drift);
        break;
    case ETS_CERTAINTY_CORRELATED:
        cli_note(
            "not sure after %u runs (%s): runs that follow each other are too much alike; "
            "more runs may tell",
            runs, reason);
        break;
    default:
        cli_note("not sure after %u runs (%s): too few for an interval of the median", runs,
                 reason);
    }
}

static int look(const struct cli_run_limits *limits, const struct cli_timed_runs *runs,
                struct ets_certainty *certainty)
{
    struct ets_error error;
    if (!(limits->sure > 0) || runs->count == 0) return CLI_OK;
    return ets_stopping_look(runs->ns, runs->count, limits->sure, NULL, certainty, &error) == ETS_OK
               ? CLI_OK
               : cli_fail(NULL, &error);
}

/* What ended the runs; NULL: nothing. */
static const char *find_end(const struct cli_run_limits *limits, const struct cli_timed_runs *runs,
                            double spent_ns)
{
    if (cli_interrupted() != 0) return "interrupted";
    if (limits->is_runs_chosen && runs->count >= limits->runs) return "the limit of --runs";
    if (runs->count > 0 && spent_ns >= limits->time_ns) return "the limit of time";
    return NULL;
}

/* How many runs a time may record, by the number of events of one. */
static double most_recorded(const struct ets_engine *engine, struct ets_engine_program *program,
                            uint64_t events_before)
{
    struct ets_engine_trace_statistics s;
    engine->trace_statistics(program, &s);
    const uint64_t events = s.profile_event_count + s.debug_event_count - events_before;
    return events == 0 ? RECORDED_OF_A_TIME
                       : fmin(RECORDED_OF_A_TIME, ceil((double)EVENTS_OF_A_TIME / (double)events));
}

/* Whether the next run is recorded: their number grows with the part of the time that is spent.
 * --until-sure may end at any time, and half of them come as soon as they can. */
static bool is_recorded(const struct cli_run_limits *limits, const struct cli_timed_runs *runs,
                        double most, double spent_ns)
{
    const double first = fmin(limits->sure > 0 ? most / 2 : RECORDED_FIRST, most);
    const double part = fmin(spent_ns / limits->time_ns, 1);
    return limits->is_runs_chosen || runs->count < first + (most - first) * part;
}

/* Runs once, and keeps the time of a recorded run. Returns the exit code. */
static int run_once(const struct ets_engine *engine, struct ets_engine_method *method,
                    const char *path, bool is_kept, struct cli_timed_runs *runs, uint64_t *after)
{
    struct ets_error error;
    if (is_kept && !make_room(runs)) return no_memory();
    const uint64_t before = cli_now_ns();
    const enum ets_status status = engine->method_execute(method, &error);
    *after = cli_now_ns();
    if (status != ETS_OK) return cli_fail(path, &error);
    if (is_kept) runs->ns[runs->count++] = (double)(*after - before);
    runs->executed++;
    return CLI_OK;
}

static void note_end(const struct cli_run_limits *limits, const struct cli_timed_runs *runs,
                     const char *what, const struct ets_certainty *certainty, const char *reason)
{
    if (cli_interrupted() != 0) {
        cli_note("%sinterrupted after %u %s%s", limits->label == NULL ? "" : limits->label,
                 runs->count, what, runs->count == 1 ? "" : "s");
    }
    if (runs->executed > runs->count) {
        cli_note("recorded %u of %llu runs, spread over the time, so that the trace stays small",
                 runs->count, (unsigned long long)runs->executed);
    }
    if (limits->sure > 0 && runs->count > 0) {
        note_certainty(certainty, limits, runs->count, reason);
    }
}

int cli_timed_runs_execute(const struct ets_engine *engine, struct ets_engine_program *program,
                           struct ets_engine_method *method, const struct cli_run_limits *limits,
                           const char *path, const char *what, struct cli_timed_runs *runs_out)
{
    struct ets_certainty certainty = {.state = ETS_CERTAINTY_TOO_FEW};
    struct cli_progress progress = cli_progress_start();
    uint32_t next = ets_stopping_next_look(0);
    struct ets_engine_trace_statistics traced;
    uint64_t after = progress.start_ns;
    const char *reason = NULL;
    double most = RECORDED_OF_A_TIME;
    bool was_kept = true;
    int code = CLI_OK;
    *runs_out = (struct cli_timed_runs){.ns = NULL};
    engine->trace_statistics(program, &traced);
    while (code == CLI_OK && certainty.state != ETS_CERTAINTY_SURE) {
        const double spent_ns = (double)(after - progress.start_ns);
        reason = find_end(limits, runs_out, spent_ns);
        if (reason != NULL) break;
        const bool is_kept = is_recorded(limits, runs_out, most, spent_ns);
        if (is_kept != was_kept) engine->trace_enable(program, is_kept);
        was_kept = is_kept;
        code = run_once(engine, method, path, is_kept, runs_out, &after);
        if (code != CLI_OK) break;
        if (runs_out->executed == 1) {
            most = most_recorded(engine, program,
                                 traced.profile_event_count + traced.debug_event_count);
        }
        if (cli_progress_is_due(&progress, after)) show(&progress, after, limits, what, runs_out);
        if (runs_out->count < next) continue;
        next = ets_stopping_next_look(next);
        code = look(limits, runs_out, &certainty);
    }
    if (!was_kept) engine->trace_enable(program, 1);
    cli_progress_end(&progress);
    if (code == CLI_OK && reason != NULL) code = look(limits, runs_out, &certainty);
    if (code != CLI_OK) return code;
    note_end(limits, runs_out, what, &certainty, reason);
    runs_out->is_unsure = limits->sure > 0 && certainty.state != ETS_CERTAINTY_SURE;
    return CLI_OK;
}
