/* The tensors that a trace captured, as a table. */
#ifndef ETSCOPE_OUTPUT_TABLE_TENSOR_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_TENSOR_TABLE_H

#include "etscope/experimental/captured_values.h"
#include "output/table/table.h"

struct ets_tensor_table_options {
    struct ets_bytes debug_buffer; /* data NULL: rows without statistics */
    struct ets_captured_filter filter;
    const char *columns; /* "operator,shape,min": these, in this order; NULL: all */
    int values;      /* 1: machine formats have a column `values`, all numbers in logical order */
    int broken_only; /* 1: only tensors with NaN or infinite numbers */
    uint32_t top;    /* only the first rows of each run; 0: all */
};

/* Counts of tensors without statistics, and of tensors with NaN. */
struct ets_tensor_table_gaps {
    uint32_t with_nan;   /* rows whose tensor has NaN */
    uint32_t first_nan;  /* event of the first of them; ETS_NO_INDEX: it has none */
    uint32_t unrecorded; /* tensors whose bytes and statistics the trace's writer did not keep */
    uint32_t without_buffer; /* tensors whose bytes are in a debug buffer that was not given */
    uint32_t outside;        /* tensors whose bytes lie outside of the debug buffer */
    uint32_t unreadable;     /* values that are malformed, or of a type without numbers */
    struct ets_error outside_reason, unreadable_reason; /* of the first of each, if any */
};

/*
 * Adds columns, sections and a row for each captured value (captured_values.h) to an empty table.
 * docs/columns.md describes the columns. `gaps_out` may be NULL. Statuses: NOT_FOUND (an unknown
 * name in `columns`; the message lists all names), NO_MEMORY.
 */
ETS_API enum ets_status ets_tensor_table_fill(struct ets_table *table,
                                              const struct ets_inspection *inspection,
                                              const struct ets_tensor_table_options *options,
                                              struct ets_tensor_table_gaps *gaps_out,
                                              struct ets_error *error);

#endif
