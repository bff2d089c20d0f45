/* The lists of methods, values, instructions and delegates of a program. */
#ifndef ETSCOPE_FORMAT_PROGRAM_LISTS_H
#define ETSCOPE_FORMAT_PROGRAM_LISTS_H

#include <stdbool.h>

#include "etscope/program.h"

/* Whether the items are tensors, of which an optional one may be missing. */
static inline bool ets_evalue_is_tensor_list(const struct ets_evalue *value)
{
    return value->kind == ETS_EVALUE_TENSOR_LIST || value->kind == ETS_EVALUE_OPTIONAL_TENSOR_LIST;
}

/*
 * Item of an INT_LIST, TENSOR_LIST or OPTIONAL_TENSOR_LIST: an index into the method's values
 * (also for INT_LIST), or -1 for an optional tensor that is missing.
 */
ETS_API int32_t ets_evalue_item(const struct ets_evalue *list, uint32_t index);
/* Item of a DOUBLE_LIST; of a BOOL_LIST (0 or 1). */
ETS_API double ets_evalue_double(const struct ets_evalue *list, uint32_t index);
ETS_API int ets_evalue_bool(const struct ets_evalue *list, uint32_t index);

/*
 * The order of a tensor's dimensions in memory as stored, outermost first: one for each of its
 * sizes. Strides do not tell it where sizes are 1.
 */
ETS_API void ets_evalue_dim_order(const struct ets_evalue *tensor, uint8_t *dim_order_out);

/* Index into the method's values of argument `index`. */
ETS_API uint32_t ets_instruction_argument(const struct ets_instruction *instruction,
                                          uint32_t index);
/* Frames as stored. */
void ets_instruction_frame(const struct ets_instruction *instruction, uint32_t index,
                           struct ets_program_frame *frame_out);

void ets_delegate_compile_spec(const struct ets_delegate *delegate, uint32_t index,
                               struct ets_compile_spec *spec_out);

void ets_program_segment(const struct ets_program *program, uint32_t index,
                         struct ets_segment *segment_out);
/*
 * Fills roles_out[count] with the enum ets_segment_role of segments `first` to `first + count - 1`.
 * Each call visits every delegate and named data entry once.
 */
void ets_program_segment_roles(const struct ets_program *program, uint32_t first, uint32_t count,
                               uint8_t *roles_out);

/* The first entry with the key. Status: NOT_FOUND. */
enum ets_status ets_data_file_find(const struct ets_data_file *data, struct ets_text key,
                                   struct ets_data_entry *entry_out, struct ets_error *error);

void ets_data_file_segment(const struct ets_data_file *data, uint32_t index,
                           struct ets_data_segment *segment_out);

#endif
