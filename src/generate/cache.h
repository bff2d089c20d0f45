/*
 * The KV cache of a method: mutable buffers that are named so, or that have a dimension as long as
 * the context; and inputs that are handed on.
 *
 *     struct ets_kv_cache cache;
 *     if (ets_kv_cache_find(&method, NULL, 2048, &cache, &error) == ETS_OK && cache.tensor_count >
 * 0) { printf("%llu bytes a token\n", (unsigned long long)cache.token_bytes);
 *     }
 */
#ifndef ETSCOPE_GENERATE_CACHE_H
#define ETSCOPE_GENERATE_CACHE_H

#include "etscope/program.h"

struct ets_kv_cache {
    uint32_t tensor_count; /* 0: none of the program's buffers; a backend may keep one inside */
    uint64_t bytes;
    uint64_t token_bytes; /* of a position; 0: not all of them have one place for each position */
    int scalar_type;      /* of most of the bytes */
    uint32_t type_count;  /* different types; above 1: also scales and zero points */
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

/* Statuses: MISMATCH: each method keeps a cache of its own; LIMIT, NO_MEMORY. */
enum ets_status ets_kv_check_shared(const struct ets_method *prefill,
                                    const struct ets_method *decode, uint32_t context,
                                    struct ets_error *error);

#endif
