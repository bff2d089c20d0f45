/* Finds a format by its name, and renders a table in it. */
#include <string.h>

#include "base/error.h"
#include "output/table/table_cells.h"

enum ets_status ets_table_write(const struct ets_table *table, const struct ets_table_style *style,
                                struct ets_output *output, struct ets_error *error)
{
    if (table->no_memory) return ets_fail_memory(error, "the cells of a table");
    if (table->is_over) {
        return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET,
                        "the table exceeds %llu bytes, the limit for files of this size",
                        (unsigned long long)table->limit);
    }
    if (style->format == ETS_FORMAT_TABLE || style->format == ETS_FORMAT_MARKDOWN) {
        return ets_table_write_text(table, style, output, error);
    }
    return ets_table_write_records(table, style, output, error);
}

enum ets_status ets_table_to_json(const struct ets_table *table, char **text_out, size_t *size_out,
                                  struct ets_error *error)
{
    struct ets_output *output;
    const struct ets_table_style style = {.format = ETS_FORMAT_JSON};
    ETS_TRY(ets_output_open_memory(&output, text_out, size_out, error));
    const enum ets_status status = ets_table_write(table, &style, output, error);
    if (status != ETS_OK) {
        ets_output_discard(output);
        return status;
    }
    return ets_output_commit(output, error);
}

int ets_format_find(const char *name, enum ets_format *format_out)
{
#define NAME(id, name) name,
    static const char *const names[] = {ETS_TABLE_FORMATS(NAME)};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) != 0) continue;
        *format_out = (enum ets_format)i;
        return 1;
    }
    return 0;
}
