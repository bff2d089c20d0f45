/*
 * A generation, call by call: the prompt, in pieces where it is longer than an input, then one
 * token after the other.
 *
 *     struct ets_generation_options options = {.engine = engine, .program = program, .model =
 *                                              &model, .now_ns = now, .tokens = prompt,
 *                                              .prompt_count = 512, .new_count = 128};
 *     struct ets_generation generation;
 *     if (ets_generation_run(&options, &arena, &generation, &error) == ETS_OK) {
 *         printf("%u calls\n", generation.call_count);
 *     }
 *
 * A new token is the one with the largest logit of the last position, the first of equal ones. Time
 * is that of the runtime's execute call alone. One thread at a time, as the engine.
 */
#ifndef ETSCOPE_GENERATE_GENERATION_H
#define ETSCOPE_GENERATE_GENERATION_H

#include "etscope/engine.h"
#include "generate/recognize.h"
#include "host/arena.h"

enum ets_generation_phase {
    ETS_PHASE_ENCODE = 0, /* methods that feed others */
    ETS_PHASE_DEPTH = 1,  /* tokens before the prompt, to fill the cache */
    ETS_PHASE_PREFILL = 2,
    ETS_PHASE_DECODE = 3
};

/* Values for methods that feed others. */
typedef enum ets_status ets_generation_input_function(void *context, const char *method,
                                                      uint32_t input,
                                                      const struct ets_engine_value_info *info,
                                                      struct ets_value *value_out,
                                                      struct ets_error *error);

/* The logits of the token at `position`: row `row` of `rows`; borrowed until it returns. */
typedef enum ets_status ets_generation_logits_function(void *context, uint32_t position,
                                                       const struct ets_tensor *logits,
                                                       uint32_t row, uint32_t rows,
                                                       struct ets_error *error);

struct ets_generation_options {
    const struct ets_engine *engine;
    struct ets_engine_program *program;
    const struct ets_token_model *model;
    uint64_t (*now_ns)(void); /* a monotonic clock */
    /* Asked between calls, with the positions that are used; true ends the run. NULL: never. */
    bool (*is_stopped)(void *context, uint32_t used);
    void *stop_context;
    const int64_t *tokens; /* [depth_count + prompt_count] */
    uint32_t depth_count;  /* tokens that are there before the prompt */
    uint32_t prompt_count; /* 0: there is nothing to decode from, unless new_tokens are given */
    uint32_t new_count;
    /* Runs the prompt and a new token before, untraced, in the same loaded methods. Their state is
     * not set back: only for models whose calls depend on none but caches by position. */
    bool warms_up;
    ets_generation_input_function *input; /* NULL: nothing feeds */
    void *input_context;
    /* Gets the logits of each token of the prompt, in order; calls are as short as that needs.
     * Takes no depth. NULL: calls are as long as they can be. */
    ets_generation_logits_function *logits;
    void *logits_context;
};

struct ets_generation_call {
    const char *method; /* of the model */
    enum ets_generation_phase phase;
    uint32_t position, tokens; /* the first position, and how many tokens the call took */
    bool is_warm_up;
    double ns;
};

struct ets_generation {
    double load_ns; /* of the methods */
    struct ets_generation_call *calls;
    uint32_t call_count;
    int64_t *new_tokens;  /* [new_count]: as they were decoded */
    uint32_t new_count;   /* fewer than wanted: it was stopped */
    uint32_t end;         /* positions that are used */
    int64_t prompt_next;  /* the token that follows the prompt */
    int64_t warm_up_next; /* the same in the warm-up: another shows that a state was left over */
    bool is_stopped;
};

/*
 * Checks that prompt and new tokens fit, before anything is loaded. Statuses: INVALID_ARGUMENT,
 * UNSUPPORTED (a number of tokens that no method takes).
 */
enum ets_status ets_generation_check(const struct ets_token_model *model, uint32_t depth_count,
                                     uint32_t prompt_count, uint32_t new_count,
                                     struct ets_error *error);

/*
 * The same for a prompt whose tokens each have logits. Statuses: likewise; UNSUPPORTED also if
 * there are only logits of the last token of several.
 */
enum ets_status ets_generation_check_each(const struct ets_token_model *model, uint32_t count,
                                          struct ets_error *error);

/* Loads the methods, runs, and closes them. Statuses: those of the check and of the engine. */
enum ets_status ets_generation_run(const struct ets_generation_options *options,
                                   struct ets_arena *arena, struct ets_generation *generation_out,
                                   struct ets_error *error);

#endif
