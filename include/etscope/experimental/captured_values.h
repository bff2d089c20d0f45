/*
 * captured_values.h - the values that a trace captured, one after the other, with their bytes.
 *
 * Experimental: this header may change in any version, names and meanings included.
 *
 *     struct ets_captured_values values;
 *     struct ets_captured_value value;
 *     ets_captured_values_init(&values, inspection, ets_file_bytes(debug_buffer), NULL);
 *     while (ets_captured_values_next(&values, &value)) {
 *         struct ets_tensor_statistics statistics = value.statistics; // by the tracer, where it
 * has_statistics if (value.has_statistics || (value.status == ETS_OK &&
 *              ets_tensor_statistics_of(&value.tensor, 0, &statistics) == ETS_OK)) {
 *             printf("instruction %d: %g to %g\n", value.instruction, statistics.min,
 * statistics.max);
 *         }
 *     }
 *
 * They are those of the ETDump's debug events and, between them, those that etscope's tracer puts
 * into the extra block: strings, and tensors that were reduced or had no sink. Nothing is
 * allocated. The inspection and the debug buffer are borrowed.
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
    uint32_t event; /* its debug event's index in the event table; ETS_NO_INDEX: it has none */
    uint32_t run;
    int64_t chain; /* -1: outside of any instruction */
    int32_t instruction;
    int32_t delegate_id;           /* of the delegate's part that logged it; -1: none */
    struct ets_text delegate_name; /* of size 0: none */
    uint32_t row;   /* of the instruction or delegate operator that made it, or ETS_NO_INDEX */
    uint32_t index; /* among the values that one instruction, or the outputs of one run, logged */
    int is_output;  /* 1: an output of the whole method */
    int32_t type;   /* enum ets_debug_value_type, or a newer writer's number */
    uint32_t item, item_count; /* place in a tensor list and its length; 0 and 0: no list */
    /*
     * OK: `tensor` is whole. NOT_FOUND: its bytes were not recorded, or no debug buffer was given;
     * TRUNCATED: they lie outside of the debug buffer; MALFORMED, UNSUPPORTED: the description
     * itself is broken or of an unknown type, or the value is no tensor and no number (a string,
     * null). `reason` says it in words where it is not OK.
     */
    enum ets_status status;
    int has_tensor;           /* 1: type, sizes and strides are known, whatever the status */
    struct ets_tensor tensor; /* a number: of rank 0 (int64, bool, float64). data: NULL unless OK,
                                 good until the next call */
    int64_t offset;           /* in the debug buffer; -1: not there */
    struct ets_error reason;
    int has_statistics; /* 1: the tracer reduced the tensor to `statistics`; its bytes are not there
                         */
    struct ets_tensor_statistics statistics;
    struct ets_text text; /* of a string that the extra block has; data NULL: none */
};

/* Which values are of interest. */
struct ets_captured_filter {
    uint32_t block;   /* only this block; ETS_NO_INDEX: all */
    uint32_t run;     /* only this run; ETS_NO_INDEX: all */
    uint32_t event;   /* only this event of the event table; ETS_NO_INDEX: all */
    int outputs_only; /* 1: only outputs of the whole method */
    /*
     * Only what these rows made; NULL: all. A filter that is a name alone fits the value's
     * operator, too, so that "(output)" finds the outputs of the method, which no row made.
     * Borrowed.
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
    uint32_t made_by; /* event that the search for the row has come to */
    /* The value before: its number, the event behind it, and its place. */
    uint32_t index, passed, run;
    int32_t instruction;
    int64_t chain;
    struct {
        size_t at;                       /* in the extra block */
        uint32_t before;                 /* event that came next; ETS_NO_INDEX: no more values */
        uint32_t items;                  /* of the list that `value` is in */
        struct ets_captured_value value; /* the next one */
    } extra;
    uint8_t number[8]; /* a plain number's bytes, little-endian as a tensor's */
};

/* Stands before the first value. `filter` NULL: all. */
ETS_API void ets_captured_values_init(struct ets_captured_values *values,
                                      const struct ets_inspection *inspection,
                                      struct ets_bytes debug_buffer,
                                      const struct ets_captured_filter *filter);

/* 1 and the next value, in logging order, or 0 at the end. A list without elements gives none. */
ETS_API int ets_captured_values_next(struct ets_captured_values *values,
                                     struct ets_captured_value *value_out);

/*
 * What people call the operator that made a value: the kernel ("addmm.out"), the delegate's
 * operator, "(output)" for an output of the method; absent where nothing tells.
 */
ETS_API struct ets_text ets_captured_value_operator(const struct ets_inspection *inspection,
                                                    const struct ets_captured_value *value);

#ifdef __cplusplus
}
#endif

#endif
