/* Finds the loops of a method, and extends lifetimes over them. */
#include <stdlib.h>

#include "memory/memory_parts.h"

enum { MAX_DEPTH = 64 };

/* By first step; the longer of two loops first. */
static int compare_loops(const void *left, const void *right)
{
    const struct ets_plan_loop *a = left, *b = right;
    if (a->first != b->first) return a->first < b->first ? -1 : 1;
    return (a->last < b->last) - (a->last > b->last);
}

/* The jumps back of the method as [first, last]; returns how many. `loops` NULL: only counts. */
static uint32_t collect(const struct ets_memory_plan *plan, struct ets_plan_loop *loops)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < plan->method.chain_count; c++) {
        struct ets_chain chain;
        ets_method_chain(&plan->method, c, &chain);
        for (uint32_t i = 0; i < chain.instruction_count; i++) {
            struct ets_instruction jump;
            ets_chain_instruction(&chain, i, &jump);
            if (jump.destination < 0 || (uint32_t)jump.destination > i) continue;
            const uint32_t begin = plan->chain_step[c];
            if (loops != NULL) {
                loops[count] =
                    (struct ets_plan_loop){begin + (uint32_t)jump.destination, begin + i, 0};
            }
            count++;
        }
    }
    return count;
}

/* Of two loops that cross, the part that is left to the inner one is none. */
static const struct ets_plan_loop no_loop = {1, 0, ETS_PLAN_NONE};

/*
 * Finds the loop that each lies in. Makes one of those that begin at the same step, which are one
 * loop with several ways back, and of those that cross: no exporter writes such, and the whole is
 * what may run again.
 */
static enum ets_status nest(const struct ets_memory_plan *plan, struct ets_plan_loop *loops,
                            uint32_t count, struct ets_error *error)
{
    uint32_t open[MAX_DEPTH], depth = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct ets_plan_loop loop = loops[i];
        loops[i] = no_loop;
        while (depth > 0 && loops[open[depth - 1]].last < loop.first) depth--;
        if (depth > 0 && loops[open[depth - 1]].first == loop.first) continue;
        uint32_t inside = 0; /* of how many open ones it lies in whole */
        while (inside < depth && loops[open[inside]].last >= loop.last) inside++;
        if (inside < depth) {
            loops[open[inside]].last = loop.last;
            while (depth > inside + 1) loops[open[--depth]] = no_loop;
            continue;
        }
        if (depth == MAX_DEPTH) {
            return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET,
                            "method %.*s: loops nested deeper than %d at instruction %u",
                            ETS_TEXT(plan->method.name), MAX_DEPTH, loop.first);
        }
        loops[i] = loop;
        open[depth++] = i;
    }
    return ETS_OK;
}

/* Leaves out what is no loop any more, and finds the innermost loop of each step. */
static void paint(struct ets_memory_plan *plan, struct ets_plan_loop *loops, uint32_t count,
                  uint32_t *loop_of)
{
    uint32_t kept = 0;
    for (uint32_t s = 0; s < plan->step_count; s++) loop_of[s] = ETS_PLAN_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (loops[i].first > loops[i].last) continue;
        loops[kept] = loops[i];
        loops[kept].parent = loop_of[loops[kept].first];
        for (uint32_t s = loops[kept].first; s <= loops[kept].last; s++) loop_of[s] = kept;
        kept++;
    }
    plan->loops = loops;
    plan->loop_count = kept;
    plan->loop_of = loop_of;
}

enum ets_status ets_plan_find_loops(struct ets_memory_plan *plan, struct ets_arena *arena,
                                    struct ets_error *error)
{
    const uint32_t count = collect(plan, NULL);
    struct ets_plan_loop *loops = ets_arena_alloc_array(arena, count, sizeof *loops);
    uint32_t *loop_of = ets_arena_alloc_array(arena, plan->step_count, sizeof *loop_of);
    if (loops == NULL || loop_of == NULL) return ets_fail_memory(error, "the loops of a method");
    collect(plan, loops);
    if (count > 1) qsort(loops, count, sizeof *loops, compare_loops);
    ETS_TRY(nest(plan, loops, count, error));
    paint(plan, loops, count, loop_of);
    return ETS_OK;
}

void ets_plan_extend_over_loops(const struct ets_memory_plan *plan, uint32_t *first, uint32_t *last)
{
    const uint32_t begin = *first, end = *last;
    for (uint32_t l = plan->loop_of[begin]; l != ETS_PLAN_NONE; l = plan->loops[l].parent) {
        if (plan->loops[l].last >= end) break;
        *first = plan->loops[l].first;
    }
    for (uint32_t l = plan->loop_of[end]; l != ETS_PLAN_NONE; l = plan->loops[l].parent) {
        if (plan->loops[l].first <= begin) break;
        *last = plan->loops[l].last;
    }
}
