/* The table of `quality`: a row for each predicted token. */
#include "output/table/quality_table.h"

#include <stdlib.h>

#include "base/error.h"
#include "host/arena.h"

enum { KL_DIGITS = 3 };

struct field {
    struct ets_column column;
    void (*put)(struct ets_table *table, const struct ets_quality_token *token);
};

static void put_position(struct ets_table *table, const struct ets_quality_token *token)
{
    ets_table_put_integer(table, token->position);
}

static void put_token(struct ets_table *table, const struct ets_quality_token *token)
{
    ets_table_put_integer(table, token->token);
}

static void put_best(struct ets_table *table, const struct ets_quality_token *token)
{
    ets_table_put_integer(table, token->best);
}

static void put_reference_best(struct ets_table *table, const struct ets_quality_token *token)
{
    ets_table_put_integer(table, token->reference_best);
}

static void put_agreement(struct ets_table *table, const struct ets_quality_token *token)
{
    ets_table_put_string(table, token->is_same ? "top1" : token->is_near ? "top5" : "none");
    ets_table_mark_cell(table, token->is_same   ? ETS_MEANS_NOTHING
                               : token->is_near ? ETS_MEANS_WARNING
                                                : ETS_MEANS_WORSE);
}

static void put_kl(struct ets_table *table, const struct ets_quality_token *token)
{
    ets_table_put_real(table, token->kl);
}

static void put_log_probability(struct ets_table *table, const struct ets_quality_token *token)
{
    ets_table_put_real(table, token->log_probability);
}

static void put_reference(struct ets_table *table, const struct ets_quality_token *token)
{
    ets_table_put_real(table, token->reference_log_probability);
}

static const struct field fields[] = {
    {{.name = "position", .kind = ETS_COLUMN_INTEGER}, put_position},
    {{.name = "kl", .title = "KL", .kind = ETS_COLUMN_REAL, .digits = KL_DIGITS}, put_kl},
    {{.name = "token", .kind = ETS_COLUMN_INTEGER}, put_token},
    {{.name = "best", .kind = ETS_COLUMN_INTEGER}, put_best},
    {{.name = "reference_best", .title = "reference", .kind = ETS_COLUMN_INTEGER},
     put_reference_best},
    {{.name = "agreement"}, put_agreement},
    {{.name = "log_probability",
      .title = "log p",
      .kind = ETS_COLUMN_REAL,
      .digits = KL_DIGITS,
      .priority = 1},
     put_log_probability},
    {{.name = "reference_log_probability",
      .title = "log p of reference",
      .kind = ETS_COLUMN_REAL,
      .digits = KL_DIGITS,
      .priority = 1},
     put_reference},
};

enum { FIELDS = sizeof fields / sizeof *fields };

static int compare_divergence(const void *left, const void *right)
{
    const struct ets_quality_token *a = *(const struct ets_quality_token *const *)left;
    const struct ets_quality_token *b = *(const struct ets_quality_token *const *)right;
    if (a->kl != b->kl) return a->kl < b->kl ? 1 : -1;
    return a->position < b->position ? -1 : 1;
}

static void add_row(struct ets_table *table, const struct ets_quality_token *token)
{
    ets_table_add_row(table, 0);
    for (size_t i = 0; i < FIELDS; i++) fields[i].put(table, token);
}

enum ets_status ets_quality_table_fill(struct ets_table *table, const struct ets_quality *quality,
                                       uint32_t worst, struct ets_error *error)
{
    struct ets_arena arena;
    ets_arena_init(&arena, ets_table_allocator(table), 0);
    const struct ets_quality_token **order =
        ets_arena_alloc_array(&arena, quality->count, sizeof *order);
    if (order == NULL) {
        ets_arena_reset(&arena);
        return ets_fail_memory(error, "the table");
    }
    for (uint32_t i = 0; i < quality->count; i++) order[i] = &quality->tokens[i];
    if (worst > 0) qsort(order, quality->count, sizeof *order, compare_divergence);
    ets_table_add_columns(table, &fields[0].column, sizeof *fields, FIELDS, 1);
    for (uint32_t i = 0; i < quality->count && (worst == 0 || i < worst); i++) {
        add_row(table, order[i]);
    }
    ets_arena_reset(&arena);
    return ETS_OK;
}
