/*
 * How a program takes tokens: which method, which input is what, whether it keeps a cache.
 *
 *     struct ets_token_model model;
 *     const struct ets_token_choice choice = ETS_TOKEN_CHOICE_NONE;
 *     if (ets_token_model_recognize(&program, &choice, &model, &error) != ETS_OK) { ... }
 *     printf("%s takes %u tokens at most\n", model.prefill.name, model.prefill.width);
 *
 * Nothing is guessed: an input that could be two things is an error, which says what was looked
 * for. The program must live as long as the model. Any thread may call.
 */
#ifndef ETSCOPE_GENERATE_RECOGNIZE_H
#define ETSCOPE_GENERATE_RECOGNIZE_H

#include <stdbool.h>

#include "etscope/program.h"
#include "host/text_builder.h"
#include "memory/kv_cache.h"

/* No input or output, or a number that is not known. */
#define ETS_TOKEN_NONE UINT32_MAX

enum { ETS_TOKEN_FEEDS = 8, ETS_TOKEN_NAME = 128 };

enum ets_position_kind {
    ETS_POSITION_ABSENT = 0, /* the method sees the whole sequence at each call */
    ETS_POSITION_FIRST = 1,  /* one number: the position of the first token */
    ETS_POSITION_EACH = 2    /* the position of each token */
};

/* A method that takes tokens. */
struct ets_token_method {
    char name[ETS_TOKEN_NAME];
    struct ets_method method;
    uint32_t tokens, position, logits; /* inputs and output; position NONE: absent */
    struct ets_tensor token_shape;     /* sizes are upper bounds; so are those of: */
    struct ets_tensor position_shape;
    enum ets_position_kind position_kind;
    uint32_t width;      /* the most tokens of one call */
    bool is_dynamic;     /* fewer tokens are fine */
    bool gives_all;      /* logits of each token, else of the last one */
    uint32_t vocabulary; /* numbers in the logits of a token; an upper bound if they are dynamic */
};

/* An input that is the output of another method: of one that runs once, before the tokens; or of
 * one that takes tokens, and then the input is handed on from call to call, from zeros on. */
struct ets_token_feed {
    char to[ETS_TOKEN_NAME], from[ETS_TOKEN_NAME];
    uint32_t input, output;
};

/* What the user says of the program; the rest is recognized. */
struct ets_token_choice {
    char prefill[ETS_TOKEN_NAME], decode[ETS_TOKEN_NAME]; /* "": recognize */
    uint32_t tokens, position, logits;                    /* NONE: recognize */
    uint32_t context;                                     /* NONE: recognize */
    int64_t filler; /* token for the positions behind the last one of a method that takes a fixed
                       number of tokens and keeps no cache; -1: none */
    struct ets_token_feed feeds[ETS_TOKEN_FEEDS];
    uint32_t feed_count;
};

#define ETS_TOKEN_CHOICE_NONE                                                           \
    {                                                                                   \
        .tokens = ETS_TOKEN_NONE, .position = ETS_TOKEN_NONE, .logits = ETS_TOKEN_NONE, \
        .context = ETS_TOKEN_NONE, .filler = -1                                         \
    }

struct ets_token_model {
    const struct ets_program *program;
    struct ets_token_method prefill, decode; /* equal if one method does both */
    bool is_one;
    bool has_cache;        /* or another state from call to call */
    bool prefill_starts;   /* prefill takes no position: it is for the first tokens alone */
    uint32_t context;      /* positions in all; NONE: not known */
    const char *stated_by; /* the method that states the context, "the cache", ...; NULL: unknown */
    uint32_t vocabulary;
    int64_t filler;
    struct ets_token_feed feeds[ETS_TOKEN_FEEDS];
    uint32_t feed_count;
};

/*
 * Statuses: NOT_FOUND (no such method or input), UNSUPPORTED (nothing takes tokens, or an input is
 * not known), AMBIGUOUS (several fit), MISMATCH (the program contradicts itself), INVALID_ARGUMENT
 * (the choice names an input that cannot be that), LIMIT, NO_MEMORY.
 */
enum ets_status ets_token_model_recognize(const struct ets_program *program,
                                          const struct ets_token_choice *choice,
                                          struct ets_token_model *model_out,
                                          struct ets_error *error);

/* Whether a feed hands on from call to call. */
bool ets_token_feed_is_handed_on(const struct ets_token_model *model,
                                 const struct ets_token_feed *feed);
/* The inputs of decode that are handed on. */
void ets_token_handed_on(const struct ets_token_model *model, struct ets_kv_inputs *inputs_out);

/* "forward takes up to 63 tokens (input 0) and their first position (input 1), ..." */
void ets_token_model_describe(const struct ets_token_model *model, struct ets_text_builder *text);

#endif
