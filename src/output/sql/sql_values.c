/* Makes the values of cells, and finds the trace to which an id belongs. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "output/sql/sql_tables.h"

struct ets_sql_value ets_sql_null(void)
{
    return (struct ets_sql_value){.kind = SQL_NULL};
}

struct ets_sql_value ets_sql_integer(int64_t value)
{
    return (struct ets_sql_value){.kind = SQL_INTEGER, .integer = value};
}

struct ets_sql_value ets_sql_index(uint32_t index, uint32_t first)
{
    return index == ETS_NO_INDEX ? ets_sql_null() : ets_sql_integer((int64_t)first + index);
}

struct ets_sql_value ets_sql_unless_negative(int64_t value)
{
    return value < 0 ? ets_sql_null() : ets_sql_integer(value);
}

struct ets_sql_value ets_sql_real(double value)
{
    if (isnan(value)) return ets_sql_null();
    return (struct ets_sql_value){.kind = SQL_REAL, .real = value};
}

struct ets_sql_value ets_sql_text(struct ets_text text)
{
    if (text.data == NULL) return ets_sql_null();
    return (struct ets_sql_value){.kind = SQL_TEXT, .text = text};
}

struct ets_sql_value ets_sql_string(const char *text)
{
    return ets_sql_text((struct ets_text){text, text == NULL ? 0 : strlen(text)});
}

struct ets_sql_value ets_sql_hexadecimal(struct ets_sql_cursor *cursor, struct ets_bytes bytes)
{
    static const char digits[] = "0123456789abcdef";
    if (bytes.data == NULL) return ets_sql_null();
    char *text = ets_arena_alloc_array(&cursor->scratch, bytes.size + 1, 2);
    if (text == NULL) return (struct ets_sql_value){.kind = SQL_NO_MEMORY};
    for (size_t i = 0; i < bytes.size; i++) {
        text[2 * i] = digits[bytes.data[i] >> 4];
        text[2 * i + 1] = digits[bytes.data[i] & 15];
    }
    return ets_sql_text((struct ets_text){text, 2 * bytes.size});
}

struct ets_sql_value ets_sql_numbers(struct ets_sql_cursor *cursor, const int64_t *numbers,
                                     size_t count)
{
    enum { NUMBER_CHARS = 24 };
    char *text = ets_arena_alloc_array(&cursor->scratch, count + 1, NUMBER_CHARS);
    if (text == NULL) return (struct ets_sql_value){.kind = SQL_NO_MEMORY};
    size_t used = 0;
    text[used++] = '[';
    for (size_t i = 0; i < count; i++) {
        used += ets_print_text(text + used, NUMBER_CHARS, i > 0 ? ",%lld" : "%lld",
                               (long long)numbers[i]);
    }
    text[used++] = ']';
    return ets_sql_text((struct ets_text){text, used});
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

struct ets_sql_value ets_sql_trace_number(const struct ets_sql_cursor *cursor)
{
    return ets_sql_integer(cursor->trace - cursor->study->traces);
}

struct ets_sql_value ets_sql_time(const struct ets_sql_cursor *cursor, double ticks)
{
    return ets_sql_real(ticks * cursor->trace->tick);
}
