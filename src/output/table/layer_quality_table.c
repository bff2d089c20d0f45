/* The table of `quality` by layer: a row for each weight, columns for each scheme. */
#include "output/table/layer_quality_table.h"

#include <math.h>

enum { KL_DIGITS = 3 };

struct cell {
    const struct ets_layer_study *study;
    uint32_t row;
    uint32_t scheme; /* of the column */
};

typedef void put_function(struct ets_table *table, const struct cell *cell);

struct field {
    struct ets_column column;
    put_function *put;
    uint32_t scheme;
};

static const struct ets_layer_row *row_of(const struct cell *cell)
{
    return &cell->study->rows[cell->row];
}

static void put_layer(struct ets_table *table, const struct cell *cell)
{
    ets_table_put_text(table, row_of(cell)->layer->name);
}

static void put_scheme_text(struct ets_table *table, const struct ets_weight_scheme *scheme)
{
    char text[ETS_WEIGHT_SCHEME_CHARS];
    ets_weight_scheme_describe(scheme, text);
    ets_table_put_string(table, text[0] != '\0' ? text : NULL);
}

static void put_scheme(struct ets_table *table, const struct cell *cell)
{
    put_scheme_text(table, &row_of(cell)->layer->scheme);
}

static void put_bytes_of(struct ets_table *table, const struct ets_layer_effect *effect)
{
    if (effect->bytes == 0) ets_table_put_nothing(table);
    else ets_table_put_count(table, effect->bytes);
}

static void put_present_bytes(struct ets_table *table, const struct cell *cell)
{
    put_bytes_of(table, &row_of(cell)->present);
}

static void put_present_kl(struct ets_table *table, const struct cell *cell)
{
    ets_table_put_known(table, row_of(cell)->present.kl);
}

static void put_change(struct ets_table *table, const struct cell *cell)
{
    for (uint32_t i = 0; i < cell->study->change_count; i++) {
        const struct ets_layer_change *change = &cell->study->changes[i];
        if (change->row != cell->row) continue;
        put_scheme_text(table, &ets_weight_schemes[change->scheme]);
        return;
    }
    ets_table_put_nothing(table);
}

static void put_kl(struct ets_table *table, const struct cell *cell)
{
    ets_table_put_known(table, row_of(cell)->effects[cell->scheme].kl);
}

static void put_bytes(struct ets_table *table, const struct cell *cell)
{
    put_bytes_of(table, &row_of(cell)->effects[cell->scheme]);
}

#define KL(id, text, number)                                                                     \
    {                                                                                            \
        {.name = id "_kl", .title = text, .kind = ETS_COLUMN_REAL, .digits = KL_DIGITS}, put_kl, \
            number                                                                               \
    }
#define BYTES(id, text, number)                                                                 \
    {                                                                                           \
        {.name = id, .title = text, .kind = ETS_COLUMN_BYTES, .priority = 2}, put_bytes, number \
    }

static const struct field fields[] = {
    {{.name = "layer"}, put_layer, 0},
    {{.name = "scheme", .title = "now"}, put_scheme, 0},
    {{.name = "weight", .title = "bytes", .kind = ETS_COLUMN_BYTES}, put_present_bytes, 0},
    {{.name = "kl", .title = "KL", .kind = ETS_COLUMN_REAL, .digits = KL_DIGITS},
     put_present_kl,
     0},
    {{.name = "change"}, put_change, 0},
    KL("int8", "KL in 8 bit", 4),
    KL("int4_g32", "4 bit/32", 3),
    KL("int4_g64", "4 bit/64", 2),
    KL("int4_g128", "4 bit/128", 1),
    KL("int4", "4 bit", 0),
    BYTES("float", "float takes", 5),
    BYTES("int8", "8 bit takes", 4),
    BYTES("int4_g32", "4 bit/32 takes", 3),
    BYTES("int4_g64", "4 bit/64 takes", 2),
    BYTES("int4_g128", "4 bit/128 takes", 1),
    BYTES("int4", "4 bit takes", 0),
};

enum { FIELDS = sizeof fields / sizeof *fields };

void ets_layer_quality_table_fill(struct ets_table *table, const struct ets_layer_study *study,
                                  uint32_t most)
{
    ets_table_add_columns(table, &fields[0].column, sizeof *fields, FIELDS, 1);
    for (uint32_t i = 0; i < study->layers.count && (most == 0 || i < most); i++) {
        ets_table_add_row(table, 0);
        for (size_t k = 0; k < FIELDS; k++) {
            const struct cell cell = {study, i, fields[k].scheme};
            fields[k].put(table, &cell);
        }
    }
}
