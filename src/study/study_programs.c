/* What is known of programs: methods, chains, delegate calls, plans of memory, bytes, steps. */
#include <string.h>

#include "base/error.h"
#include "memory/memory_plan.h"
#include "study/study_parts.h"

/* Bytes of a program that are compared in search of duplicates. */
enum { MOST_COMPARED = 16 << 20 };

/* Methods and chains, counted and then filled. */
static bool add_methods(struct ets_study *study)
{
    const struct ets_study_sources *sources = &study->sources;
    struct ets_method method;
    size_t methods = 0, chains = 0;
    for (uint32_t p = 0; p < sources->program_count; p++) {
        const struct ets_program *program = sources->programs[p].program;
        methods += program->method_count;
        for (uint32_t m = 0; m < program->method_count; m++) {
            ets_program_method(program, m, &method);
            chains += method.chain_count;
        }
    }
    study->methods = ets_arena_alloc_array(&study->arena, methods, sizeof *study->methods);
    study->chains = ets_arena_alloc_array(&study->arena, chains, sizeof *study->chains);
    if (study->methods == NULL || study->chains == NULL) return false;
    for (uint32_t p = 0; p < sources->program_count; p++) {
        const struct ets_program *program = sources->programs[p].program;
        for (uint32_t m = 0; m < program->method_count; m++) {
            struct ets_studied_method *each = &study->methods[study->method_count];
            ets_program_method(program, m, &each->method);
            const struct ets_text name = each->method.name;
            each->name = ets_arena_copy_text(&study->arena, name.data, name.size);
            if (each->name == NULL) return false;
            each->program = p;
            each->first_value = study->value_count;
            study->value_count += each->method.value_count;
            for (uint32_t a = 0; a < each->method.arena_count; a++) {
                struct ets_planned_arena arena;
                ets_method_arena(&each->method, a, &arena);
                each->planned_bytes += arena.bytes;
            }
            for (uint32_t c = 0; c < each->method.chain_count; c++) {
                struct ets_studied_chain *chain = &study->chains[study->chain_count++];
                ets_method_chain(&each->method, c, &chain->chain);
                chain->method = study->method_count;
                chain->first_instruction = study->instruction_count;
                study->instruction_count += chain->chain.instruction_count;
                each->instruction_count += chain->chain.instruction_count;
            }
            each->first_arena = study->arena_count;
            each->first_level = study->level_count;
            study->arena_count += each->method.arena_count;
            study->level_count +=
                (uint64_t)each->method.arena_count * ets_studied_method_steps(each);
            study->method_count++;
        }
    }
    return true;
}

/* The record that goes with a program: that of a trace of both, or the only one there is. */
static uint32_t record_of(const struct ets_study_sources *sources, uint32_t program)
{
    for (uint32_t i = 0; i < sources->trace_count; i++) {
        if (sources->traces[i].program == program) return sources->traces[i].record;
    }
    const bool is_only = sources->record_count == 1 && sources->program_count == 1;
    return is_only && sources->trace_count == 0 ? 0 : ETS_NO_INDEX;
}

static bool has_program(const struct ets_study_sources *sources, uint32_t record)
{
    for (uint32_t p = 0; p < sources->program_count; p++) {
        if (record_of(sources, p) == record) return true;
    }
    return false;
}

static void add_delegate(struct ets_study *study, const struct ets_studied_delegate *delegate)
{
    if (study->delegates != NULL) study->delegates[study->delegate_count] = *delegate;
    study->delegate_count++;
}

static void add_called(struct ets_study *study, const struct ets_studied_chain *chain,
                       const struct ets_instruction *instruction)
{
    const struct ets_studied_method *method = &study->methods[chain->method];
    struct ets_delegate delegate;
    ets_method_delegate(&method->method, (uint32_t)instruction->delegate_index, &delegate);
    struct ets_studied_delegate each = {
        .program = method->program,
        .record = record_of(&study->sources, method->program),
        .method = method->method.name,
        .backend = delegate.id,
        .chain = chain->chain.index,
        .instruction = instruction->instruction_id,
        .index = instruction->delegate_index,
        .bytes = delegate.blob.size,
        .node_count = -1,
    };
    if (each.record != ETS_NO_INDEX) {
        const int64_t *handles;
        size_t count;
        ets_etrecord_handles(study->sources.records[each.record].record, method->name,
                             each.instruction, &handles, &count, NULL);
        each.node_count = (int64_t)count;
    }
    add_delegate(study, &each);
}

static void add_mapped(struct ets_study *study, uint32_t record, const char *method)
{
    struct ets_etrecord *opened = study->sources.records[record].record;
    const int64_t *instructions, *handles;
    size_t count, handle_count;
    ets_etrecord_mapped_instructions(opened, method, &instructions, &count);
    for (size_t i = 0; i < count; i++) {
        const char *backend = ets_etrecord_backend(opened, method, instructions[i]);
        if (backend == NULL) continue;
        ets_etrecord_handles(opened, method, instructions[i], &handles, &handle_count, NULL);
        add_delegate(study, &(struct ets_studied_delegate){.program = ETS_NO_INDEX,
                                                           .record = record,
                                                           .method = {method, strlen(method)},
                                                           .backend = {backend, strlen(backend)},
                                                           .chain = -1,
                                                           .instruction = instructions[i],
                                                           .index = -1,
                                                           .node_count = (int64_t)handle_count});
    }
}

/* Delegate calls of the programs, and of those records that come without one. */
static bool add_delegates(struct ets_study *study)
{
    const struct ets_study_sources *sources = &study->sources;
    for (int is_filling = 0; is_filling < 2; is_filling++) {
        study->delegate_count = 0;
        for (uint32_t c = 0; c < study->chain_count; c++) {
            const struct ets_studied_chain *chain = &study->chains[c];
            for (uint32_t i = 0; i < chain->chain.instruction_count; i++) {
                struct ets_instruction instruction;
                ets_chain_instruction(&chain->chain, i, &instruction);
                if (instruction.kind == ETS_INSTRUCTION_DELEGATE_CALL) {
                    add_called(study, chain, &instruction);
                }
            }
        }
        for (uint32_t r = 0; r < sources->record_count; r++) {
            if (has_program(sources, r)) continue;
            struct ets_etrecord *record = sources->records[r].record;
            for (size_t m = 0; m < ets_etrecord_method_count(record); m++) {
                add_mapped(study, r, ets_etrecord_method_name(record, m));
            }
        }
        if (is_filling) break;
        study->delegates =
            ets_arena_alloc_array(&study->arena, study->delegate_count, sizeof *study->delegates);
        if (study->delegates == NULL) return false;
    }
    return true;
}

/* Where the bytes of each program are, with the names that its record knows. */
static enum ets_status open_byte_maps(struct ets_study *study, uint32_t *first,
                                      struct ets_error *error)
{
    const struct ets_study_sources *sources = &study->sources;
    for (uint32_t p = 0; p < sources->program_count; p++) {
        const struct ets_study_program *program = &sources->programs[p];
        const struct ets_byte_source source = {program->path, program->program->bytes, NULL};
        const uint32_t record = record_of(sources, p);
        const struct ets_byte_options options = {
            .sources = &source,
            .source_count = 1,
            .record = record == ETS_NO_INDEX ? NULL : sources->records[record].record,
            .find_duplicates = true,
            .most_compared = MOST_COMPARED,
        };
        ETS_TRY(
            ets_byte_map_open(&options, study->arena.allocator, &study->byte_maps[p], NULL, error));
        const uint64_t items = (uint64_t)first[p] + study->byte_maps[p]->item_count;
        if (items > ETS_STUDY_MOST) {
            return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET,
                            "the programs have more than 2^31 parts; query fewer at a time");
        }
        first[p + 1] = (uint32_t)items;
    }
    return ETS_OK;
}

static void close_byte_maps(struct ets_study *study)
{
    for (uint32_t p = 0; study->byte_maps != NULL && p < study->sources.program_count; p++) {
        ets_byte_map_close(study->byte_maps[p]);
    }
    study->byte_maps = NULL;
}

enum ets_status ets_study_byte_maps(struct ets_study *study, struct ets_error *error)
{
    const size_t count = study->sources.program_count;
    if (study->byte_maps != NULL) return ETS_OK;
    uint32_t *first = ets_arena_alloc_array(&study->arena, count + 1, sizeof *first);
    study->byte_maps = ets_arena_alloc_array(&study->arena, count, sizeof *study->byte_maps);
    if (first == NULL || study->byte_maps == NULL) {
        study->byte_maps = NULL;
        return ets_fail_memory(error, ETS_STUDY_MEMORY);
    }
    const enum ets_status status = open_byte_maps(study, first, error);
    if (status == ETS_OK) study->first_byte_item = first;
    else close_byte_maps(study);
    return status;
}

bool ets_study_plan(struct ets_study *study, uint32_t number,
                    const struct ets_memory_plan **plan_out)
{
    struct ets_studied_method *method = &study->methods[number];
    *plan_out = method->plan;
    if (method->plan != NULL || method->has_no_plan) return true;
    struct ets_memory_plan *plan = ets_arena_alloc(&study->arena, sizeof *plan);
    if (plan == NULL) return false;
    const enum ets_status status = ets_memory_plan_init(plan, &method->method, &study->arena, NULL);
    method->has_no_plan = status != ETS_OK && status != ETS_NO_MEMORY;
    if (status == ETS_OK) *plan_out = method->plan = plan;
    return status != ETS_NO_MEMORY;
}

enum ets_status ets_study_delegation(struct ets_study *study, uint32_t program,
                                     const struct ets_delegation **delegation_out,
                                     struct ets_error *error)
{
    struct ets_studied_program *known = &study->programs[program];
    const struct ets_delegation_options options = {
        .program = study->sources.programs[program].program,
        .record = ets_study_record(study, program),
        .allocator = study->arena.allocator};
    if (known->delegation == NULL) {
        ETS_TRY(ets_delegation_open(&options, &known->delegation, error));
    }
    *delegation_out = known->delegation;
    return ETS_OK;
}

enum ets_status ets_study_program_costs(struct ets_study *study, uint32_t program,
                                        const struct ets_step_costs **costs_out,
                                        struct ets_error *error)
{
    struct ets_studied_program *known = &study->programs[program];
    const struct ets_delegation *delegation;
    *costs_out = &known->costs;
    if (known->costs.steps != NULL) return ETS_OK;
    ETS_TRY(ets_study_delegation(study, program, &delegation, error));
    return ets_step_costs_find(&study->arena, study->sources.programs[program].program,
                               ets_study_record(study, program), delegation, &known->costs, error);
}

enum ets_status ets_study_add_programs(struct ets_study *study, struct ets_error *error)
{
    study->programs =
        ets_arena_alloc_array(&study->arena, study->sources.program_count, sizeof *study->programs);
    return study->programs != NULL && add_methods(study) && add_delegates(study)
               ? ETS_OK
               : ets_fail_memory(error, ETS_STUDY_MEMORY);
}

void ets_study_close_programs(struct ets_study *study)
{
    for (uint32_t p = 0; study->programs != NULL && p < study->sources.program_count; p++) {
        ets_delegation_close(study->programs[p].delegation);
    }
    close_byte_maps(study);
}

uint32_t ets_study_record_of(const struct ets_study *study, uint32_t program)
{
    return record_of(&study->sources, program);
}

struct ets_etrecord *ets_study_record(const struct ets_study *study, uint32_t program)
{
    const uint32_t record = ets_study_record_of(study, program);
    return record == ETS_NO_INDEX ? NULL : study->sources.records[record].record;
}

const struct ets_studied_chain *ets_study_chain(const struct ets_study *study, uint32_t number)
{
    uint32_t low = 0, high = study->chain_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (study->chains[middle].first_instruction <= number) low = middle;
        else high = middle;
    }
    return &study->chains[low];
}
