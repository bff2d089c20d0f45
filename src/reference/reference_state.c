/* Keeps the buffers of a model by name, each with its own memory. */
#include "reference/reference_state.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "host/strings.h"
#include "reference/reference_value.h"

/* A buffer, and what was put for it since the last time. */
struct entry {
    bool is_known, is_put;
    struct ets_reference_buffer buffer;
    struct ets_tensor next;
    const char *next_reason;
};

struct ets_reference_state {
    const struct ets_allocator *allocator;
    struct ets_arena arena; /* names and reasons */
    struct ets_strings names, reasons;
    struct entry *entries; /* [names.count] */
    uint32_t capacity;
};

static enum ets_status no_memory(struct ets_error *error)
{
    return ets_fail_memory(error, "the buffers of a model");
}

enum ets_status ets_reference_state_new(const struct ets_allocator *allocator,
                                        struct ets_reference_state **state_out,
                                        struct ets_error *error)
{
    if (allocator == NULL) allocator = &ets_libc_allocator;
    struct ets_reference_state *state =
        allocator->reallocate(allocator->context, NULL, sizeof *state);
    if (state == NULL) return no_memory(error);
    *state = (struct ets_reference_state){.allocator = allocator};
    ets_arena_init(&state->arena, allocator, 0);
    if (ets_strings_init(&state->names, &state->arena) != 0 ||
        ets_strings_init(&state->reasons, &state->arena) != 0) {
        ets_reference_state_free(state);
        return no_memory(error);
    }
    *state_out = state;
    return ETS_OK;
}

static void release(const struct ets_reference_state *state, struct ets_tensor *tensor)
{
    if (tensor->data != NULL) {
        state->allocator->release(state->allocator->context, (void *)(uintptr_t)tensor->data);
    }
    *tensor = (struct ets_tensor){.data = NULL};
}

void ets_reference_state_free(struct ets_reference_state *state)
{
    if (state == NULL) return;
    const struct ets_allocator *allocator = state->allocator;
    for (uint32_t i = 0; i < state->capacity; i++) {
        release(state, &state->entries[i].buffer.tensor);
        release(state, &state->entries[i].next);
    }
    if (state->entries != NULL) allocator->release(allocator->context, state->entries);
    ets_arena_reset(&state->arena);
    allocator->release(allocator->context, state);
}

static struct entry *find(const struct ets_reference_state *state, struct ets_text name)
{
    if (name.data == NULL) return NULL;
    const uint32_t number = ets_strings_find(&state->names, name);
    return number < state->capacity ? &state->entries[number] : NULL;
}

const struct ets_reference_buffer *ets_reference_state_find(const struct ets_reference_state *state,
                                                            struct ets_text name)
{
    const struct entry *entry = state != NULL ? find(state, name) : NULL;
    return entry != NULL && entry->is_known ? &entry->buffer : NULL;
}

static struct entry *add(struct ets_reference_state *state, struct ets_text name)
{
    struct entry *known = find(state, name);
    if (known != NULL) return known;
    const char *copy = ets_arena_copy_text(&state->arena, name.data, name.size);
    if (copy == NULL) return NULL;
    name.data = copy;
    const uint32_t number = ets_strings_add(&state->names, name);
    if (number == UINT32_MAX) return NULL;
    if (number >= state->capacity) {
        const uint32_t capacity = 2 * number + 8;
        struct entry *grown = state->allocator->reallocate(
            state->allocator->context, state->entries, capacity * sizeof *grown);
        if (grown == NULL) return NULL;
        memset(grown + state->capacity, 0, (capacity - state->capacity) * sizeof *grown);
        state->entries = grown;
        state->capacity = capacity;
    }
    state->entries[number].buffer.name = name;
    return &state->entries[number];
}

/* Reasons repeat from run to run, and are kept once. */
static const char *keep_reason(struct ets_reference_state *state, const char *reason)
{
    if (reason == NULL) reason = "an earlier run did not tell them";
    struct ets_text text = ets_text_of(reason);
    uint32_t number = ets_strings_find(&state->reasons, text);
    if (number == UINT32_MAX) {
        text.data = ets_arena_copy_text(&state->arena, text.data, text.size);
        if (text.data == NULL) return NULL;
        number = ets_strings_add(&state->reasons, text);
    }
    return number != UINT32_MAX ? ets_strings_get(&state->reasons, number).data : NULL;
}

static enum ets_status copy_tensor(const struct ets_reference_state *state,
                                   const struct ets_tensor *tensor, struct ets_tensor *copy_out,
                                   struct ets_error *error)
{
    struct ets_tensor copy = {.scalar_type = tensor->scalar_type, .rank = tensor->rank};
    memcpy(copy.sizes, tensor->sizes, sizeof copy.sizes);
    ets_tensor_set_contiguous(&copy);
    const uint64_t count = ets_tensor_count(&copy), each = ets_scalar_type_bytes(copy.scalar_type);
    if (each == 0 || count > SIZE_MAX / each - 1) return no_memory(error);
    copy.data_bytes = (size_t)(count * each);
    copy.data = state->allocator->reallocate(state->allocator->context, NULL, copy.data_bytes + 1);
    if (copy.data == NULL) return no_memory(error);
    const enum ets_status status = ets_reference_tensor_copy(tensor, &copy, error);
    if (status != ETS_OK) release(state, &copy);
    else *copy_out = copy;
    return status;
}

enum ets_status ets_reference_state_put(struct ets_reference_state *state, struct ets_text name,
                                        const struct ets_tensor *tensor, const char *reason,
                                        struct ets_error *error)
{
    struct entry *entry = add(state, name);
    if (entry == NULL) return no_memory(error);
    release(state, &entry->next);
    entry->next_reason = NULL;
    entry->is_put = false;
    if (tensor != NULL) ETS_TRY(copy_tensor(state, tensor, &entry->next, error));
    else entry->next_reason = keep_reason(state, reason);
    if (tensor == NULL && entry->next_reason == NULL) return no_memory(error);
    entry->is_put = true;
    return ETS_OK;
}

void ets_reference_state_settle(struct ets_reference_state *state)
{
    for (uint32_t i = 0; i < state->capacity; i++) {
        struct entry *entry = &state->entries[i];
        if (!entry->is_put) continue;
        release(state, &entry->buffer.tensor);
        entry->buffer.tensor = entry->next;
        entry->buffer.reason = entry->next_reason;
        entry->next = (struct ets_tensor){.data = NULL};
        entry->is_put = false;
        entry->is_known = true;
    }
}

void ets_reference_state_forget(struct ets_reference_state *state, struct ets_text name)
{
    struct entry *entry = find(state, name);
    if (entry == NULL) return;
    release(state, &entry->buffer.tensor);
    entry->is_known = false;
}
