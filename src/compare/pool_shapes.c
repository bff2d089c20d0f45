/* Numbers the shapes of blocks: equal numbers mean equal sequences of rows, as seen by a view. */
#include "compare/pool_parts.h"

enum { ROW_WORDS = 6 };

bool ets_pool_shapes_init(struct ets_pool_shapes *shapes, struct ets_arena *arena)
{
    ets_key_table_init(&shapes->rows, arena, ROW_WORDS);
    ets_key_table_init(&shapes->sequences, arena, 2);
    return ets_strings_init(&shapes->texts, arena) == 0;
}

static uint64_t word(int64_t value)
{
    return (uint64_t)value;
}

/* The sequence of `prefix` followed by a row of these words; ETS_KEY_NONE: no memory. */
static uint32_t append(struct ets_pool_shapes *shapes, uint32_t prefix,
                       const uint64_t words[ROW_WORDS])
{
    const uint32_t row = ets_key_table_add(&shapes->rows, words);
    if (row == ETS_KEY_NONE || prefix == ETS_KEY_NONE) return ETS_KEY_NONE;
    const uint64_t key[2] = {(uint64_t)prefix + 1, row};
    return ets_key_table_add(&shapes->sequences, key);
}

static bool is_seen(const struct ets_row *row, enum ets_pool_view view)
{
    if (view == ETS_POOL_EXACT) return true;
    return view == ETS_POOL_WITHOUT_ADDED ? !ets_pool_row_is_added(row)
                                          : !ets_pool_row_may_be_added(row);
}

/*
 * The sequence `shape` followed by the block's rows; ETS_KEY_NONE: no memory. `seen_before`: [row]
 * number of earlier rows in the view; NULL: all.
 */
static uint32_t append_rows(struct ets_pool_shapes *shapes, uint32_t shape,
                            const struct ets_inspection *inspection, const struct ets_block *block,
                            enum ets_pool_view view, const uint32_t *seen_before)
{
    for (uint32_t i = 0; i < block->row_count && shape != ETS_KEY_NONE; i++) {
        const struct ets_row *row = ets_inspection_row(inspection, block->first_row + i);
        if (!is_seen(row, view)) continue;
        struct ets_text operation = row->operation;
        if (view == ETS_POOL_WITHOUT_WIDTHS &&
            !ets_pool_row_without_width(shapes->texts.arena, row, &operation)) {
            return ETS_KEY_NONE;
        }
        const uint32_t text = ets_strings_add(&shapes->texts, operation);
        const uint32_t above = row->parent - block->first_row;
        const uint32_t parent = row->parent == ETS_NO_INDEX ? ETS_NO_INDEX
                                : seen_before == NULL       ? above
                                                            : seen_before[above];
        const uint64_t words[ROW_WORDS] = {
            text,
            word(row->chain),
            word(row->instruction),
            word(row->delegate_id),
            (uint64_t)row->calls_per_run << 32 | (uint32_t)row->is_delegated,
            parent};
        shape = text == UINT32_MAX ? ETS_KEY_NONE : append(shapes, shape, words);
    }
    return shape;
}

uint32_t ets_pool_shape_of(struct ets_pool_shapes *shapes, const struct ets_inspection *inspection,
                           const struct ets_block *block, enum ets_pool_view view)
{
    const struct ets_text method = {block->method,
                                    block->method == NULL ? 0 : strlen(block->method)};
    const uint32_t name = ets_strings_add(&shapes->texts, block->name);
    const uint32_t method_name = ets_strings_add(&shapes->texts, method);
    if (name == UINT32_MAX || method_name == UINT32_MAX) return ETS_KEY_NONE;
    const uint64_t head[ROW_WORDS] = {
        UINT64_MAX, name, method_name, word(block->bundled_input_index), block->stage, 0};
    const uint32_t head_row = ets_key_table_add(&shapes->rows, head);
    const uint64_t start[2] = {0, head_row};
    if (head_row == ETS_KEY_NONE) return ETS_KEY_NONE;
    uint32_t shape = ets_key_table_add(&shapes->sequences, start);
    if (view == ETS_POOL_EXACT) return append_rows(shapes, shape, inspection, block, view, NULL);
    struct ets_arena passing;
    ets_arena_init(&passing, shapes->texts.arena->allocator, 0);
    uint32_t *seen_before = ets_arena_alloc_array(&passing, block->row_count, sizeof *seen_before);
    for (uint32_t i = 0, seen = 0; seen_before != NULL && i < block->row_count; i++) {
        seen_before[i] = seen;
        seen += is_seen(ets_inspection_row(inspection, block->first_row + i), view);
    }
    shape = seen_before == NULL ? ETS_KEY_NONE
                                : append_rows(shapes, shape, inspection, block, view, seen_before);
    ets_arena_reset(&passing);
    return shape;
}
