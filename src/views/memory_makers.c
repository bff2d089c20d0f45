/* Names the instructions of a plan, and tells where they come from. */
#include "views/memory_makers.h"

#include <string.h>

#include "format/program_names.h"

static void find_steps(struct ets_memory_makers *m)
{
    const struct ets_delegation *delegation = m->delegation;
    if (delegation == NULL) return;
    const uint32_t count = ets_delegation_count(delegation), method = m->plan->method.index;
    while (m->first_step < count &&
           ets_delegation_step_at(delegation, m->first_step)->method != method) {
        m->first_step++;
    }
    m->end_step = m->first_step;
    while (m->end_step < count &&
           ets_delegation_step_at(delegation, m->end_step)->method == method) {
        m->end_step++;
    }
}

/* "aten::addmm.out", once for each operator: a hostile file may call one with a huge name often. */
static bool name_operator(struct ets_memory_makers *m, const struct ets_instruction *call,
                          struct ets_text *name_out)
{
    struct ets_text *name = &m->names[call->operator_index];
    if (name->data == NULL) {
        const size_t room = call->name.size + call->overload.size + 2;
        char *text = ets_arena_alloc(m->arena, room);
        if (text == NULL) return false;
        memcpy(text, call->name.data, call->name.size);
        text[call->name.size] = '.';
        memcpy(text + call->name.size + 1, call->overload.data, call->overload.size);
        *name = (struct ets_text){text, room - 1};
    }
    *name_out = *name;
    return true;
}

/* The operator of a kernel call, else the delegate or the kind of instruction. */
static bool name_step(struct ets_memory_makers *m, uint32_t step, struct ets_text *name_out)
{
    struct ets_instruction call;
    ets_plan_instruction(m->plan, step, &call);
    *name_out = call.name;
    if (call.name.data == NULL) {
        const char *kind = ets_instruction_kind_name(call.kind);
        *name_out = (struct ets_text){kind, strlen(kind)};
    } else if (call.overload.size > 0) {
        return name_operator(m, &call, name_out);
    }
    return true;
}

bool ets_memory_makers_init(struct ets_memory_makers *makers, struct ets_arena *arena,
                            const struct ets_memory_plan *plan,
                            const struct ets_delegation *delegation)
{
    *makers = (struct ets_memory_makers){.arena = arena, .plan = plan, .delegation = delegation};
    makers->names =
        ets_arena_alloc_array(arena, plan->method.operator_count, sizeof *makers->names);
    find_steps(makers);
    return makers->names != NULL;
}

bool ets_memory_maker(struct ets_memory_makers *makers, uint32_t step,
                      struct ets_memory_maker *maker_out)
{
    *maker_out = (struct ets_memory_maker){.name = {NULL, 0}};
    if (!name_step(makers, step, &maker_out->name)) return false;
    if (step >= makers->end_step - makers->first_step) return true;
    const struct ets_delegation_step *from =
        ets_delegation_step_at(makers->delegation, makers->first_step + step);
    return ets_operator_node_places(makers->arena, from->nodes, from->node_count,
                                    &maker_out->sources, &maker_out->modules);
}
