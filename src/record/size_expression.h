/*
 * size_expression.h - sizes that a graph has as text: "s27", "2*s0 + 1", "(s6//2)", "Max(1, u0)",
 * as sympy prints them.
 */
#ifndef ETSCOPE_RECORD_SIZE_EXPRESSION_H
#define ETSCOPE_RECORD_SIZE_EXPRESSION_H

#include <stdbool.h>

#include "etscope/etrecord.h"
#include "host/strings.h"

/* The symbols of a program, and what each stands for in the current run. */
struct ets_size_symbols {
    struct ets_arena *arena;
    struct ets_strings names;
    int64_t *values; /* by the name's number */
    bool *is_bound;
    uint32_t capacity;
};

/* `arena` outlives the table. NO_MEMORY. */
enum ets_status ets_size_symbols_init(struct ets_size_symbols *symbols, struct ets_arena *arena);

/* Makes room for the symbols of `expression`, borrowed, so that binding needs no memory later. */
enum ets_status ets_size_symbols_add(struct ets_size_symbols *symbols, struct ets_text expression);

void ets_size_symbols_forget(struct ets_size_symbols *symbols); /* all are unbound */

/*
 * The value of `expression`, computed in fractions, so that 2*(s0/2) is s0. MALFORMED: the result
 * is not an integer, or the text is not an expression; NOT_FOUND: a symbol is not bound; LIMIT: a
 * number or the nesting is too large.
 */
enum ets_status ets_size_evaluate(const struct ets_size_symbols *symbols,
                                  struct ets_text expression, int64_t *value_out);

/*
 * Binds the only unbound symbol of `expression` so that the expression equals `value`: a single
 * symbol, or one in a linear expression. MISMATCH: no integer fits, or all symbols are bound and
 * the value differs; NOT_FOUND: several symbols are unbound; else as above.
 */
enum ets_status ets_size_bind(struct ets_size_symbols *symbols, struct ets_text expression,
                              int64_t value);

/* The same for the expression and all sizes of a value. */
enum ets_status ets_size_symbols_add_value(struct ets_size_symbols *symbols,
                                           const struct ets_graph_value *value);
/*
 * Binds all sizes of a value that are expressions, to `sizes` of its rank. MISMATCH: one differs;
 * else the last other reason why one is not bound, such as NOT_FOUND.
 */
enum ets_status ets_size_bind_value(struct ets_size_symbols *symbols,
                                    const struct ets_graph_value *value, const int64_t *sizes);

/* Sets the symbol if the expression is a single symbol, bound or not. */
void ets_size_symbol_set(struct ets_size_symbols *symbols, struct ets_text expression,
                         int64_t value);

#endif
