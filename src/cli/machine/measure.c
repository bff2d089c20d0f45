/*
 * Runs the programs of the roofs, in rounds over all of them: a moment in which the machine was
 * busy with something else takes a few runs of each and not all of one. Each round has a shortest
 * time; a roof is run until the three shortest of these agree, which happens only if nothing else
 * made them longer.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/machine/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/core/command.h"
#include "cli/core/interrupt.h"
#include "cli/core/progress.h"
#include "cli/machine/machine_programs.h"
#include "etscope/inspect.h"
#include "host/os/os_system.h"

enum {
    ROUNDS = 8, /* at least */
    MOST_ROUNDS = 64,
    ROUNDS_OF_OPEN = 3, /* of an untraced program, each time it is opened */
    AGREEING = 3,
    LEAST_RUNS = 8, /* of a round */
    MOST_RUNS = 1000,
    WARM_UP = 2,
    FIRST_ELEMENTS = 1024, /* of the vectors; each is twice as long as the one before */
    QUICK_ELEMENTS = 1 << 16,
    QUICK_RUNS = 3,
    MOST_ROOFS = 1024
};
/* A busy machine gets no more time, but for one run of each program. */
#define MOST_NS 40e9
/* So far may the times that agree be apart, as a part of the shortest. */
#define AGREEMENT 0.02
#define LEAST_ROUND_NS 6e6

/* The shortest times of a roof's rounds, in ascending order. */
struct rounds {
    double best[AGREEING];
    uint32_t count;
};

struct bench {
    const struct ets_engine *engine;
    bool is_quick;
    uint8_t *programs[ETS_ROOF_PROGRAMS]; /* .pte files */
    float *numbers; /* inputs: 0.5, which is 0 and 1.75 as float16; as many as a vector has */
    uint64_t most_elements;
    double deadline_ns;
    struct ets_roof *roofs;
    uint32_t roof_count;
    struct rounds *rounds; /* [roof] */
    struct cli_progress progress;
    struct ets_error error; /* of what failed last */
};

static double now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* The exit code of a call. */
static int check(const struct bench *b, enum ets_status status)
{
    return status == ETS_OK ? CLI_OK : cli_fail(NULL, &b->error);
}

/* Ends a round of a roof, whose shortest time and runs are `round`. */
static void add_round(struct bench *b, struct ets_roof *roof, const struct ets_roof *round)
{
    struct rounds *of = &b->rounds[roof - b->roofs];
    double time = round->time_ns;
    for (uint32_t i = 0; i < AGREEING; i++) {
        const double other = i < of->count ? of->best[i] : INFINITY;
        of->best[i] = fmin(time, other);
        time = fmax(time, other);
    }
    of->count++;
    roof->runs += round->runs;
    roof->time_ns = of->best[0];
    roof->spread = of->count < AGREEING ? NAN : of->best[AGREEING - 1] / of->best[0] - 1;
}

static bool is_settled(const struct bench *b, const struct ets_roof *roof)
{
    return b->rounds[roof - b->roofs].count >= ROUNDS && roof->spread <= AGREEMENT;
}

/* Executes, and keeps the shortest time. */
static int time_runs(struct bench *b, struct ets_engine_method *method, struct ets_roof *roof)
{
    double total = 0;
    const uint32_t least = b->is_quick ? QUICK_RUNS : LEAST_RUNS;
    enum ets_status status = ETS_OK;
    for (int i = 0; i < WARM_UP && status == ETS_OK; i++) {
        status = b->engine->method_execute(method, &b->error);
    }
    for (uint32_t i = 0; i < MOST_RUNS && status == ETS_OK; i++) {
        if (i >= least && (b->is_quick || total >= LEAST_ROUND_NS)) break;
        const double begin = now_ns();
        if (i > 0 && begin > b->deadline_ns) break;
        status = b->engine->method_execute(method, &b->error);
        const double took = fmax(now_ns() - begin, 1);
        total += took;
        if (roof->runs++ == 0 || took < roof->time_ns) roof->time_ns = took;
    }
    return check(b, status);
}

/* What XNNPACK calls the operator to time, in the trace of a program; NULL: the program is timed.
 */
static const char *event_of(enum ets_roof_program program)
{
    if (program == ETS_ROOF_IN_PLACE) return "Abs";
    if (program == ETS_ROOF_READ) return "Mean";
    return ets_roof_kind(program) == ETS_ROOF_COMPUTE ? "Fully Connected" : NULL;
}

static bool begins_with(struct ets_text text, const char *begin)
{
    return text.size >= strlen(begin) && memcmp(text.data, begin, strlen(begin)) == 0;
}

/* The shortest of the operator's events: what is before and behind it in the program is not timed.
 */
static int read_events(struct bench *b, struct ets_bytes trace, struct ets_roof *roof)
{
    const char *name = event_of(roof->program);
    struct ets_inspection *inspection;
    const struct ets_inspect_options options = {.partial = 0};
    if (ets_inspection_open(trace, &options, &inspection, &b->error) != ETS_OK) {
        return cli_fail(NULL, &b->error);
    }
    uint32_t runs = 0;
    enum ets_status status = ETS_OK;
    for (uint32_t i = 0; i < ets_inspection_row_count(inspection) && status == ETS_OK; i++) {
        struct ets_statistics s;
        const struct ets_row *row = ets_inspection_row(inspection, i);
        if (!row->is_delegated || !begins_with(row->name, name)) continue;
        status = ets_inspection_row_statistics(inspection, i, ETS_NO_INDEX, &s, &b->error);
        /* A clock of whole steps cuts off half of one at the mean. */
        const double ticks = s.min + (double)row->quantum_ticks / 2;
        const double ns =
            ticks * (double)b->engine->tick_numerator / (double)b->engine->tick_denominator;
        if (status != ETS_OK) break;
        if (roof->runs + runs == 0 || ns < roof->time_ns) roof->time_ns = fmax(ns, 1);
        runs = s.count;
    }
    ets_inspection_close(inspection);
    roof->runs += runs;
    if (status != ETS_OK || runs > 0) return check(b, status);
    return cli_complain(CLI_UNAVAILABLE,
                        "the runtime reports no \"%s\" of XNNPACK, which cannot be timed then",
                        name);
}

/* How many different ones an operator has. */
static uint64_t vectors_of(enum ets_roof_program program)
{
    return program == ETS_ROOF_ADD ? 3 : program == ETS_ROOF_COPY ? 2 : 1;
}

/* Channels last. */
static void set_images(struct ets_tensor *tensor, uint64_t elements)
{
    enum { C = CLI_MACHINE_CHANNELS, SIDE = CLI_MACHINE_IMAGE_SIDE, IMAGE = C * SIDE * SIDE };
    const int64_t sizes[] = {(int64_t)(elements / IMAGE), C, SIDE, SIDE};
    static const int64_t strides[] = {IMAGE, 1, SIDE * C, C};
    tensor->rank = 4;
    memcpy(tensor->sizes, sizes, sizeof sizes);
    memcpy(tensor->strides, strides, sizeof strides);
}

static int set_inputs(struct bench *b, struct ets_engine_method *method,
                      const struct ets_roof *roof, uint64_t elements)
{
    static const size_t counts[ETS_ROOF_PROGRAMS] = {1, 1, 1, 1, 2, 1, 1, 1, 2, 2};
    const bool is_matrix = ets_roof_kind(roof->program) == ETS_ROOF_COMPUTE;
    const bool is_half = roof->program == ETS_ROOF_FLOAT16;
    struct ets_value value = {.kind = ETS_VALUE_TENSOR};
    struct ets_tensor *tensor = &value.as.tensor;
    tensor->scalar_type = is_half ? ETS_SCALAR_HALF : ETS_SCALAR_FLOAT;
    tensor->rank = is_matrix ? 2 : 1;
    tensor->sizes[0] = is_matrix ? CLI_MACHINE_SIDE : (int64_t)elements;
    tensor->sizes[1] = CLI_MACHINE_SIDE;
    tensor->strides[0] = is_matrix ? CLI_MACHINE_SIDE : 1;
    tensor->strides[1] = 1;
    if (roof->program == ETS_ROOF_READ) set_images(tensor, elements);
    tensor->data = b->numbers;
    tensor->data_bytes = elements * (is_half ? 2 : sizeof(float));
    enum ets_status status = ETS_OK;
    for (size_t i = 0; i < counts[roof->program] && status == ETS_OK; i++) {
        status = b->engine->method_set_input(method, i, &value, &b->error);
    }
    return check(b, status);
}

/* How many numbers an input has. */
static uint64_t elements_of(const struct ets_roof *roof)
{
    switch (ets_roof_kind(roof->program)) {
    case ETS_ROOF_COMPUTE: return (uint64_t)CLI_MACHINE_SIDE * CLI_MACHINE_SIDE;
    case ETS_ROOF_BANDWIDTH:
        return roof->working_set_bytes / vectors_of(roof->program) / sizeof(float);
    default: return 4;
    }
}

static int run_traced(struct bench *b, struct ets_engine_program *program,
                      struct ets_engine_method *method, struct ets_roof *roof)
{
    struct ets_bytes trace, debug;
    struct ets_roof whole = {.runs = 0}, round = {.program = roof->program};
    int code = set_inputs(b, method, roof, elements_of(roof));
    if (code == CLI_OK) code = time_runs(b, method, &whole);
    if (code != CLI_OK) return code;
    code = check(b, b->engine->trace_finish(program, &trace, &debug, &b->error));
    if (code == CLI_OK) code = read_events(b, trace, &round);
    if (code == CLI_OK) add_round(b, roof, &round);
    return code;
}

/* The roofs of one program that are run together: of a trace one, else all for these threads. */
static bool goes_with(const struct ets_roof *first, const struct ets_roof *roof)
{
    return event_of(first->program) == NULL && roof->program == first->program &&
           roof->threads == first->threads;
}

/* One round of each of them. */
static int run_untraced(struct bench *b, struct ets_engine_method *method, struct ets_roof *first)
{
    int code = CLI_OK;
    for (struct ets_roof *roof = first; code == CLI_OK && roof < b->roofs + b->roof_count; roof++) {
        struct ets_roof round = {.runs = 0};
        if (!goes_with(first, roof)) break;
        if (is_settled(b, roof)) continue;
        code = set_inputs(b, method, roof, elements_of(roof));
        if (code == CLI_OK) code = time_runs(b, method, &round);
        if (code == CLI_OK) add_round(b, roof, &round);
    }
    return code;
}

static int run_program(struct bench *b, struct ets_roof *roof)
{
    const bool is_traced = event_of(roof->program) != NULL;
    const struct ets_engine_program_options options = {
        .program = {b->programs[roof->program], cli_machine_programs[roof->program].size},
        .tracer = is_traced ? ETS_TRACER_ETSCOPE : ETS_TRACER_NONE,
        .threads = roof->threads,
    };
    struct ets_engine_program *program = NULL;
    struct ets_engine_method *method = NULL;
    int code = check(b, b->engine->program_open(&options, &program, &b->error));
    if (code == CLI_OK) {
        code = check(b, b->engine->method_open(program, "forward", &method, &b->error));
    }
    if (code == CLI_OK && is_traced) code = run_traced(b, program, method, roof);
    /* To open a program of vectors takes longer than to run it: its memory is written first. */
    for (int i = 0; i < (b->is_quick ? 1 : ROUNDS_OF_OPEN) && code == CLI_OK && !is_traced; i++) {
        code = run_untraced(b, method, roof);
    }
    b->engine->method_close(method);
    b->engine->program_close(program);
    return code;
}

static void add_roof(struct bench *b, enum ets_roof_program program, uint32_t threads,
                     uint64_t working_set, uint64_t work)
{
    if (b->roof_count == MOST_ROOFS) return;
    b->roofs[b->roof_count++] = (struct ets_roof){.program = program,
                                                  .threads = threads,
                                                  .working_set_bytes = working_set,
                                                  .work = work,
                                                  .spread = NAN};
}

/* Each program's roofs for one number of threads. */
static void plan(struct bench *b, uint32_t threads)
{
    const uint64_t side = CLI_MACHINE_SIDE;
    for (enum ets_roof_program p = 0; p < ETS_ROOF_PROGRAMS; p++) {
        /* In place a vector is read and written; of short ones a clock in microseconds says little.
         */
        const bool is_traced = event_of(p) != NULL;
        const uint64_t first = is_traced ? QUICK_ELEMENTS : FIRST_ELEMENTS;
        const uint64_t moved = p == ETS_ROOF_IN_PLACE ? 2 : vectors_of(p);
        const uint64_t weight = p == ETS_ROOF_FLOAT32 ? 4 : p == ETS_ROOF_FLOAT16 ? 2 : 1;
        const uint64_t number = p == ETS_ROOF_INT8_DYNAMIC ? 4 : weight;
        switch (ets_roof_kind(p)) {
        case ETS_ROOF_COMPUTE:
            add_roof(b, p, threads, side * side * (weight + 2 * number), 2 * side * side * side);
            break;
        case ETS_ROOF_BANDWIDTH:
            for (uint64_t n = first; n <= b->most_elements; n *= 2) {
                add_roof(b, p, threads, vectors_of(p) * n * sizeof(float),
                         moved * n * sizeof(float));
            }
            break;
        default: add_roof(b, p, threads, 0, CLI_MACHINE_CALLS);
        }
    }
}

/* Vectors until two fill 4 times the last cache, and a sixth of the memory at most. */
static uint64_t choose_elements(const struct ets_machine *machine, bool is_quick)
{
    uint64_t last = (uint64_t)8 << 20, elements = FIRST_ELEMENTS;
    const uint64_t memory = ets_os_physical_memory();
    if (is_quick) return QUICK_ELEMENTS;
    for (size_t i = 0; i < ETS_CACHE_LEVELS; i++) {
        if (machine->caches[i].bytes > last) last = machine->caches[i].bytes;
    }
    while (elements * 2 * sizeof(float) < 4 * last && elements < CLI_MACHINE_ELEMENTS &&
           elements * 2 * 5 * sizeof(float) <= memory / 6) {
        elements *= 2;
    }
    return elements;
}

static int prepare(struct bench *b, const struct ets_machine *machine, struct ets_arena *arena)
{
    b->most_elements = choose_elements(machine, b->is_quick);
    const uint64_t least = (uint64_t)CLI_MACHINE_SIDE * CLI_MACHINE_SIDE;
    const uint64_t count = b->most_elements > least ? b->most_elements : least;
    b->numbers = malloc(count * sizeof *b->numbers);
    b->roofs = ets_arena_alloc_array(arena, MOST_ROOFS, sizeof *b->roofs);
    b->rounds = ets_arena_alloc_array(arena, MOST_ROOFS, sizeof *b->rounds);
    bool ok = b->numbers != NULL && b->roofs != NULL && b->rounds != NULL;
    for (uint64_t i = 0; ok && i < count; i++) b->numbers[i] = 0.5f;
    for (enum ets_roof_program p = 0; p < ETS_ROOF_PROGRAMS && ok; p++) {
        b->programs[p] = cli_unpack_program(&cli_machine_programs[p]);
        ok = b->programs[p] != NULL;
    }
    return ok ? CLI_OK : cli_complain(CLI_INTERNAL, "no memory for the programs to measure with");
}

/* Whether all that is run with a roof needs no more rounds. */
static bool are_settled(const struct bench *b, uint32_t first)
{
    for (uint32_t i = first; i < b->roof_count; i++) {
        if (i > first && !goes_with(&b->roofs[first], &b->roofs[i])) break;
        if (!is_settled(b, &b->roofs[i])) return false;
    }
    return true;
}

/* "round 3, 41 of 66 times agree, at most 31 s left" */
static void show_progress(struct bench *b, int round)
{
    const uint64_t now = cli_now_ns();
    uint32_t settled = 0;
    if (!cli_progress_is_due(&b->progress, now)) return;
    for (uint32_t i = 0; i < b->roof_count; i++) settled += is_settled(b, &b->roofs[i]);
    cli_progress_show(&b->progress, now, "round %d, %u of %u times agree, at most %.0f s left",
                      round + 1, settled, b->roof_count, fmax(b->deadline_ns - now_ns(), 0) / 1e9);
}

/* One round over all roofs that need it, until Ctrl-C. */
static int run_round(struct bench *b, int round)
{
    int code = CLI_OK;
    for (uint32_t i = 0; i < b->roof_count && code == CLI_OK && cli_interrupted() == 0; i++) {
        const bool is_first = i == 0 || !goes_with(&b->roofs[i - 1], &b->roofs[i]);
        if (!is_first || are_settled(b, i)) continue;
        code = run_program(b, &b->roofs[i]);
        show_progress(b, round);
    }
    return code;
}

/* Ctrl-C leaves the times of the rounds so far, if each roof has one. */
static int check_interrupt(const struct bench *b)
{
    bool has_all = true;
    for (uint32_t i = 0; i < b->roof_count; i++) has_all &= b->rounds[i].count > 0;
    if (!has_all) {
        return cli_complain(CLI_SIGNAL + cli_interrupted(),
                            "interrupted before each time was measured once: there is nothing to "
                            "show");
    }
    cli_note("interrupted: times that did not agree yet may be too long");
    return CLI_OK;
}

static int run_rounds(struct bench *b)
{
    int code = CLI_OK;
    b->deadline_ns = now_ns() + MOST_NS;
    b->progress = cli_progress_start();
    cli_interrupt_begin();
    for (int round = 0; round < (b->is_quick ? 1 : MOST_ROUNDS) && code == CLI_OK; round++) {
        if (round > 0 && (now_ns() > b->deadline_ns || cli_interrupted() != 0)) break;
        code = run_round(b, round);
    }
    cli_interrupt_end();
    cli_progress_end(&b->progress);
    return code == CLI_OK && cli_interrupted() != 0 ? check_interrupt(b) : code;
}

/* Seconds that other programs kept cores busy, since some moment; false: not known. */
static bool others_seconds(double *seconds_out)
{
    struct timespec own;
    if (!ets_os_busy_seconds(seconds_out)) return false;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own) != 0) return false;
    *seconds_out -= (double)own.tv_sec + (double)own.tv_nsec / 1e9;
    return true;
}

static int run_rounds_watched(struct bench *b, struct cli_measure_load *load)
{
    double before = 0, after = 0;
    const double begin_ns = now_ns();
    const bool is_known = others_seconds(&before);
    const int code = run_rounds(b);
    const double seconds = (now_ns() - begin_ns) / 1e9;
    *load = (struct cli_measure_load){.is_known = is_known && others_seconds(&after)};
    if (load->is_known && seconds > 0) load->cores = fmax(0, (after - before) / seconds);
    return code;
}

int cli_measure(const struct ets_engine *engine, const struct cli_measure_options *options,
                struct ets_arena *arena, struct ets_machine *machine,
                struct cli_measure_load *load_out)
{
    struct bench b = {.engine = engine, .is_quick = options->is_quick};
    const uint32_t most = (uint32_t)engine->thread_count();
    int code = prepare(&b, machine, arena);
    if (code == CLI_OK && options->threads > 0) plan(&b, options->threads);
    for (uint32_t n = 1; code == CLI_OK && options->threads == 0; n = n * 2 < most ? n * 2 : most) {
        plan(&b, n);
        if (n >= most) break;
    }
    if (code == CLI_OK) code = run_rounds_watched(&b, load_out);
    for (size_t i = 0; i < ETS_ROOF_PROGRAMS; i++) free(b.programs[i]);
    free(b.numbers);
    machine->roofs = b.roofs;
    machine->roof_count = b.roof_count;
    return code;
}
