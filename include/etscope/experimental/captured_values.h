/*
 * captured_values.h - iterates over the values that a trace captured, with their bytes.
 *
 * Experimental: this header may change in any version, names and meanings included.
 *
 *     struct ets_captured_values values;
 *     struct ets_captured_value value;
 *     ets_captured_values_init(&values, inspection, ets_file_bytes(debug_buffer), NULL);
 *     while (ets_captured_values_next(&values, &value)) {
 *         struct ets_tensor_statistics statistics = value.statistics; // from the tracer, if any
 *         if (!value.has_statistics &&
 *             (value.status != ETS_OK ||
 *              ets_tensor_statistics_of(&value.tensor, 0, &statistics) != ETS_OK)) {
 *             continue;
 *         }
 *         printf("instruction %d: %g to %g\n", value.instruction, statistics.min, statistics.max);
 *     }
 *
 * These are the values of the ETDump's debug events and, in between, those in the extra block of
 * etscope's tracer: strings, and tensors that were reduced or had no sink. Nothing is allocated.
 * The inspection and the debug buffer are borrowed.
 */
#ifndef ETSCOPE_CAPTURED_VALUES_H
#define ETSCOPE_CAPTURED_VALUES_H

#include "etscope/experimental/row_filter.h"
#include "etscope/inspect.h"
#include "etscope/numerics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A tensor, an element of a tensor list, or a plain value. */
struct ets_captured_value {
    uint32_t event; /* index of its debug event in the event table; ETS_NO_INDEX: none */
    uint32_t run;
    int64_t chain; /* -1: outside any instruction */
    int32_t instruction;
    int32_t delegate_id;           /* of the delegate's part that logged the value; -1: none */
    struct ets_text delegate_name; /* of size 0: none */
    uint32_t row;   /* of the instruction or delegate operator that computed it, or ETS_NO_INDEX */
    uint32_t index; /* among the values of one instruction, or the outputs of one run */
    int is_output;  /* 1: an output of the method */
    int32_t type;   /* enum ets_debug_value_type, or a number of a newer writer */
    uint32_t item, item_count; /* position in a tensor list and its length; 0 and 0: no list */
    /*
     * OK: `tensor` is complete. NOT_FOUND: its bytes were not recorded, or no debug buffer was
     * given. TRUNCATED: its bytes lie outside the debug buffer. MALFORMED, UNSUPPORTED: the
     * description is damaged or of an unknown type, or the value is neither tensor nor number (a
     * string, null). `reason` explains statuses other than OK.
     */
    enum ets_status status;
    int has_tensor;           /* 1: type, sizes and strides are known, with any status */
    struct ets_tensor tensor; /* a number has rank 0 (int64, bool, float64). data: NULL unless OK,
                                 valid until the next call */
    int64_t offset;           /* in the debug buffer; -1: not there */
    struct ets_error reason;
    int has_statistics; /* 1: the tracer reduced the tensor to `statistics`, without bytes */
    struct ets_tensor_statistics statistics;
    struct ets_text text; /* a string from the extra block; data NULL: none */
};

/* Selects values. */
struct ets_captured_filter {
    uint32_t block;   /* only this block; ETS_NO_INDEX: all */
    uint32_t run;     /* only this run; ETS_NO_INDEX: all */
    uint32_t event;   /* only this event of the event table; ETS_NO_INDEX: all */
    int outputs_only; /* 1: only outputs of the method */
    /*
     * Only values computed by these rows; NULL: all. A filter with only a name is also matched
     * against the value's operator, so that "(output)" selects the method's outputs, which have no
     * row. Borrowed.
     */
    const struct ets_row_filter *rows;
};

struct ets_captured_values {
    /* inner */
    const struct ets_inspection *inspection;
    struct ets_bytes debug_buffer; /* data NULL: none was given */
    struct ets_captured_filter filter;
    struct ets_debug_value value;
    uint32_t event, next_event, item;
    uint32_t made_by; /* where the search for the row continues */
    /* The previous value: its number, the event after it, and its position. */
    uint32_t index, passed, run;
    int32_t instruction;
    int64_t chain;
    struct {
        size_t at;                       /* in the extra block */
        uint32_t before;                 /* the next event; ETS_NO_INDEX: no more values */
        uint32_t items;                  /* in the list of `value` */
        struct ets_captured_value value; /* the next one */
    } extra;
    uint8_t number[8]; /* bytes of a plain number, little-endian like a tensor's */
};

/* Starts before the first value. `filter` NULL: all. */
ETS_API void ets_captured_values_init(struct ets_captured_values *values,
                                      const struct ets_inspection *inspection,
                                      struct ets_bytes debug_buffer,
                                      const struct ets_captured_filter *filter);

/* 1 and the next value in logging order, or 0 at the end. Empty lists are skipped. */
ETS_API int ets_captured_values_next(struct ets_captured_values *values,
                                     struct ets_captured_value *value_out);

/*
 * The display name of the operator that computed a value: the kernel ("addmm.out"), the delegate's
 * operator, or "(output)" for an output of the method. Absent if unknown.
 */
ETS_API struct ets_text ets_captured_value_operator(const struct ets_inspection *inspection,
                                                    const struct ets_captured_value *value);

#ifdef __cplusplus
}
#endif

#endif
