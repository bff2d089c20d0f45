/* Finds KV caches among the mutable buffers of methods. */
#include "memory/kv_cache.h"

#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "format/model_numbers.h"
#include "format/program_lists.h"
#include "format/shared_buffers.h"
#include "memory/memory_plan.h"

/* METHODS: of a program, those that may keep caches; a small file may have thousands. */
enum { FEWEST_DIMENSIONS = 3, TYPES = 64, METHODS = 64 };

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
    bool *is_written; /* [plan.tensor_count] by an operator of caches */
    uint32_t written_count;
};

/* A tensor that an operator of caches takes as its cache. */
static void note_written(struct tensors *tensors, const struct ets_instruction *call,
                         uint32_t argument)
{
    const struct ets_memory_plan *plan = &tensors->plan;
    if (argument >= call->argument_count) return;
    uint32_t index = plan->tensor_of[ets_instruction_argument(call, argument)];
    if (index == ETS_PLAN_NONE) return;
    if (plan->tensors[index].base != ETS_PLAN_NONE) index = plan->tensors[index].base;
    tensors->written_count += !tensors->is_written[index];
    tensors->is_written[index] = true;
}

static void note_writers(struct tensors *tensors)
{
    for (uint32_t step = 0; step < tensors->plan.step_count; step++) {
        struct ets_instruction call;
        ets_plan_instruction(&tensors->plan, step, &call);
        if (ets_text_starts_with(call.name, "llama::update_cache")) {
            note_written(tensors, &call, 1);
        } else if (ets_text_is(call.name, "llama::sdpa_with_kv_cache")) {
            note_written(tensors, &call, 3);
            note_written(tensors, &call, 4);
        }
    }
}

static enum ets_status open_tensors(struct tensors *tensors, const struct ets_method *method,
                                    const struct ets_kv_inputs *inputs, struct ets_error *error)
{
    tensors->inputs = inputs;
    tensors->written_count = 0;
    ets_arena_init(&tensors->arena, NULL, 0);
    ETS_TRY(ets_memory_plan_init(&tensors->plan, method, &tensors->arena, error));
    const size_t count = tensors->plan.tensor_count;
    tensors->is_written =
        ets_arena_alloc_array(&tensors->arena, count + 1, sizeof *tensors->is_written);
    if (tensors->is_written == NULL) return ets_fail_memory(error, "the KV caches of a method");
    memset(tensors->is_written, 0, (count + 1) * sizeof *tensors->is_written);
    note_writers(tensors);
    return ETS_OK;
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

static bool is_like(const struct ets_tensor *a, const struct ets_tensor *b)
{
    return a->scalar_type == b->scalar_type && a->rank == b->rank &&
           memcmp(a->sizes, b->sizes, a->rank * sizeof *a->sizes) == 0;
}

/* Kinds above the limit are only in the sums. */
static void add_kind(struct ets_kv_cache *cache, const struct ets_tensor *tensor)
{
    uint32_t at = 0;
    while (at < cache->kind_count && !is_like(&cache->kinds[at].tensor, tensor)) at++;
    if (at == ETS_KV_KINDS) return;
    if (at == cache->kind_count) {
        cache->kinds[cache->kind_count++] = (struct ets_kv_kind){.tensor = *tensor};
        cache->kinds[at].tensor.data = NULL;
        cache->kinds[at].tensor.data_bytes = 0;
    }
    cache->kinds[at].count++;
}

static void add_up(const struct tensors *tensors, uint32_t context, struct ets_kv_cache *cache)
{
    uint64_t of_type[TYPES] = {0};
    bool has_windows = false;
    cache->is_by_position = true;
    for (uint32_t i = 0; i < tensors->plan.tensor_count; i++) {
        struct ets_program_tensor buffer;
        if (!get_buffer(tensors, i, &buffer)) continue;
        const bool has_places = context > 0 && has_size(&buffer.tensor, context);
        const bool is_given = is_handed_on(tensors, tensors->plan.tensors[i].value);
        const bool is_named =
            tensors->is_written[i] || is_given || ets_text_contains(buffer.qualified_name, "cache");
        if (!has_places && !is_given) cache->is_by_position = false;
        if (!has_places && !is_named) continue;
        cache->tensor_count++;
        add_kind(cache, &buffer.tensor);
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

enum ets_status ets_kv_check_shared(const struct ets_method *prefill,
                                    const struct ets_method *decode, uint32_t context,
                                    struct ets_error *error)
{
    struct ets_kv_cache cache;
    ETS_TRY(ets_kv_cache_find(decode, NULL, context, &cache, error));
    if (cache.tensor_count == 0 || ets_methods_share_buffers(prefill, decode)) return ETS_OK;
    return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET,
                    "%.*s and %.*s keep a cache of their own each: export them with "
                    "share_mutable_buffers",
                    ETS_TEXT(prefill->name), ETS_TEXT(decode->name));
}

/* How many inputs are integers, and the most elements of one: tokens of a call. */
static uint32_t count_integers(const struct ets_method *method, uint32_t *width_out)
{
    uint32_t count = 0;
    *width_out = 1;
    for (uint32_t i = 0; i < method->input_count; i++) {
        struct ets_evalue input;
        ets_method_input(method, i, &input);
        const enum ets_scalar_type type = input.tensor.tensor.scalar_type;
        if (input.kind != ETS_EVALUE_TENSOR) continue;
        if (type != ETS_SCALAR_LONG && type != ETS_SCALAR_INT) continue;
        const uint64_t elements = ets_tensor_count(&input.tensor.tensor);
        if (elements > *width_out)
            *width_out = elements < UINT32_MAX ? (uint32_t)elements : UINT32_MAX;
        count++;
    }
    return count;
}

/*
 * The positions where nothing states them: dimension 1 of what operators of caches write; or what
 * alike buffers of four dimensions, in pairs, have in one dimension that fits the tokens of a call,
 * while states of other kinds are of fewer dimensions or squares. 0: not known.
 */
static uint32_t guess_context(const struct tensors *tensors, uint32_t integers, uint32_t width)
{
    struct ets_program_tensor buffer;
    struct ets_tensor first = {.rank = 0};
    uint32_t count = 0, found = 0;
    for (uint32_t i = 0; i < tensors->plan.tensor_count; i++) {
        if (!get_buffer(tensors, i, &buffer) || buffer.tensor.rank < FEWEST_DIMENSIONS) continue;
        const int64_t size = buffer.tensor.sizes[1];
        if (tensors->is_written[i]) return size > 0 && size < UINT32_MAX ? (uint32_t)size : 0;
        if (count++ == 0) first = buffer.tensor;
        if (!is_like(&first, &buffer.tensor)) integers = 0; /* nothing is sure but the operators */
    }
    if (integers < 2 || count == 0 || count % 2 != 0 || first.rank != 4) return 0;
    for (uint32_t k = 1; k < first.rank; k++) {
        if (first.sizes[k] < width || first.sizes[k] <= 1) continue;
        if (found > 0 || first.sizes[k] >= UINT32_MAX) return 0;
        found = (uint32_t)first.sizes[k];
    }
    return found;
}

/* The caches of one method that takes integers; without doubt, else none. */
static enum ets_status find_of(const struct ets_method *method, uint32_t stated,
                               struct ets_kv_cache *cache, uint32_t *context_out,
                               struct ets_error *error)
{
    struct tensors tensors;
    uint32_t width;
    const uint32_t integers = count_integers(method, &width);
    *cache = (struct ets_kv_cache){.tensor_count = 0};
    *context_out = stated;
    const enum ets_status status = open_tensors(&tensors, method, NULL, error);
    if (status == ETS_OK) {
        if (stated == 0) *context_out = guess_context(&tensors, integers, width);
        if (*context_out > 0 || tensors.written_count > 0) add_up(&tensors, *context_out, cache);
    }
    ets_arena_reset(&tensors.arena);
    return status;
}

/* 0: not stated, or the program says that it has no cache; then `*has_none`. */
static uint32_t stated_context(const struct ets_program *program, bool *has_none)
{
    int64_t number, use;
    *has_none = ets_model_number(program, "use_kv_cache", &use) && use == 0;
    if (ets_model_context(program, &number) == NULL) return 0;
    return number > 0 && number < UINT32_MAX ? (uint32_t)number : 0;
}

enum ets_status ets_kv_caches_find(const struct ets_program *program,
                                   struct ets_kv_caches *caches_out, struct ets_error *error)
{
    bool has_none;
    uint32_t looked_at = 0, width;
    struct ets_method most = {.name = {NULL, 0}};
    const uint32_t stated = stated_context(program, &has_none);
    *caches_out = (struct ets_kv_caches){.is_shared = true};
    for (uint32_t i = 0; i < program->method_count && !has_none; i++) {
        struct ets_method method;
        struct ets_kv_cache cache;
        uint32_t context;
        ets_program_method(program, i, &method);
        if (ets_method_is_constant(&method) || count_integers(&method, &width) == 0) continue;
        if (looked_at++ == METHODS) {
            *caches_out = (struct ets_kv_caches){.method_count = 0};
            return ETS_OK;
        }
        ETS_TRY(find_of(&method, stated, &cache, &context, error));
        if (cache.bytes == 0) continue;
        if (caches_out->method_count++ > 0 && !ets_methods_share_buffers(&most, &method)) {
            caches_out->is_shared = false;
        }
        caches_out->bytes += cache.bytes;
        if (cache.bytes <= caches_out->cache.bytes) continue;
        most = method;
        caches_out->cache = cache;
        caches_out->method = method.name;
        caches_out->context = context;
    }
    if (caches_out->is_shared) caches_out->bytes = caches_out->cache.bytes;
    return ETS_OK;
}
