/* Describes a .pte. */
#include <stdlib.h>
#include <string.h>

#include "cli/core/cli_text.h"
#include "cli/info/info_kinds.h"
#include "cli/info/info_model.h"
#include "format/program_names.h"
#include "host/output.h"
#include "payload/payload_kind.h"
#include "payload/payload_store.h"

enum { KIND_COUNT = ETS_INSTRUCTION_FREE_CALL + 1 };

struct operator_calls {
    uint32_t index, calls;
};

/* What is in a payload. */
struct payload_facts {
    char text[ETS_PAYLOAD_KIND_CHARS]; /* holds `content`, where that is not static */
    const char *content;               /* "XNNPACK graph"; NULL: no payload */
    uint64_t nodes;                    /* of its graph */
    uint64_t scratch;                  /* that a call allocates */
    const char *note;                  /* what else it tells; NULL: nothing */
};

/* A delegate; after grouping, all delegates of a backend. */
struct delegate_calls {
    struct ets_text id;
    uint64_t delegates, bytes, calls;
    uint64_t nodes;   /* of payloads that are read */
    uint64_t scratch; /* of a call: the largest */
    char content[48]; /* of the first payload, where nodes are not read; empty: none */
    const char *note; /* of the payload; NULL: none, or of several payloads */
};

/* The counts of a method's operators and delegates. */
struct method_counts {
    uint32_t instructions;
    uint32_t kinds[KIND_COUNT];
    struct operator_calls *operators; /* [operator_count], most calls first */
    uint32_t *delegates;              /* [delegate_count] calls */
    uint32_t constant_count;
    uint64_t constant_bytes;
    uint32_t external_count;
    uint64_t external_bytes;
};

static void count_instructions(const struct ets_method *method, struct method_counts *counts)
{
    for (uint32_t c = 0; c < method->chain_count; c++) {
        struct ets_chain chain;
        ets_method_chain(method, c, &chain);
        counts->instructions += chain.instruction_count;
        for (uint32_t i = 0; i < chain.instruction_count; i++) {
            struct ets_instruction instruction;
            ets_chain_instruction(&chain, i, &instruction);
            counts->kinds[instruction.kind]++;
            const int32_t operator_index = instruction.operator_index;
            if (operator_index >= 0) counts->operators[operator_index].calls++;
            if (instruction.delegate_index >= 0) counts->delegates[instruction.delegate_index]++;
        }
    }
}

static void count_constants(const struct ets_method *method, struct method_counts *counts)
{
    for (uint32_t i = 0; i < method->value_count; i++) {
        struct ets_evalue value;
        ets_method_value(method, i, &value);
        if (value.kind != ETS_EVALUE_TENSOR) continue;
        if (value.tensor.place == ETS_PLACE_CONSTANT) {
            counts->constant_count++;
            counts->constant_bytes += value.tensor.tensor_bytes;
        } else if (value.tensor.place == ETS_PLACE_EXTERNAL_CONSTANT ||
                   value.tensor.place == ETS_PLACE_EXTERNAL_STATE) {
            counts->external_count++;
            counts->external_bytes += value.tensor.tensor_bytes;
        }
    }
}

/* Most calls first, then the file's order. */
static int compare_operators(const void *left, const void *right)
{
    const struct operator_calls *a = left, *b = right;
    if (a->calls != b->calls) return a->calls < b->calls ? 1 : -1;
    return a->index > b->index ? 1 : -1;
}

/* False where memory ran out; free_counts in any case. */
static bool count_method(struct info_request *request, const struct ets_method *method,
                         struct method_counts *counts)
{
    *counts = (struct method_counts){
        .operators = calloc(method->operator_count + (size_t)1, sizeof *counts->operators),
        .delegates = calloc(method->delegate_count + (size_t)1, sizeof *counts->delegates)};
    if (counts->operators == NULL || counts->delegates == NULL) {
        request->is_out_of_memory = true;
        return false;
    }
    for (uint32_t i = 0; i < method->operator_count; i++) counts->operators[i].index = i;
    count_instructions(method, counts);
    count_constants(method, counts);
    qsort(counts->operators, method->operator_count, sizeof *counts->operators, compare_operators);
    return true;
}

static void free_counts(struct method_counts *counts)
{
    free(counts->operators);
    free(counts->delegates);
}

static void add_operator(struct ets_facts *facts, const struct ets_operator *operator_)
{
    ets_facts_text(facts, "name", operator_->name);
    if (operator_->overload.size > 0) ets_facts_words(facts, ".");
    ets_facts_text(facts, "overload", operator_->overload);
}

static void tell_tensor(struct ets_facts *facts, const struct ets_program_tensor *value)
{
    const bool is_dynamic = value->dynamism != ETS_SHAPE_STATIC;
    const char *place = ets_tensor_place_name(value->place);
    ets_facts_tensor(facts, &value->tensor, is_dynamic);
    ets_json_put_bool(facts->json, "dynamic", is_dynamic);
    ets_json_put_string(facts->json, "place", place);
    ets_json_put_count(facts->json, "arena", value->memory_id);
    ets_facts_words(facts, ", %s", value->place == ETS_PLACE_RUNTIME ? "not planned" : place);
    if (value->memory_id > 0) ets_facts_words(facts, " in arena %u", (unsigned)value->memory_id);
}

static void tell_evalue(struct ets_facts *facts, const struct ets_evalue *value)
{
    const char *kind = ets_evalue_kind_name(value->kind);
    ets_json_begin_object(facts->json, NULL);
    ets_json_put_string(facts->json, "kind", kind);
    switch (value->kind) {
    case ETS_EVALUE_TENSOR: tell_tensor(facts, &value->tensor); break;
    case ETS_EVALUE_INT:
        ets_facts_words(facts, "int ");
        ets_facts_integer(facts, "value", value->int_value);
        break;
    case ETS_EVALUE_BOOL:
        ets_facts_words(facts, "bool ");
        ets_facts_bool(facts, "value", value->int_value != 0, "true", "false");
        break;
    case ETS_EVALUE_DOUBLE:
        ets_facts_words(facts, "double ");
        ets_facts_real(facts, "value", value->double_value);
        break;
    case ETS_EVALUE_STRING:
        ets_facts_words(facts, "string \"");
        ets_facts_text(facts, "value", value->string);
        ets_facts_words(facts, "\"");
        break;
    default: ets_facts_words(facts, "%s", kind);
    }
    ets_json_end_object(facts->json);
}

static void tell_values(struct info_request *request, const struct ets_method *method,
                        bool is_input)
{
    struct ets_facts *facts = &request->facts;
    const uint32_t count = is_input ? method->input_count : method->output_count;
    ets_json_begin_array(facts->json, is_input ? "inputs" : "outputs");
    for (uint32_t i = 0; i < info_shown(request, count); i++) {
        struct ets_evalue value;
        if (is_input) ets_method_input(method, i, &value);
        else ets_method_output(method, i, &value);
        ets_facts_line(facts, "%s %u", is_input ? "input" : "output", (unsigned)i);
        tell_evalue(facts, &value);
        ets_facts_end(facts);
    }
    info_more(request, count);
    ets_json_end_array(facts->json);
}

static void tell_instructions(struct ets_facts *facts, const struct method_counts *counts)
{
    ets_facts_line(facts, "instructions");
    ets_facts_number(facts, "instruction_count", counts->instructions);
    if (counts->instructions > 0) ets_facts_words(facts, ": ");
    ets_json_begin_object(facts->json, "instructions");
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        const char *name = ets_instruction_kind_name((enum ets_instruction_kind)kind);
        if (counts->kinds[kind] == 0) continue;
        ets_facts_item(facts);
        ets_facts_number(facts, name, counts->kinds[kind]);
        ets_facts_words(facts, " %s", name);
    }
    ets_facts_end(facts);
    ets_json_end_object(facts->json);
}

static void tell_operators(struct info_request *request, const struct ets_method *method,
                           const struct method_counts *counts)
{
    struct ets_facts *facts = &request->facts;
    const uint32_t shown = info_shown_wrapped(request, method->operator_count);
    if (method->operator_count > 0) ets_facts_line(facts, "operators");
    ets_json_begin_array(facts->json, "operators");
    for (uint32_t i = 0; i < shown; i++) {
        struct ets_operator operator_;
        ets_method_operator(method, counts->operators[i].index, &operator_);
        ets_json_begin_object(facts->json, NULL);
        ets_facts_item(facts);
        add_operator(facts, &operator_);
        ets_facts_words(facts, " ");
        ets_facts_number(facts, "calls", counts->operators[i].calls);
        ets_json_end_object(facts->json);
    }
    info_more_wrapped(request, method->operator_count);
    ets_facts_end(facts);
    ets_json_end_array(facts->json);
}

static int compare_texts(struct ets_text a, struct ets_text b)
{
    const size_t shared = a.size < b.size ? a.size : b.size;
    const int order = shared > 0 ? memcmp(a.data, b.data, shared) : 0;
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static int compare_delegates(const void *left, const void *right)
{
    const struct delegate_calls *a = left, *b = right;
    return compare_texts(a->id, b->id);
}

static void look_into(const struct ets_delegate *delegate, struct ets_payload_store *payloads,
                      struct payload_facts *facts)
{
    const struct ets_payload_graph *graph;
    *facts = (struct payload_facts){.content = NULL};
    if (delegate->blob.size == 0) return;
    facts->content = ets_payload_kind_of(delegate->id, delegate->blob, facts->text);
    (void)ets_payload_store_scratch(payloads, delegate, &facts->scratch, NULL);
    if (ets_payload_store_read(payloads, delegate, &graph, NULL, NULL) != ETS_OK || graph == NULL) {
        return;
    }
    facts->content = ets_payload_format(graph);
    facts->nodes = graph->node_count;
    facts->note = graph->note;
}

/* Adds up the delegates of each backend, sorted by name; returns the number of backends. */
static uint32_t group_delegates(const struct ets_method *method, const struct method_counts *counts,
                                struct ets_payload_store *payloads, struct delegate_calls *groups)
{
    struct payload_facts facts;
    uint32_t count = 0;
    for (uint32_t i = 0; i < method->delegate_count; i++) {
        struct ets_delegate delegate;
        ets_method_delegate(method, i, &delegate);
        look_into(&delegate, payloads, &facts);
        groups[i] = (struct delegate_calls){.id = delegate.id,
                                            .delegates = 1,
                                            .bytes = delegate.blob.size,
                                            .calls = counts->delegates[i],
                                            .nodes = facts.nodes,
                                            .scratch = facts.scratch,
                                            .note = facts.note};
        if (facts.content == NULL || facts.nodes > 0) continue;
        snprintf(groups[i].content, sizeof groups[i].content, "%s", facts.content);
    }
    qsort(groups, method->delegate_count, sizeof *groups, compare_delegates);
    for (uint32_t i = 0; i < method->delegate_count; i++) {
        if (count == 0 || compare_delegates(&groups[count - 1], &groups[i]) != 0) {
            groups[count++] = groups[i];
            continue;
        }
        groups[count - 1].delegates++;
        groups[count - 1].note = NULL;
        groups[count - 1].bytes += groups[i].bytes;
        groups[count - 1].calls += groups[i].calls;
        groups[count - 1].nodes += groups[i].nodes;
        if (groups[i].scratch > groups[count - 1].scratch) {
            groups[count - 1].scratch = groups[i].scratch;
        }
    }
    return count;
}

/* "14 nodes, ", "101.7 KiB of scratch a call, "; nothing of payloads that do not tell. */
static void tell_contents(struct ets_facts *facts, uint64_t nodes, uint64_t scratch)
{
    if (nodes > 0) {
        ets_facts_count(facts, "node_count", nodes, "node");
        ets_facts_words(facts, ", ");
    }
    if (scratch > 0) {
        ets_facts_bytes(facts, "scratch_bytes", scratch);
        ets_facts_words(facts, " of scratch a call, ");
    }
}

/* In lines of the usual width. */
static void tell_note(struct ets_facts *facts, const char *note)
{
    ets_facts_line(facts, "%s", "");
    while (*note != '\0') {
        const size_t size = strcspn(note, ",;");
        ets_facts_item(facts);
        ets_facts_words(facts, "%.*s", (int)size, note);
        note += size;
        note += strspn(note, ",; ");
    }
    ets_facts_end(facts);
}

/* "QNN context binary, operators not read, " of payloads without readable nodes. */
static void tell_unread(struct ets_facts *facts, const struct delegate_calls *group)
{
    if (group->nodes > 0 || group->content[0] == '\0') return;
    if (strcmp(group->content, "unknown") != 0) ets_facts_words(facts, "%s, ", group->content);
    ets_facts_words(facts, "operators not read, ");
}

/* For people only. */
static void tell_backends(struct info_request *request, const struct ets_method *method,
                          const struct method_counts *counts, struct ets_payload_store *payloads)
{
    struct ets_facts *facts = &request->facts;
    if (method->delegate_count == 0 || ets_facts_are_json(facts)) return;
    struct delegate_calls *groups = calloc(method->delegate_count, sizeof *groups);
    if (groups == NULL) {
        request->is_out_of_memory = true;
        return;
    }
    const uint32_t count = group_delegates(method, counts, payloads, groups);
    for (uint32_t i = 0; i < info_shown(request, count); i++) {
        ets_facts_line(facts, "%s", i == 0 ? "delegates" : "");
        ets_facts_text(facts, NULL, groups[i].id);
        ets_facts_words(facts, ": %llu, ", (unsigned long long)groups[i].delegates);
        ets_facts_bytes(facts, NULL, groups[i].bytes);
        ets_facts_words(facts, ", ");
        tell_unread(facts, &groups[i]);
        tell_contents(facts, groups[i].nodes, groups[i].scratch);
        ets_facts_count(facts, NULL, groups[i].calls, "call");
        ets_facts_end(facts);
        if (groups[i].note == NULL) continue;
        tell_note(facts, groups[i].note);
    }
    info_more(request, count);
    free(groups);
}

/* People see a line for each delegate only with --all. */
static void tell_delegates(struct info_request *request, const struct ets_method *method,
                           const struct method_counts *counts)
{
    struct ets_facts *facts = &request->facts;
    struct ets_payload_store payloads;
    struct payload_facts payload;
    struct ets_arena arena;
    ets_arena_init(&arena, NULL, 0);
    ets_payload_store_init(&payloads, &arena, method->program);
    tell_backends(request, method, counts, &payloads);
    ets_json_begin_array(facts->json, "delegates");
    for (uint32_t i = 0; i < method->delegate_count; i++) {
        struct ets_delegate delegate;
        ets_method_delegate(method, i, &delegate);
        look_into(&delegate, &payloads, &payload);
        ets_json_begin_object(facts->json, NULL);
        if (request->all) ets_facts_line(facts, "delegate %u", (unsigned)i);
        ets_facts_text(facts, "backend", delegate.id);
        ets_facts_words(facts, ", ");
        ets_facts_bytes(facts, "blob_bytes", delegate.blob.size);
        ets_facts_words(facts, "%s, ", delegate.is_inline ? " inline" : "");
        ets_facts_string(facts, "content", payload.content);
        if (payload.content != NULL) ets_facts_words(facts, ", ");
        tell_contents(facts, payload.nodes, payload.scratch);
        if (payload.nodes == 0) ets_json_put_null(facts->json, "node_count");
        if (payload.scratch == 0) ets_json_put_null(facts->json, "scratch_bytes");
        ets_facts_count(facts, "calls", counts->delegates[i], "call");
        if (payload.note != NULL) ets_facts_words(facts, ", ");
        ets_facts_string(facts, "note", payload.note);
        ets_facts_end(facts);
        ets_json_end_object(facts->json);
    }
    ets_json_end_array(facts->json);
    ets_arena_reset(&arena);
}

static void tell_arenas(struct ets_facts *facts, const struct ets_method *method)
{
    ets_json_begin_array(facts->json, "arenas");
    for (uint32_t i = 0; i < method->arena_count; i++) {
        struct ets_planned_arena arena;
        ets_method_arena(method, i, &arena);
        ets_json_begin_object(facts->json, NULL);
        ets_json_put_count(facts->json, "arena", arena.memory_id);
        ets_facts_line(facts, "arena %u", (unsigned)arena.memory_id);
        ets_facts_bytes(facts, "bytes", arena.bytes);
        if (arena.device_type != ETS_DEVICE_CPU) {
            ets_facts_words(facts, ", device %d", arena.device_type);
        }
        ets_facts_end(facts);
        ets_json_end_object(facts->json);
    }
    ets_json_end_array(facts->json);
}

static void tell_constants(struct ets_facts *facts, const struct method_counts *counts)
{
    if (counts->constant_count > 0) ets_facts_line(facts, "constants");
    ets_facts_count(facts, "constant_count", counts->constant_count, "tensor");
    ets_facts_words(facts, ", ");
    ets_facts_bytes(facts, "constant_bytes", counts->constant_bytes);
    ets_facts_end(facts);
    if (counts->external_count > 0) ets_facts_line(facts, "external");
    ets_facts_count(facts, "external_count", counts->external_count, "tensor");
    ets_facts_words(facts, ", ");
    ets_facts_bytes(facts, "external_bytes", counts->external_bytes);
    ets_facts_words(facts, ", in a data file (.ptd)");
    ets_facts_end(facts);
}

static void tell_method(struct info_request *request, const struct ets_method *method)
{
    struct ets_facts *facts = &request->facts;
    const bool is_json = ets_facts_are_json(facts);
    struct method_counts counts;
    ets_json_begin_object(facts->json, NULL);
    ets_facts_plain_line(facts, "\nmethod ");
    ets_facts_text(facts, "name", method->name);
    ets_facts_end(facts);
    tell_values(request, method, true);
    tell_values(request, method, false);
    if (count_method(request, method, &counts)) {
        tell_instructions(facts, &counts);
        tell_operators(request, method, &counts);
        if (is_json) tell_constants(facts, &counts); /* people see all memory in a row */
        tell_delegates(request, method, &counts);
        tell_arenas(facts, method);
        if (!is_json) tell_constants(facts, &counts);
    }
    free_counts(&counts);
    ets_json_end_object(facts->json);
}

struct size_part {
    const char *label, *key;
    uint64_t bytes;
};

enum { SIZE_PARTS = 8 };

static void list_sizes(const struct ets_program *program, struct size_part parts[SIZE_PARTS])
{
    struct ets_program_sizes sizes;
    ets_program_sizes(program, &sizes);
    const struct size_part all[SIZE_PARTS] = {
        {"FlatBuffer", "flatbuffer_bytes", sizes.flatbuffer_bytes},
        {"constants", "constant_bytes", sizes.constant_bytes},
        {"mutable state", "mutable_bytes", sizes.mutable_bytes},
        {"delegates", "delegate_bytes", sizes.delegate_bytes},
        {"named data", "named_data_bytes", sizes.named_data_bytes},
        {"unused", "unused_bytes", sizes.unused_bytes},
        {"padding", "padding_bytes", sizes.padding_bytes},
        {"trailing", "trailing_bytes", sizes.trailing_bytes},
    };
    memcpy(parts, all, sizeof all);
}

static void tell_sizes(struct ets_facts *facts, const struct ets_program *program)
{
    struct size_part parts[SIZE_PARTS];
    list_sizes(program, parts);
    ets_facts_line(facts, "size");
    ets_json_begin_object(facts->json, "sizes");
    for (int i = 0; i < SIZE_PARTS; i++) {
        ets_json_put_count(facts->json, parts[i].key, parts[i].bytes);
        if (parts[i].bytes == 0) continue;
        ets_facts_item(facts);
        ets_facts_words(facts, "%s ", parts[i].label);
        ets_facts_bytes(facts, NULL, parts[i].bytes);
    }
    ets_facts_end(facts);
    ets_json_end_object(facts->json);
}

static void tell_named_data(struct info_request *request, const struct ets_program *program)
{
    struct ets_facts *facts = &request->facts;
    const uint32_t count = program->named_data_count;
    if (count > 0) ets_facts_plain_line(facts, "\nnamed data: %u", (unsigned)count);
    ets_facts_end(facts);
    ets_json_begin_array(facts->json, "named_data");
    for (uint32_t i = 0; i < info_shown(request, count); i++) {
        struct ets_program_named_data named;
        ets_program_named_data(program, i, &named);
        ets_json_begin_object(facts->json, NULL);
        ets_json_put_text(facts->json, "key", named.key);
        ets_json_put_count(facts->json, "bytes", named.bytes.size);
        ets_json_end_object(facts->json);
        info_item(request, named.bytes.size, named.key);
        ets_facts_end(facts);
    }
    info_more(request, count);
    ets_json_end_array(facts->json);
}

/* It takes reading the whole program: of large ones only on demand. */
static void tell_fingerprint(struct info_request *request, const struct ets_program *program)
{
    enum { LARGE = 16 << 20 };
    struct ets_facts *facts = &request->facts;
    char fingerprint[20];
    ets_facts_line(facts, "fingerprint");
    if (program->bytes.size > LARGE && !request->all) {
        ets_json_put_null(facts->json, "fingerprint");
        ets_facts_words(facts, "not computed, which reads the whole program (--all)");
    } else {
        snprintf(fingerprint, sizeof fingerprint, "%016llx",
                 (unsigned long long)ets_program_fingerprint(program));
        ets_facts_string(facts, "fingerprint", fingerprint);
        ets_facts_words(facts, " (XXH64)");
    }
    ets_facts_end(facts);
}

/* Those that are not folded. */
static void tell_methods(struct info_request *request, const struct ets_program *program)
{
    uint32_t count = 0, told = 0;
    struct ets_method method;
    for (uint32_t i = 0; i < program->method_count; i++) {
        ets_program_method(program, i, &method);
        count += !info_is_folded(request, &method);
    }
    for (uint32_t i = 0; i < program->method_count && told < info_shown(request, count); i++) {
        ets_program_method(program, i, &method);
        if (info_is_folded(request, &method)) continue;
        tell_method(request, &method);
        told++;
    }
    info_more(request, count);
}

void info_tell_program(struct info_request *request, const struct ets_program *program)
{
    struct ets_facts *facts = &request->facts;
    ets_facts_number_line(facts, "schema version", "schema_version", program->version);
    tell_fingerprint(request, program);
    tell_sizes(facts, program);
    info_tell_model(request, program);
    info_tell_folded(request, program);
    ets_json_begin_array(facts->json, "methods");
    tell_methods(request, program);
    ets_json_end_array(facts->json);
    tell_named_data(request, program);
}

int info_program(struct info_request *request)
{
    struct ets_program program;
    struct ets_error error;
    if (ets_program_init(&program, request->bytes, &error) != ETS_OK) {
        return cli_fail(request->path, &error);
    }
    info_begin(request);
    info_tell_program(request, &program);
    info_end(request);
    return CLI_OK;
}
