/*
 * Finds the method that a block ran. An ETDump does not name it: every execution is a block
 * "Execute". A method matches if its debug-handle map, operator names and instructions agree with
 * the whole run: everything mapped ran under its name, and everything that ran is known. If several
 * methods match, those remain whose payloads or delegate maps give the reported events of
 * delegates; if several still remain, the answer is "ambiguous". If none matches, the reason says
 * what differs. If the extra block of a trace names the method, no other is tried, but it must
 * still match.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "format/program_names.h"
#include "host/key_table.h"
#include "inspect/delegates/call_check.h"
#include "inspect/delegates/event_check.h"
#include "inspect/inspection.h"
#include "inspect/method_graph.h"
#include "operators/operator_traits.h"
#include "payload/payload_names.h"
#include "record/record_maps.h"

/* The trace's facts about one instruction. */
enum fact_kind { FACT_OTHER, FACT_KERNEL, FACT_DELEGATE };

struct fact {
    int64_t instruction;
    enum fact_kind kind;
    struct ets_text kernel; /* "permute_copy.out" if a kernel reported itself, else absent */
    uint32_t call_row;      /* of a delegate call, else ETS_NO_INDEX */
};

struct facts {
    struct ets_key_table instructions; /* fact i is instruction key i */
    struct fact *items;
    bool is_complete; /* the run reached its end and recorded its instructions */
};

/* Limit of read payloads, in program sizes: ordinary programs share a payload a few times. */
enum { PROGRAM_TIMES = 64 };

/* How well a method explains a block. */
struct verdict {
    bool agrees;
    bool fits;         /* no payload contradicts the reported operators */
    uint32_t evidence; /* instructions confirmed by the method */
    char reason[192];  /* why it does not match */
};

static struct fact *add_fact(struct facts *facts, int32_t instruction)
{
    const uint64_t key = (uint64_t)(int64_t)instruction;
    const uint32_t known = facts->instructions.count;
    const uint32_t at = ets_key_table_add(&facts->instructions, &key);
    if (at == ETS_KEY_NONE) return NULL;
    if (at == known) {
        facts->items[at] = (struct fact){.instruction = instruction, .call_row = ETS_NO_INDEX};
    }
    return &facts->items[at];
}

static const struct fact *find_fact(const struct facts *facts, int64_t instruction)
{
    const uint64_t key = (uint64_t)instruction;
    const uint32_t at = ets_key_table_find(&facts->instructions, &key);
    return at == ETS_KEY_NONE ? NULL : &facts->items[at];
}

static enum ets_status gather_facts(struct ets_inspection *inspection,
                                    const struct ets_block *block, struct facts *facts,
                                    struct ets_error *error)
{
    ets_key_table_init(&facts->instructions, &inspection->arena, 1);
    facts->items =
        ets_arena_alloc_array(&inspection->arena, block->row_count, sizeof *facts->items);
    if (facts->items == NULL) return ets_fail_memory(error, "what the trace says of its method");
    bool has_end = false;
    for (uint32_t i = block->first_row; i < block->first_row + block->row_count; i++) {
        const struct ets_row *row = &inspection->rows[i];
        if (ets_text_is(row->name, "Method::execute")) has_end = true;
        if (row->chain != 0 || row->is_delegated)
            continue; /* maps and programs have only chain 0 */
        const bool is_delegate = ets_text_is(row->name, "DELEGATE_CALL");
        const bool is_operator = ets_text_is(row->name, "OPERATOR_CALL");
        const struct ets_text kernel = ets_row_kernel(row);
        struct fact *fact = add_fact(facts, row->instruction);
        if (fact == NULL) return ets_fail_memory(error, "what the trace says of its method");
        if (is_delegate) {
            fact->kind = FACT_DELEGATE;
            fact->call_row = i;
        }
        if (is_operator || kernel.data != NULL) fact->kind = FACT_KERNEL;
        if (kernel.data != NULL) fact->kernel = kernel;
    }
    facts->is_complete = has_end && facts->instructions.count > 0 &&
                         !ets_run_may_lack_events(inspection, &inspection->runs[block->first_run]);
    return ETS_OK;
}

/* Whether one of the nodes behind `handles` could have become `kernel`; true if none is known. */
static bool names_agree(struct ets_known_method *method, const int64_t *handles, size_t count,
                        struct ets_text kernel, struct verdict *verdict, struct ets_text *other_out)
{
    bool is_known = false;
    ets_handle_index_start(&method->nodes);
    for (size_t i = 0; i < count; i++) {
        uint32_t node_count;
        const struct ets_row_node *nodes =
            ets_handle_index_find(&method->nodes, handles[i], &node_count);
        if (!ets_handle_index_add(&method->nodes, nodes, node_count)) continue;
        for (uint32_t k = 0; k < node_count; k++) {
            const enum ets_agreement agreement =
                ets_node_runs_as(ets_node_operator(nodes[k].node), kernel);
            if (agreement == ETS_NAMES_AGREE) {
                verdict->evidence++;
                return true;
            }
            *other_out = nodes[k].node->op;
            is_known = is_known || agreement == ETS_NAMES_DIFFER;
        }
    }
    return !is_known;
}

static bool disagree(struct verdict *verdict, const char *format, ...) ETS_PRINTF(2, 3);
static bool disagree(struct verdict *verdict, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    ets_format_text(verdict->reason, sizeof verdict->reason, format, arguments);
    va_end(arguments);
    verdict->agrees = false;
    return false;
}

/* What a delegate reports must come from the nodes of its call. */
static bool check_delegate(struct ets_inspection *inspection, const struct fact *fact,
                           const struct ets_recorded_call *call, struct verdict *verdict)
{
    struct ets_error reason;
    if (ets_delegate_events_check(inspection, fact->call_row, call, &reason) != ETS_OK) {
        return disagree(verdict, "%s", reason.message);
    }
    verdict->evidence++;
    return true;
}

/* "add.out" of the program's aten::add and out, as kernels report themselves. */
static bool is_kernel_of(const struct ets_instruction *instruction, struct ets_text kernel)
{
    const char *start = instruction->name.data;
    size_t size = instruction->name.size;
    const char *colon = size == 0 ? NULL : memchr(start, ':', size);
    if (colon != NULL && colon + 2 <= start + size) {
        size -= (size_t)(colon + 2 - start);
        start = colon + 2;
    }
    const size_t overload = instruction->overload.size;
    if (kernel.size != size + (overload > 0 ? overload + 1 : 0)) return false;
    if (memcmp(kernel.data, start, size) != 0) return false;
    return overload == 0 ||
           (kernel.data[size] == '.' &&
            memcmp(kernel.data + size + 1, instruction->overload.data, overload) == 0);
}

/* With its namespace, where the program is there. */
static struct ets_text whole_name(const struct ets_known_method *method, const struct fact *fact)
{
    struct ets_instruction instruction;
    if (!method->in_program || fact->instruction < 0 ||
        fact->instruction >= method->chain.instruction_count) {
        return fact->kernel;
    }
    ets_chain_instruction(&method->chain, (uint32_t)fact->instruction, &instruction);
    return is_kernel_of(&instruction, fact->kernel) ? instruction.name : fact->kernel;
}

static bool check_mapped(struct ets_inspection *inspection, const struct facts *facts,
                         struct ets_known_method *method, int64_t instruction,
                         struct verdict *verdict)
{
    struct ets_etrecord *record = inspection->options.record;
    const struct fact *fact = find_fact(facts, instruction);
    if (fact == NULL) {
        return !facts->is_complete ||
               disagree(verdict, "in the record's %s, instruction %lld did not run", method->name,
                        (long long)instruction);
    }
    const bool is_delegate = ets_etrecord_backend(record, method->name, instruction) != NULL;
    if (ets_etrecord_has_delegate_map(record, method->name) && fact->kind != FACT_OTHER &&
        is_delegate != (fact->kind == FACT_DELEGATE)) {
        return disagree(
            verdict, "instruction %lld of %s is %s call in the record but %s call in the trace",
            (long long)instruction, method->name, is_delegate ? "a delegate" : "an operator",
            fact->kind == FACT_DELEGATE ? "a delegate" : "an operator");
    }
    const int64_t *handles;
    size_t count;
    struct ets_text other = {NULL, 0};
    ets_etrecord_handles(record, method->name, instruction, &handles, &count, NULL);
    if (fact->kind == FACT_DELEGATE) {
        const struct ets_recorded_call call = {method, handles, count, facts->is_complete};
        return check_delegate(inspection, fact, &call, verdict);
    }
    if (fact->kernel.data != NULL &&
        !names_agree(method, handles, count, whole_name(method, fact), verdict, &other)) {
        return disagree(verdict, "instruction %lld ran %.*s but the record's %s has %.*s there",
                        (long long)instruction, ETS_TEXT(fact->kernel), method->name,
                        ETS_TEXT(other));
    }
    return true;
}

/* Whether a node without a mapped instruction can run as `kernel`. */
static bool is_loose(const struct ets_known_method *method, struct ets_text kernel)
{
    if (ets_strings_find(&method->loose_names, kernel) != UINT32_MAX) return true;
    for (uint32_t i = 1; ets_kernel_is_fused(kernel) && i < method->loose_names.count; i++) {
        if (ets_node_is_fused_into(ets_strings_get(&method->loose_names, i), kernel)) return true;
    }
    return false;
}

/*
 * Whether a kernel at an unmapped instruction is explained: by a control-flow body, which is never
 * mapped but has its nodes in the graph, by a pass that ran after the record was made, or as an
 * addition of the export, the write-back of a mutable buffer (copy_) or a loop's slice
 * (select_copy).
 */
static bool check_unmapped(struct ets_known_method *method, const struct fact *fact,
                           struct verdict *verdict)
{
    if (fact->kind == FACT_DELEGATE) {
        return disagree(verdict,
                        "instruction %lld is a delegate call, which is missing in the record's %s",
                        (long long)fact->instruction, method->name);
    }
    if (fact->kernel.data == NULL || method->graph == NULL) return true;
    const struct ets_text name = ets_operator_base_name(fact->kernel);
    if (is_loose(method, name)) {
        verdict->evidence++;
        return true;
    }
    if (ets_text_is(name, "copy")) return true;
    if (ets_text_is(name, "select") && method->graph->subgraph_count > 0) return true;
    return disagree(verdict, "instruction %lld ran %.*s, which the record's %s does not have",
                    (long long)fact->instruction, ETS_TEXT(fact->kernel), method->name);
}

static int compare_calls(const void *left, const void *right)
{
    const struct ets_operator_call *a = left, *b = right;
    return (a->instruction > b->instruction) - (a->instruction < b->instruction);
}

/* Without a program, the trace of a whole run tells which operators were called. */
static enum ets_status infer_calls(struct ets_inspection *inspection, const struct facts *facts,
                                   const struct ets_known_method *method, struct ets_error *error)
{
    if (method == NULL || !method->in_record || method->in_program || !facts->is_complete) {
        return ETS_OK;
    }
    struct ets_operator_call *calls =
        ets_arena_alloc_array(&inspection->arena, facts->instructions.count, sizeof *calls);
    if (calls == NULL) return ets_fail_memory(error, "the method's operators");
    size_t count = 0;
    for (uint32_t i = 0; i < facts->instructions.count; i++) {
        const struct fact *fact = &facts->items[i];
        if (fact->kernel.data == NULL) continue;
        calls[count++] = (struct ets_operator_call){fact->instruction, fact->kernel};
    }
    if (count > 1) qsort(calls, count, sizeof *calls, compare_calls);
    return ets_etrecord_infer_calls(inspection->options.record, method->name, calls, count, error);
}

/* A method may only write back its buffers, which are not in the map. */
static bool writes_back(const struct ets_graph *graph)
{
    for (size_t i = 0; i < graph->output_count; i++) {
        if (graph->outputs[i].role == ETS_OUTPUT_BUFFER_MUTATION) return true;
    }
    return false;
}

static void compare_record(struct ets_inspection *inspection, const struct facts *facts,
                           struct ets_known_method *method, struct verdict *verdict)
{
    const struct ets_etrecord *record = inspection->options.record;
    const int64_t *mapped, *handles;
    size_t count, handle_count;
    ets_etrecord_mapped_instructions(record, method->name, &mapped, &count);
    for (size_t i = 0; i < count; i++) {
        if (!check_mapped(inspection, facts, method, mapped[i], verdict)) return;
    }
    bool has_work = false;
    for (uint32_t i = 0; i < facts->instructions.count; i++) {
        const struct fact *fact = &facts->items[i];
        has_work = has_work || fact->kind == FACT_DELEGATE || fact->kernel.data != NULL;
        ets_etrecord_handles(record, method->name, fact->instruction, &handles, &handle_count,
                             NULL);
        if (handles == NULL && !check_unmapped(method, fact, verdict)) return;
    }
    if (has_work && verdict->evidence == 0 && method->graph != NULL &&
        !writes_back(method->graph)) {
        disagree(verdict, "no instruction that ran is in the record's %s", method->name);
    }
}

static bool check_instruction(const struct fact *fact, const struct ets_known_method *method,
                              struct verdict *verdict)
{
    const long long id = (long long)fact->instruction;
    if (id < 0 || id >= method->chain.instruction_count) {
        return disagree(verdict,
                        "instruction %lld ran but the program's %s has only %u instructions", id,
                        method->name, method->chain.instruction_count);
    }
    struct ets_instruction instruction;
    ets_chain_instruction(&method->chain, (uint32_t)id, &instruction);
    const bool is_kernel = instruction.kind == ETS_INSTRUCTION_KERNEL_CALL;
    const bool is_delegate = instruction.kind == ETS_INSTRUCTION_DELEGATE_CALL;
    if (is_kernel != (fact->kind == FACT_KERNEL) || is_delegate != (fact->kind == FACT_DELEGATE)) {
        return disagree(verdict,
                        "instruction %lld is a %s in the program's %s but not in the trace", id,
                        ets_instruction_kind_name(instruction.kind), method->name);
    }
    if (is_kernel && fact->kernel.data != NULL && !is_kernel_of(&instruction, fact->kernel)) {
        return disagree(verdict, "instruction %lld ran %.*s but the program's %s has %.*s there",
                        id, ETS_TEXT(fact->kernel), method->name, ETS_TEXT(instruction.name));
    }
    return true;
}

static void compare_program(const struct facts *facts, const struct ets_known_method *method,
                            struct verdict *verdict)
{
    for (uint32_t i = 0; i < facts->instructions.count; i++) {
        if (!check_instruction(&facts->items[i], method, verdict)) return;
    }
    if (!facts->is_complete) return;
    for (uint32_t i = 0; i < method->chain.instruction_count; i++) {
        struct ets_instruction instruction;
        ets_chain_instruction(&method->chain, i, &instruction);
        if (instruction.kind == ETS_INSTRUCTION_JUMP_FALSE_CALL) return; /* may skip the rest */
        if (find_fact(facts, i) == NULL) {
            disagree(verdict, "in the program's %s, instruction %u did not run", method->name, i);
            return;
        }
    }
}

static void judge(struct ets_inspection *inspection, const struct facts *facts,
                  struct ets_known_method *method, struct verdict *verdict)
{
    *verdict = (struct verdict){.agrees = true};
    if (inspection->options.record != NULL) {
        if (method->in_record) compare_record(inspection, facts, method, verdict);
        else disagree(verdict, "the record has no method %s", method->name);
    }
    if (inspection->options.program != NULL && verdict->agrees) {
        if (method->in_program) compare_program(facts, method, verdict);
        else disagree(verdict, "the program has no method %s", method->name);
    }
    if (verdict->agrees && method->contradiction != NULL) {
        disagree(verdict, "%s", method->contradiction);
    }
}

static bool append_name(struct ets_inspection *inspection, struct ets_block *block,
                        const char *name)
{
    if (block->method == NULL) {
        block->method = name;
        return true;
    }
    const size_t size = strlen(block->method) + 2 + strlen(name) + 1;
    char *both = ets_arena_alloc(&inspection->arena, size);
    if (both == NULL) return false;
    ets_print_text(both, size, "%s, %s", block->method, name);
    block->method = both;
    return true;
}

static enum ets_status set_mismatch(struct ets_inspection *inspection, struct ets_block *block,
                                    const struct verdict *verdict, struct ets_error *error)
{
    block->method_state = ETS_METHOD_MISMATCH;
    block->reason =
        ets_arena_copy_text(&inspection->arena, verdict->reason, strlen(verdict->reason));
    return block->reason == NULL ? ets_fail_memory(error, "the reason of a mismatch") : ETS_OK;
}

/* The reason of the method that matched best. */
static const struct verdict *nearest_of(const struct ets_inspection *inspection,
                                        const struct verdict *verdicts)
{
    const struct verdict *nearest = &verdicts[0];
    for (uint32_t i = 1; i < inspection->method_count; i++) {
        if (verdicts[i].evidence > nearest->evidence) nearest = &verdicts[i];
    }
    return nearest;
}

/* The name of what the trace is matched against. */
static const char *name_of_other(const struct ets_inspection *inspection)
{
    if (inspection->options.record == NULL) return "program";
    return inspection->options.program == NULL ? "ETRecord" : "ETRecord and program";
}

/* The trace names the method. */
static enum ets_status match_named(struct ets_inspection *inspection, uint32_t index,
                                   const struct facts *facts, struct ets_error *error)
{
    struct ets_block *block = &inspection->blocks[index];
    struct ets_known_method *method = NULL;
    struct verdict verdict = {.agrees = false};
    for (uint32_t i = 0; i < inspection->method_count && method == NULL; i++) {
        if (strcmp(inspection->methods[i].name, block->method) == 0) {
            method = &inspection->methods[i];
        }
    }
    if (method != NULL) {
        judge(inspection, facts, method, &verdict);
    } else if (inspection->options.method != NULL) {
        disagree(&verdict, "the trace says that it ran %s, not %s", block->method,
                 inspection->options.method);
    } else {
        disagree(&verdict, "the trace says that it ran %s, which the %s does not have",
                 block->method, name_of_other(inspection));
    }
    if (!verdict.agrees) return set_mismatch(inspection, block, &verdict, error);
    inspection->block_method[index] = method;
    block->method_state = ETS_METHOD_FOUND;
    return infer_calls(inspection, facts, method, error);
}

/* A tracer may log values without times. */
static bool has_values(const struct ets_inspection *inspection, uint32_t block)
{
    for (uint32_t r = 0; r < inspection->run_count; r++) {
        const struct ets_run *run = &inspection->runs[r];
        if (run->block != block) continue;
        for (uint32_t e = run->first_event; e < run->first_event + run->event_count; e++) {
            if (inspection->events.kind[e] == ETS_EVENT_DEBUG) return true;
        }
    }
    return false;
}

/* Whether each delegate call of the block reported exactly what its payload or map predicts. */
static enum ets_status fits_payloads(struct ets_inspection *inspection, const struct facts *facts,
                                     struct ets_known_method *method, bool *fits_out,
                                     struct ets_error *error)
{
    enum ets_payload_fit fit;
    *fits_out = false;
    for (uint32_t i = 0; i < facts->instructions.count; i++) {
        const struct fact *fact = &facts->items[i];
        if (fact->kind != FACT_DELEGATE) continue;
        ETS_TRY(ets_delegate_call_fit(inspection, method, fact->call_row, &fit, error));
        if (fit == ETS_FIT_NO) return ETS_OK;
        /* unknown calls do not count */
    }
    *fits_out = true;
    return ETS_OK;
}

/* If several methods match, keeps those whose payloads fit, if any. */
static enum ets_status choose_by_payload(struct ets_inspection *inspection,
                                         const struct facts *facts, struct verdict *verdicts,
                                         uint32_t *agreeing, struct ets_error *error)
{
    uint32_t fitting = 0;
    for (uint32_t i = 0; i < inspection->method_count; i++) {
        if (!verdicts[i].agrees) continue;
        ETS_TRY(
            fits_payloads(inspection, facts, &inspection->methods[i], &verdicts[i].fits, error));
        fitting += verdicts[i].fits;
    }
    if (fitting == 0) return ETS_OK;
    for (uint32_t i = 0; i < inspection->method_count; i++) {
        verdicts[i].agrees = verdicts[i].agrees && verdicts[i].fits;
    }
    *agreeing = fitting;
    return ETS_OK;
}

static enum ets_status match_block(struct ets_inspection *inspection, uint32_t index,
                                   struct verdict *verdicts, struct ets_error *error)
{
    struct ets_block *block = &inspection->blocks[index];
    struct facts facts;
    ETS_TRY(gather_facts(inspection, block, &facts, error));
    if (ets_inspection_total_row(inspection, index) == ETS_NO_INDEX &&
        facts.instructions.count == 0 && !has_values(inspection, index)) {
        return ETS_OK; /* loading: executes nothing */
    }
    if (block->is_method_named) return match_named(inspection, index, &facts, error);
    uint32_t agreeing = 0;
    for (uint32_t i = 0; i < inspection->method_count; i++) {
        judge(inspection, &facts, &inspection->methods[i], &verdicts[i]);
        agreeing += verdicts[i].agrees;
    }
    if (agreeing > 1) ETS_TRY(choose_by_payload(inspection, &facts, verdicts, &agreeing, error));
    for (uint32_t i = 0; i < inspection->method_count; i++) {
        if (!verdicts[i].agrees) continue;
        inspection->block_method[index] = &inspection->methods[i];
        if (!append_name(inspection, block, inspection->methods[i].name)) {
            return ets_fail_memory(error, "the names of methods that fit");
        }
    }
    if (agreeing == 0) {
        return set_mismatch(inspection, block, nearest_of(inspection, verdicts), error);
    }
    block->method_state = agreeing == 1 ? ETS_METHOD_FOUND : ETS_METHOD_AMBIGUOUS;
    if (agreeing != 1) inspection->block_method[index] = NULL;
    return infer_calls(inspection, &facts, inspection->block_method[index], error);
}

static bool add_loose_names(struct ets_known_method *method, const struct ets_graph *graph,
                            const struct ets_key_table *mapped)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const uint64_t handle = (uint64_t)graph->nodes[i].debug_handle;
        if (ets_key_table_find(mapped, &handle) != ETS_KEY_NONE) continue;
        const struct ets_text name = ets_node_operator(&graph->nodes[i]);
        if (ets_strings_add(&method->loose_names, name) == UINT32_MAX) return false;
    }
    return true;
}

/* Names of nodes without a mapped instruction: those in bodies, and nodes without a handle. */
static enum ets_status find_loose_names(struct ets_inspection *inspection,
                                        struct ets_known_method *method, struct ets_error *error)
{
    const struct ets_etrecord *record = inspection->options.record;
    struct ets_key_table mapped;
    const int64_t *instructions, *handles;
    size_t count, handle_count;
    bool ok = true;
    ets_key_table_init(&mapped, &inspection->arena, 1);
    ets_etrecord_mapped_instructions(record, method->name, &instructions, &count);
    for (size_t i = 0; ok && i < count; i++) {
        ets_etrecord_handles(record, method->name, instructions[i], &handles, &handle_count, NULL);
        for (size_t k = 0; ok && k < handle_count; k++) {
            const uint64_t key = (uint64_t)handles[k];
            ok = ets_key_table_add(&mapped, &key) != ETS_KEY_NONE;
        }
    }
    ok = ok && ets_strings_init(&method->loose_names, &inspection->arena) == 0 &&
         add_loose_names(method, method->graph, &mapped);
    for (uint32_t i = 0; ok && i < method->graph->subgraph_count; i++) {
        ok = add_loose_names(method, method->graph->subgraphs[i], &mapped);
    }
    return ok ? ETS_OK : ets_fail_memory(error, "a method's mapped operators");
}

static enum ets_status know_from_record(struct ets_inspection *inspection,
                                        struct ets_known_method *method, struct ets_error *error)
{
    const struct ets_graph *graph = NULL;
    struct ets_error reason;
    const enum ets_status status =
        ets_etrecord_edge_graph(inspection->options.record, method->name, &graph, &reason);
    method->lacks_graph = status == ETS_NOT_FOUND;
    if (method->lacks_graph) return ETS_OK;
    if (status != ETS_OK) {
        if (error != NULL) *error = reason;
        return status;
    }
    if (ets_graph_is_emitted(graph)) return ETS_OK;
    method->graph = graph;
    method->quantizes = ets_graph_quantizes(graph);
    ETS_TRY(ets_handle_index_build(&inspection->arena, graph, 0, &method->top_nodes, error));
    ETS_TRY(ets_handle_index_build(&inspection->arena, graph, 1, &method->nodes, error));
    return find_loose_names(inspection, method, error);
}

static struct ets_known_method *add_method(struct ets_inspection *inspection, const char *name)
{
    for (uint32_t i = 0; i < inspection->method_count; i++) {
        if (strcmp(inspection->methods[i].name, name) == 0) return &inspection->methods[i];
    }
    struct ets_known_method *method = &inspection->methods[inspection->method_count++];
    method->name = name;
    ets_key_table_init(&method->calls, &inspection->arena, 1);
    return method;
}

static bool is_wanted(const struct ets_inspection *inspection, const char *name)
{
    return inspection->options.method == NULL || strcmp(inspection->options.method, name) == 0;
}

/* Finds what the payloads of a method's calls contradict in the record. */
static enum ets_status check_calls(struct ets_inspection *inspection,
                                   struct ets_known_method *method, struct ets_error *error)
{
    struct ets_error reason;
    struct ets_instruction instruction;
    enum ets_status status = ETS_OK;
    for (uint32_t i = 0; i < method->chain.instruction_count && status == ETS_OK; i++) {
        ets_chain_instruction(&method->chain, i, &instruction);
        if (instruction.kind != ETS_INSTRUCTION_DELEGATE_CALL) continue;
        struct ets_delegate_call call = {
            .record = inspection->options.record,
            .method = method->name,
            .instruction = i,
            .backend = instruction.name,
            .payload = ets_payload_of(&method->chain, i),
            .nodes = method->graph != NULL ? &method->nodes : NULL,
            .payloads = &inspection->payloads,
        };
        ets_etrecord_handles(call.record, method->name, i, &call.handles, &call.handle_count, NULL);
        status =
            ets_delegate_call_check(&inspection->arena, &call, &inspection->check_budget, &reason);
    }
    if (status == ETS_MISMATCH) {
        method->contradiction =
            ets_arena_copy_text(&inspection->arena, reason.message, strlen(reason.message));
        return method->contradiction != NULL ? ETS_OK : ets_fail_memory(error, "a mismatch");
    }
    if (status != ETS_OK && error != NULL) *error = reason;
    return status;
}

static enum ets_status know_methods(struct ets_inspection *inspection, struct ets_error *error)
{
    const struct ets_etrecord *record = inspection->options.record;
    const struct ets_program *program = inspection->options.program;
    const size_t in_record = record == NULL ? 0 : ets_etrecord_method_count(record);
    const uint32_t in_program = program == NULL ? 0 : program->method_count;
    inspection->methods = ets_arena_alloc_array(&inspection->arena, in_record + in_program,
                                                sizeof *inspection->methods);
    if (inspection->methods == NULL) return ets_fail_memory(error, "the methods");
    for (size_t i = 0; i < in_record; i++) {
        const char *name = ets_etrecord_method_name(record, i);
        if (!is_wanted(inspection, name)) continue;
        struct ets_known_method *method = add_method(inspection, name);
        method->in_record = 1;
        ETS_TRY(know_from_record(inspection, method, error));
    }
    for (uint32_t i = 0; i < in_program; i++) {
        struct ets_method plan;
        ets_program_method(program, i, &plan);
        const char *name = ets_arena_copy_text(&inspection->arena, plan.name.data, plan.name.size);
        if (name == NULL) return ets_fail_memory(error, "a method's name");
        if (!is_wanted(inspection, name) || plan.chain_count == 0) continue;
        struct ets_known_method *method = add_method(inspection, name);
        method->in_program = 1;
        ets_method_chain(&plan, 0, &method->chain);
        if (method->in_record &&
            ets_etrecord_check_chain(record, name, &method->chain, NULL) == ETS_OK) {
            ETS_TRY(
                ets_etrecord_infer_chain(inspection->options.record, name, &method->chain, error));
            ETS_TRY(check_calls(inspection, method, error));
        }
    }
    return ETS_OK;
}

/* The requested method must exist; the message lists all methods. */
static enum ets_status check_wanted(const struct ets_inspection *inspection,
                                    struct ets_error *error)
{
    if (inspection->options.method == NULL || inspection->method_count > 0) return ETS_OK;
    char list[160] = "";
    size_t used = 0;
    const struct ets_etrecord *record = inspection->options.record;
    for (size_t i = 0; record != NULL && i < ets_etrecord_method_count(record); i++) {
        used += ets_print_text(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "",
                               ets_etrecord_method_name(record, i));
    }
    const struct ets_program *program = inspection->options.program;
    for (uint32_t i = 0; record == NULL && program != NULL && i < program->method_count; i++) {
        struct ets_method method;
        ets_program_method(program, i, &method);
        used += ets_print_text(list + used, sizeof list - used, "%s%.*s", i > 0 ? ", " : "",
                               ETS_TEXT(method.name));
    }
    return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET, "no method %s; there are: %s",
                    inspection->options.method, list);
}

/* Fails only if no block matches: a trace may also hold runs of other programs. */
static enum ets_status report_mismatch(const struct ets_inspection *inspection,
                                       struct ets_error *error)
{
    const struct ets_block *first = NULL;
    for (uint32_t i = 0; i < inspection->block_count; i++) {
        const struct ets_block *block = &inspection->blocks[i];
        if (block->method_state == ETS_METHOD_FOUND ||
            block->method_state == ETS_METHOD_AMBIGUOUS) {
            return ETS_OK;
        }
        if (block->method_state == ETS_METHOD_MISMATCH && first == NULL) first = block;
    }
    if (first == NULL || inspection->options.allow_mismatch) return ETS_OK;
    return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET, "the trace does not belong to this %s: %s",
                    name_of_other(inspection), first->reason);
}

/* Records of old layouts, and of exports that failed midway, map nothing. */
static void note_no_method(struct ets_inspection *inspection)
{
    for (uint32_t i = 0; i < inspection->block_count; i++) {
        if (ets_inspection_total_row(inspection, i) == ETS_NO_INDEX) continue;
        inspection->blocks[i].method_state = ETS_METHOD_MISMATCH;
        inspection->blocks[i].reason = "the ETRecord maps no method's instructions";
    }
}

enum ets_status ets_methods_match(struct ets_inspection *inspection, struct ets_error *error)
{
    inspection->block_method = ets_arena_alloc_array(&inspection->arena, inspection->block_count,
                                                     sizeof *inspection->block_method);
    if (inspection->block_method == NULL) return ets_fail_memory(error, "the methods of blocks");
    if (inspection->options.record == NULL && inspection->options.program == NULL) return ETS_OK;
    if (inspection->told.runtime.data != NULL) {
        return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET,
                        "the trace is a profile of %.*s, which no ETRecord or program of "
                        "ExecuTorch describes",
                        ETS_TEXT(inspection->told.runtime));
    }
    const struct ets_program *program = inspection->options.program;
    inspection->check_budget = ETS_CALL_CHECK_BUDGET;
    inspection->payload_budget =
        program == NULL ? 0 : PROGRAM_TIMES * (uint64_t)program->bytes.size;
    if (program != NULL) {
        ets_payload_store_init(&inspection->payloads, &inspection->arena, program);
    }
    ETS_TRY(know_methods(inspection, error));
    ETS_TRY(check_wanted(inspection, error));
    struct verdict *verdicts =
        ets_arena_alloc_array(&inspection->arena, inspection->method_count, sizeof *verdicts);
    if (verdicts == NULL) return ets_fail_memory(error, "the methods' verdicts");
    if (inspection->method_count == 0) {
        note_no_method(inspection);
        return ETS_OK;
    }
    for (uint32_t i = 0; i < inspection->block_count; i++) {
        ETS_TRY(match_block(inspection, i, verdicts, error));
    }
    return report_mismatch(inspection, error);
}

const char *ets_inspection_why_no_graph(const struct ets_inspection *inspection, uint32_t block)
{
    const struct ets_known_method *method = inspection->block_method[block];
    if (method == NULL || !method->lacks_graph) return NULL;
    return ets_etrecord_why_no_graph(inspection->options.record);
}
