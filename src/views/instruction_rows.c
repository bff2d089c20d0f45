/* Finds the rows of instructions. */
#include "views/instruction_rows.h"

#include <string.h>

/* Of two rows of an instruction the inner one: the wrapper around a kernel says nothing of it. */
static bool is_better(const struct ets_inspection *inspection, const struct ets_row *row,
                      uint32_t than)
{
    return than == ETS_NO_INDEX || row->depth > ets_inspection_row(inspection, than)->depth;
}

static bool add_row(struct ets_instruction_rows *rows, struct ets_arena *arena,
                    const struct ets_inspection *inspection, uint32_t index)
{
    const struct ets_row *row = ets_inspection_row(inspection, index);
    const char *method = ets_inspection_block(inspection, row->block)->method;
    if (method == NULL || row->chain < 0 || row->instruction < 0 || row->is_delegated) return true;
    const uint32_t name =
        ets_strings_add(&rows->methods, (struct ets_text){method, strlen(method)});
    const uint64_t key[3] = {name, (uint64_t)row->chain, (uint64_t)row->instruction};
    const uint32_t known = rows->places.count;
    const uint32_t place =
        name == UINT32_MAX ? ETS_KEY_NONE : ets_key_table_add(&rows->places, key);
    if (place == ETS_KEY_NONE) return false;
    uint32_t *grown = ets_arena_grow(arena, rows->rows, place, &rows->capacity, sizeof *grown);
    if (grown == NULL) return false;
    rows->rows = grown;
    if (place == known) rows->rows[place] = ETS_NO_INDEX;
    if (is_better(inspection, row, rows->rows[place])) rows->rows[place] = index;
    return true;
}

bool ets_instruction_rows_build(struct ets_arena *arena, const struct ets_inspection *inspection,
                                struct ets_instruction_rows *rows)
{
    *rows = (struct ets_instruction_rows){.rows = NULL};
    ets_key_table_init(&rows->places, arena, 3);
    if (ets_strings_init(&rows->methods, arena) != 0) return false;
    for (uint32_t i = 0; i < ets_inspection_row_count(inspection); i++) {
        if (!add_row(rows, arena, inspection, i)) return false;
    }
    return true;
}

uint32_t ets_instruction_rows_find(const struct ets_instruction_rows *rows, struct ets_text method,
                                   int64_t chain, uint32_t instruction)
{
    const uint32_t name = ets_strings_find(&rows->methods, method);
    if (name == UINT32_MAX || chain < 0) return ETS_NO_INDEX;
    const uint64_t key[3] = {name, (uint64_t)chain, instruction};
    const uint32_t place = ets_key_table_find(&rows->places, key);
    return place == ETS_KEY_NONE ? ETS_NO_INDEX : rows->rows[place];
}
