/* Compares the test cases of two bundled programs: methods by name, cases by their number, which is
 * what the runtime calls them, values by their place. */
#include <string.h>

#include "base/text.h"
#include "contents/method_parts.h"

struct cases {
    struct ets_program_difference *difference;
    struct ets_change_list *changes;
    struct ets_error *error;
};

static const struct ets_bundle *bundle_of(const struct ets_program_difference *d, int side)
{
    return d->sides[side].bundle;
}

void ets_change_case(const struct ets_program_difference *difference,
                     const struct ets_program_change *change, int side,
                     struct ets_bundle_case *case_out)
{
    /* The suite lives as long as this call; the case refers to the bundle alone. */
    struct ets_bundle_suite suite;
    const bool is_value = change->part != ETS_PART_CASE;
    ets_bundle_suite(bundle_of(difference, side), change->suite[side], &suite);
    ets_bundle_case(&suite, is_value ? change->chain[side] : change->index[side], case_out);
}

void ets_change_case_value(const struct ets_program_difference *difference,
                           const struct ets_program_change *change, int side,
                           struct ets_value *value_out)
{
    struct ets_bundle_case test_case;
    ets_change_case(difference, change, side, &test_case);
    if (change->part == ETS_PART_CASE_INPUT) {
        ets_bundle_input(&test_case, change->index[side], value_out);
    } else {
        ets_bundle_expected(&test_case, change->index[side], value_out);
    }
}

static uint64_t bit_if(bool differs, enum ets_program_field field)
{
    return differs ? ets_field_bit(field) : 0;
}

struct ets_bytes ets_value_content(const struct ets_value *value)
{
    const struct ets_bytes none = {NULL, 0};
    const struct ets_tensor *tensor = &value->as.tensor;
    if (value->kind != ETS_VALUE_TENSOR || tensor->data == NULL) return none;
    const uint64_t extent = ets_tensor_extent(tensor);
    return extent > tensor->data_bytes ? none : (struct ets_bytes){tensor->data, (size_t)extent};
}

static enum ets_status tensor_fields(struct cases *c, const struct ets_value values[2],
                                     uint64_t *fields_out)
{
    const struct ets_tensor *a = &values[0].as.tensor, *b = &values[1].as.tensor;
    const struct ets_bytes before = ets_value_content(&values[0]),
                           after = ets_value_content(&values[1]);
    const size_t sizes = a->rank * sizeof *a->sizes;
    const bool same_rank = a->rank == b->rank;
    bool same;
    ETS_TRY(ets_content_equal(&c->difference->contents, before, after, &same, c->error));
    *fields_out =
        bit_if(a->scalar_type != b->scalar_type, ETS_FIELD_DTYPE) |
        bit_if(!same_rank || memcmp(a->sizes, b->sizes, sizes) != 0, ETS_FIELD_SIZES) |
        bit_if(same_rank && memcmp(a->strides, b->strides, sizes) != 0, ETS_FIELD_DIM_ORDER) |
        bit_if(!same, ETS_FIELD_DATA);
    return ETS_OK;
}

static enum ets_status value_fields(struct cases *c, const struct ets_value values[2],
                                    uint64_t *fields_out)
{
    const struct ets_value *a = &values[0], *b = &values[1];
    *fields_out = bit_if(a->kind != b->kind, ETS_FIELD_KIND);
    if (a->kind != b->kind) return ETS_OK;
    switch (a->kind) {
    case ETS_VALUE_TENSOR: return tensor_fields(c, values, fields_out);
    case ETS_VALUE_INT:
        *fields_out = bit_if(a->as.int_value != b->as.int_value, ETS_FIELD_NUMBER);
        return ETS_OK;
    case ETS_VALUE_BOOL:
        *fields_out = bit_if(a->as.bool_value != b->as.bool_value, ETS_FIELD_NUMBER);
        return ETS_OK;
    case ETS_VALUE_DOUBLE:
        *fields_out = bit_if(memcmp(&a->as.double_value, &b->as.double_value, sizeof(double)) != 0,
                             ETS_FIELD_NUMBER);
        return ETS_OK;
    default: return ETS_OK;
    }
}

static enum ets_status add_change(struct cases *c, enum ets_program_change_kind kind,
                                  const struct ets_program_change *found)
{
    struct ets_program_change *change = ets_change_add(c->changes, found->part, kind);
    if (change == NULL) return ets_fail_memory(c->error, "what differs");
    *change = *found;
    change->kind = kind;
    change->method = ETS_THING_NONE;
    c->difference->case_change_count++;
    return ETS_OK;
}

static enum ets_status compare_values(struct cases *c, struct ets_program_change found,
                                      const struct ets_bundle_case both[2])
{
    const bool is_input = found.part == ETS_PART_CASE_INPUT;
    for (int s = 0; s < 2; s++) found.chain[s] = both[s].index;
    for (uint32_t k = 0; k < (is_input ? both[0].input_count : both[0].expected_count); k++) {
        struct ets_value values[2];
        if (k >= (is_input ? both[1].input_count : both[1].expected_count)) break;
        for (int s = 0; s < 2; s++) {
            found.index[s] = k;
            ets_change_case_value(c->difference, &found, s, &values[s]);
            found.bytes[s] = ets_value_content(&values[s]).size;
        }
        ETS_TRY(value_fields(c, values, &found.fields));
        if (found.fields != 0) ETS_TRY(add_change(c, ETS_THING_CHANGED, &found));
    }
    return ETS_OK;
}

/* What of two cases with one number differs: of the case itself, or of its inputs or outputs. */
static enum ets_status compare_case(struct cases *c, struct ets_program_change found,
                                    uint32_t number)
{
    struct ets_bundle_case both[2];
    for (int s = 0; s < 2; s++) {
        struct ets_program_change whole = {.part = ETS_PART_CASE, .index = {number, number}};
        whole.suite[s] = found.suite[s];
        ets_change_case(c->difference, &whole, s, &both[s]);
    }
    if (found.part != ETS_PART_CASE) return compare_values(c, found, both);
    found.index[0] = found.index[1] = number;
    found.fields = bit_if(both[0].input_count != both[1].input_count, ETS_FIELD_INPUT_COUNT) |
                   bit_if(both[0].expected_count != both[1].expected_count, ETS_FIELD_OUTPUT_COUNT);
    return found.fields == 0 ? ETS_OK : add_change(c, ETS_THING_CHANGED, &found);
}

/* The cases of a method, which `counts` says how many each side has. */
static enum ets_status compare_suite(struct cases *c, const struct ets_program_change *of,
                                     const uint32_t counts[2])
{
    for (uint32_t i = 0; i < counts[0] || i < counts[1]; i++) {
        if (i < counts[0] && i < counts[1]) {
            ETS_TRY(compare_case(c, *of, i));
        } else if (of->part == ETS_PART_CASE) {
            struct ets_program_change found = *of;
            const int side = i < counts[0] ? 0 : 1;
            found.index[side] = i;
            found.index[1 - side] = ETS_THING_NONE;
            ETS_TRY(add_change(c, side == 0 ? ETS_THING_REMOVED : ETS_THING_ADDED, &found));
        }
    }
    if (of->part == ETS_PART_CASE) {
        c->difference->case_count += counts[0] > counts[1] ? counts[0] : counts[1];
    }
    return ETS_OK;
}

/* Suites are sorted by method, so that both lists are walked once. */
static enum ets_status compare_part(struct cases *c, enum ets_program_part part)
{
    const struct ets_bundle *bundles[2] = {bundle_of(c->difference, 0),
                                           bundle_of(c->difference, 1)};
    uint32_t at[2] = {0, 0};
    while (at[0] < bundles[0]->suite_count || at[1] < bundles[1]->suite_count) {
        struct ets_bundle_suite suites[2] = {{.case_count = 0}, {.case_count = 0}};
        struct ets_program_change found = {.part = part};
        uint32_t counts[2];
        int order = at[0] >= bundles[0]->suite_count   ? 1
                    : at[1] >= bundles[1]->suite_count ? -1
                                                       : 0;
        for (int s = 0; s < 2; s++) {
            if (at[s] < bundles[s]->suite_count) ets_bundle_suite(bundles[s], at[s], &suites[s]);
            found.suite[s] = at[s];
        }
        if (order == 0) order = ets_text_compare(suites[0].method_name, suites[1].method_name);
        counts[0] = order <= 0 ? suites[0].case_count : 0;
        counts[1] = order >= 0 ? suites[1].case_count : 0;
        ETS_TRY(compare_suite(c, &found, counts));
        at[0] += order <= 0;
        at[1] += order >= 0;
    }
    return ETS_OK;
}

/* Test cases of which something differs, each once. */
static enum ets_status count_cases(struct cases *c)
{
    struct ets_key_table known;
    ets_key_table_init(&known, c->changes->arena, 3);
    const uint32_t first = c->changes->count - c->difference->case_change_count;
    for (uint32_t i = first; i < c->changes->count; i++) {
        const struct ets_program_change *change = &c->changes->items[i];
        const int side = change->index[0] != ETS_THING_NONE ? 0 : 1;
        const uint32_t number =
            change->part == ETS_PART_CASE ? change->index[side] : change->chain[side];
        const uint64_t key[3] = {(uint64_t)side, change->suite[side], number};
        if (ets_key_table_add(&known, key) == ETS_KEY_NONE) {
            return ets_fail_memory(c->error, "what differs");
        }
    }
    c->difference->differing_case_count = known.count;
    return ETS_OK;
}

enum ets_status ets_case_changes(struct ets_program_difference *difference,
                                 struct ets_change_list *changes, struct ets_error *error)
{
    struct cases c = {.difference = difference, .changes = changes, .error = error};
    ETS_TRY(compare_part(&c, ETS_PART_CASE));
    ETS_TRY(compare_part(&c, ETS_PART_CASE_INPUT));
    ETS_TRY(compare_part(&c, ETS_PART_CASE_OUTPUT));
    return count_cases(&c);
}
