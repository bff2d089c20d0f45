/* Writes an arranged profile as an ETDump; docs/SPEC.md has the bytes of its extra block. */
#include "base/extra_keys.h"
#include "base/origin_entries.h"
#include "base/token_entry.h"
#include "etscope/trace_extra.h"
#include "import/foreign.h"
#include "trace/etdump_writer.h"
#include "trace/extra_writer.h"
#include "trace/store.h"

struct dumper {
    const struct ets_foreign *f;
    uint32_t *name_of; /* [text] its number among the names; ETS_ETDUMP_NO_NAME: no event's */
    uint32_t execute;  /* the name of whole executions */
    int64_t origin;    /* the first time, which becomes 0 */
    struct ets_etdump_name *names;
    uint32_t name_count;
    uint32_t allocator; /* the name of the only allocator, or ETS_ETDUMP_NO_NAME */
};

static const struct ets_slice *slice_at(const struct dumper *d, uint32_t run, uint32_t index)
{
    return &d->f->slices[d->f->emitted[d->f->runs[run].first_emitted + index]];
}

static void use_name(struct dumper *d, uint32_t text)
{
    if (text == ETS_STRING_NONE || d->name_of[text] != ETS_ETDUMP_NO_NAME) return;
    d->name_of[text] = d->name_count;
    d->names[d->name_count++].text = d->f->texts.texts[text];
}

static bool list_names(struct dumper *d, struct ets_arena *arena)
{
    const struct ets_foreign *f = d->f;
    d->names = ets_arena_alloc_array(arena, (size_t)f->texts.count + 1, sizeof *d->names);
    d->name_of = ets_arena_alloc_array(arena, f->texts.count, sizeof *d->name_of);
    if (d->names == NULL || d->name_of == NULL) return false;
    for (uint32_t i = 0; i < f->texts.count; i++) d->name_of[i] = ETS_ETDUMP_NO_NAME;
    d->allocator = ETS_ETDUMP_NO_NAME;
    for (uint32_t r = 0; r < f->run_count; r++) use_name(d, f->runs[r].name);
    for (uint32_t i = 0; i < f->slice_count; i++) {
        const struct ets_slice *slice = &f->slices[i];
        if (slice->kind == ETS_SLICE_RUN) continue;
        use_name(d, slice->op);
        if (slice->kind == ETS_SLICE_ALLOCATION) d->allocator = d->name_of[slice->op];
    }
    d->execute = d->name_count;
    d->names[d->name_count++].text = (struct ets_text){"Method::execute", 15};
    return true;
}

static enum ets_status get_run(void *context, uint32_t run, struct ets_etdump_run_record *out)
{
    const struct dumper *d = context;
    out->name = d->name_of[d->f->runs[run].name];
    out->event_count = d->f->runs[run].emitted_count;
    out->allocator_count = d->allocator != ETS_ETDUMP_NO_NAME;
    return ETS_OK;
}

static enum ets_status get_allocator(void *context, uint32_t run, uint32_t index,
                                     uint32_t *name_out)
{
    const struct dumper *d = context;
    (void)run;
    (void)index;
    *name_out = d->allocator;
    return ETS_OK;
}

static enum ets_status get_event(void *context, uint32_t run, uint32_t index,
                                 struct ets_etdump_record *out)
{
    const struct dumper *d = context;
    const struct ets_slice *slice = slice_at(d, run, index);
    if (slice->kind == ETS_SLICE_ALLOCATION) {
        out->kind = ETS_EVENT_ALLOCATION;
        out->allocator = 1;
        out->allocated_bytes = slice->bytes;
        return ETS_OK;
    }
    const bool has_place = slice->kind == ETS_SLICE_OPERATOR;
    const uint32_t name = slice->kind == ETS_SLICE_RUN ? d->execute : d->name_of[slice->op];
    *(slice->is_delegated ? &out->delegate_name : &out->name) = name;
    out->chain = has_place ? 0 : -1;
    out->instruction = has_place ? (int32_t)slice->node : 0;
    out->start_ticks = (uint64_t)(slice->start - d->origin);
    out->end_ticks = (uint64_t)(slice->end - d->origin);
    return ETS_OK;
}

static void put_text(struct ets_extra_writer *extra, struct ets_text text)
{
    ets_extra_put(extra, text.data, text.size);
}

/* The text as an entry can hold it: lengths have 16 bits. */
static struct ets_text entry_text(const struct dumper *d, uint32_t text)
{
    const struct ets_text all = d->f->texts.texts[text];
    return (struct ets_text){all.data, all.size < UINT16_MAX ? all.size : UINT16_MAX};
}

static void put_clock(struct ets_extra_writer *extra)
{
    uint8_t value[24], *at = value;
    at = ets_store_u32(at, 1);
    at = ets_store_u32(at, 0);
    at = ets_store_u64(at, 0);
    ets_store_u64(at, UINT64_C(1) << 32);
    ets_extra_put_entry(extra, ETS_TRACE_KEY_CLOCK, value, sizeof value);
}

static void put_runtime(const struct dumper *d, struct ets_extra_writer *extra)
{
    const struct ets_text runtime = {d->f->runtime, strlen(d->f->runtime)};
    uint8_t value[ETS_ORIGIN_RUNTIME_BYTES];
    ets_store_u32(ets_store_u32(value, (uint32_t)d->f->step_ns), d->f->is_truncated);
    ets_extra_put_key(extra, ETS_EXTRA_RUNTIME, sizeof value + runtime.size);
    ets_extra_put(extra, value, sizeof value);
    put_text(extra, runtime);
    ets_extra_put_padding(extra);
}

static void put_run(const struct dumper *d, struct ets_extra_writer *extra, uint32_t index)
{
    const struct ets_foreign_run *run = &d->f->runs[index];
    const struct ets_text method = entry_text(d, run->method);
    uint8_t value[16], *at = value;
    at = ets_store_u32(at, index);
    at = ets_store_u32(at, run->thread);
    at = ets_store_u32(at, run->invocation);
    at = ets_store_u16(at, (uint32_t)run->purpose);
    ets_store_u16(at, 0);
    ets_extra_put_key(extra, ETS_TRACE_KEY_RUN, sizeof value + method.size);
    ets_extra_put(extra, value, sizeof value);
    put_text(extra, method);
    ets_extra_put_padding(extra);
}

/* As ets_run_tokens_add writes it. */
static void put_tokens(const struct dumper *d, struct ets_extra_writer *extra, uint32_t index)
{
    const struct ets_foreign_run *run = &d->f->runs[index];
    const struct ets_foreign_tokens *told = ets_foreign_tokens_of(d->f, run->slice);
    const struct ets_text method = entry_text(d, run->method);
    uint8_t value[ETS_TOKEN_ENTRY_METHOD], *at = value;
    if (told == NULL) return;
    at = ets_store_u32(at, run->invocation);
    at = ets_store_u32(at, told->tokens);
    at = ets_store_u64(at, told->position);
    ets_store_u32(at, told->stage);
    ets_extra_put_key(extra, ETS_EXTRA_TOKENS, sizeof value + method.size);
    ets_extra_put(extra, value, sizeof value);
    put_text(extra, method);
    ets_extra_put_padding(extra);
}

static void put_node(const struct dumper *d, struct ets_extra_writer *extra, uint32_t index)
{
    const struct ets_foreign_node *node = &d->f->nodes[index];
    if (node->slice == ETS_NO_SLICE) return;
    const struct ets_slice *slice = &d->f->slices[node->slice];
    const struct ets_text texts[] = {entry_text(d, slice->name), entry_text(d, slice->backend),
                                     entry_text(d, slice->module), entry_text(d, slice->file),
                                     entry_text(d, slice->function)};
    uint8_t value[ETS_ORIGIN_NODE_BYTES], *at = value;
    size_t bytes = sizeof value;
    at = ets_store_u32(at, 0);
    at = ets_store_u32(at, index);
    at = ets_store_u32(at, node->parent == ETS_NO_SLICE ? ETS_ORIGIN_NO_PARENT : node->parent);
    at = ets_store_u32(at, slice->line);
    for (int i = 0; i < 5; i++) {
        at = ets_store_u16(at, (uint32_t)texts[i].size);
        bytes += texts[i].size;
    }
    ets_store_u16(at, 0);
    ets_extra_put_key(extra, ETS_EXTRA_NODE, bytes);
    ets_extra_put(extra, value, sizeof value);
    for (int i = 0; i < 5; i++) put_text(extra, texts[i]);
    ets_extra_put_padding(extra);
}

/* Output `index` of event `event` of the run. */
static void put_shape(const struct dumper *d, struct ets_extra_writer *extra, uint32_t run,
                      uint32_t event, uint32_t index)
{
    const struct ets_slice *slice = slice_at(d, run, event);
    const struct ets_foreign_shape *shape = &d->f->shapes[slice->first_tensor + index];
    const int64_t *sizes = d->f->sizes + shape->first_size;
    uint8_t value[32 + 16 + 16 * ETS_TENSOR_MAX_RANK], *at = value;
    uint64_t stride = 1, strides[ETS_TENSOR_MAX_RANK];
    for (uint32_t i = shape->rank; i-- > 0; stride *= (uint64_t)sizes[i]) strides[i] = stride;
    at = ets_store_u32(at, run);
    at = ets_store_u32(at, event); /* values come before the event of their instruction */
    at = ets_store_u32(at, 0);
    at = ets_store_u32(at, slice->node);
    at = ets_store_u32(at, UINT32_MAX); /* no delegate */
    at = ets_store_u16(at, slice->tensor_count > 1 ? 2 : 0);
    at = ets_store_u16(at, 0);
    at = ets_store_u32(at, index);
    at = ets_store_u32(at, 0);
    at = ets_store_u64(at, UINT64_MAX); /* no bytes */
    *at++ = shape->scalar_type;
    *at++ = shape->rank;
    at = ets_store_u16(at, 0);
    at = ets_store_u32(at, 0);
    for (uint32_t i = 0; i < shape->rank; i++) at = ets_store_u64(at, (uint64_t)sizes[i]);
    for (uint32_t i = 0; i < shape->rank; i++) at = ets_store_u64(at, strides[i]);
    ets_extra_put_entry(extra, ETS_TRACE_KEY_TENSOR, value, (size_t)(at - value));
}

static enum ets_status put_extra(void *context, const struct ets_etdump_sink *sink)
{
    const struct dumper *d = context;
    struct ets_extra_writer extra = {.sink = sink};
    put_clock(&extra);
    if (d->f->is_in_cycles) {
        uint8_t value[ETS_ORIGIN_CYCLES_BYTES];
        ets_store_u32(value, 1);
        ets_extra_put_entry(&extra, ETS_EXTRA_CYCLES, value, sizeof value);
    }
    if (d->f->runtime != NULL) put_runtime(d, &extra);
    for (uint32_t i = 0; i < d->f->node_count; i++) put_node(d, &extra, i);
    for (uint32_t r = 0; r < d->f->run_count; r++) {
        put_run(d, &extra, r);
        put_tokens(d, &extra, r);
        for (uint32_t e = 0; e < d->f->runs[r].emitted_count; e++) {
            const uint32_t tensors = slice_at(d, r, e)->tensor_count;
            for (uint32_t i = 0; i < tensors; i++) put_shape(d, &extra, r, e, i);
        }
    }
    return ets_extra_end(&extra);
}

enum ets_status ets_foreign_write(struct ets_foreign *f, struct ets_bytes *dump_out,
                                  struct ets_error *error)
{
    struct dumper d = {.f = f, .origin = INT64_MAX};
    if (!list_names(&d, &f->arena)) return ets_fail_foreign(error);
    for (uint32_t i = 0; i < f->slice_count; i++) {
        if (f->slices[i].start < d.origin) d.origin = f->slices[i].start;
    }
    const struct ets_etdump_source source = {
        .context = &d,
        .names = d.names,
        .name_count = d.name_count,
        .run_count = f->run_count,
        .run = get_run,
        .event = get_event,
        .allocator = get_allocator,
        .extra = put_extra,
    };
    const struct ets_allocator *allocator = f->arena.allocator;
    size_t bytes = 0;
    ETS_TRY(ets_etdump_writer_size(&source, &bytes, error));
    uint8_t *data = allocator->reallocate(allocator->context, NULL, bytes);
    if (data == NULL) return ets_fail_foreign(error);
    const enum ets_status status = ets_etdump_write_buffer(&source, data, bytes, &bytes, error);
    if (status != ETS_OK) {
        allocator->release(allocator->context, data);
        return status;
    }
    *dump_out = (struct ets_bytes){data, bytes};
    return ETS_OK;
}
