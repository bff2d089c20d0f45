/* Reads any bytes as a program, and the plan of each method: places, lifetimes and live bytes must
 * keep to what memory_plan.h says of them, whatever the instructions are. */
#include <stdlib.h>

#include "memory/memory_plan.h"
#include "views/memory_findings.h"
#include "views/memory_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool is_so)
{
    if (!is_so) abort();
}

/* Whether instructions may be left out, or values renamed: what names a tensor may then be outside
 * of its lifetime. */
static bool has_flow(const struct ets_memory_plan *plan)
{
    for (uint32_t s = 0; s < plan->step_count; s++) {
        struct ets_instruction instruction;
        ets_plan_instruction(plan, s, &instruction);
        if (instruction.kind == ETS_INSTRUCTION_JUMP_FALSE_CALL ||
            instruction.kind == ETS_INSTRUCTION_MOVE_CALL) {
            return true;
        }
    }
    return false;
}

static void check_pieces(const struct ets_plan_tensor *tensor)
{
    need((tensor->first == ETS_PLAN_NONE) == (tensor->piece_count == 0));
    for (uint32_t i = 0; i < tensor->piece_count; i++) {
        const struct ets_plan_piece piece = tensor->pieces[i];
        need(piece.first <= piece.last);
        need(i == 0 ? piece.first == tensor->first : piece.first > tensor->pieces[i - 1].last + 1);
        need(i + 1 < tensor->piece_count || piece.last == tensor->last);
    }
}

static void check_tensors(const struct ets_memory_plan *plan)
{
    const bool is_straight = !has_flow(plan);
    for (uint32_t t = 0; t < plan->tensor_count; t++) {
        const struct ets_plan_tensor *tensor = &plan->tensors[t];
        need(plan->tensor_of[tensor->value] == t);
        need((tensor->first == ETS_PLAN_NONE) == (tensor->last == ETS_PLAN_NONE));
        need(tensor->first == ETS_PLAN_NONE ||
             (tensor->first <= tensor->last && tensor->last < plan->step_count));
        if (tensor->base != ETS_PLAN_NONE) {
            const struct ets_plan_tensor *base = &plan->tensors[tensor->base];
            need(base->base == ETS_PLAN_NONE);
            need(tensor->piece_count == 0 || base->last >= tensor->last);
            need(base->offset <= tensor->offset &&
                 tensor->offset + tensor->bytes <= base->offset + base->bytes);
        }
        check_pieces(tensor);
        for (uint32_t i = 0; i < tensor->touch_count; i++) {
            const struct ets_plan_touch *touch = &tensor->touches[i];
            need(touch->step < plan->step_count);
            need(i == 0 || touch->step > tensor->touches[i - 1].step);
            need(!is_straight || ets_plan_is_live(tensor, touch->step));
        }
    }
}

static void check_arenas(const struct ets_memory_plan *plan)
{
    for (uint32_t a = 0; a < plan->arena_count; a++) {
        const struct ets_plan_arena *arena = &plan->arenas[a];
        need(arena->peak_bytes <= arena->bound_bytes);
        need(arena->bound_bytes <= arena->planned.bytes);
        need(arena->end_bytes + arena->slack_bytes <= arena->planned.bytes);
        for (uint32_t s = 0; arena->live != NULL && s < plan->step_count; s++) {
            need(arena->live[s] <= arena->peak_bytes && arena->live[s] <= plan->live[s]);
        }
    }
    for (uint32_t l = 0; l < plan->loop_count; l++) {
        const struct ets_plan_loop *loop = &plan->loops[l];
        need(loop->first <= loop->last && loop->last < plan->step_count);
        if (loop->parent == ETS_PLAN_NONE) continue;
        need(loop->parent < l && plan->loops[loop->parent].first <= loop->first &&
             loop->last <= plan->loops[loop->parent].last);
    }
}

/* All that is said of a plan. */
static void walk(const struct ets_memory_plan *plan, struct ets_arena *arena)
{
    char text[512];
    struct ets_memory_lines lines;
    const struct ets_memory_options options = {.all = true};
    need(ets_memory_lines_collect(arena, plan, &options, &lines));
    need(ets_memory_headline(&lines, text, sizeof text) < sizeof text);
    need(ets_memory_beside(&lines, text, sizeof text) < sizeof text);
    for (uint32_t i = 0; i < lines.findings.count && i < 100; i++) {
        need(ets_memory_finding_print(plan, &lines.findings.items[i], text, sizeof text) > 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ets_program program;
    if (ets_program_init(&program, (struct ets_bytes){data, size}, NULL) != ETS_OK) return 0;
    for (uint32_t i = 0; i < program.method_count; i++) {
        struct ets_method method;
        struct ets_memory_plan plan;
        struct ets_arena arena;
        struct ets_error error = {.status = ETS_OK, .message = ""};
        ets_program_method(&program, i, &method);
        ets_arena_init(&arena, NULL, 0);
        const enum ets_status status = ets_memory_plan_init(&plan, &method, &arena, &error);
        if (status == ETS_OK) {
            check_tensors(&plan);
            check_arenas(&plan);
            walk(&plan, &arena);
        } else {
            need(status == ETS_LIMIT && error.message[0] != '\0');
        }
        ets_arena_reset(&arena);
    }
    return 0;
}
