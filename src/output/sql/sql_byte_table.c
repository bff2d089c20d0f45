/* Where the bytes of programs are, as a table. */
#include "output/sql/sql_tables.h"

enum {
    BYTES_ID,
    BYTES_PROGRAM,
    BYTES_PART,
    BYTES_CONTENT,
    BYTES_NAME,
    BYTES_MODULE,
    BYTES_BACKEND,
    BYTES_ROLE,
    BYTES_KEY,
    BYTES_DTYPE,
    BYTES_SHAPE,
    BYTES_OFFSET,
    BYTES_BYTES,
    BYTES_COUNT,
    BYTES_METHOD,
    BYTES_DELEGATE,
    BYTES_NODE,
    BYTES_HANDLE,
    BYTES_USERS,
    BYTES_SAME_AS
};

/* clang-format off */
static const struct ets_sql_column byte_columns[] = {
    [BYTES_ID] = {"id", "INTEGER", "number of the part, from 0"},
    [BYTES_PROGRAM] = {"program", "INTEGER", "of `programs`"},
    [BYTES_PART] = {"part", "TEXT", "constant; unused_constant; state; delegate_weight; delegate_payload; named_data; program; padding; unused; other; trailing"},
    [BYTES_CONTENT] = {"content", "TEXT", "values, instructions; FullyConnected of a weight; XNNPACK graph"},
    [BYTES_NAME] = {"name", "TEXT", "linear.weight; null: not known"},
    [BYTES_MODULE] = {"module", "TEXT", "path of the module that uses it; null: not known"},
    [BYTES_BACKEND] = {"backend", "TEXT", "of weights and payloads"},
    [BYTES_ROLE] = {"role", "TEXT", "weight, bias, scale, constant of a delegate's node"},
    [BYTES_KEY] = {"key", "TEXT", "of named data"},
    [BYTES_DTYPE] = {"dtype", "TEXT", "float32; of XNNPACK's weights also qcint8, qbint4"},
    [BYTES_SHAPE] = {"shape", "TEXT", "as a JSON array, as its user sees it"},
    [BYTES_OFFSET] = {"offset", "INTEGER", "in the program, of its first byte"},
    [BYTES_BYTES] = {"bytes", "INTEGER", "each byte of the program counts once"},
    [BYTES_COUNT] = {"count", "INTEGER", "values, instructions, operators in it; 1 for data"},
    [BYTES_METHOD] = {"method", "TEXT", "that uses it; null: several or none"},
    [BYTES_DELEGATE] = {"delegate", "INTEGER", "number in `delegates` of the first user"},
    [BYTES_NODE] = {"node", "INTEGER", "number of the first user in its delegate"},
    [BYTES_HANDLE] = {"debug_handle", "INTEGER", "of the first user"},
    [BYTES_USERS] = {"users", "INTEGER", "tensors or nodes that refer to it"},
    [BYTES_SAME_AS] = {"same_as", "INTEGER", "the part that has the same bytes; null: none is known"},
    {NULL, NULL, NULL},
};
/* clang-format on */

static uint64_t byte_count(const struct ets_study *study)
{
    return study->first_byte_item[study->sources.program_count];
}

static struct ets_datum method_of(const struct ets_byte_map *map, const struct ets_byte_item *item)
{
    struct ets_method method;
    if (item->method == ETS_BYTES_NONE) return ets_datum_nothing();
    ets_program_method(&map->files[0].program, item->method, &method);
    return ets_datum_text(method.name);
}

static struct ets_datum shape_of(struct ets_sql_cursor *cursor, const struct ets_byte_item *item)
{
    if (item->shape == NULL) return ets_datum_nothing();
    return ets_datum_print_numbers(&cursor->scratch, item->shape, item->rank);
}

static struct ets_datum byte_cell(struct ets_sql_cursor *cursor, int column)
{
    const struct ets_study *study = cursor->study;
    uint32_t program = 0;
    while (study->first_byte_item[program + 1] <= cursor->row) program++;
    const struct ets_byte_map *map = study->byte_maps[program];
    const uint32_t first = study->first_byte_item[program];
    const struct ets_byte_item *item = &map->items[cursor->row - first];
    switch (column) {
    case BYTES_ID: return ets_datum_integer((int64_t)cursor->row);
    case BYTES_PROGRAM: return ets_datum_integer(program);
    case BYTES_PART: return ets_datum_string(ets_byte_part_name(item->part));
    case BYTES_CONTENT: return ets_datum_string(item->content);
    case BYTES_NAME: return ets_datum_text(item->name);
    case BYTES_MODULE: return ets_datum_text(item->module);
    case BYTES_BACKEND: return ets_datum_text(item->backend);
    case BYTES_ROLE: return ets_datum_string(item->role);
    case BYTES_KEY: return ets_datum_text(item->key);
    case BYTES_DTYPE: return ets_datum_string(item->dtype);
    case BYTES_SHAPE: return shape_of(cursor, item);
    case BYTES_OFFSET: return ets_datum_integer((int64_t)item->offset);
    case BYTES_BYTES: return ets_datum_integer((int64_t)item->bytes);
    case BYTES_COUNT: return ets_datum_integer((int64_t)item->count);
    case BYTES_METHOD: return method_of(map, item);
    case BYTES_DELEGATE: return ets_datum_index(item->delegate, 0);
    case BYTES_NODE: return ets_datum_index(item->node, 0);
    case BYTES_HANDLE: return ets_datum_unless_negative(item->debug_handle);
    case BYTES_USERS: return ets_datum_integer(item->user_count);
    default: return ets_datum_index(item->same_as, first);
    }
}

const struct ets_sql_table ets_sql_program_bytes_table = {
    .name = "program_bytes",
    .meaning = "Where the bytes of the programs are: those of a program add up to its size.",
    .columns = byte_columns,
    .has_id = true,
    .prepare = ets_study_byte_maps,
    .count = byte_count,
    .cell = byte_cell,
};
