/* Writes the document as JSON: the head, and a list for each column. */
#include "output/page/page_parts.h"

static void put_column(struct ets_json_writer *json, const struct ets_page *page,
                       const struct ets_page_table *table, const struct ets_page_column *column)
{
    ets_json_begin_array(json, column->name);
    for (uint32_t i = 0; i < table->row_count; i++) {
        const union ets_page_cell *cell = &column->cells[i];
        if (!column->is_there[i]) ets_json_put_null(json, NULL);
        else if (column->type == ETS_PAGE_INTEGER) ets_json_put_integer(json, NULL, cell->integer);
        else if (column->type == ETS_PAGE_REAL) ets_json_put_real(json, NULL, cell->real);
        else ets_json_put_text(json, NULL, page->document.texts[cell->text]);
    }
    ets_json_end_array(json);
}

/* Numbers in two's complement. */
static void put_list(struct ets_json_writer *json, const char *key, const uint64_t *values,
                     uint32_t count)
{
    ets_json_begin_array(json, key);
    for (uint32_t i = 0; i < count; i++) ets_json_put_integer(json, NULL, (int64_t)values[i]);
    ets_json_end_array(json);
}

static void put_lists(struct ets_json_writer *json, const char *key, const uint64_t *values,
                      const struct ets_page_matrix *matrix)
{
    ets_json_begin_array(json, key);
    for (uint32_t i = 0; i < matrix->position_count; i++) {
        put_list(json, NULL, values + (size_t)i * matrix->run_count, matrix->run_count);
    }
    ets_json_end_array(json);
}

static void put_matrix(struct ets_json_writer *json, const struct ets_page_matrix *matrix)
{
    ets_json_begin_object(json, NULL);
    ets_json_put_count(json, "block", matrix->block);
    ets_json_put_count(json, "positions", matrix->position_count);
    ets_json_put_count(json, "runs", matrix->run_count);
    ets_page_put_kept(json, matrix);
    put_list(json, "operators", (const uint64_t *)matrix->operators, matrix->position_count);
    put_list(json, "parents", (const uint64_t *)matrix->parents, matrix->position_count);
    put_list(json, "starts", matrix->starts, matrix->run_count);
    put_lists(json, "gaps", matrix->gaps, matrix);
    put_lists(json, "durations", matrix->durations, matrix);
    ets_json_end_object(json);
}

enum ets_status ets_page_write_json(struct ets_page *page, struct ets_output *output,
                                    struct ets_error *error)
{
    struct ets_json_writer json = {.output = output};
    (void)error;
    ets_json_begin_object(&json, NULL);
    ets_page_put_head(&json, page);
    ets_json_begin_object(&json, "tables");
    for (uint32_t i = 0; i < page->document.table_count; i++) {
        const struct ets_page_table *table = &page->document.tables[i];
        if (table->row_count == 0) continue;
        ets_json_begin_object(&json, table->name);
        for (uint32_t k = 0; k < table->column_count; k++) {
            put_column(&json, page, table, &table->columns[k]);
        }
        ets_json_end_object(&json);
    }
    ets_json_end_object(&json);
    ets_json_begin_array(&json, "events");
    for (uint32_t i = 0; i < page->matrix_count; i++) put_matrix(&json, &page->matrices[i]);
    ets_json_end_array(&json);
    ets_json_end_object(&json);
    ets_json_end_document(&json);
    return ETS_OK;
}
