/*
 * The instructions of a memory plan as people know them: by operator, source line and module.
 *
 *     struct ets_memory_makers makers;
 *     if (!ets_memory_makers_init(&makers, &arena, plan, delegation)) return false;
 *     if (!ets_memory_maker(&makers, step, &maker)) return false;
 *
 * All memory is the arena's; plan and delegation are borrowed.
 */
#ifndef ETSCOPE_VIEWS_MEMORY_MAKERS_H
#define ETSCOPE_VIEWS_MEMORY_MAKERS_H

#include <stdbool.h>

#include "etscope/experimental/delegates.h"
#include "host/arena.h"
#include "memory/memory_plan.h"
#include "views/places.h"

struct ets_memory_makers {
    struct ets_arena *arena;
    const struct ets_memory_plan *plan;
    const struct ets_delegation *delegation;
    uint32_t first_step, end_step; /* the method's, in the delegation */
    struct ets_text *names;        /* [operator_count] with overloads, made when first asked for */
};

struct ets_memory_maker {
    struct ets_text name;                  /* "aten::addmm.out", "XnnpackBackend", "MoveCall" */
    struct ets_text_list sources, modules; /* empty without a record */
};

/* `delegation` NULL: no source lines and modules. Both return false where memory ran out. */
bool ets_memory_makers_init(struct ets_memory_makers *makers, struct ets_arena *arena,
                            const struct ets_memory_plan *plan,
                            const struct ets_delegation *delegation);
bool ets_memory_maker(struct ets_memory_makers *makers, uint32_t step,
                      struct ets_memory_maker *maker_out);

#endif
