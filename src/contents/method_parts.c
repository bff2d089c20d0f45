/* What the parts of a comparison of methods have in common: an instruction, a new change. */
#include "contents/method_parts.h"

void ets_paired_instruction_read(const struct ets_paired_side *side, uint32_t index,
                                 struct ets_instruction *instruction_out)
{
    struct ets_chain chain;
    ets_method_chain(&side->method, side->instructions[index].chain, &chain);
    ets_chain_instruction(&chain, side->instructions[index].index, instruction_out);
}

struct ets_program_change *ets_change_add(struct ets_change_list *list, enum ets_program_part part,
                                          enum ets_program_change_kind kind)
{
    if (list->count == ETS_THING_NONE) return NULL;
    list->items =
        ets_arena_grow(list->arena, list->items, list->count, &list->capacity, sizeof *list->items);
    if (list->items == NULL) return NULL;
    struct ets_program_change *change = &list->items[list->count++];
    *change = (struct ets_program_change){.part = part,
                                          .kind = kind,
                                          .method = ETS_THING_NONE,
                                          .index = {ETS_THING_NONE, ETS_THING_NONE}};
    return change;
}
