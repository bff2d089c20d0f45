/*
 * The KV caches of a method or a program: mutable buffers that are named so, that an operator of
 * caches writes, or that have a dimension as long as the context; and inputs that are handed on.
 *
 *     struct ets_kv_caches caches;
 *     if (ets_kv_caches_find(&program, &caches, &error) == ETS_OK && caches.method_count > 0) {
 *         printf("%llu bytes\n", (unsigned long long)caches.cache.bytes);
 *     }
 */
#ifndef ETSCOPE_MEMORY_KV_CACHE_H
#define ETSCOPE_MEMORY_KV_CACHE_H

#include <stdbool.h>

#include "etscope/program.h"

enum { ETS_KV_KINDS = 4 };

/* Tensors of one type and shape. */
struct ets_kv_kind {
    uint32_t count;
    struct ets_tensor tensor; /* without data */
};

struct ets_kv_cache {
    uint32_t tensor_count; /* 0: none of the program's buffers; a backend may keep one inside */
    uint64_t bytes;
    uint64_t token_bytes; /* of a position; 0: not all of them have one place for each position */
    bool is_by_position;  /* so has every mutable buffer: the method keeps no other state */
    int scalar_type;      /* of most of the bytes */
    uint32_t type_count;  /* different types; above 1: also scales and zero points */
    struct ets_kv_kind
        kinds[ETS_KV_KINDS]; /* [kind_count] the first ones, in the order of values */
    uint32_t kind_count;
};

/* What a program keeps, whose tokens were not recognized. */
struct ets_kv_caches {
    struct ets_kv_cache cache; /* of the method whose caches take most */
    struct ets_text method;    /* that one's name, of the program */
    uint32_t method_count;     /* that keep caches; 0: none, or it is not sure */
    bool is_shared;            /* all of them keep the same */
    uint64_t bytes;            /* of all, what they share counted once */
    uint32_t context;          /* positions; 0: not known */
};

/* Inputs of a method that are handed on from call to call: a cache, too. */
struct ets_kv_inputs {
    uint32_t items[8], count;
};

/* `inputs` NULL: none; `context`: positions in all. Statuses: LIMIT, NO_MEMORY. */
enum ets_status ets_kv_cache_find(const struct ets_method *method,
                                  const struct ets_kv_inputs *inputs, uint32_t context,
                                  struct ets_kv_cache *cache_out, struct ets_error *error);

/*
 * How many positions the buffers have where nothing states it: the one size that all buffers of
 * three or more dimensions share and that is longer than `width`, the most tokens of a call.
 * `*context_out` UINT32_MAX: not known. Statuses: LIMIT, NO_MEMORY.
 */
enum ets_status ets_kv_context(const struct ets_method *method, const struct ets_kv_inputs *inputs,
                               uint32_t width, uint32_t *context_out, struct ets_error *error);

/*
 * The caches of a program, where the file leaves no doubt: the context is stated (model_numbers.h)
 * and buffers are as long; or buffers are named so or written by operators of caches; or all large
 * buffers have four dimensions, one of which fits the method's two integer inputs, tokens and
 * positions. Else none. Statuses: LIMIT, NO_MEMORY.
 */
enum ets_status ets_kv_caches_find(const struct ets_program *program,
                                   struct ets_kv_caches *caches_out, struct ets_error *error);

/* Statuses: MISMATCH: each method keeps a cache of its own; LIMIT, NO_MEMORY. */
enum ets_status ets_kv_check_shared(const struct ets_method *prefill,
                                    const struct ets_method *decode, uint32_t context,
                                    struct ets_error *error);

#endif
