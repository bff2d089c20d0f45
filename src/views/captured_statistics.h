/*
 * Statistics of captured values, or the reason why there are none, and where in the model each
 * value was computed.
 *
 *     struct ets_captured_statistics numbers;
 *     struct ets_captured_line line;
 *     ets_captured_statistics_init(&numbers, inspection, debug_buffer, &filter);
 *     while (ets_captured_statistics_next(&numbers, &arena, &line)) {
 *         if (line.numbers.is_known) show(line.value.instruction, &line.numbers.statistics);
 *         ets_arena_reset(&arena);
 *     }
 *     if (numbers.no_memory) ...
 *
 * The inspection and the debug buffer are borrowed; lists of a line are in the arena.
 */
#ifndef ETSCOPE_VIEWS_CAPTURED_STATISTICS_H
#define ETSCOPE_VIEWS_CAPTURED_STATISTICS_H

#include <stdbool.h>

#include "etscope/experimental/captured_values.h"
#include "views/operator_lines.h"

enum { ETS_FIRST_NUMBERS = 8 }; /* how many first values the statistics keep */

enum ets_numbers_state {
    ETS_NUMBERS_OK = 0,
    ETS_NUMBERS_REDUCED = 1,    /* the tracer kept only the statistics */
    ETS_NUMBERS_UNRECORDED = 2, /* the trace's writer kept no bytes */
    ETS_NUMBERS_NO_BUFFER = 3,  /* they are in a debug buffer that was not given */
    ETS_NUMBERS_OUTSIDE = 4,    /* they lie outside of the debug buffer */
    ETS_NUMBERS_NONE = 5,       /* of a type without numbers */
    ETS_NUMBERS_MALFORMED = 6
};

struct ets_tensor_numbers {
    enum ets_numbers_state state;
    bool is_known; /* OK, REDUCED: the statistics are valid */
    struct ets_tensor_statistics statistics;
    struct ets_error reason; /* why it is not known */
};

/* Of a value with its bytes; nothing is allocated. */
void ets_tensor_numbers_find(const struct ets_captured_value *value,
                             struct ets_tensor_numbers *numbers_out);

/* "ok", "reduced", "unrecorded", "no_buffer", "outside", "no_numbers", "malformed". */
const char *ets_numbers_state_name(enum ets_numbers_state state);
/* Of enum ets_debug_value_type: "tensor", "tensor_list", "int"; "unknown" of a newer writer's. */
const char *ets_captured_kind_name(int32_t type);
/* Of all elements of a tensor; -1: not known. */
int64_t ets_captured_bytes(const struct ets_captured_value *value);

enum { ETS_HASH_CHARS = 16 };
/* The hash in hexadecimal, without a terminator. */
void ets_hash_print(uint64_t hash, char text[ETS_HASH_CHARS]);

struct ets_captured_line {
    struct ets_captured_value value;
    struct ets_tensor_numbers numbers;
    uint32_t block;                        /* of the inspection */
    const struct ets_row *row;             /* that computed it; NULL: unknown */
    struct ets_text_list sources, modules; /* of that row */
};

struct ets_captured_statistics {
    struct ets_captured_values values;
    bool no_memory;
};

/* Starts before the first value. `filter` NULL: all values. */
void ets_captured_statistics_init(struct ets_captured_statistics *numbers,
                                  const struct ets_inspection *inspection,
                                  struct ets_bytes debug_buffer,
                                  const struct ets_captured_filter *filter);
/* True and the next value, in logging order; false at the end, or if memory runs out. */
bool ets_captured_statistics_next(struct ets_captured_statistics *numbers, struct ets_arena *arena,
                                  struct ets_captured_line *line_out);

/* Which properties any value has: people do not see columns that would be empty. */
struct ets_captured_contents {
    bool has_layouts; /* strides other than those of a contiguous tensor */
    bool has_items, has_indices, has_numbers, has_texts, has_handles;
};
struct ets_captured_contents ets_captured_survey(const struct ets_inspection *inspection,
                                                 struct ets_bytes debug_buffer,
                                                 const struct ets_captured_filter *filter);

#endif
