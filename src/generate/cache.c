/* Finds KV caches among the mutable buffers of a method. */
#include "generate/cache.h"

#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "memory/memory_plan.h"

enum { FEWEST_DIMENSIONS = 3, TYPES = 64 };

static bool names_cache(struct ets_text name)
{
    static const char part[] = "cache";
    for (size_t i = 0; i + sizeof part - 1 <= name.size; i++) {
        if (memcmp(name.data + i, part, sizeof part - 1) == 0) return true;
    }
    return false;
}

/* The first is that of the batch. */
static bool has_size(const struct ets_tensor *tensor, int64_t size)
{
    if (tensor->rank < FEWEST_DIMENSIONS) return false;
    for (uint32_t i = 1; i < tensor->rank; i++) {
        if (tensor->sizes[i] == size) return true;
    }
    return false;
}

/* The tensors of a method that may be a cache. */
struct tensors {
    struct ets_arena arena;
    struct ets_memory_plan plan;
    const struct ets_kv_inputs *inputs;
};

static enum ets_status open_tensors(struct tensors *tensors, const struct ets_method *method,
                                    const struct ets_kv_inputs *inputs, struct ets_error *error)
{
    tensors->inputs = inputs;
    ets_arena_init(&tensors->arena, NULL, 0);
    return ets_memory_plan_init(&tensors->plan, method, &tensors->arena, error);
}

/* Whether a value is an input that is handed on. */
static bool is_handed_on(const struct tensors *tensors, uint32_t value)
{
    const struct ets_kv_inputs *inputs = tensors->inputs;
    for (uint32_t i = 0; inputs != NULL && i < inputs->count; i++) {
        struct ets_evalue input;
        ets_method_input(&tensors->plan.method, inputs->items[i], &input);
        if (input.index == value) return true;
    }
    return false;
}

/* Tensor number `index` of the plan; false: it is neither a mutable buffer nor handed on. */
static bool get_buffer(const struct tensors *tensors, uint32_t index,
                       struct ets_program_tensor *tensor_out)
{
    struct ets_evalue value;
    const struct ets_plan_tensor *tensor = &tensors->plan.tensors[index];
    const bool is_buffer = tensor->kind == ETS_PLAN_BUFFER && tensor->base == ETS_PLAN_NONE;
    if (!is_buffer && !is_handed_on(tensors, tensor->value)) return false;
    ets_method_value(&tensors->plan.method, tensor->value, &value);
    *tensor_out = value.tensor;
    return value.kind == ETS_EVALUE_TENSOR;
}

static void add_up(const struct tensors *tensors, uint32_t context, struct ets_kv_cache *cache)
{
    uint64_t of_type[TYPES] = {0};
    bool has_windows = false;
    for (uint32_t i = 0; i < tensors->plan.tensor_count; i++) {
        struct ets_program_tensor buffer;
        if (!get_buffer(tensors, i, &buffer)) continue;
        const bool has_places = has_size(&buffer.tensor, context);
        const bool is_named = names_cache(buffer.qualified_name) ||
                              is_handed_on(tensors, tensors->plan.tensors[i].value);
        if (!has_places && !is_named) continue;
        cache->tensor_count++;
        cache->bytes += buffer.tensor_bytes;
        if (has_places) cache->token_bytes += buffer.tensor_bytes / context;
        else has_windows = true;
        const int type = buffer.tensor.scalar_type;
        if (type >= 0 && type < TYPES) of_type[type] += buffer.tensor_bytes;
    }
    for (int i = 0; i < TYPES; i++) {
        cache->type_count += of_type[i] > 0;
        if (of_type[i] > of_type[cache->scalar_type]) cache->scalar_type = i;
    }
    if (has_windows) cache->token_bytes = 0;
}

enum ets_status ets_kv_cache_find(const struct ets_method *method,
                                  const struct ets_kv_inputs *inputs, uint32_t context,
                                  struct ets_kv_cache *cache_out, struct ets_error *error)
{
    struct tensors tensors;
    *cache_out = (struct ets_kv_cache){.tensor_count = 0};
    const enum ets_status status = open_tensors(&tensors, method, inputs, error);
    if (status == ETS_OK) add_up(&tensors, context, cache_out);
    ets_arena_reset(&tensors.arena);
    return status;
}

/* Whether all large buffers have this size. */
static bool is_common(const struct tensors *tensors, int64_t size)
{
    for (uint32_t i = 0; i < tensors->plan.tensor_count; i++) {
        struct ets_program_tensor buffer;
        if (!get_buffer(tensors, i, &buffer) || buffer.tensor.rank < FEWEST_DIMENSIONS) continue;
        if (!has_size(&buffer.tensor, size)) return false;
    }
    return true;
}

static uint32_t find_length(const struct tensors *tensors, uint32_t width)
{
    for (uint32_t i = 0; i < tensors->plan.tensor_count; i++) {
        struct ets_program_tensor buffer;
        uint32_t found = UINT32_MAX;
        if (!get_buffer(tensors, i, &buffer) || buffer.tensor.rank < FEWEST_DIMENSIONS) continue;
        for (uint32_t k = 1; k < buffer.tensor.rank; k++) {
            const int64_t size = buffer.tensor.sizes[k];
            if (size < width || size <= 1 || size >= UINT32_MAX || size == found) continue;
            if (!is_common(tensors, size)) continue;
            if (found != UINT32_MAX) return UINT32_MAX; /* two sizes fit */
            found = (uint32_t)size;
        }
        return found; /* what fits all buffers fits the first */
    }
    return UINT32_MAX;
}

enum ets_status ets_kv_context(const struct ets_method *method, const struct ets_kv_inputs *inputs,
                               uint32_t width, uint32_t *context_out, struct ets_error *error)
{
    struct tensors tensors;
    *context_out = UINT32_MAX;
    const enum ets_status status = open_tensors(&tensors, method, inputs, error);
    if (status == ETS_OK) *context_out = find_length(&tensors, width);
    ets_arena_reset(&tensors.arena);
    return status;
}

/* The engine shares the second of two planned buffers of equal size, as the exporter's option
 * share_mutable_buffers makes them. */
enum ets_status ets_kv_check_shared(const struct ets_method *prefill,
                                    const struct ets_method *decode, uint32_t context,
                                    struct ets_error *error)
{
    struct ets_kv_cache cache;
    ETS_TRY(ets_kv_cache_find(decode, NULL, context, &cache, error));
    if (cache.tensor_count == 0) return ETS_OK;
    if (prefill->arena_count == 2 && decode->arena_count == 2) {
        struct ets_planned_arena first, second;
        ets_method_arena(prefill, 1, &first);
        ets_method_arena(decode, 1, &second);
        if (first.bytes == second.bytes) return ETS_OK;
    }
    return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET,
                    "%.*s and %.*s keep a cache of their own each: export them with "
                    "share_mutable_buffers",
                    ETS_TEXT(prefill->name), ETS_TEXT(decode->name));
}
