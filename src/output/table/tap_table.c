/* The table of `tap --list`. */
#include "output/table/tap_table.h"

struct line {
    struct ets_table *table;
    const struct ets_inside_value *of;
};

struct field {
    struct ets_column column;
    void (*put)(const struct line *line);
};

static void put_method(const struct line *line)
{
    ets_table_put_string(line->table, line->of->method);
}

static void put_value(const struct line *line)
{
    ets_table_put_text(line->table, line->of->name);
}

static void put_operator(const struct line *line)
{
    ets_table_put_text(line->table, line->of->maker->name);
}

static void put_handle(const struct line *line)
{
    if (line->of->maker->debug_handle < 0) ets_table_put_nothing(line->table);
    else ets_table_put_integer(line->table, line->of->maker->debug_handle);
}

static void put_node(const struct line *line)
{
    if (line->of->node == NULL) ets_table_put_nothing(line->table);
    else ets_table_put_text(line->table, line->of->node->name);
}

static void put_type(const struct line *line)
{
    ets_table_put_string(line->table, line->of->value->type->name);
}

static void put_shape(const struct line *line)
{
    ets_table_put_integers(line->table, line->of->dims, line->of->rank);
}

static bool is_scaled(const struct line *line)
{
    return line->of->value->quantization.kind == ETS_PAYLOAD_PER_TENSOR;
}

static void put_scale(const struct line *line)
{
    if (is_scaled(line)) ets_table_put_real(line->table, line->of->value->quantization.scale);
    else ets_table_put_nothing(line->table);
}

static void put_zero_point(const struct line *line)
{
    if (!is_scaled(line)) ets_table_put_nothing(line->table);
    else ets_table_put_integer(line->table, line->of->value->quantization.zero_point);
}

static void put_bytes(const struct line *line)
{
    if (line->of->tap->bytes == 0) ets_table_put_nothing(line->table);
    else ets_table_put_count(line->table, line->of->tap->bytes);
}

static void put_state(const struct line *line)
{
    ets_table_put_string(line->table, line->of->state);
}

static void put_source(const struct line *line)
{
    ets_table_put_text(line->table, line->of->source);
}

static void put_module(const struct line *line)
{
    ets_table_put_text(line->table, line->of->module);
}

static const struct field fields[] = {
    {{.name = "method", .machine_only = 1}, put_method},
    {{.name = "value"}, put_value},
    {{.name = "operator", .least_width = 12, .cut_in_middle = 1}, put_operator},
    {{.name = "handle", .kind = ETS_COLUMN_INTEGER, .priority = 2}, put_handle},
    {{.name = "node", .priority = 3, .least_width = 14, .cut_in_middle = 1}, put_node},
    {{.name = "dtype"}, put_type},
    {{.name = "shape", .kind = ETS_COLUMN_NUMBERS}, put_shape},
    {{.name = "scale", .kind = ETS_COLUMN_REAL, .priority = 4, .digits = 4}, put_scale},
    {{.name = "zero_point", .title = "zero", .kind = ETS_COLUMN_INTEGER, .priority = 4},
     put_zero_point},
    {{.name = "size", .title = "bytes", .kind = ETS_COLUMN_BYTES, .priority = 1}, put_bytes},
    {{.name = "can_be_had", .title = "can be had", .least_width = 12}, put_state},
    {{.name = "source", .least_width = 14, .cut_at_start = 1}, put_source},
    {{.name = "module", .priority = 3, .least_width = 10}, put_module},
};

enum { FIELDS = sizeof fields / sizeof *fields };

void ets_tap_table_fill(struct ets_table *table, const struct ets_inside_values *values)
{
    ets_table_add_columns(table, &fields[0].column, sizeof *fields, FIELDS, 1);
    for (uint32_t i = 0; i < values->count; i++) {
        const struct line line = {table, &values->items[i]};
        ets_table_add_row(table, 0);
        for (size_t k = 0; k < FIELDS; k++) fields[k].put(&line);
    }
}
