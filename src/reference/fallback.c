/* Finds the steps of the twin that compute a node's outputs, and their inputs. */
#include "reference/fallback.h"

#include "base/error.h"

#include <string.h>

#include "reference/twins.h"

enum { MAX_STEPS = 4096 };

struct schedule {
    struct reference_twins *twins;
    uint32_t number; /* of the plan's step */
    reference_find_step *find;
    void *context;
    struct ets_error *error;
    char *reason; /* [160] */
    uint32_t waiting, highest, count;
    struct reference_leaf *leaves; /* [leaf_capacity] */
    uint32_t leaf_count, leaf_capacity;
};

static enum ets_status no_memory(struct ets_error *error)
{
    return ets_fail_memory(error, "the reference");
}

static uint32_t *needed_slot(struct reference_twins *twins, uint32_t twin_slot)
{
    return &twins->needed[(size_t)twins->twin->step_count + twin_slot];
}

static void need_step(struct schedule *schedule, uint32_t step)
{
    struct reference_twins *twins = schedule->twins;
    if (twins->needed[step] == twins->turn) return;
    twins->needed[step] = twins->turn;
    schedule->waiting++;
    if (step > schedule->highest) schedule->highest = step;
}

static enum ets_status add_leaf(struct schedule *schedule, struct reference_leaf leaf)
{
    struct ets_arena *arena = schedule->twins->arena;
    if (schedule->leaf_count == schedule->leaf_capacity) {
        const uint32_t capacity = schedule->leaf_capacity == 0 ? 8 : schedule->leaf_capacity * 2;
        struct reference_leaf *leaves = ets_arena_alloc_array(arena, capacity, sizeof *leaves);
        if (leaves == NULL) return no_memory(schedule->error);
        if (schedule->leaf_count > 0) {
            memcpy(leaves, schedule->leaves, schedule->leaf_count * sizeof *leaves);
        }
        schedule->leaves = leaves;
        schedule->leaf_capacity = capacity;
    }
    schedule->leaves[schedule->leaf_count++] = leaf;
    return ETS_OK;
}

static enum ets_status add_input(struct schedule *schedule, uint32_t twin_slot, bool *is_done_out)
{
    const struct reference_twins *twins = schedule->twins;
    const struct reference_leaf leaf = twins->inputs[twin_slot];
    *is_done_out = leaf.weight != NULL ||
                   (leaf.slot != REFERENCE_NO_SLOT &&
                    !ets_reference_plan_is_written(twins->plan, leaf.slot, 0, schedule->number));
    if (*is_done_out) return add_leaf(schedule, leaf);
    const struct ets_text name = twins->twin->names.texts[twin_slot];
    (void)ets_print_text(schedule->reason, 160, "the edge program's input %.*s is not available",
                         ETS_TEXT(name));
    return ETS_OK;
}

/* The plan's slot with this value of the twin when the step runs; or none. */
static uint32_t known_slot(struct schedule *schedule, uint32_t twin_slot, uint32_t producer)
{
    struct reference_twins *twins = schedule->twins;
    const uint32_t group = twins->group[producer];
    if (group == REFERENCE_NO_STEP || group >= schedule->number) return REFERENCE_NO_SLOT;
    if (ets_reference_twin_exits(twins, group) == NULL) return REFERENCE_NO_SLOT;
    const uint32_t slot = twins->exit_of[twin_slot];
    if (slot == REFERENCE_NO_SLOT) return REFERENCE_NO_SLOT;
    const bool is_changed =
        ets_reference_plan_is_written(twins->plan, slot, group + 1, schedule->number);
    return is_changed ? REFERENCE_NO_SLOT : slot;
}

/* `*is_done_out` false: the value does not exist; sets the reason. */
static enum ets_status need_slot(struct schedule *schedule, uint32_t twin_slot, bool *is_done_out)
{
    struct reference_twins *twins = schedule->twins;
    *is_done_out = true;
    if (*needed_slot(twins, twin_slot) == twins->turn) return ETS_OK;
    *needed_slot(twins, twin_slot) = twins->turn;
    const uint32_t producer = twins->twin->producers[twin_slot];
    if (producer == REFERENCE_NO_STEP) return add_input(schedule, twin_slot, is_done_out);
    const uint32_t slot = known_slot(schedule, twin_slot, producer);
    if (slot != REFERENCE_NO_SLOT) {
        return add_leaf(schedule, (struct reference_leaf){.twin_slot = twin_slot, .slot = slot});
    }
    need_step(schedule, producer);
    return ETS_OK;
}

static void give_reason(const struct schedule *schedule, const struct reference_step *step,
                        const char *why)
{
    (void)ets_print_text(schedule->reason, 160, "its descendant %.*s: %s",
                         ETS_TEXT(step->node->name), why);
}

/* Adds one step of the twin, and everything it reads. */
static enum ets_status add_step(struct schedule *schedule, uint32_t number, bool *is_done_out)
{
    struct reference_step *step = &schedule->twins->twin->steps[number];
    if (!step->is_found) ETS_TRY(schedule->find(schedule->context, step, schedule->error));
    *is_done_out = step->kind == REFERENCE_CALL;
    if (!*is_done_out) {
        give_reason(schedule, step, step->reason != NULL ? step->reason : "is control flow");
        return ETS_OK;
    }
    if (++schedule->count > MAX_STEPS) {
        *is_done_out = false;
        give_reason(schedule, step, "needs too many other nodes");
        return ETS_OK;
    }
    for (uint32_t i = 0; i < step->read_count && *is_done_out; i++) {
        ETS_TRY(need_slot(schedule, step->reads[i], is_done_out));
    }
    return ETS_OK;
}

/* Steps read only earlier values, so one backward pass finds all needed steps. */
static enum ets_status find_steps(struct schedule *schedule, struct reference_fallback *fallback,
                                  bool *is_done_out)
{
    struct reference_twins *twins = schedule->twins;
    *is_done_out = true;
    uint32_t lowest = schedule->highest;
    for (uint32_t i = schedule->highest + 1; schedule->waiting > 0 && i-- > 0;) {
        twins->work -= twins->work > 0;
        if (twins->needed[i] != twins->turn) continue;
        schedule->waiting--;
        lowest = i;
        ETS_TRY(add_step(schedule, i, is_done_out));
        if (!*is_done_out) return ETS_OK;
    }
    uint32_t *steps = ets_arena_alloc_array(twins->arena, schedule->count, sizeof *steps);
    if (steps == NULL) return no_memory(schedule->error);
    for (uint32_t i = lowest; i <= schedule->highest; i++) {
        if (twins->needed[i] == twins->turn) steps[fallback->step_count++] = i;
    }
    fallback->steps = steps;
    return ETS_OK;
}

/* Marks the steps that compute the node's outputs as needed; 0: they are unknown. */
static uint32_t need_results(struct schedule *schedule, const uint32_t *exits)
{
    uint32_t count = 0;
    const struct reference_twins *twins = schedule->twins;
    const struct reference_step *step = &twins->plan->steps[schedule->number];
    for (uint32_t i = 0; i < step->write_count; i++) {
        if (exits[i] == REFERENCE_NO_SLOT) continue;
        need_step(schedule, twins->twin->producers[exits[i]]);
        count++;
    }
    return count;
}

static enum ets_status find_fallback(struct schedule *schedule,
                                     struct reference_fallback **fallback_out)
{
    struct reference_twins *twins = schedule->twins;
    const uint32_t *first = twins->descendants.first;
    if (first[schedule->number] == first[schedule->number + 1]) {
        (void)ets_print_text(schedule->reason, 160, "nothing in the edge program descends from it");
        return ETS_OK;
    }
    const uint32_t *exits = ets_reference_twin_exits(twins, schedule->number);
    if (exits == NULL || twins->work == 0) {
        (void)ets_print_text(schedule->reason, 160, "the graphs are too complex to be matched");
        return exits == NULL && twins->work > 0 ? no_memory(schedule->error) : ETS_OK;
    }
    twins->turn++;
    if (need_results(schedule, exits) == 0) {
        (void)ets_print_text(schedule->reason, 160,
                             "several values of the edge program could be its outputs");
        return ETS_OK;
    }
    struct reference_fallback *fallback = ets_arena_alloc(twins->arena, sizeof *fallback);
    if (fallback == NULL) return no_memory(schedule->error);
    bool is_done;
    ETS_TRY(find_steps(schedule, fallback, &is_done));
    if (!is_done) return ETS_OK;
    fallback->twin = twins->twin;
    fallback->leaves = schedule->leaves;
    fallback->leaf_count = schedule->leaf_count;
    fallback->results = exits;
    *fallback_out = fallback;
    return ETS_OK;
}

enum ets_status ets_reference_fallback_find(struct reference_twins *twins, uint32_t number,
                                            reference_find_step *find, void *context,
                                            struct reference_fallback **fallback_out,
                                            char reason_room[160], struct ets_error *error)
{
    struct schedule schedule = {.twins = twins,
                                .number = number,
                                .find = find,
                                .context = context,
                                .error = error,
                                .reason = reason_room};
    *fallback_out = NULL;
    return find_fallback(&schedule, fallback_out);
}

const struct reference_plan *ets_reference_twin_body(const struct reference_twins *twins,
                                                     uint32_t number, unsigned which)
{
    const uint32_t *first = twins->descendants.first;
    const struct reference_plan *body = NULL;
    for (uint32_t i = first[number]; i < first[number + 1]; i++) {
        const struct reference_step *step = &twins->twin->steps[twins->descendants.items[i]];
        if (step->bodies[0] == NULL) continue;
        if (body != NULL) return NULL; /* several: do not guess */
        body = step->bodies[which];
    }
    return body;
}
