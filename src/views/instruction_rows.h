/* The row of an inspection that stands for an instruction of a method. */
#ifndef ETSCOPE_VIEWS_INSTRUCTION_ROWS_H
#define ETSCOPE_VIEWS_INSTRUCTION_ROWS_H

#include <stdbool.h>

#include "etscope/inspect.h"
#include "host/key_table.h"
#include "host/strings.h"

struct ets_instruction_rows {
    struct ets_strings methods;
    struct ets_key_table places; /* method, chain, instruction */
    uint32_t *rows;              /* [places.count] */
    uint32_t capacity;
};

/* Returns false where memory ran out. */
bool ets_instruction_rows_build(struct ets_arena *arena, const struct ets_inspection *inspection,
                                struct ets_instruction_rows *rows_out);

/* The kernel's event of the instruction, or the delegate's call; ETS_NO_INDEX: none was traced. */
uint32_t ets_instruction_rows_find(const struct ets_instruction_rows *rows, struct ets_text method,
                                   int64_t chain, uint32_t instruction);

#endif
