/* Opens a reference: finds how to compute every node, and the last use of every value. */
#include "reference/reference.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "host/os/os_system.h"
#include "record/random_operators.h"
#include "reference/complex_nodes.h"
#include "reference/operators.h"
#include "reference/reference_run.h"
#include "reference/reference_state.h"
#include "reference/twins.h"
#include "reference/weights.h"

/*
 * The memory limit for values of a run: more means a hostile file or a wrong input. Systems grant
 * memory that they do not have, and end the process that uses it.
 */
#define MEMORY_LIMIT (UINT64_C(1) << 36)
/* The limit of all values of a run in total, which roughly limits the work. */
#define MADE_LIMIT (UINT64_C(1) << 40)

struct opening {
    struct ets_reference *reference;
    struct ets_error *error;
    const struct reference_plan **twin_of; /* [program.plan_count] of the fallback, or NULL */
};

static enum ets_status no_memory(struct ets_error *error)
{
    return ets_fail_memory(error, "the reference");
}

static enum ets_status keep_reason(struct opening *opening, struct reference_step *step,
                                   const char *reason)
{
    step->kind = REFERENCE_UNCOVERED;
    step->reason = ets_arena_copy_text(&opening->reference->arena, reason, strlen(reason));
    return step->reason != NULL ? ETS_OK : no_memory(opening->error);
}

static enum ets_status find_control(struct opening *opening, struct reference_step *step)
{
    const char *reason = NULL;
    step->kind = ets_reference_control_find(step, &reason);
    return reason == NULL ? ETS_OK : keep_reason(opening, step, reason);
}

/* How a step is computed without the fallback. */
static enum ets_status find_step(void *context, struct reference_step *step,
                                 struct ets_error *error)
{
    struct opening *opening = context;
    char reason[160] = "";
    (void)error; /* errors of opening */
    if (step->is_found) return ETS_OK;
    step->is_found = true;
    if (step->bodies[0] != NULL) return find_control(opening, step);
    if (ets_text_is(step->node->op, "executorch_call_delegate")) {
        return keep_reason(opening, step, "a delegate computes it");
    }
    step->is_random = ets_node_is_random(step->node);
    if (step->is_random) {
        const struct ets_text name = ets_reference_operator_name(step->node->target);
        (void)ets_print_text(reason, sizeof reason,
                             "%.*s draws random numbers; captured values of it are used",
                             name.size < 64 ? (int)name.size : 64, name.data);
        return keep_reason(opening, step, reason);
    }
    const enum ets_reference_route route = ets_reference_operator_find(
        &opening->reference->calls, step->node, &step->operator_, &step->kernel, reason);
    step->kind = REFERENCE_CALL;
    return route == ETS_ROUTE_UNCOVERED ? keep_reason(opening, step, reason) : ETS_OK;
}

static enum ets_status fall_back(struct opening *opening, struct reference_twins *twins,
                                 uint32_t number)
{
    char reason[160] = "", whole[340];
    struct reference_step *step = &twins->plan->steps[number];
    if (step->is_random) return ETS_OK;
    ETS_TRY(ets_reference_fallback_find(twins, number, find_step, opening, &step->fallback, reason,
                                        opening->error));
    if (step->fallback != NULL) {
        step->kind = REFERENCE_FALL_BACK;
        return ETS_OK;
    }
    if (strstr(reason, step->reason) != NULL) return ETS_OK; /* the fallback lacks the same */
    (void)ets_print_text(whole, sizeof whole, "%s; %s", step->reason, reason);
    return keep_reason(opening, step, whole);
}

/* Finds fallbacks for uncovered steps of one plan, and the twins of its bodies. */
static enum ets_status fall_back_all(struct opening *opening, uint32_t plan_number)
{
    struct ets_reference *reference = opening->reference;
    struct reference_plan *plan = &reference->program.plans[plan_number];
    struct reference_twins *twins = NULL;
    for (uint32_t i = 0; i < plan->step_count; i++) {
        struct reference_step *step = &plan->steps[i];
        const bool has_bodies = step->bodies[0] != NULL;
        if (!has_bodies && step->kind != REFERENCE_UNCOVERED) continue;
        if (twins == NULL) {
            const uint64_t graph_id =
                plan_number == 0 ? ets_etrecord_export_graph_id(reference->options.record) : 0;
            ETS_TRY(ets_reference_twins_new(plan, opening->twin_of[plan_number],
                                            &reference->fallback, graph_id, &reference->arena,
                                            &twins, opening->error));
        }
        if (!has_bodies) ETS_TRY(fall_back(opening, twins, i));
        for (unsigned j = 0; j < 2 && step->bodies[j] != NULL; j++) {
            const ptrdiff_t body = step->bodies[j] - reference->program.plans;
            opening->twin_of[body] = ets_reference_twin_body(twins, i, j);
        }
    }
    return ETS_OK;
}

static void show_node(const struct reference_step *step)
{
    struct ets_reference_node *shown = step->shown;
    *shown = (struct ets_reference_node){.node = step->node, .kernel = step->kernel};
    switch (step->kind) {
    case REFERENCE_CALL:
        shown->route = step->kernel != NULL ? ETS_ROUTE_KERNEL : ETS_ROUTE_EXPRESSION;
        break;
    case REFERENCE_FALL_BACK:
        shown->route = ETS_ROUTE_FALLBACK;
        shown->reason = step->reason;
        break;
    case REFERENCE_UNCOVERED:
        shown->route = ETS_ROUTE_UNCOVERED;
        shown->reason = step->reason;
        break;
    case REFERENCE_COND:
    case REFERENCE_MAP:
    case REFERENCE_SCAN:
    case REFERENCE_WHILE: shown->route = ETS_ROUTE_EXPRESSION; break;
    }
}

/* The widest step of a program determines the room for all. */
static void widen(const struct reference_program *program, uint32_t *inputs, uint32_t *outputs)
{
    for (uint32_t i = 0; i < program->plan_count; i++) {
        for (uint32_t j = 0; j < program->plans[i].step_count; j++) {
            const struct reference_step *step = &program->plans[i].steps[j];
            if (step->node->input_count > *inputs) *inputs = step->node->input_count;
            if (step->write_count > *outputs) *outputs = step->write_count;
        }
    }
}

static enum ets_status make_room(struct opening *opening)
{
    struct ets_reference *reference = opening->reference;
    uint32_t inputs = 1, outputs = 1;
    widen(&reference->program, &inputs, &outputs);
    if (reference->fallback.graph != NULL) widen(&reference->fallback, &inputs, &outputs);
    struct ets_arena *arena = &reference->arena;
    reference->arguments = ets_arena_alloc_array(arena, inputs, sizeof *reference->arguments);
    reference->outputs = ets_arena_alloc_array(arena, outputs, sizeof *reference->outputs);
    reference->shapes = ets_arena_alloc_array(arena, outputs, sizeof *reference->shapes);
    if (reference->arguments == NULL || reference->outputs == NULL || reference->shapes == NULL) {
        return no_memory(opening->error);
    }
    return ETS_OK;
}

static enum ets_status number_nodes(struct opening *opening)
{
    struct ets_reference *reference = opening->reference;
    const struct reference_program *program = &reference->program;
    uint64_t count = 0;
    for (uint32_t i = 0; i < program->plan_count; i++) count += program->plans[i].step_count;
    if (count > UINT32_MAX) return no_memory(opening->error);
    reference->nodes =
        ets_arena_alloc_array(&reference->arena, (size_t)count, sizeof *reference->nodes);
    if (reference->nodes == NULL) return no_memory(opening->error);
    for (uint32_t i = 0; i < program->plan_count; i++) {
        for (uint32_t j = 0; j < program->plans[i].step_count; j++) {
            program->plans[i].steps[j].shown = &reference->nodes[reference->node_count++];
        }
    }
    return ETS_OK;
}

static enum ets_status find_steps(struct opening *opening)
{
    struct reference_program *program = &opening->reference->program;
    for (uint32_t i = 0; i < program->plan_count; i++) {
        for (uint32_t j = 0; j < program->plans[i].step_count; j++) {
            ETS_TRY(find_step(opening, &program->plans[i].steps[j], opening->error));
        }
    }
    return ETS_OK;
}

/* Reads the fallback if a step is uncovered, or if buffers have their initial values there. */
static bool needs_fallback(const struct ets_reference *reference)
{
    const struct reference_program *program = &reference->program;
    const struct ets_graph *fallback = reference->options.fallback;
    if (fallback == NULL) return false;
    for (uint32_t i = 0; i < program->plan_count; i++) {
        for (uint32_t j = 0; j < program->plans[i].step_count; j++) {
            if (program->plans[i].steps[j].kind == REFERENCE_UNCOVERED) return true;
        }
    }
    for (uint32_t i = 0; i < fallback->output_count; i++) {
        if (fallback->outputs[i].role == ETS_OUTPUT_BUFFER_MUTATION) return true;
    }
    return false;
}

static enum ets_status read_fallback(struct opening *opening)
{
    struct ets_reference *reference = opening->reference;
    const struct ets_reference_options *options = &reference->options;
    struct reference_program *program = &reference->program, *fallback = &reference->fallback;
    struct ets_arena *arena = &reference->arena;
    struct ets_error *error = opening->error;
    ETS_TRY(
        ets_reference_program_read(options->fallback, arena, &reference->symbols, fallback, error));
    ETS_TRY(ets_reference_weights_find(options, fallback, arena, error));
    ETS_TRY(ets_reference_weights_restore(program, fallback, arena, error));
    opening->twin_of = ets_arena_alloc_array(arena, program->plan_count, sizeof *opening->twin_of);
    if (opening->twin_of == NULL) return no_memory(error);
    opening->twin_of[0] = &fallback->plans[0];
    for (uint32_t i = 0; i < program->plan_count; i++) { /* a parent precedes its bodies */
        if (opening->twin_of[i] != NULL) ETS_TRY(fall_back_all(opening, i));
    }
    return ETS_OK;
}

static enum ets_status finish_plans(struct opening *opening)
{
    struct reference_program *program = &opening->reference->program;
    for (uint32_t i = 0; i < program->plan_count; i++) {
        ETS_TRY(ets_reference_plan_deaths(&program->plans[i], &opening->reference->arena,
                                          opening->error));
        for (uint32_t j = 0; j < program->plans[i].step_count; j++) {
            show_node(&program->plans[i].steps[j]);
        }
    }
    return ETS_OK;
}

static enum ets_status open_reference(struct opening *opening)
{
    struct ets_reference *reference = opening->reference;
    struct ets_arena *arena = &reference->arena;
    struct ets_error *error = opening->error;
    if (ets_size_symbols_init(&reference->symbols, arena) != ETS_OK) return no_memory(error);
    ETS_TRY(ets_reference_program_read(reference->options.graph, arena, &reference->symbols,
                                       &reference->program, error));
    ETS_TRY(ets_reference_weights_find(&reference->options, &reference->program, arena, error));
    ETS_TRY(number_nodes(opening));
    ETS_TRY(find_steps(opening));
    if (needs_fallback(reference)) ETS_TRY(read_fallback(opening));
    ETS_TRY(make_room(opening));
    return finish_plans(opening);
}

enum ets_status ets_reference_open(const struct ets_reference_options *options,
                                   struct ets_reference **reference_out, struct ets_error *error)
{
    if (options->engine == NULL || options->record == NULL || options->graph == NULL ||
        options->graph == options->fallback) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "a reference needs an engine, a record, its graph, and no fallback or "
                        "another graph");
    }
    const struct ets_allocator *allocator =
        options->allocator != NULL ? options->allocator : &ets_libc_allocator;
    struct ets_reference *reference =
        allocator->reallocate(allocator->context, NULL, sizeof *reference);
    if (reference == NULL) return no_memory(error);
    *reference = (struct ets_reference){.options = *options};
    ets_arena_init(&reference->arena, allocator, 0);
    const uint64_t host = ets_os_physical_memory();
    uint64_t limit = host < MEMORY_LIMIT ? host : MEMORY_LIMIT;
    if (options->memory_limit > 0 && options->memory_limit < limit) limit = options->memory_limit;
    reference->memory = (struct reference_memory){
        .allocator = allocator, .limit_bytes = limit, .made_limit = MADE_LIMIT};
    reference->calls = (struct reference_calls){.engine = options->engine,
                                                .memory = &reference->memory,
                                                .use_double = options->use_double != 0};
    struct opening opening = {.reference = reference, .error = error};
    const enum ets_status status = open_reference(&opening);
    if (status != ETS_OK) {
        ets_reference_close(reference);
        return status;
    }
    *reference_out = reference;
    return ETS_OK;
}

void ets_reference_close(struct ets_reference *reference)
{
    if (reference == NULL) return;
    const struct ets_allocator *allocator = reference->arena.allocator;
    ets_arena_reset(&reference->arena);
    allocator->release(allocator->context, reference);
}

uint32_t ets_reference_node_count(const struct ets_reference *reference)
{
    return reference->node_count;
}

const struct ets_reference_node *ets_reference_node(const struct ets_reference *reference,
                                                    uint32_t index)
{
    return index < reference->node_count ? &reference->nodes[index] : NULL;
}

uint64_t ets_reference_peak_bytes(const struct ets_reference *reference)
{
    return reference->memory.peak_bytes;
}

/* Clears the state of the last run. */
static void begin(struct ets_reference *reference)
{
    struct reference_program *program = &reference->program;
    reference->memory.peak_bytes = reference->memory.bytes;
    reference->memory.made_bytes = 0;
    ets_size_symbols_forget(&reference->symbols);
    for (uint32_t i = 0; i < program->plan_count; i++) {
        for (uint32_t j = 0; j < program->plans[i].step_count; j++) {
            program->plans[i].steps[j].times = 0;
            program->plans[i].steps[j].shown->is_single = 0;
        }
    }
}

static void clear_program(struct reference_run *run, const struct reference_program *program)
{
    for (uint32_t i = 0; i < program->plan_count; i++) {
        ets_reference_plan_clear(run, &program->plans[i]);
    }
}

enum ets_status ets_reference_run(struct ets_reference *reference, const struct ets_value *inputs,
                                  size_t input_count, ets_reference_observer *observer,
                                  void *context, struct ets_error *error)
{
    struct ets_error own = {0}; /* reasons come out of messages */
    struct reference_run run = {.reference = reference,
                                .error = error != NULL ? error : &own,
                                .run_body = ets_reference_run_plan};
    begin(reference);
    reference->observer = observer;
    reference->context = context;
    enum ets_status status = ets_reference_bind_inputs(&run, inputs, input_count);
    if (status == ETS_OK) status = ets_reference_run_plan(&run, &reference->program.plans[0]);
    if (status == ETS_OK) status = ets_reference_leave_buffers(&run);
    clear_program(&run, &reference->program);
    if (reference->fallback.graph != NULL) clear_program(&run, &reference->fallback);
    if (status == ETS_OK && reference->options.end != NULL) {
        ets_reference_state_settle(reference->options.end); /* nothing borrows the old ones now */
    }
    return status;
}
