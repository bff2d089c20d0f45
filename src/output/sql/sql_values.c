/* Makes the values of cells, and finds the trace to which an id belongs. */
#include "output/sql/sql_tables.h"

struct ets_datum ets_sql_hexadecimal(struct ets_sql_cursor *cursor, struct ets_bytes bytes)
{
    static const char digits[] = "0123456789abcdef";
    if (bytes.data == NULL) return ets_datum_nothing();
    char *text = ets_arena_alloc_array(&cursor->scratch, bytes.size + 1, 2);
    if (text == NULL) return ets_datum_no_memory();
    for (size_t i = 0; i < bytes.size; i++) {
        text[2 * i] = digits[bytes.data[i] >> 4];
        text[2 * i + 1] = digits[bytes.data[i] & 15];
    }
    return ets_datum_text((struct ets_text){text, 2 * bytes.size});
}

/* The last trace whose first number is not above `number`, tried with the current one first. */
#define AT(cursor, number, first_of, count_of)                            \
    do {                                                                  \
        struct ets_study *study = (cursor)->study;                        \
        struct ets_studied_trace *trace = (cursor)->trace;                \
        if (trace == NULL || (number) < trace->first_of ||                \
            (number)-trace->first_of >= (count_of)) {                     \
            uint32_t at = study->sources.trace_count - 1;                 \
            while (at > 0 && study->traces[at].first_of > (number)) at--; \
            trace = (cursor)->trace = &study->traces[at];                 \
        }                                                                 \
        return (number)-trace->first_of;                                  \
    } while (0)

uint32_t ets_sql_at_event(struct ets_sql_cursor *cursor, uint32_t number)
{
    AT(cursor, number, first_event, trace->events->count);
}

uint32_t ets_sql_at_run(struct ets_sql_cursor *cursor, uint32_t number)
{
    AT(cursor, number, first_run, ets_inspection_run_count(trace->inspection));
}

uint32_t ets_sql_at_block(struct ets_sql_cursor *cursor, uint32_t number)
{
    AT(cursor, number, first_block, ets_inspection_block_count(trace->inspection));
}

uint32_t ets_sql_at_operator(struct ets_sql_cursor *cursor, uint32_t number)
{
    AT(cursor, number, first_operator, ets_inspection_row_count(trace->inspection));
}

struct ets_datum ets_sql_trace_number(const struct ets_sql_cursor *cursor)
{
    return ets_datum_integer(cursor->trace - cursor->study->traces);
}

struct ets_datum ets_sql_time(const struct ets_sql_cursor *cursor, double ticks)
{
    return ets_datum_real(ticks * cursor->trace->tick);
}
