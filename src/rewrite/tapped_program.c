/* The program whose delegates also give values from within. */
#include <string.h>

#include "etscope/tensor.h"
#include "format/program_lists.h"
#include "format/program_schema.h"
#include "format/tap_marker.h"
#include "rewrite/tapped_payload.h"
#include "rewrite/taps.h"

/* What XNNPACK's kernels may write and read behind a tensor. */
enum { TENSOR_ALIGNMENT = 64, TENSOR_SLACK = 64 };

/* One delegate that gives more than before. */
struct tapped {
    const struct ets_tap_delegate *delegate;
    uint32_t *values; /* [count] numbers in the payload's graph */
    uint32_t *added;  /* [count] numbers of the new values in the method */
    uint32_t count, segment;
};

struct rewriting {
    struct ets_rewriting program;
    struct ets_arena *arena;
    const struct ets_taps *taps;
    const struct ets_tap_options *options;
    struct tapped *tapped;
    uint32_t tapped_count;
    struct ets_error *error;
};

/* One method of which something changes. */
struct method {
    struct rewriting *r;
    struct ets_method old;
    const struct ets_fb_type *type;
    struct ets_fb table;
    struct tapped *tapped; /* the first of the method */
    uint32_t tapped_count, value_count;
    uint32_t memory_id;
    uint64_t arena_bytes;
};

static struct ets_splice *splice_of(const struct method *m)
{
    return &m->r->program.splice;
}

static uint32_t count_chosen(const struct ets_taps *taps, const struct ets_tap_delegate *delegate)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < delegate->count; i++) {
        count += taps->items[delegate->first + i].is_chosen;
    }
    return count;
}

/* Lists the delegates with chosen values, with the payload of each as a new segment. */
static enum ets_status list_tapped(struct rewriting *r)
{
    r->tapped = ets_arena_alloc_array(r->arena, r->taps->delegate_count, sizeof *r->tapped);
    if (r->tapped == NULL) return ets_fail_memory(r->error, "a rewritten program");
    for (uint32_t i = 0; i < r->taps->delegate_count; i++) {
        const struct ets_tap_delegate *delegate = &r->taps->delegates[i];
        struct tapped *t = &r->tapped[r->tapped_count];
        const uint32_t count = count_chosen(r->taps, delegate);
        if (count == 0) continue;
        *t = (struct tapped){.delegate = delegate};
        t->values = ets_arena_alloc_array(r->arena, count, sizeof *t->values);
        t->added = ets_arena_alloc_array(r->arena, count, sizeof *t->added);
        if (t->values == NULL || t->added == NULL) {
            return ets_fail_memory(r->error, "a rewritten program");
        }
        for (uint32_t k = 0; k < delegate->count; k++) {
            const struct ets_tap *tap = &r->taps->items[delegate->first + k];
            if (tap->is_chosen) t->values[t->count++] = tap->value;
        }
        struct ets_bytes payload;
        ETS_TRY(ets_tap_payload(r->arena, delegate->graph->verified, t->values, t->count, &payload,
                                r->error));
        t->segment = ets_rewriting_add_segment(&r->program, payload);
        r->tapped_count++;
    }
    return r->program.splice.status;
}

/* The EValue of one tap, at `offset` in the arena of taps. Sizes are bounds, as dynamic models have
 * them: they cost nothing elsewhere. They lie as in the payload. */
static struct ets_splice_part *make_value(struct method *m, const struct ets_payload_value *value,
                                          int scalar_type, uint64_t offset)
{
    struct ets_splice *s = splice_of(m);
    const struct ets_fb_vector none = {NULL, 0, 0};
    struct ets_splice_part *evalue = ets_splice_table(s);
    struct ets_splice_part *tensor = ets_splice_table(s);
    struct ets_splice_part *place = ets_splice_table(s);
    struct ets_splice_part *sizes = ets_splice_numbers(s, none, value->rank, 4);
    struct ets_splice_part *order = ets_splice_numbers(s, none, value->rank, 1);
    for (uint32_t i = 0; i < value->rank; i++) {
        ets_splice_set_item_number(sizes, i, value->dims[i]);
        ets_splice_set_item_number(order, i, i);
    }
    ets_splice_set_number(place, ALLOCATION_MEMORY_ID, 4, m->memory_id);
    ets_splice_set_number(place, ALLOCATION_OFFSET_LOW, 4, offset & UINT32_MAX);
    ets_splice_set_number(place, ALLOCATION_OFFSET_HIGH, 4, offset >> 32);
    ets_splice_set_number(tensor, TENSOR_SCALAR_TYPE, 1, (uint64_t)scalar_type);
    ets_splice_set_part(tensor, TENSOR_SIZES, sizes);
    ets_splice_set_part(tensor, TENSOR_DIM_ORDER, order);
    ets_splice_set_part(tensor, TENSOR_ALLOCATION, place);
    ets_splice_set_number(tensor, TENSOR_DYNAMISM, 1, ETS_SHAPE_BOUND);
    ets_splice_set_number(evalue, EVALUE_TAG, 1, ETS_EVALUE_TENSOR);
    ets_splice_set_part(evalue, EVALUE_MEMBER, tensor);
    return evalue;
}

static struct ets_splice_part *make_values(struct method *m)
{
    const struct ets_taps *taps = m->r->taps;
    uint64_t at = 0;
    uint32_t next = m->old.value_count;
    struct ets_splice_part *values =
        ets_splice_tables(splice_of(m), ets_fb_vector(m->table, PLAN_VALUES), m->value_count);
    for (uint32_t i = 0; i < m->tapped_count; i++) {
        struct tapped *t = &m->tapped[i];
        if (!m->r->options->as_outputs) at = 0; /* each call's are taken before the next */
        for (uint32_t k = 0; k < t->count; k++) {
            const struct ets_tap *tap = &taps->items[t->delegate->first + t->values[k]];
            const struct ets_payload_value *value = &t->delegate->graph->values[t->values[k]];
            ets_splice_set_item(values, next, make_value(m, value, tap->scalar_type, at));
            t->added[k] = next++;
            at += (tap->bytes + TENSOR_ALIGNMENT - 1) / TENSOR_ALIGNMENT * TENSOR_ALIGNMENT +
                  TENSOR_SLACK;
            if (at > m->arena_bytes) m->arena_bytes = at;
        }
    }
    return values;
}

/* They are in the order of delegates. */
static const struct tapped *find_tapped(const struct method *m, int32_t delegate)
{
    uint32_t low = 0, high = m->tapped_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if ((int64_t)m->tapped[middle].delegate->delegate < delegate) low = middle + 1;
        else high = middle;
    }
    const bool is_it =
        low < m->tapped_count && (int64_t)m->tapped[low].delegate->delegate == delegate;
    return is_it ? &m->tapped[low] : NULL;
}

static struct ets_splice_part *with_added(struct method *m, struct ets_fb_vector old,
                                          const struct tapped *t)
{
    struct ets_splice_part *list = ets_splice_numbers(splice_of(m), old, t->count, 4);
    for (uint32_t i = 0; i < t->count; i++) {
        ets_splice_set_item_number(list, old.count + i, t->added[i]);
    }
    return list;
}

/* An instruction whose call takes the new values behind its own. */
static struct ets_splice_part *make_instruction(struct method *m, struct ets_fb old,
                                                const struct ets_fb_type *type,
                                                const struct tapped *t)
{
    struct ets_splice *s = splice_of(m);
    const uint8_t tag = ets_fb_u8(old, INSTRUCTION_TAG, 0);
    const struct ets_fb old_call = ets_fb_table(old, INSTRUCTION_MEMBER);
    struct ets_splice_part *instruction = ets_splice_copy(s, old, type);
    struct ets_splice_part *call =
        ets_splice_copy(s, old_call, ets_splice_type_in(type, INSTRUCTION_TAG, tag));
    ets_splice_set_part(call, CALL_ARGUMENTS,
                        with_added(m, ets_fb_vector(old_call, CALL_ARGUMENTS), t));
    ets_splice_set_part(instruction, INSTRUCTION_MEMBER, call);
    return instruction;
}

/* NULL: no call of the chain changes. */
static struct ets_splice_part *make_chain(struct method *m, uint32_t index, struct ets_fb old,
                                          const struct ets_fb_type *type)
{
    struct ets_splice *s = splice_of(m);
    const struct ets_fb_vector all = ets_fb_vector(old, CHAIN_INSTRUCTIONS);
    const struct ets_fb_type *of_instruction = ets_splice_type_in(type, CHAIN_INSTRUCTIONS, 0);
    struct ets_splice_part *list = ets_splice_tables(s, all, 0);
    bool is_changed = false;
    struct ets_chain chain;
    ets_method_chain(&m->old, index, &chain);
    for (uint32_t i = 0; i < chain.instruction_count; i++) {
        struct ets_instruction instruction;
        ets_chain_instruction(&chain, i, &instruction);
        const struct tapped *t = find_tapped(m, instruction.delegate_index);
        if (t == NULL) continue;
        ets_splice_set_item(list, i,
                            make_instruction(m, ets_fb_vector_table(all, i), of_instruction, t));
        is_changed = true;
    }
    if (!is_changed) return NULL;
    struct ets_splice_part *copy = ets_splice_copy(s, old, type);
    ets_splice_set_part(copy, CHAIN_INSTRUCTIONS, list);
    return copy;
}

static struct ets_splice_part *make_chains(struct method *m)
{
    const struct ets_fb_vector all = ets_fb_vector(m->table, PLAN_CHAINS);
    const struct ets_fb_type *type = ets_splice_type_in(m->type, PLAN_CHAINS, 0);
    struct ets_splice_part *chains = ets_splice_tables(splice_of(m), all, 0);
    for (uint32_t i = 0; i < all.count; i++) {
        struct ets_splice_part *chain = make_chain(m, i, ets_fb_vector_table(all, i), type);
        if (chain != NULL) ets_splice_set_item(chains, i, chain);
    }
    return chains;
}

/* The compile spec that tells readers which arguments are taps. */
static struct ets_splice_part *make_marker(struct method *m, const struct tapped *t)
{
    struct ets_splice *s = splice_of(m);
    const struct ets_fb_vector none = {NULL, 0, 0};
    struct ets_splice_part *spec = ets_splice_table(s);
    struct ets_splice_part *bytes =
        ets_splice_numbers(s, none, ETS_TAP_MARKER_HEAD + 4 * t->count, 1);
    const uint32_t head[] = {ETS_TAP_MARKER_VERSION, t->delegate->graph->argument_count};
    for (uint32_t i = 0; i < 2 + t->count; i++) {
        const uint32_t number = i < 2 ? head[i] : t->delegate->graph->values[t->values[i - 2]].id;
        for (uint32_t b = 0; b < 4; b++) {
            ets_splice_set_item_number(bytes, 4 * i + b, number >> 8 * b & 0xff);
        }
    }
    ets_splice_set_part(spec, COMPILE_SPEC_KEY, ets_splice_text(s, ETS_TAP_MARKER_KEY));
    ets_splice_set_part(spec, COMPILE_SPEC_VALUE, bytes);
    return spec;
}

static struct ets_splice_part *make_delegates(struct method *m)
{
    struct ets_splice *s = splice_of(m);
    const struct ets_fb_vector all = ets_fb_vector(m->table, PLAN_DELEGATES);
    const struct ets_fb_type *type = ets_splice_type_in(m->type, PLAN_DELEGATES, 0);
    struct ets_splice_part *list = ets_splice_tables(s, all, 0);
    for (uint32_t i = 0; i < m->tapped_count; i++) {
        const struct tapped *t = &m->tapped[i];
        const struct ets_fb old = ets_fb_vector_table(all, t->delegate->delegate);
        const struct ets_fb_vector old_specs = ets_fb_vector(old, DELEGATE_COMPILE_SPECS);
        struct ets_splice_part *delegate = ets_splice_copy(s, old, type);
        struct ets_splice_part *blob = ets_splice_table(s);
        struct ets_splice_part *specs = ets_splice_tables(s, old_specs, 1);
        ets_splice_set_number(blob, BLOB_LOCATION, 1, BLOB_IN_SEGMENT);
        ets_splice_set_number(blob, BLOB_INDEX, 4, t->segment);
        ets_splice_set_item(specs, old_specs.count, make_marker(m, t));
        ets_splice_set_part(delegate, DELEGATE_BLOB, blob);
        ets_splice_set_part(delegate, DELEGATE_COMPILE_SPECS, specs);
        ets_splice_set_item(list, t->delegate->delegate, delegate);
    }
    return list;
}

/* The arenas, one more at the end; the first number stands for no arena. */
static struct ets_splice_part *make_arenas(struct method *m)
{
    const struct ets_fb_vector old = ets_fb_vector(m->table, PLAN_ARENAS);
    struct ets_splice_part *arenas =
        ets_splice_numbers(splice_of(m), old, m->memory_id + 1 - old.count, 8);
    ets_splice_set_item_number(arenas, m->memory_id, m->arena_bytes);
    return arenas;
}

static struct ets_splice_part *make_outputs(struct method *m)
{
    const struct ets_fb_vector old = ets_fb_vector(m->table, PLAN_OUTPUTS);
    struct ets_splice_part *outputs = ets_splice_numbers(splice_of(m), old, m->value_count, 4);
    for (uint32_t i = 0; i < m->value_count; i++) {
        ets_splice_set_item_number(outputs, old.count + i, (uint64_t)m->old.value_count + i);
    }
    return outputs;
}

static struct ets_splice_part *make_plan(struct method *m)
{
    const uint32_t arenas = ets_fb_vector(m->table, PLAN_ARENAS).count;
    struct ets_splice_part *plan = ets_splice_copy(splice_of(m), m->table, m->type);
    m->memory_id = arenas == 0 ? 1 : arenas;
    ets_splice_set_part(plan, PLAN_VALUES, make_values(m));
    ets_splice_set_part(plan, PLAN_CHAINS, make_chains(m));
    ets_splice_set_part(plan, PLAN_DELEGATES, make_delegates(m));
    ets_splice_set_part(plan, PLAN_ARENAS, make_arenas(m));
    if (m->r->options->as_outputs) ets_splice_set_part(plan, PLAN_OUTPUTS, make_outputs(m));
    return plan;
}

/* The methods in which something changes. */
static void make_plans(struct rewriting *r)
{
    struct ets_splice *s = &r->program.splice;
    const struct ets_program *program = r->program.program;
    const struct ets_fb_vector all = ets_fb_vector(ets_program_root(program), PROGRAM_PLANS);
    struct ets_splice_part *plans = ets_splice_tables(s, all, 0);
    for (uint32_t i = 0; i < r->tapped_count;) {
        struct method m = {.r = r,
                           .tapped = &r->tapped[i],
                           .type = ets_splice_type_in(&ets_program_type, PROGRAM_PLANS, 0)};
        const uint32_t index = m.tapped->delegate->method;
        for (; i < r->tapped_count && r->tapped[i].delegate->method == index; i++) {
            m.tapped_count++;
            m.value_count += r->tapped[i].count;
        }
        ets_program_method(program, index, &m.old);
        m.table = ets_method_plan(&m.old);
        ets_splice_set_item(plans, index, make_plan(&m));
    }
    ets_splice_set_part(r->program.root, PROGRAM_PLANS, plans);
}

enum ets_status ets_tapped_program(struct ets_arena *arena, const struct ets_program *program,
                                   const struct ets_taps *taps,
                                   const struct ets_tap_options *options,
                                   struct ets_rewritten *rewritten_out, struct ets_error *error)
{
    struct rewriting r = {.arena = arena, .taps = taps, .options = options, .error = error};
    ETS_TRY(ets_rewriting_init(&r.program, arena, program, error));
    ETS_TRY(list_tapped(&r));
    if (r.tapped_count > 0) make_plans(&r);
    return ets_rewriting_write(&r.program, rewritten_out);
}
