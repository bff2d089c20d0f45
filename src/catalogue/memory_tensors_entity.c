/* Tensors of planned memory: where they lie, and when they are live. */
#include <inttypes.h>

#include "catalogue/entities.h"
#include "host/text_builder.h"

static const struct ets_plan_tensor *of(const struct ets_entity_row *row)
{
    return row->item;
}

static const struct ets_memory_plan *plan_of(const struct ets_entity_row *row)
{
    return row->within;
}

static const struct ets_memory_shown *shown(const struct ets_entity_row *row)
{
    return row->shown;
}

/* Of a method without a plan: nothing is known, or nothing can be. */
static struct ets_datum absent(const struct ets_entity_row *row)
{
    const bool is_known = row->study->methods[row->parent].has_no_plan;
    return is_known ? ets_datum_nothing() : ets_datum_no_memory();
}

static struct ets_datum get_program(const struct ets_entity_row *row)
{
    return ets_datum_integer(row->study->methods[row->parent].program);
}

static struct ets_datum get_method(const struct ets_entity_row *row)
{
    return ets_datum_text(row->study == NULL ? plan_of(row)->method.name
                                             : row->study->methods[row->parent].method.name);
}

static struct ets_datum get_value(const struct ets_entity_row *row)
{
    if (row->study == NULL) return ets_datum_integer(of(row)->value);
    return ets_datum_count(row->number - row->study->methods[row->parent].first_value);
}

static struct ets_datum get_kind(const struct ets_entity_row *row)
{
    return of(row) == NULL ? absent(row) : ets_datum_string(ets_plan_kind_name(of(row)->kind));
}

static struct ets_datum get_size(const struct ets_entity_row *row)
{
    return of(row) == NULL ? absent(row) : ets_datum_count(of(row)->bytes);
}

static struct ets_datum known(const struct ets_entity_row *row, bool is_at_most)
{
    return of(row) == NULL ? absent(row) : ets_datum_string(is_at_most ? "at most" : "exact");
}

static struct ets_datum get_size_is(const struct ets_entity_row *row)
{
    return known(row, of(row) != NULL && of(row)->is_upper_bound);
}

static struct ets_datum get_is_upper_bound(const struct ets_entity_row *row)
{
    return of(row) == NULL ? absent(row) : ets_datum_integer(of(row)->is_upper_bound);
}

/*
 * Of what is live at the peak, or at the step that was asked for. The bytes of a view count with
 * the tensor that it shows.
 */
static struct ets_datum get_share(const struct ets_entity_row *row)
{
    const struct ets_memory_shown *s = shown(row);
    const uint64_t live = plan_of(row)->live[s->lines->step];
    const double share = live == 0 ? 0 : (double)of(row)->bytes / (double)live;
    const bool counts = s->line->is_at_peak && of(row)->base == ETS_PLAN_NONE;
    return counts ? ets_datum_real(share) : ets_datum_nothing();
}

static struct ets_datum get_memory(const struct ets_entity_row *row)
{
    return of(row) == NULL ? absent(row) : ets_datum_index(of(row)->arena, 1);
}

static struct ets_datum get_offset(const struct ets_entity_row *row)
{
    if (of(row) == NULL) return absent(row);
    const bool is_planned = of(row)->arena != ETS_PLAN_NONE;
    return is_planned ? ets_datum_count(of(row)->offset) : ets_datum_nothing();
}

static struct ets_datum get_first(const struct ets_entity_row *row)
{
    return of(row) == NULL ? absent(row) : ets_datum_index(of(row)->first, 0);
}

static struct ets_datum get_last(const struct ets_entity_row *row)
{
    return of(row) == NULL ? absent(row) : ets_datum_index(of(row)->last, 0);
}

/* "0..4", "8..9" */
static struct ets_datum get_lifetime(const struct ets_entity_row *row)
{
    enum { ROOM = 24 }; /* "4294967295..4294967295" */
    const struct ets_plan_tensor *tensor = of(row);
    if (tensor == NULL) return absent(row);
    const size_t count = tensor->piece_count;
    struct ets_text *items = ets_arena_alloc_array(row->scratch, count + 1, sizeof *items);
    char *room = ets_arena_alloc_array(row->scratch, count + 1, ROOM);
    if (items == NULL || room == NULL) return ets_datum_no_memory();
    for (size_t i = 0; i < count; i++) {
        struct ets_text_builder text = {room + i * ROOM, ROOM, 0};
        ets_add_text(&text, "%" PRIu32 "..%" PRIu32, tensor->pieces[i].first,
                     tensor->pieces[i].last);
        items[i] = ets_built_text(&text);
    }
    return ets_datum_texts(items, count);
}

static struct ets_datum get_lifetime_is(const struct ets_entity_row *row)
{
    return known(row, of(row) != NULL && of(row)->is_conditional);
}

static struct ets_datum get_is_conditional(const struct ets_entity_row *row)
{
    return of(row) == NULL ? absent(row) : ets_datum_integer(of(row)->is_conditional);
}

static struct ets_datum get_producer(const struct ets_entity_row *row)
{
    return of(row) == NULL ? absent(row) : ets_datum_index(of(row)->producer, 0);
}

static struct ets_datum get_operator(const struct ets_entity_row *row)
{
    return ets_datum_text(shown(row)->line->producer);
}

static struct ets_datum get_readers(const struct ets_entity_row *row)
{
    return of(row) == NULL ? absent(row) : ets_datum_integer(of(row)->reader_count);
}

/* Instructions that read it, at most the first 256; `readers` counts all. */
static struct ets_datum get_consumers(const struct ets_entity_row *row)
{
    enum { MOST = 256 };
    uint32_t steps[MOST];
    size_t count = 0;
    for (uint32_t i = 0; i < of(row)->touch_count && count < MOST; i++) {
        if (of(row)->touches[i].reads) steps[count++] = of(row)->touches[i].step;
    }
    return ets_datum_numbers(row->scratch, steps, count);
}

/* Another tensor, by its value. */
static struct ets_datum value_of(const struct ets_entity_row *row, uint32_t tensor)
{
    return tensor == ETS_PLAN_NONE ? ets_datum_nothing()
                                   : ets_datum_integer(plan_of(row)->tensors[tensor].value);
}

static struct ets_datum get_view_of(const struct ets_entity_row *row)
{
    return of(row) == NULL ? absent(row) : value_of(row, of(row)->base);
}

static struct ets_datum get_in_place_of(const struct ets_entity_row *row)
{
    return value_of(row, shown(row)->line->in_place_of);
}

static struct ets_datum get_at_peak(const struct ets_entity_row *row)
{
    const struct ets_plan_tensor *tensor = of(row);
    if (tensor == NULL) return absent(row);
    return ets_datum_integer(tensor->arena != ETS_PLAN_NONE && tensor->bytes > 0 &&
                             ets_plan_is_live(tensor, plan_of(row)->peak_step));
}

static struct ets_datum get_dtype(const struct ets_entity_row *row)
{
    return ets_datum_string(ets_scalar_type_name(shown(row)->value.tensor.tensor.scalar_type));
}

static struct ets_datum get_shape(const struct ets_entity_row *row)
{
    const struct ets_tensor *tensor = &shown(row)->value.tensor.tensor;
    return (struct ets_datum){
        .kind = ETS_DATUM_NUMBERS, .numbers = tensor->sizes, .count = tensor->rank};
}

static struct ets_datum get_name(const struct ets_entity_row *row)
{
    return ets_datum_text(shown(row)->value.tensor.qualified_name);
}

static struct ets_datum get_source(const struct ets_entity_row *row)
{
    const struct ets_text_list *list = &shown(row)->line->sources;
    return ets_datum_list(list->items, list->count);
}

static struct ets_datum get_module(const struct ets_entity_row *row)
{
    const struct ets_text_list *list = &shown(row)->line->modules;
    return ets_datum_list(list->items, list->count);
}

/* clang-format off */
static const struct ets_entity_column columns[] = {
    {"program", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_RELATIONS, "of `programs`", get_program},
    {"method", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_ALL, "name of the method", get_method},
    {"value", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_ALL, "`number` in `program_tensors`", get_value},
    {"kind", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_ALL, "constant, input, mutable buffer, output, intermediate, or unused (no instruction names it)", get_kind},
    {"size", ETS_QUANTITY_BYTES, false, ETS_SEEN_BY_TABLES, "of the elements, not rounded up", get_size},
    {"size_is", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_TABLES, "exact, or at most: the shape is dynamic", get_size_is},
    {"share", ETS_QUANTITY_SHARE, false, ETS_SEEN_BY_TABLES_ALONE, "part of the bytes that are live at the peak, or at the instruction that was asked for; null: it is not alive there, or it is a view, whose bytes count with the tensor that it shows", get_share},
    {"memory_id", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_ALL, "its arena, from 1; null: not planned", get_memory},
    {"memory_offset", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_RELATIONS, "there, in bytes", get_offset},
    {"offset", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_TABLES, "there, in bytes", get_offset},
    {"bytes", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_RELATIONS, "of the elements", get_size},
    {"is_upper_bound", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_RELATIONS, "1: the shape is dynamic, and takes at most these bytes", get_is_upper_bound},
    {"first", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_ALL, "instruction from which it is live; null: never, or a move makes it another tensor", get_first},
    {"last", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_ALL, "the last that needs it", get_last},
    {"lifetime", ETS_QUANTITY_TEXTS, false, ETS_SEEN_BY_ALL, "`0..4, 8..9`: when it is live; branches may leave gaps; null: never", get_lifetime},
    {"lifetime_is", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_TABLES, "exact, or at most: at some of these instructions it is live only if a branch chose it", get_lifetime_is},
    {"is_conditional", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_RELATIONS, "1: at some of these instructions it is live only if a branch chose it", get_is_conditional},
    {"producer", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_ALL, "instruction that writes it first; null: none", get_producer},
    {"operator", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_TABLES_ALONE, "what that instruction calls; null for an input", get_operator},
    {"readers", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_ALL, "instructions that read it", get_readers},
    {"consumers", ETS_QUANTITY_NUMBERS, false, ETS_SEEN_BY_TABLES_ALONE, "these instructions, at most the first 256", get_consumers},
    {"view_of", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_ALL, "value whose bytes it shows; null: it has bytes of its own", get_view_of},
    {"in_place_of", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_TABLES_ALONE, "value that its instruction reads and whose bytes it takes over", get_in_place_of},
    {"at_peak", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_RELATIONS, "1: it is live where the method's planned memory has its peak", get_at_peak},
    {"dtype", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_TABLES_ALONE, "type of the elements", get_dtype},
    {"shape", ETS_QUANTITY_NUMBERS, false, ETS_SEEN_BY_TABLES_ALONE, "sizes; upper bounds if the shape is dynamic", get_shape},
    {"name", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_TABLES_ALONE, "its qualified name, if the program has it", get_name},
    {"source", ETS_QUANTITY_TEXTS, false, ETS_SEEN_BY_TABLES_ALONE, "lines of the producer, with an ETRecord", get_source},
    {"module", ETS_QUANTITY_TEXTS, false, ETS_SEEN_BY_TABLES_ALONE, "modules of the producer, with an ETRecord", get_module},
    {NULL, ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_ALL, NULL, NULL},
};
/* clang-format on */

static uint64_t count(const struct ets_study *study)
{
    return study->value_count;
}

/* The method that a value is of: the last whose first is not behind it. */
static uint32_t find_method(const struct ets_study *study, uint64_t number)
{
    uint32_t low = 0, high = study->method_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (study->methods[middle].first_value <= number) low = middle;
        else high = middle;
    }
    return low;
}

/* Values that are no tensors have no row. */
static bool find(struct ets_entity_row *row)
{
    struct ets_evalue value;
    const struct ets_memory_plan *plan;
    row->parent = find_method(row->study, row->number);
    const struct ets_studied_method *method = &row->study->methods[row->parent];
    const uint32_t index = (uint32_t)(row->number - method->first_value);
    ets_method_value(&method->method, index, &value);
    if (value.kind != ETS_EVALUE_TENSOR) return false;
    (void)ets_study_plan(row->study, row->parent, &plan);
    row->within = plan;
    row->item = plan == NULL ? NULL : &plan->tensors[plan->tensor_of[index]];
    return true;
}

const struct ets_entity ets_memory_tensors_entity = {
    .name = "memory_tensors",
    .meaning = "Tensors of the programs' methods, with place and lifetime.",
    .columns = columns,
    .count = count,
    .find = find,
};
