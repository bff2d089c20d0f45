/*
 * Cuts lifetimes into pieces where jumps leave steps out: a tensor holds memory at the steps that
 * something written to it can reach, and from which something that reads it can be reached.
 *
 * A MoveCall copies no bytes: the value that it writes is from then on the tensor that it reads
 * (executorch/runtime/executor/method.cpp). So what reads the one keeps the other alive, and what
 * was planned for the one is not used.
 */
#include <stdlib.h>
#include <string.h>

#include "format/program_lists.h"
#include "memory/memory_parts.h"

/* Steps that are looked at, for all tensors together: beyond it, lifetimes stay whole. */
enum { VISITS_FLOOR = 1 << 22, VISITS_TIMES = 8 };

struct move {
    uint32_t step, from, to; /* tensors; of views what they show */
    uint32_t done_for;       /* tensor + 1 that it was followed for last */
};

struct splitter {
    struct ets_memory_plan *plan;
    struct ets_arena *arena;
    const struct ets_plan_flow *flow;
    struct move *moves;
    uint32_t move_count;
    bool *is_target;                  /* [tensor] a move goes into it */
    uint32_t *first_view, *next_view; /* [tensor] the views of a base, one after the other */
    uint64_t budget;
    /* Marks of one search for a value's uses; a mark that is not the search's number is none. */
    uint32_t search;
    uint32_t *is_cut;    /* [step_count + 1] nothing of what the value was is left */
    uint32_t *is_needed; /* [step_count + 1] the value is needed when the step begins */
    uint32_t *is_seen;   /* [step_count + 1] the value is followed from here on */
    uint32_t *is_own;    /* [step_count + 1] no move need have made it another tensor */
    uint32_t *stack;     /* steps to go on from, each once in a pass */
    uint32_t depth;
    /* Of one tensor. */
    uint32_t low, high; /* steps that its own value may be held at */
    uint32_t *holder;   /* [step] tensor + 1 whose bytes were found to be held there last */
    uint32_t *maker;    /* [step] tensor + 1 that is written there to its own bytes, of the last */
    uint32_t *names;    /* [tensor] tensor + 1 that this value may be, by a move */
    uint32_t *held;     /* its steps, in no order */
    uint32_t held_count;
};

static uint32_t root_of(const struct ets_memory_plan *plan, uint32_t tensor)
{
    const uint32_t base = plan->tensors[tensor].base;
    return base == ETS_PLAN_NONE ? tensor : base;
}

/* `moves` NULL: only counts. */
static uint32_t list_moves(const struct ets_memory_plan *plan, struct move *moves)
{
    uint32_t count = 0;
    for (uint32_t s = 0; s < plan->step_count; s++) {
        struct ets_instruction move;
        ets_plan_instruction(plan, s, &move);
        if (move.kind != ETS_INSTRUCTION_MOVE_CALL) continue;
        const uint32_t from = plan->tensor_of[ets_instruction_argument(&move, 0)];
        const uint32_t to = plan->tensor_of[ets_instruction_argument(&move, 1)];
        if (from == ETS_PLAN_NONE || to == ETS_PLAN_NONE || from == to) continue;
        if (moves != NULL) {
            moves[count] = (struct move){s, root_of(plan, from), root_of(plan, to), 0};
        }
        count++;
    }
    return count;
}

static bool leaves_out_steps(const struct ets_plan_flow *flow)
{
    for (uint32_t s = 0; s < flow->step_count; s++) {
        if (flow->jump[s] != ETS_PLAN_NONE && flow->jump[s] > s + 1) return true;
    }
    return false;
}

static bool init_splitter(struct splitter *s)
{
    const size_t steps = (size_t)s->plan->step_count + 1, tensors = s->plan->tensor_count;
    s->is_target = ets_arena_alloc_array(s->arena, tensors, sizeof *s->is_target);
    s->first_view = ets_arena_alloc_array(s->arena, tensors, sizeof *s->first_view);
    s->next_view = ets_arena_alloc_array(s->arena, tensors, sizeof *s->next_view);
    s->is_cut = ets_arena_alloc_array(s->arena, steps, sizeof *s->is_cut);
    s->is_needed = ets_arena_alloc_array(s->arena, steps, sizeof *s->is_needed);
    s->is_seen = ets_arena_alloc_array(s->arena, steps, sizeof *s->is_seen);
    s->is_own = ets_arena_alloc_array(s->arena, steps, sizeof *s->is_own);
    s->stack = ets_arena_alloc_array(s->arena, steps, sizeof *s->stack);
    s->holder = ets_arena_alloc_array(s->arena, steps, sizeof *s->holder);
    s->maker = ets_arena_alloc_array(s->arena, steps, sizeof *s->maker);
    s->names = ets_arena_alloc_array(s->arena, tensors, sizeof *s->names);
    s->held = ets_arena_alloc_array(s->arena, steps, sizeof *s->held);
    if (s->is_target == NULL || s->first_view == NULL || s->next_view == NULL ||
        s->is_cut == NULL || s->is_needed == NULL || s->is_seen == NULL || s->is_own == NULL ||
        s->stack == NULL || s->holder == NULL || s->maker == NULL || s->names == NULL ||
        s->held == NULL) {
        return false;
    }
    for (uint32_t m = 0; m < s->move_count; m++) s->is_target[s->moves[m].to] = true;
    for (uint32_t t = 0; t < tensors; t++) s->first_view[t] = ETS_PLAN_NONE;
    for (uint32_t t = 0; t < tensors; t++) {
        const uint32_t base = s->plan->tensors[t].base;
        if (base == ETS_PLAN_NONE) continue;
        s->next_view[t] = s->first_view[base];
        s->first_view[base] = t;
    }
    return true;
}

/* The value itself, then its views; NONE: no more. */
static uint32_t next_member(const struct splitter *s, uint32_t value, uint32_t member)
{
    return member == value ? s->first_view[value] : s->next_view[member];
}

static void spend(struct splitter *s, uint64_t visits)
{
    s->budget -= visits < s->budget ? visits : s->budget;
}

static void push(struct splitter *s, uint32_t *marks, uint32_t step)
{
    if (marks[step] == s->search) return;
    marks[step] = s->search;
    s->stack[s->depth++] = step;
    spend(s, 1);
}

/* A step behind which the value is needed: before it, too, unless it is made anew there. */
static void need_before(struct splitter *s, uint32_t step)
{
    if (s->is_cut[step] != s->search) push(s, s->is_needed, step);
}

/* From the steps that need the value back to those that make it. */
static void go_back(struct splitter *s)
{
    const struct ets_plan_flow *flow = s->flow;
    while (s->depth > 0) {
        const uint32_t step = s->stack[--s->depth];
        if (step > 0 && flow->goes_on[step - 1]) need_before(s, step - 1);
        for (uint32_t i = flow->source_begin[step]; i < flow->source_begin[step + 1]; i++) {
            need_before(s, flow->sources[i]);
        }
    }
}

/* Marks where a value is needed. `is_storage`: a write of all of it makes it anew; else it is
 * another tensor by a move, and a write changes that one. */
static void find_needs(struct splitter *s, uint32_t value, bool is_storage)
{
    const struct ets_memory_plan *plan = s->plan;
    const struct ets_plan_tensor *tensor = &plan->tensors[value];
    s->search++;
    for (uint32_t i = 0; is_storage && i < tensor->touch_count; i++) {
        const struct ets_plan_touch *touch = &tensor->touches[i];
        const bool is_whole = touch->writes && !touch->reads && !touch->is_partial;
        if (is_whole) s->is_cut[touch->step] = s->search;
    }
    for (uint32_t m = 0; s->is_target[value] && m < s->move_count; m++) {
        if (s->moves[m].to == value) s->is_cut[s->moves[m].step] = s->search;
    }
    spend(s, s->is_target[value] ? s->move_count : 0);
    for (uint32_t t = value; t != ETS_PLAN_NONE; t = next_member(s, value, t)) {
        const struct ets_plan_tensor *member = &plan->tensors[t];
        for (uint32_t i = 0; i < member->touch_count; i++) {
            const struct ets_plan_touch *touch = &member->touches[i];
            const bool is_cut = s->is_cut[touch->step] == s->search;
            if (!is_cut || touch->reads) push(s, s->is_needed, touch->step);
        }
        if (member->is_output) push(s, s->is_needed, plan->step_count);
    }
    go_back(s);
}

static void hold(struct splitter *s, uint32_t step, uint32_t tensor)
{
    if (step < s->low || step > s->high || s->holder[step] == tensor + 1) return;
    s->holder[step] = tensor + 1;
    s->held[s->held_count++] = step;
}

/* From the steps that make the value on, as far as it is needed. */
static void go_on(struct splitter *s, uint32_t tensor)
{
    while (s->depth > 0) {
        const uint32_t step = s->stack[--s->depth];
        if (step == s->plan->step_count) continue;
        const uint32_t next[] = {s->flow->goes_on[step] ? step + 1 : ETS_PLAN_NONE,
                                 s->flow->jump[step]};
        hold(s, step, tensor);
        for (int i = 0; i < 2; i++) {
            const bool is_needed = next[i] != ETS_PLAN_NONE && s->is_needed[next[i]] == s->search;
            if (is_needed) push(s, s->is_seen, next[i]);
        }
    }
}

static bool is_move(const struct ets_memory_plan *plan, uint32_t step)
{
    struct ets_instruction instruction;
    ets_plan_instruction(plan, step, &instruction);
    return instruction.kind == ETS_INSTRUCTION_MOVE_CALL;
}

/* Marks the steps that some way leads to without a move into the value of the search. */
static void find_own(struct splitter *s)
{
    push(s, s->is_own, 0);
    while (s->depth > 0) {
        const uint32_t step = s->stack[--s->depth];
        const bool is_end = step == s->plan->step_count;
        if (is_end || (s->is_cut[step] == s->search && is_move(s->plan, step))) continue;
        if (s->flow->goes_on[step]) push(s, s->is_own, step + 1);
        if (s->flow->jump[step] != ETS_PLAN_NONE) push(s, s->is_own, s->flow->jump[step]);
    }
}

/* The steps at which a tensor holds what was written to it. */
static void find_own_steps(struct splitter *s, uint32_t value)
{
    const struct ets_plan_tensor *tensor = &s->plan->tensors[value];
    s->low = tensor->first;
    s->high = tensor->last;
    find_needs(s, value, true);
    if (s->is_target[value]) find_own(s);
    if (tensor->kind == ETS_PLAN_INPUT || s->is_needed[0] == s->search) push(s, s->is_seen, 0);
    for (uint32_t t = value; t != ETS_PLAN_NONE; t = next_member(s, value, t)) {
        const struct ets_plan_tensor *member = &s->plan->tensors[t];
        for (uint32_t i = 0; i < member->touch_count; i++) {
            const struct ets_plan_touch *touch = &member->touches[i];
            const bool is_own =
                touch->writes && (!s->is_target[value] || s->is_own[touch->step] == s->search);
            if (!is_own || is_move(s->plan, touch->step)) continue;
            s->maker[touch->step] = value + 1;
            push(s, s->is_seen, touch->step);
        }
    }
    go_on(s, value);
}

/* The steps at which other values are the tensor, by moves. */
static void find_moved_steps(struct splitter *s, uint32_t tensor)
{
    bool is_more = s->move_count > 0;
    s->low = 0;
    s->high = s->plan->step_count - 1;
    s->names[tensor] = tensor + 1;
    while (is_more && s->budget > 0) {
        is_more = false;
        spend(s, s->move_count);
        for (uint32_t m = 0; m < s->move_count; m++) {
            struct move *move = &s->moves[m];
            if (move->done_for == tensor + 1 || s->names[move->from] != tensor + 1) continue;
            if (s->holder[move->step] != tensor + 1) continue;
            move->done_for = s->names[move->to] = tensor + 1;
            find_needs(s, move->to, false);
            push(s, s->is_seen, move->step);
            go_on(s, tensor);
            is_more = true;
        }
    }
}

/* Whether a step that may come before another, in a run, has the tensor not. */
static bool is_missed(const struct splitter *s, uint32_t before, uint32_t tensor)
{
    return s->flow->is_reached[before] && s->holder[before] != tensor + 1;
}

/* Whether a way leads into the steps of a tensor, behind the first, that does not make it. */
static bool is_conditional(const struct splitter *s, uint32_t tensor)
{
    const struct ets_plan_flow *flow = s->flow;
    for (uint32_t i = 0; i < s->held_count; i++) {
        const uint32_t step = s->held[i];
        if (step <= s->plan->tensors[tensor].first || s->maker[step] == tensor + 1) continue;
        if (flow->goes_on[step - 1] && is_missed(s, step - 1, tensor)) return true;
        for (uint32_t k = flow->source_begin[step]; k < flow->source_begin[step + 1]; k++) {
            if (is_missed(s, flow->sources[k], tensor)) return true;
        }
    }
    return false;
}

static int compare_steps(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static void set_pieces(struct ets_plan_tensor *tensor, struct ets_plan_piece *pieces,
                       uint32_t count)
{
    tensor->pieces = pieces;
    tensor->piece_count = count;
    tensor->first = count == 0 ? ETS_PLAN_NONE : pieces[0].first;
    tensor->last = count == 0 ? ETS_PLAN_NONE : pieces[count - 1].last;
}

/* The steps of a tensor as ranges. */
static bool join_steps(struct splitter *s, struct ets_plan_tensor *tensor)
{
    uint32_t count = 0;
    if (s->held_count > 1) qsort(s->held, s->held_count, sizeof *s->held, compare_steps);
    for (uint32_t i = 0; i < s->held_count; i++) {
        count += i == 0 || s->held[i] != s->held[i - 1] + 1;
    }
    struct ets_plan_piece *pieces = ets_arena_alloc_array(s->arena, count, sizeof *pieces);
    if (pieces == NULL) return false;
    for (uint32_t i = 0, at = 0; i < s->held_count; i++) {
        const bool is_new = i == 0 || s->held[i] != s->held[i - 1] + 1;
        if (is_new) pieces[at++].first = s->held[i];
        pieces[at - 1].last = s->held[i];
    }
    set_pieces(tensor, pieces, count);
    return true;
}

/* A view holds memory where what it shows does. */
static bool cut_view(struct splitter *s, struct ets_plan_tensor *view)
{
    const struct ets_plan_tensor *base = &s->plan->tensors[view->base];
    uint32_t count = 0;
    struct ets_plan_piece *pieces =
        ets_arena_alloc_array(s->arena, base->piece_count, sizeof *pieces);
    if (pieces == NULL) return false;
    for (uint32_t i = 0; i < base->piece_count; i++) {
        const struct ets_plan_piece piece = base->pieces[i];
        if (piece.first > view->last || piece.last < view->first) continue;
        view->is_conditional = base->is_conditional;
        pieces[count++] = (struct ets_plan_piece){
            piece.first > view->first ? piece.first : view->first,
            piece.last < view->last ? piece.last : view->last,
        };
    }
    set_pieces(view, pieces, count);
    return true;
}

/* What is live at every step, or not planned, stays so. */
static bool may_split(const struct ets_plan_tensor *tensor)
{
    if (tensor->arena == ETS_PLAN_NONE || tensor->first == ETS_PLAN_NONE) return false;
    return tensor->kind != ETS_PLAN_BUFFER && tensor->kind != ETS_PLAN_CONSTANT;
}

/* Returns false if memory runs out; stops where the budget is spent. */
static bool split_all(struct splitter *s)
{
    struct ets_memory_plan *plan = s->plan;
    for (uint32_t t = 0; t < plan->tensor_count && s->budget > 0; t++) {
        struct ets_plan_tensor *tensor = &plan->tensors[t];
        if (!may_split(tensor) || tensor->base != ETS_PLAN_NONE) continue;
        s->held_count = 0;
        find_own_steps(s, t);
        find_moved_steps(s, t);
        if (s->budget == 0) break;
        tensor->is_conditional = is_conditional(s, t);
        if (!join_steps(s, tensor)) return false;
    }
    for (uint32_t t = 0; t < plan->tensor_count && s->budget > 0; t++) {
        struct ets_plan_tensor *view = &plan->tensors[t];
        if (!may_split(view) || view->base == ETS_PLAN_NONE) continue;
        if (may_split(&plan->tensors[view->base]) && !cut_view(s, view)) return false;
    }
    return true;
}

/* Each lifetime as one piece. */
static bool take_whole(struct ets_memory_plan *plan, struct ets_arena *arena)
{
    struct ets_plan_piece *whole = ets_arena_alloc_array(arena, plan->tensor_count, sizeof *whole);
    for (uint32_t t = 0; whole != NULL && t < plan->tensor_count; t++) {
        struct ets_plan_tensor *tensor = &plan->tensors[t];
        whole[t] = (struct ets_plan_piece){tensor->first, tensor->last};
        tensor->pieces = &whole[t];
        tensor->piece_count = tensor->first != ETS_PLAN_NONE;
    }
    return whole != NULL;
}

/* Puts back what was cut before the budget was spent. */
static void restore(struct ets_memory_plan *plan, const struct ets_plan_piece *whole)
{
    for (uint32_t t = 0; t < plan->tensor_count; t++) {
        struct ets_plan_tensor *tensor = &plan->tensors[t];
        tensor->first = whole[t].first;
        tensor->last = whole[t].last;
        tensor->pieces = &whole[t];
        tensor->piece_count = tensor->first != ETS_PLAN_NONE;
        tensor->is_conditional = may_split(tensor);
    }
    plan->has_branches = true;
}

/* One of the tensors that moves relate to each other: the same for all of them. */
static uint32_t kin_of(uint32_t *kin, uint32_t tensor)
{
    for (; kin[tensor] != tensor; tensor = kin[tensor]) kin[tensor] = kin[kin[tensor]];
    return tensor;
}

static bool are_at_one_place(const struct ets_plan_tensor *a, const struct ets_plan_tensor *b)
{
    return a->arena == b->arena && a->offset == b->offset && a->bytes == b->bytes;
}

/*
 * Whether runs may have less live than what is counted. They have not where branches choose between
 * tensors of the same bytes, all of which are there only by such a choice.
 */
static bool counts_too_much(const struct splitter *s)
{
    uint32_t *kin = s->names, *member = s->first_view, *size = s->next_view; /* done with */
    const struct ets_plan_tensor *tensors = s->plan->tensors;
    const uint32_t count = s->plan->tensor_count;
    for (uint32_t t = 0; t < count; t++) kin[t] = t;
    memset(size, 0, count * sizeof *size);
    for (uint32_t m = 0; m < s->move_count; m++) {
        kin[kin_of(kin, s->moves[m].to)] = kin_of(kin, s->moves[m].from);
    }
    for (uint32_t t = 0; t < count; t++) {
        if (tensors[t].first == ETS_PLAN_NONE || tensors[t].base != ETS_PLAN_NONE) continue;
        if (size[kin_of(kin, t)]++ == 0) member[kin_of(kin, t)] = t;
    }
    for (uint32_t t = 0; t < count; t++) {
        if (tensors[t].first == ETS_PLAN_NONE || tensors[t].base != ETS_PLAN_NONE) continue;
        const struct ets_plan_tensor *other = &tensors[member[kin_of(kin, t)]];
        if (tensors[t].is_conditional != other->is_conditional) return true;
        if (!tensors[t].is_conditional) continue;
        if (size[kin_of(kin, t)] == 1 || !are_at_one_place(&tensors[t], other)) return true;
    }
    return false;
}

enum ets_status ets_plan_split_lifetimes(struct ets_memory_plan *plan,
                                         const struct ets_plan_flow *flow, struct ets_arena *arena,
                                         struct ets_error *error)
{
    static const char what[] = "the branches of a method";
    struct splitter s = {.plan = plan, .arena = arena, .flow = flow};
    if (!take_whole(plan, arena)) return ets_fail_memory(error, what);
    if (plan->tensor_count == 0) return ETS_OK;
    const struct ets_plan_piece *whole = plan->tensors[0].pieces;
    s.move_count = list_moves(plan, NULL);
    if (s.move_count == 0 && !leaves_out_steps(flow)) return ETS_OK;
    s.moves = ets_arena_alloc_array(arena, s.move_count, sizeof *s.moves);
    if (s.moves == NULL) return ets_fail_memory(error, what);
    list_moves(plan, s.moves);
    if (!init_splitter(&s)) return ets_fail_memory(error, what);
    s.budget = VISITS_FLOOR + VISITS_TIMES * (uint64_t)plan->method.program->bytes.size;
    if (!split_all(&s)) return ets_fail_memory(error, what);
    if (s.budget == 0) restore(plan, whole);
    else plan->has_branches = counts_too_much(&s);
    return ETS_OK;
}
