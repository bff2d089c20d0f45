/*
 * Finds the descendants of each step, and the outputs of a node among the values that leave them.
 */
#include "reference/twins.h"

#include "base/error.h"
#include "base/text.h"
#include "reference/weights.h"

enum { MAX_OUTPUTS = 64, MAX_CANDIDATES = 256 };
#define MAX_WORK (UINT64_C(1) << 28)

static bool lists_new(struct ets_arena *arena, uint32_t count, uint32_t items,
                      struct reference_lists *lists_out)
{
    lists_out->first = ets_arena_alloc_array(arena, (size_t)count + 2, sizeof(uint32_t));
    lists_out->items = ets_arena_alloc_array(arena, items, sizeof(uint32_t));
    return lists_out->first != NULL && lists_out->items != NULL;
}

/* Converts the counts at first[i + 2] to positions at first[i + 1], where filling starts. */
static void lists_place(struct reference_lists *lists, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) lists->first[i + 2] += lists->first[i + 1];
}

static void lists_put(struct reference_lists *lists, uint32_t at, uint32_t item)
{
    lists->items[lists->first[at + 1]++] = item;
}

/* Steps of the plan by the names of their nodes; number 0 is not a step. */
struct node_names {
    struct ets_strings names;
    uint32_t *steps; /* by the name's number */
};

static bool name_nodes(const struct reference_plan *plan, struct ets_arena *arena,
                       struct node_names *names)
{
    if (ets_strings_init(&names->names, arena) != 0) return false;
    names->steps = ets_arena_alloc_array(arena, (size_t)plan->step_count + 1, sizeof *names->steps);
    if (names->steps == NULL) return false;
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const uint32_t number = ets_strings_add(&names->names, plan->steps[i].node->name);
        if (number == UINT32_MAX) return false;
        if (number == names->names.count - 1) names->steps[number] = i;
    }
    return true;
}

static bool is_same_origin(const struct ets_graph_origin *left,
                           const struct ets_graph_origin *right)
{
    return left->graph_id == right->graph_id && ets_text_equal(left->name, right->name);
}

/* Whether the node is at `place` of a descendant's chain. */
static bool is_origin_of(const struct ets_graph_node *node, const struct ets_graph_node *descendant,
                         uint32_t place, uint64_t graph_id)
{
    if (graph_id != 0 && descendant->origins[place].graph_id == graph_id) return true;
    const uint32_t older = place + 1;
    if (node->origin_count == 0) return false;
    return older < descendant->origin_count &&
           is_same_origin(&descendant->origins[older], &node->origins[0]);
}

static uint32_t ancestor(const struct reference_plan *plan, const struct node_names *names,
                         const struct ets_graph_node *descendant, uint64_t graph_id)
{
    for (uint32_t i = 0; i < descendant->origin_count; i++) {
        const uint32_t number = ets_strings_find(&names->names, descendant->origins[i].name);
        if (number == UINT32_MAX || number == ETS_STRING_NONE) continue;
        const uint32_t step = names->steps[number];
        if (is_origin_of(plan->steps[step].node, descendant, i, graph_id)) return step;
    }
    return REFERENCE_NO_STEP;
}

static bool find_groups(struct reference_twins *twins, uint64_t graph_id)
{
    struct node_names names;
    const struct reference_plan *plan = twins->plan, *twin = twins->twin;
    struct reference_lists *lists = &twins->descendants;
    twins->group = ets_arena_alloc_array(twins->arena, twin->step_count, sizeof *twins->group);
    if (twins->group == NULL || !name_nodes(plan, twins->arena, &names) ||
        !lists_new(twins->arena, plan->step_count, twin->step_count, lists)) {
        return false;
    }
    for (uint32_t i = 0; i < twin->step_count; i++) {
        const uint32_t step = ancestor(plan, &names, twin->steps[i].node, graph_id);
        twins->group[i] = step;
        if (step != REFERENCE_NO_STEP) lists->first[step + 2]++;
    }
    lists_place(lists, plan->step_count);
    for (uint32_t i = 0; i < twin->step_count; i++) {
        if (twins->group[i] != REFERENCE_NO_STEP) lists_put(lists, twins->group[i], i);
    }
    return true;
}

static bool find_readers(const struct reference_plan *plan, struct ets_arena *arena,
                         struct reference_lists *readers)
{
    uint64_t count = plan->graph->output_count;
    for (uint32_t i = 0; i < plan->step_count; i++) count += plan->steps[i].read_count;
    if (count > UINT32_MAX || !lists_new(arena, plan->slot_count, (uint32_t)count, readers)) {
        return false;
    }
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const struct reference_step *step = &plan->steps[i];
        for (uint32_t j = 0; j < step->read_count; j++) readers->first[step->reads[j] + 2]++;
    }
    for (uint32_t i = 0; i < plan->graph->output_count; i++) {
        readers->first[plan->outputs[i] + 2]++;
    }
    lists_place(readers, plan->slot_count);
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const struct reference_step *step = &plan->steps[i];
        for (uint32_t j = 0; j < step->read_count; j++) lists_put(readers, step->reads[j], i);
    }
    uint32_t place = plan->step_count; /* outputs are readers after the steps */
    for (uint32_t i = 0; i < plan->graph->output_count; i++) {
        const bool is_buffer = plan->graph->outputs[i].role == ETS_OUTPUT_BUFFER_MUTATION;
        lists_put(readers, plan->outputs[i], is_buffer ? REFERENCE_NO_STEP : place++);
    }
    return true;
}

/* The plan's slot of the same buffer, which an earlier run may have left; or none. */
static uint32_t buffer_slot(const struct reference_plan *plan, const struct ets_graph_input *input)
{
    if (input->role != ETS_INPUT_BUFFER || input->source.data == NULL) return REFERENCE_NO_SLOT;
    for (uint32_t i = 0; i < plan->graph->input_count; i++) {
        const struct ets_graph_input *own = &plan->graph->inputs[i];
        if (own->role == ETS_INPUT_BUFFER && own->source.data != NULL &&
            ets_text_equal(own->source, input->source)) {
            return plan->inputs[i];
        }
    }
    return REFERENCE_NO_SLOT;
}

/* User inputs are in the same order on both sides; inputs of a body are all in the same order. */
static bool find_inputs(struct reference_twins *twins)
{
    const struct reference_plan *plan = twins->plan, *twin = twins->twin;
    const struct ets_graph *graph = plan->graph, *other = twin->graph;
    struct reference_leaf *leaves =
        ets_arena_alloc_array(twins->arena, twin->slot_count, sizeof *leaves);
    if (leaves == NULL) return false;
    uint32_t place = 0;
    for (uint32_t i = 0; i < other->input_count; i++) {
        const uint32_t slot = twin->inputs[i];
        struct reference_leaf leaf = {.twin_slot = slot, .slot = REFERENCE_NO_SLOT};
        if (twin == &twins->twin_program->plans[0]) leaf.weight = twins->twin_program->weights[i];
        if (leaf.weight != NULL) {
            leaf.slot = buffer_slot(plan, &other->inputs[i]);
        } else {
            while (place < graph->input_count &&
                   !ets_reference_input_is_given(&graph->inputs[place])) {
                place++;
            }
            if (place < graph->input_count) leaf.slot = plan->inputs[place++];
        }
        if (slot != REFERENCE_NO_SLOT) leaves[slot] = leaf;
    }
    twins->inputs = leaves;
    return true;
}

enum ets_status ets_reference_twins_new(const struct reference_plan *plan,
                                        const struct reference_plan *twin,
                                        const struct reference_program *twin_program,
                                        uint64_t export_graph_id, struct ets_arena *arena,
                                        struct reference_twins **twins_out, struct ets_error *error)
{
    const size_t readers = (size_t)plan->step_count + plan->graph->output_count + 1;
    struct reference_twins *twins = ets_arena_alloc(arena, sizeof *twins);
    if (twins == NULL) goto no_memory;
    *twins = (struct reference_twins){
        .plan = plan, .twin = twin, .twin_program = twin_program, .arena = arena, .work = MAX_WORK};
    twins->exits = ets_arena_alloc_array(arena, plan->step_count, sizeof *twins->exits);
    twins->exit_of = ets_arena_alloc_array(arena, twin->slot_count, sizeof *twins->exit_of);
    twins->seen = ets_arena_alloc_array(arena, readers, sizeof *twins->seen);
    twins->stack = ets_arena_alloc_array(arena, readers, sizeof *twins->stack);
    twins->needed = ets_arena_alloc_array(arena, (size_t)twin->step_count + twin->slot_count,
                                          sizeof *twins->needed);
    if (twins->exits == NULL || twins->exit_of == NULL || twins->seen == NULL ||
        twins->stack == NULL || twins->needed == NULL || !find_inputs(twins) ||
        !find_groups(twins, export_graph_id) || !find_readers(plan, arena, &twins->plan_readers) ||
        !find_readers(twin, arena, &twins->twin_readers)) {
        goto no_memory;
    }
    *twins_out = twins;
    return ETS_OK;
no_memory:
    return ets_fail_memory(error, "the reference");
}

/* Whether the plan uses a value, model outputs included. */
static bool is_used_slot(const struct reference_twins *twins, uint32_t slot)
{
    const uint32_t *first = twins->plan_readers.first;
    return first[slot] != first[slot + 1];
}

/* Marks a reader. A step without descendants passes the mark to its own readers. */
static void visit(struct reference_twins *twins, uint32_t reader, uint32_t *depth)
{
    if (reader == REFERENCE_NO_STEP || twins->seen[reader] == twins->stamp) return;
    twins->seen[reader] = twins->stamp;
    if (reader >= twins->plan->step_count) return;
    const uint32_t *first = twins->descendants.first;
    if (first[reader] == first[reader + 1]) twins->stack[(*depth)++] = reader;
}

static void visit_readers(struct reference_twins *twins, uint32_t slot, uint32_t *depth)
{
    const struct reference_lists *readers = &twins->plan_readers;
    for (uint32_t i = readers->first[slot]; i < readers->first[slot + 1]; i++) {
        visit(twins, readers->items[i], depth);
        twins->work -= twins->work > 0;
    }
}

/* Marks all users of a value of the plan, directly or through steps that the twin lacks. */
static void mark_users(struct reference_twins *twins, uint32_t slot)
{
    uint32_t depth = 0;
    twins->stamp++;
    visit_readers(twins, slot, &depth);
    while (depth > 0) {
        const struct reference_step *step = &twins->plan->steps[twins->stack[--depth]];
        for (uint32_t i = 0; i < step->write_count; i++) {
            if (step->writes[i] != REFERENCE_NO_SLOT) visit_readers(twins, step->writes[i], &depth);
        }
    }
}

/* Whether a value of the twin has the same use as the marked value of the plan. */
static bool has_same_users(const struct reference_twins *twins, uint32_t number, uint32_t twin_slot,
                           bool is_used)
{
    const struct reference_lists *readers = &twins->twin_readers;
    bool has_user = false;
    for (uint32_t i = readers->first[twin_slot]; i < readers->first[twin_slot + 1]; i++) {
        uint32_t reader = readers->items[i];
        if (reader == REFERENCE_NO_STEP) continue; /* a buffer's new value */
        if (reader < twins->twin->step_count) {
            reader = twins->group[reader];
            if (reader == number) continue;
            if (reader == REFERENCE_NO_STEP) return true; /* its purpose is unknown */
        } else {
            reader = reader - twins->twin->step_count + twins->plan->step_count;
            if (reader > twins->plan->step_count + twins->plan->graph->output_count) return false;
        }
        has_user = true;
        if (twins->seen[reader] == twins->stamp) return true;
    }
    return !has_user && !is_used;
}

static bool is_alike(const struct ets_graph_value *left, const struct ets_graph_value *right)
{
    if (left == NULL || right == NULL) return left == right;
    if (left->scalar_type != right->scalar_type || left->rank != right->rank) return false;
    for (uint32_t i = 0; i < left->rank; i++) {
        const bool is_text = left->size_texts != NULL && left->size_texts[i].data != NULL &&
                             right->size_texts != NULL && right->size_texts[i].data != NULL;
        if (is_text ? !ets_text_equal(left->size_texts[i], right->size_texts[i])
                    : left->sizes[i] != right->sizes[i]) {
            return false;
        }
    }
    return true;
}

/* Whether the value is used outside its group. */
static bool leaves(const struct reference_twins *twins, uint32_t number, uint32_t twin_slot)
{
    const struct reference_lists *readers = &twins->twin_readers;
    for (uint32_t i = readers->first[twin_slot]; i < readers->first[twin_slot + 1]; i++) {
        const uint32_t reader = readers->items[i];
        if (reader >= twins->twin->step_count || twins->group[reader] != number) return true;
    }
    return readers->first[twin_slot] == readers->first[twin_slot + 1];
}

struct matching {
    uint32_t outputs, candidates;
    uint32_t slots[MAX_CANDIDATES]; /* the twin's */
    bool fits[MAX_OUTPUTS][MAX_CANDIDATES];
    uint32_t *results; /* [outputs] */
};

static bool collect_candidates(const struct reference_twins *twins, uint32_t number,
                               struct matching *matching)
{
    const uint32_t *first = twins->descendants.first;
    for (uint32_t i = first[number]; i < first[number + 1]; i++) {
        const struct reference_step *step = &twins->twin->steps[twins->descendants.items[i]];
        for (uint32_t j = 0; j < step->write_count; j++) {
            const uint32_t slot = step->writes[j];
            if (slot == REFERENCE_NO_SLOT || !leaves(twins, number, slot)) continue;
            if (matching->candidates == MAX_CANDIDATES) return false;
            matching->slots[matching->candidates++] = slot;
        }
    }
    return true;
}

static void find_fits(struct reference_twins *twins, uint32_t number, struct matching *matching)
{
    const struct reference_plan *plan = twins->plan;
    const struct reference_step *step = &plan->steps[number];
    for (uint32_t i = 0; i < matching->outputs; i++) {
        const uint32_t slot = step->writes[i];
        if (slot == REFERENCE_NO_SLOT) continue;
        mark_users(twins, slot);
        /* An operator in place changes values that others use under other names, so users do not
         * decide. */
        const bool is_shared = plan->is_written[ets_reference_plan_storage(plan, slot)];
        const bool is_used = is_used_slot(twins, slot);
        for (uint32_t j = 0; j < matching->candidates; j++) {
            const uint32_t twin_slot = matching->slots[j];
            matching->fits[i][j] =
                is_alike(plan->described[slot], twins->twin->described[twin_slot]) &&
                (is_shared || has_same_users(twins, number, twin_slot, is_used));
        }
    }
}

static void assign(struct matching *matching, uint32_t output, uint32_t candidate)
{
    matching->results[output] = matching->slots[candidate];
    for (uint32_t i = 0; i < matching->outputs; i++) matching->fits[i][candidate] = false;
    memset(matching->fits[output], 0, sizeof matching->fits[output]);
}

/* Assigns outputs with a single candidate until none is left. */
static void match_single(struct matching *matching)
{
    for (bool is_new = true; is_new;) {
        is_new = false;
        for (uint32_t i = 0; i < matching->outputs; i++) {
            uint32_t count = 0, last = 0;
            for (uint32_t j = 0; j < matching->candidates; j++) {
                if (!matching->fits[i][j]) continue;
                count++;
                last = j;
            }
            if (count != 1) continue;
            assign(matching, i, last);
            is_new = true;
        }
    }
}

/* A single descendant with the same number of outputs has them in the same order. */
static void match_order(const struct reference_twins *twins, uint32_t number,
                        struct matching *matching)
{
    const uint32_t *first = twins->descendants.first;
    const uint32_t last_step = twins->descendants.items[first[number + 1] - 1];
    const struct reference_step *last = &twins->twin->steps[last_step];
    if (last->write_count != matching->outputs || matching->outputs < 2) return;
    for (uint32_t i = 0; i < matching->outputs; i++) {
        for (uint32_t j = 0; j < matching->candidates; j++) {
            if (matching->slots[j] == last->writes[i] && matching->fits[i][j]) {
                assign(matching, i, j);
            }
        }
    }
}

const uint32_t *ets_reference_twin_exits(struct reference_twins *twins, uint32_t number)
{
    struct matching matching;
    const struct reference_step *step = &twins->plan->steps[number];
    if (twins->exits[number] != NULL) return twins->exits[number];
    if (twins->work == 0) return NULL;
    uint32_t *results = ets_arena_alloc_array(twins->arena, step->write_count, sizeof *results);
    if (results == NULL) return NULL;
    matching.outputs = step->write_count;
    matching.candidates = 0;
    matching.results = results;
    const uint32_t *first = twins->descendants.first;
    if (matching.outputs <= MAX_OUTPUTS && first[number] != first[number + 1] &&
        collect_candidates(twins, number, &matching)) {
        memset(matching.fits, 0, sizeof matching.fits);
        find_fits(twins, number, &matching);
        match_order(twins, number, &matching);
        match_single(&matching);
    }
    for (uint32_t i = 0; i < step->write_count; i++) {
        if (results[i] != REFERENCE_NO_SLOT) twins->exit_of[results[i]] = step->writes[i];
    }
    twins->exits[number] = results;
    return results;
}
