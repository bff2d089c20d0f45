/*
 * What `etscope generate` costs beside the loop of a runner: one process decodes the same tokens by
 * both in turn, each time in a program that was just loaded.
 *
 *     bench_generation PROGRAM [ROUNDS]
 *     bench_generation --trace FILE COUNT PROGRAM
 *
 * Prints a line: nanoseconds of a decode step by the plain loop, by ours, by ours with a trace, and
 * by the plain loop with ETDumpGen.
 * A step is all from one token to the next. The numbers are means over the positions of
 * the least of each over the rounds. --trace writes a trace of COUNT tokens, whose positions
 * go around in the program's context.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "dump/extra_tokens.h"
#include "etscope/file.h"
#include "generate/generation.h"
#include "generate/greedy.h"
#include "plain_loop.h"

enum { PLAIN, OURS, TRACED, UPSTREAM, WAYS, FIRST_TOKEN = 3, ROUNDS = 200 };

/* Steps of one generation that are timed: all but the first calls. */
struct times {
    uint64_t last;
    uint32_t count, room;
    double *steps; /* [room] */
};

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void must(bool is_fine, const char *why)
{
    if (is_fine) return;
    fprintf(stderr, "bench_generation: %s\n", why);
    exit(1);
}

static void *room_for(size_t count, size_t size)
{
    void *room = calloc(count, size);
    must(room != NULL, "no memory");
    return room;
}

static bool end_step(void *context, uint32_t used)
{
    struct times *times = context;
    const uint64_t at = now();
    (void)used;
    if (times->last != 0 && times->count < times->room) {
        times->steps[times->count++] = (double)(at - times->last);
    }
    times->last = at;
    return false;
}

struct bench {
    const char *path;
    struct ets_bytes bytes;
    const struct ets_engine *engine;
    struct ets_token_model model;
    uint32_t steps;
    int64_t *tokens; /* [steps]: of the first generation */
    bool has_tokens;
};

static void compare_tokens(struct bench *bench, const int64_t *tokens)
{
    const size_t size = bench->steps * sizeof *tokens;
    if (!bench->has_tokens) memcpy(bench->tokens, tokens, size);
    bench->has_tokens = true;
    must(memcmp(bench->tokens, tokens, size) == 0, "the loops gave different tokens");
}

static void run_plain(struct bench *bench, bool is_traced, struct times *times)
{
    int64_t *tokens = room_for(bench->steps, sizeof *tokens);
    struct plain_loop *loop = plain_loop_open(bench->path, bench->model.decode.name, is_traced);
    must(loop != NULL, "the plain loop cannot load the program");
    end_step(times, 0);
    int64_t token = plain_loop_step(loop, FIRST_TOKEN, 0);
    end_step(times, 0);
    for (uint32_t i = 0; i < bench->steps && token >= 0; i++) {
        tokens[i] = token;
        token = plain_loop_step(loop, token, i + 1);
        end_step(times, i);
    }
    must(token >= 0, "the plain loop failed");
    plain_loop_close(loop);
    compare_tokens(bench, tokens);
    free(tokens);
}

static void run_ours(struct bench *bench, bool is_traced, struct times *times)
{
    struct ets_arena arena;
    struct ets_error error;
    struct ets_generation generation;
    struct ets_engine_program *program;
    const int64_t prompt[] = {FIRST_TOKEN};
    const struct ets_engine_program_options options = {
        .program = bench->bytes, .tracer = is_traced ? ETS_TRACER_ETSCOPE : ETS_TRACER_NONE};
    ets_arena_init(&arena, NULL, 0);
    must(bench->engine->program_open(&options, &program, &error) == ETS_OK, error.message);
    const struct ets_generation_options how = {.engine = bench->engine,
                                               .program = program,
                                               .model = &bench->model,
                                               .now_ns = now,
                                               .is_stopped = end_step,
                                               .stop_context = times,
                                               .tokens = prompt,
                                               .prompt_count = 1,
                                               .new_count = bench->steps};
    must(ets_generation_run(&how, &arena, &generation, &error) == ETS_OK, error.message);
    compare_tokens(bench, generation.new_tokens);
    bench->engine->program_close(program);
    ets_arena_reset(&arena);
}

/* The mean over positions of the least of each over the rounds; the first calls warm up. */
static double summarize(const double *steps, uint32_t rounds, uint32_t count)
{
    enum { SKIPPED = 2 };
    double sum = 0;
    for (uint32_t i = SKIPPED; i < count; i++) {
        double least = INFINITY;
        for (uint32_t round = 0; round < rounds; round++) {
            least = fmin(least, steps[(size_t)round * count + i]);
        }
        sum += least;
    }
    return sum / (count - SKIPPED);
}

static void compare(struct bench *bench, uint32_t rounds)
{
    double *steps[WAYS];
    for (int way = 0; way < WAYS; way++) {
        steps[way] = room_for((size_t)rounds * bench->steps, sizeof **steps);
    }
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t k = 0; k < WAYS; k++) {
            const uint32_t way = (k + round) % WAYS;
            struct times times = {.room = bench->steps,
                                  .steps = steps[way] + (size_t)round * bench->steps};
            if (way == PLAIN || way == UPSTREAM) run_plain(bench, way == UPSTREAM, &times);
            else run_ours(bench, way == TRACED, &times);
            must(times.count == bench->steps, "steps are missing");
        }
    }
    for (int way = 0; way < WAYS; way++) {
        printf("%.1f%c", summarize(steps[way], rounds, bench->steps), way + 1 < WAYS ? ' ' : '\n');
        free(steps[way]);
    }
}

static void set_number(struct bench *bench, struct ets_engine_method *method, uint32_t input,
                       const struct ets_tensor *shape, int64_t number)
{
    uint8_t bytes[8];
    struct ets_error error;
    struct ets_value value = {.kind = ETS_VALUE_TENSOR, .as.tensor = *shape};
    struct ets_tensor *tensor = &value.as.tensor;
    if (tensor->rank > 0) tensor->sizes[tensor->rank - 1] = 1;
    ets_tensor_set_contiguous(tensor);
    ets_put_integer(bytes, tensor->scalar_type, 0, number);
    tensor->data = bytes;
    tensor->data_bytes = ets_scalar_type_bytes(tensor->scalar_type);
    must(bench->engine->method_set_input(method, input, &value, &error) == ETS_OK, error.message);
}

/* `count` decode steps in one program, the first of them told as prefill. */
static void write_trace(struct bench *bench, const char *path, uint32_t count)
{
    const struct ets_engine *engine = bench->engine;
    const struct ets_token_method *shape = &bench->model.decode;
    const struct ets_engine_program_options options = {.program = bench->bytes,
                                                       .tracer = ETS_TRACER_ETSCOPE};
    struct ets_engine_program *program;
    struct ets_engine_method *method;
    struct ets_extra_growth told = {0};
    struct ets_bytes trace, debug;
    struct ets_error error;
    uint8_t *whole;
    size_t size;
    must(engine->program_open(&options, &program, &error) == ETS_OK, error.message);
    must(engine->method_open(program, shape->name, &method, &error) == ETS_OK, error.message);
    for (uint32_t i = 0; i < count; i++) {
        const struct ets_run_tokens run = {.method = {shape->name, strlen(shape->name)},
                                           .invocation = i,
                                           .stage = i == 0 ? ETS_STAGE_PREFILL : ETS_STAGE_DECODE,
                                           .tokens = 1,
                                           .position = i};
        set_number(bench, method, shape->tokens, &shape->token_shape, i % shape->vocabulary);
        set_number(bench, method, shape->position, &shape->position_shape,
                   i % bench->model.context);
        must(engine->method_execute(method, &error) == ETS_OK, error.message);
        must(ets_run_tokens_add(&told, &run), "no memory");
    }
    must(engine->trace_finish(program, &trace, &debug, &error) == ETS_OK, error.message);
    must(ets_extra_growth_append(&told, trace, &whole, &size) && whole != NULL, "no memory");
    FILE *file = fopen(path, "wb");
    must(file != NULL && fwrite(whole, 1, size, file) == size && fclose(file) == 0,
         "the trace cannot be written");
    free(whole);
    ets_extra_growth_close(&told);
    engine->method_close(method);
    engine->program_close(program);
}

/* The library of kernels beside the engine, where there is one. */
static const char *kernels_beside(const struct ets_engine_library *library, char *room, size_t size)
{
    const char *engine = ets_engine_path(library), *slash = strrchr(engine, '/');
    snprintf(room, size, "%.*s/libetscope_llama.so", slash == NULL ? 1 : (int)(slash - engine),
             slash == NULL ? "." : engine);
    return access(room, F_OK) == 0 ? room : NULL;
}

static long number_of(const char *word)
{
    const long number = strtol(word, NULL, 10);
    must(number > 0 && number <= 1000000, "not a number of rounds or tokens");
    return number;
}

int main(int count, char **words)
{
    const bool is_trace = count == 5 && strcmp(words[1], "--trace") == 0;
    const struct ets_token_choice choice = ETS_TOKEN_CHOICE_NONE;
    struct bench bench = {.path = words[count > 1 ? is_trace ? 4 : 1 : 0]};
    struct ets_engine_library *library;
    struct ets_file *file;
    struct ets_program program;
    struct ets_error error;
    char path[4096];
    must(is_trace || count == 2 || count == 3,
         "usage: bench_generation PROGRAM [ROUNDS], or --trace FILE COUNT PROGRAM");
    must(ets_engine_open(NULL, &library, &bench.engine, &error) == ETS_OK, error.message);
    must(ets_file_open(bench.path, &file, &error) == ETS_OK, error.message);
    bench.bytes = ets_file_bytes(file);
    must(ets_program_init(&program, bench.bytes, &error) == ETS_OK, error.message);
    must(ets_token_model_recognize(&program, &choice, &bench.model, &error) == ETS_OK,
         error.message);
    must(
        bench.model.has_cache && bench.model.decode.tokens == 0 && bench.model.decode.position == 1,
        "the program does not take tokens and a position");
    must(plain_loop_kernels(kernels_beside(library, path, sizeof path)),
         "llama:: kernels are missing");
    bench.steps = bench.model.context - 1;
    bench.tokens = room_for(bench.steps, sizeof *bench.tokens);
    if (is_trace) write_trace(&bench, words[2], (uint32_t)number_of(words[3]));
    else compare(&bench, count == 3 ? (uint32_t)number_of(words[2]) : ROUNDS);
    free(bench.tokens);
    ets_file_close(file);
    ets_engine_close(library);
    return 0;
}
