/* The symbols of sizes, and how known sizes determine them. */
#include <string.h>

#include "base/error.h"
#include "record/size_expression.h"

enum ets_status ets_size_symbols_init(struct ets_size_symbols *symbols, struct ets_arena *arena)
{
    *symbols = (struct ets_size_symbols){.arena = arena};
    return ets_strings_init(&symbols->names, arena) == 0 ? ETS_OK : ETS_NO_MEMORY;
}

static enum ets_status add_symbol(struct ets_size_symbols *symbols, struct ets_text name)
{
    const uint32_t number = ets_strings_add(&symbols->names, name);
    if (number == UINT32_MAX) return ETS_NO_MEMORY;
    if (number < symbols->capacity) return ETS_OK;
    const uint32_t capacity = number * 2 + 8;
    int64_t *values = ets_arena_alloc_array(symbols->arena, capacity, sizeof *values);
    bool *is_bound = ets_arena_alloc_array(symbols->arena, capacity, sizeof *is_bound);
    if (values == NULL || is_bound == NULL) return ETS_NO_MEMORY;
    if (symbols->capacity > 0) {
        memcpy(values, symbols->values, symbols->capacity * sizeof *values);
        memcpy(is_bound, symbols->is_bound, symbols->capacity * sizeof *is_bound);
    }
    symbols->values = values;
    symbols->is_bound = is_bound;
    symbols->capacity = capacity;
    return ETS_OK;
}

/* The unread part of an expression. */
struct scan {
    const char *at, *end;
};

static struct scan scan_of(struct ets_text text)
{
    return (struct scan){text.data, text.data + text.size};
}

static bool is_name(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
           (byte >= '0' && byte <= '9');
}

static bool is_called(struct scan scan)
{
    while (scan.at < scan.end && *scan.at == ' ') scan.at++;
    return scan.at < scan.end && *scan.at == '(';
}

/* The next name in the text that is not a function; data NULL after the last. */
static struct ets_text next_symbol(struct scan *scan)
{
    while (scan->at < scan->end) {
        const char *const start = scan->at;
        while (scan->at < scan->end && is_name(*scan->at)) scan->at++;
        const bool is_number = scan->at > start && *start >= '0' && *start <= '9';
        if (scan->at > start && !is_number && !is_called(*scan)) {
            return (struct ets_text){start, (size_t)(scan->at - start)};
        }
        if (scan->at == start) scan->at++;
    }
    return (struct ets_text){NULL, 0};
}

enum ets_status ets_size_symbols_add(struct ets_size_symbols *symbols, struct ets_text expression)
{
    if (expression.data == NULL) return ETS_OK;
    struct scan scan = scan_of(expression);
    for (;;) {
        const struct ets_text name = next_symbol(&scan);
        if (name.data == NULL) return ETS_OK;
        ETS_TRY(add_symbol(symbols, name));
    }
}

void ets_size_symbols_forget(struct ets_size_symbols *symbols)
{
    if (symbols->capacity > 0) {
        memset(symbols->is_bound, 0, symbols->capacity * sizeof *symbols->is_bound);
    }
}

/* The number of the only unbound symbol; ETS_STRING_NONE: none. */
static enum ets_status find_unbound(const struct ets_size_symbols *symbols,
                                    struct ets_text expression, uint32_t *number_out)
{
    struct scan scan = scan_of(expression);
    *number_out = ETS_STRING_NONE;
    for (;;) {
        const struct ets_text name = next_symbol(&scan);
        if (name.data == NULL) return ETS_OK;
        const uint32_t number = ets_strings_find(&symbols->names, name);
        if (number >= symbols->capacity) return ETS_NOT_FOUND;
        if (symbols->is_bound[number] || number == *number_out) continue;
        if (*number_out != ETS_STRING_NONE) return ETS_NOT_FOUND;
        *number_out = number;
    }
}

/* The expression's value with `number` bound to `trial`. */
static enum ets_status evaluate_at(struct ets_size_symbols *symbols, struct ets_text expression,
                                   uint32_t number, int64_t trial, int64_t *value_out)
{
    symbols->values[number] = trial;
    symbols->is_bound[number] = true;
    const enum ets_status status = ets_size_evaluate(symbols, expression, value_out);
    symbols->is_bound[number] = false;
    return status;
}

static enum ets_status solve(struct ets_size_symbols *symbols, struct ets_text expression,
                             uint32_t number, int64_t value)
{
    int64_t at_zero, at_one, slope, gap, check;
    if (evaluate_at(symbols, expression, number, value, &check) == ETS_OK && check == value) {
        symbols->is_bound[number] = true; /* a single symbol */
        return ETS_OK;
    }
    ETS_TRY(evaluate_at(symbols, expression, number, 0, &at_zero));
    ETS_TRY(evaluate_at(symbols, expression, number, 1, &at_one));
    if (__builtin_sub_overflow(at_one, at_zero, &slope) || slope == 0 || slope == -1 ||
        __builtin_sub_overflow(value, at_zero, &gap) || gap % slope != 0) {
        return ETS_MISMATCH;
    }
    ETS_TRY(evaluate_at(symbols, expression, number, gap / slope, &check));
    if (check != value) return ETS_MISMATCH;
    symbols->is_bound[number] = true;
    return ETS_OK;
}

enum ets_status ets_size_bind(struct ets_size_symbols *symbols, struct ets_text expression,
                              int64_t value)
{
    uint32_t number;
    int64_t given;
    if (expression.data == NULL) return ETS_MALFORMED;
    ETS_TRY(find_unbound(symbols, expression, &number));
    if (number != ETS_STRING_NONE) return solve(symbols, expression, number, value);
    ETS_TRY(ets_size_evaluate(symbols, expression, &given));
    return given == value ? ETS_OK : ETS_MISMATCH;
}

enum ets_status ets_size_symbols_add_value(struct ets_size_symbols *symbols,
                                           const struct ets_graph_value *value)
{
    enum ets_status status = ets_size_symbols_add(symbols, value->expression);
    for (uint32_t i = 0; i < value->rank && value->size_texts != NULL && status == ETS_OK; i++) {
        status = ets_size_symbols_add(symbols, value->size_texts[i]);
    }
    return status;
}

enum ets_status ets_size_bind_value(struct ets_size_symbols *symbols,
                                    const struct ets_graph_value *value, const int64_t *sizes)
{
    enum ets_status result = ETS_OK;
    for (uint32_t i = 0; i < value->rank && value->size_texts != NULL; i++) {
        if (value->size_texts[i].data == NULL) continue;
        const enum ets_status status = ets_size_bind(symbols, value->size_texts[i], sizes[i]);
        if (status == ETS_MISMATCH) return status;
        if (status != ETS_OK) result = status;
    }
    return result;
}

void ets_size_symbol_set(struct ets_size_symbols *symbols, struct ets_text expression,
                         int64_t value)
{
    if (expression.data == NULL) return;
    const uint32_t number = ets_strings_find(&symbols->names, expression);
    if (number == ETS_STRING_NONE || number >= symbols->capacity) return;
    symbols->values[number] = value;
    symbols->is_bound[number] = true;
}
