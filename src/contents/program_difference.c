/* Compares two programs: pairs their methods, and lists all that differs. */
#include "contents/program_difference.h"

#include <string.h>

#include "base/text.h"
#include "contents/handle_nodes.h"
#include "contents/method_parts.h"
#include "format/program_lists.h"
#include "host/strings.h"
#include "record/record_maps.h"

struct comparison {
    struct ets_arena *arena;
    struct ets_program_difference *difference;
    struct ets_change_list changes;
    bool *is_moved[2]; /* [named_data_count] */
    struct ets_error *error;
};

static const struct ets_program *program_of(const struct comparison *c, int side)
{
    return c->difference->sides[side].program;
}

static uint32_t add_method(struct ets_program_difference *d, int side, uint32_t index)
{
    struct ets_method_pair *pair = &d->methods[d->method_count];
    *pair = (struct ets_method_pair){.index = {ETS_THING_NONE, ETS_THING_NONE}};
    pair->index[side] = index;
    return d->method_count++;
}

/* Where each side is left with one method, that one was renamed. */
static void pair_renamed(struct ets_program_difference *d, uint32_t before_count)
{
    uint32_t lonely = ETS_THING_NONE, lonely_count = 0;
    for (uint32_t i = 0; i < before_count; i++) {
        if (d->methods[i].index[1] != ETS_THING_NONE) continue;
        lonely = i;
        lonely_count++;
    }
    if (lonely_count != 1 || d->method_count != before_count + 1) return;
    d->methods[lonely].index[1] = d->methods[before_count].index[1];
    d->method_count--;
}

/* Methods by name; several of one name in their order. */
static bool pair_methods(struct comparison *c)
{
    struct ets_strings names;
    struct ets_method method;
    struct ets_program_difference *d = c->difference;
    const uint32_t before = program_of(c, 0)->method_count, after = program_of(c, 1)->method_count;
    d->methods = ets_arena_alloc_array(c->arena, (size_t)before + after, sizeof *d->methods);
    uint32_t *first_of = ets_arena_alloc_array(c->arena, (size_t)before + 1, sizeof *first_of);
    uint32_t *next_of = ets_arena_alloc_array(c->arena, (size_t)before + 1, sizeof *next_of);
    if (d->methods == NULL || first_of == NULL || next_of == NULL ||
        ets_strings_init(&names, c->arena) != 0) {
        return false;
    }
    for (uint32_t i = 0; i < before; i++) add_method(d, 0, i);
    for (uint32_t i = before; i-- > 0;) {
        ets_program_method(program_of(c, 0), i, &method);
        const uint32_t name = ets_strings_add(&names, method.name);
        if (name == UINT32_MAX) return false;
        next_of[i] = first_of[name];
        first_of[name] = i + 1;
    }
    for (uint32_t i = 0; i < after; i++) {
        ets_program_method(program_of(c, 1), i, &method);
        const uint32_t name = ets_strings_find(&names, method.name);
        if (name == UINT32_MAX || first_of[name] == 0) {
            add_method(d, 1, i);
        } else {
            d->methods[first_of[name] - 1].index[1] = i;
            first_of[name] = next_of[first_of[name] - 1];
        }
    }
    pair_renamed(d, before);
    return true;
}

static enum ets_status compare_pair(struct comparison *c, const struct ets_method_pair *pair,
                                    bool *by_handles_out)
{
    struct ets_paired_methods methods = {.arena = c->arena,
                                         .contents = &c->difference->contents,
                                         .payloads = c->difference->payloads,
                                         .error = c->error};
    for (int s = 0; s < 2; s++) {
        struct ets_paired_side *side = &methods.sides[s];
        ets_program_method(program_of(c, s), pair->index[s], &side->method);
        side->record = c->difference->sides[s].record;
        side->layers = ets_layer_method(&c->difference->layers[s], &side->method);
        if (side->record == NULL) continue;
        side->record_method = ets_record_method(side->record, side->method.name);
    }
    ETS_TRY(ets_pair_instructions(&methods));
    ETS_TRY(ets_pair_values(&methods));
    *by_handles_out = methods.by_handles;
    const uint32_t first = c->changes.count;
    ETS_TRY(ets_method_changes(&methods, &c->changes));
    return ets_move_constants(&methods, &c->changes, first);
}

/* A method that one program alone has. */
static enum ets_status tell_lonely(struct comparison *c, const struct ets_method_pair *pair)
{
    const int side = pair->index[0] != ETS_THING_NONE ? 0 : 1;
    struct ets_method method;
    struct ets_program_change *change = ets_change_add(
        &c->changes, ETS_PART_METHOD, side == 0 ? ETS_THING_REMOVED : ETS_THING_ADDED);
    if (change == NULL) return ets_fail_memory(c->error, "what differs");
    ets_program_method(program_of(c, side), pair->index[side], &method);
    change->index[side] = pair->index[side];
    for (uint32_t i = 0; i < method.chain_count; i++) {
        struct ets_chain chain;
        ets_method_chain(&method, i, &chain);
        change->counts[side] += chain.instruction_count;
    }
    return ETS_OK;
}

static enum ets_status compare_methods(struct comparison *c)
{
    struct ets_program_difference *d = c->difference;
    for (uint32_t i = 0; i < d->method_count; i++) {
        struct ets_method_pair *pair = &d->methods[i];
        const bool is_paired = pair->index[0] != ETS_THING_NONE && pair->index[1] != ETS_THING_NONE;
        pair->first_change = c->changes.count;
        if (is_paired) ETS_TRY(compare_pair(c, pair, &pair->by_handles));
        else ETS_TRY(tell_lonely(c, pair));
        pair->change_count = c->changes.count - pair->first_change;
        for (uint32_t k = pair->first_change; k < c->changes.count; k++) {
            c->changes.items[k].method = i;
        }
    }
    return ETS_OK;
}

/* Marks named data that is told as a constant that moved into a payload. */
static enum ets_status mark_moved(struct comparison *c)
{
    for (int s = 0; s < 2; s++) {
        c->is_moved[s] =
            ets_arena_alloc_array(c->arena, program_of(c, s)->named_data_count, sizeof(bool));
        if (c->is_moved[s] == NULL) return ets_fail_memory(c->error, "named data");
    }
    for (uint32_t i = 0; i < c->changes.count; i++) {
        const struct ets_program_change *change = &c->changes.items[i];
        if (change->holder == NULL || change->holder->named_data == ETS_THING_NONE) continue;
        const int side = change->index[0] == ETS_THING_NONE ? 0 : 1;
        c->is_moved[side][change->holder->named_data] = true;
    }
    return ETS_OK;
}

static enum ets_status tell_named_data(struct comparison *c, const uint32_t index[2],
                                       const struct ets_program_named_data data[2])
{
    const bool was = index[0] != ETS_THING_NONE, is = index[1] != ETS_THING_NONE;
    if (was && is) {
        bool same;
        ETS_TRY(ets_content_equal(&c->difference->contents, data[0].bytes, data[1].bytes, &same,
                                  c->error));
        if (same) return ETS_OK;
    } else {
        const int side = was ? 0 : 1;
        if (c->is_moved[side][index[side]]) return ETS_OK;
    }
    struct ets_program_change *change = ets_change_add(&c->changes, ETS_PART_NAMED_DATA,
                                                       !was  ? ETS_THING_ADDED
                                                       : !is ? ETS_THING_REMOVED
                                                             : ETS_THING_CHANGED);
    if (change == NULL) return ets_fail_memory(c->error, "what differs");
    if (was && is) change->fields = ets_field_bit(ETS_FIELD_DATA);
    for (int s = 0; s < 2; s++) {
        if (index[s] == ETS_THING_NONE) continue;
        change->index[s] = index[s];
        change->bytes[s] = data[s].bytes.size;
    }
    return ETS_OK;
}

/* By key; of several with one key the first counts, as for the runtime. */
static enum ets_status compare_named_data(struct comparison *c)
{
    struct ets_strings keys;
    uint32_t *index[2], capacity[2] = {0, 0};
    if (ets_strings_init(&keys, c->arena) != 0) return ets_fail_memory(c->error, "named data");
    for (int s = 0; s < 2; s++) {
        index[s] = NULL;
        for (uint32_t i = 0; i < program_of(c, s)->named_data_count; i++) {
            struct ets_program_named_data data;
            ets_program_named_data(program_of(c, s), i, &data);
            const uint32_t key = ets_strings_add(&keys, data.key);
            if (key != UINT32_MAX) {
                index[s] = ets_arena_grow(c->arena, index[s], key, &capacity[s], sizeof *index[s]);
            }
            if (key == UINT32_MAX || index[s] == NULL) {
                return ets_fail_memory(c->error, "named data");
            }
            if (index[s][key] == 0) index[s][key] = i + 1;
        }
    }
    for (uint32_t key = 0; key < keys.count; key++) {
        uint32_t at[2];
        struct ets_program_named_data data[2];
        for (int s = 0; s < 2; s++) {
            const bool is_there = key < capacity[s] && index[s][key] > 0;
            at[s] = is_there ? index[s][key] - 1 : ETS_THING_NONE;
            if (is_there) ets_program_named_data(program_of(c, s), at[s], &data[s]);
        }
        if (at[0] == ETS_THING_NONE && at[1] == ETS_THING_NONE) continue;
        ETS_TRY(tell_named_data(c, at, data));
    }
    return ETS_OK;
}

static enum ets_status compare_versions(struct comparison *c)
{
    if (program_of(c, 0)->version == program_of(c, 1)->version) return ETS_OK;
    struct ets_program_change *change =
        ets_change_add(&c->changes, ETS_PART_PROGRAM, ETS_THING_CHANGED);
    if (change == NULL) return ets_fail_memory(c->error, "what differs");
    change->fields = ets_field_bit(ETS_FIELD_VERSION);
    for (int s = 0; s < 2; s++) {
        change->index[s] = 0;
        change->counts[s] = program_of(c, s)->version;
    }
    return ETS_OK;
}

static bool are_equal(const struct ets_program_side sides[2])
{
    const struct ets_bytes before = sides[0].program->bytes, after = sides[1].program->bytes;
    return before.size == after.size && memcmp(before.data, after.data, before.size) == 0;
}

static uint64_t file_bytes(const struct ets_program_side *side)
{
    return side->bundle != NULL ? side->bundle->bytes.size : side->program->bytes.size;
}

static enum ets_status compare_programs(struct comparison *c)
{
    for (int s = 0; s < 2; s++) {
        ets_payload_store_init(&c->difference->payloads[s], c->arena, program_of(c, s));
        ETS_TRY(ets_layer_names_init(&c->difference->layers[s], c->arena,
                                     c->difference->sides[s].record, c->error));
    }
    ETS_TRY(compare_methods(c));
    ETS_TRY(mark_moved(c));
    ETS_TRY(compare_named_data(c));
    return compare_versions(c);
}

enum ets_status ets_program_difference_find(struct ets_arena *arena,
                                            const struct ets_program_side sides[2],
                                            struct ets_program_difference *difference_out,
                                            struct ets_error *error)
{
    struct comparison c = {
        .arena = arena, .difference = difference_out, .changes = {.arena = arena}, .error = error};
    *difference_out = (struct ets_program_difference){.sides = {sides[0], sides[1]},
                                                      .is_byte_equal = are_equal(sides)};
    ets_content_bytes_init(&difference_out->contents, arena,
                           file_bytes(&sides[0]) + file_bytes(&sides[1]));
    if (!pair_methods(&c)) return ets_fail_memory(error, "the methods to compare");
    if (!difference_out->is_byte_equal) ETS_TRY(compare_programs(&c));
    if (sides[0].bundle != NULL && sides[1].bundle != NULL) {
        ETS_TRY(ets_case_changes(difference_out, &c.changes, error));
    }
    difference_out->changes = c.changes.items;
    difference_out->change_count = c.changes.count;
    return ETS_OK;
}

enum ets_status ets_program_check_record(const struct ets_program *program,
                                         const struct ets_etrecord *record, struct ets_error *error)
{
    for (uint32_t i = 0; i < program->method_count; i++) {
        struct ets_method method;
        ets_program_method(program, i, &method);
        const char *name = ets_record_method(record, method.name);
        struct ets_chain chain = {.instruction_count = 0};
        if (method.chain_count > 0) ets_method_chain(&method, 0, &chain);
        if (name != NULL) ETS_TRY(ets_etrecord_check_chain(record, name, &chain, error));
    }
    return ETS_OK;
}
