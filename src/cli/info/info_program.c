/* info on a .pte. */
#include <stdlib.h>
#include <string.h>

#include "cli/info/info_kinds.h"
#include "format/program_names.h"
#include "host/output.h"

enum { KIND_COUNT = ETS_INSTRUCTION_FREE_CALL + 1 };

struct operator_calls {
    uint32_t index, calls;
};

/* One delegate; after grouping, all of one backend. */
struct delegate_calls {
    struct ets_text id;
    uint64_t delegates, bytes, calls;
};

/* How often a method uses what. */
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

static void add_operator(struct info_line *line, const struct ets_operator *operator_)
{
    info_add_text(line, operator_->name);
    if (operator_->overload.size > 0) {
        info_add(line, ".");
        info_add_text(line, operator_->overload);
    }
}

static void add_evalue(struct info_line *line, const struct ets_evalue *value)
{
    switch (value->kind) {
    case ETS_EVALUE_TENSOR:
        info_add_tensor(line, &value->tensor.tensor, value->tensor.dynamism != ETS_SHAPE_STATIC);
        info_add(line, ", %s",
                 value->tensor.place == ETS_PLACE_RUNTIME
                     ? "not planned"
                     : ets_tensor_place_name(value->tensor.place));
        if (value->tensor.memory_id > 0) {
            info_add(line, " in arena %u", (unsigned)value->tensor.memory_id);
        }
        break;
    case ETS_EVALUE_INT: info_add(line, "int %lld", (long long)value->int_value); break;
    case ETS_EVALUE_BOOL: info_add(line, "bool %s", value->int_value ? "true" : "false"); break;
    case ETS_EVALUE_DOUBLE: info_add(line, "double %g", value->double_value); break;
    case ETS_EVALUE_STRING:
        info_add(line, "string \"");
        info_add_text(line, value->string);
        info_add(line, "\"");
        break;
    default: info_add(line, "%s", ets_evalue_kind_name(value->kind));
    }
}

static void print_values(struct info_request *request, const struct ets_method *method,
                         bool is_input)
{
    const uint32_t count = is_input ? method->input_count : method->output_count;
    for (uint32_t i = 0; i < info_shown(request, count); i++) {
        struct ets_evalue value;
        struct info_line line = {.size = 0};
        char label[32];
        if (is_input) ets_method_input(method, i, &value);
        else ets_method_output(method, i, &value);
        snprintf(label, sizeof label, "%s %u", is_input ? "input" : "output", (unsigned)i);
        info_label(&line, label);
        add_evalue(&line, &value);
        info_end_line(request->output, &line);
    }
    info_more(request, count);
}

static void print_instructions(struct info_request *request, const struct method_counts *counts)
{
    struct info_line line = {.size = 0};
    info_label(&line, "instructions");
    info_add(&line, "%u", counts->instructions);
    bool is_first = true;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        if (counts->kinds[kind] == 0) continue;
        info_add(&line, "%s%u %s", is_first ? ": " : ", ", counts->kinds[kind],
                 ets_instruction_kind_name((enum ets_instruction_kind)kind));
        is_first = false;
    }
    info_end_line(request->output, &line);
}

static void print_operators(struct info_request *request, const struct ets_method *method,
                            const struct method_counts *counts)
{
    const uint32_t shown = info_shown_wrapped(request, method->operator_count);
    struct info_list list;
    if (method->operator_count == 0) return;
    info_list_begin(&list, request->output, "operators");
    for (uint32_t i = 0; i < shown; i++) {
        struct ets_operator operator_;
        struct info_line item = {.size = 0};
        ets_method_operator(method, counts->operators[i].index, &operator_);
        add_operator(&item, &operator_);
        info_add(&item, " %u", counts->operators[i].calls);
        info_list_add(&list, &item);
    }
    if (shown < method->operator_count) {
        struct info_line item = {.size = 0};
        info_add(&item, "and %u more (--all)", method->operator_count - shown);
        info_list_add(&list, &item);
    }
    info_list_end(&list);
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

/* The delegates of each backend added up, by name; returns the number of backends. */
static uint32_t group_delegates(const struct ets_method *method, const struct method_counts *counts,
                                struct delegate_calls *groups)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < method->delegate_count; i++) {
        struct ets_delegate delegate;
        ets_method_delegate(method, i, &delegate);
        groups[i] =
            (struct delegate_calls){delegate.id, 1, delegate.blob.size, counts->delegates[i]};
    }
    qsort(groups, method->delegate_count, sizeof *groups, compare_delegates);
    for (uint32_t i = 0; i < method->delegate_count; i++) {
        if (count == 0 || compare_delegates(&groups[count - 1], &groups[i]) != 0) {
            groups[count++] = groups[i];
            continue;
        }
        groups[count - 1].delegates++;
        groups[count - 1].bytes += groups[i].bytes;
        groups[count - 1].calls += groups[i].calls;
    }
    return count;
}

static void print_backends(struct info_request *request, const struct ets_method *method,
                           const struct method_counts *counts)
{
    if (method->delegate_count == 0) return;
    struct delegate_calls *groups = calloc(method->delegate_count, sizeof *groups);
    if (groups == NULL) {
        request->is_out_of_memory = true;
        return;
    }
    const uint32_t count = group_delegates(method, counts, groups);
    for (uint32_t i = 0; i < info_shown(request, count); i++) {
        struct info_line line = {.size = 0};
        info_label(&line, i == 0 ? "delegates" : "");
        info_add_text(&line, groups[i].id);
        info_add(&line, ": %llu, ", (unsigned long long)groups[i].delegates);
        info_add_bytes(&line, groups[i].bytes);
        info_add(&line, ", ");
        info_add_count(&line, groups[i].calls, "call");
        info_end_line(request->output, &line);
    }
    info_more(request, count);
    free(groups);
}

/* With --all also a line for each delegate. */
static void print_delegates(struct info_request *request, const struct ets_method *method,
                            const struct method_counts *counts)
{
    print_backends(request, method, counts);
    for (uint32_t i = 0; request->all && i < method->delegate_count; i++) {
        struct ets_delegate delegate;
        struct info_line line = {.size = 0};
        char label[32];
        ets_method_delegate(method, i, &delegate);
        snprintf(label, sizeof label, "delegate %u", (unsigned)i);
        info_label(&line, label);
        info_add_text(&line, delegate.id);
        info_add(&line, ", ");
        info_add_bytes(&line, delegate.blob.size);
        info_add(&line, "%s, ", delegate.is_inline ? " inline" : "");
        info_add_count(&line, counts->delegates[i], "call");
        info_end_line(request->output, &line);
    }
}

static void print_memory(struct info_request *request, const struct ets_method *method,
                         const struct method_counts *counts)
{
    for (uint32_t i = 0; i < method->arena_count; i++) {
        struct ets_planned_arena arena;
        struct info_line line = {.size = 0};
        char label[32];
        ets_method_arena(method, i, &arena);
        snprintf(label, sizeof label, "arena %u", (unsigned)arena.memory_id);
        info_label(&line, label);
        info_add_bytes(&line, arena.bytes);
        if (arena.device_type != ETS_DEVICE_CPU) info_add(&line, ", device %d", arena.device_type);
        info_end_line(request->output, &line);
    }
    for (int external = 0; external < 2; external++) {
        const uint32_t count = external ? counts->external_count : counts->constant_count;
        struct info_line line = {.size = 0};
        if (count == 0) continue;
        info_label(&line, external ? "external" : "constants");
        info_add_count(&line, count, "tensor");
        info_add(&line, ", ");
        info_add_bytes(&line, external ? counts->external_bytes : counts->constant_bytes);
        if (external) info_add(&line, ", in a data file (.ptd)");
        info_end_line(request->output, &line);
    }
}

static void print_method(struct info_request *request, const struct ets_method *method)
{
    struct method_counts counts;
    struct info_line line = {.size = 0};
    ets_output_write(request->output, "\n", 1);
    info_add(&line, "method ");
    info_add_text(&line, method->name);
    info_end_line(request->output, &line);
    print_values(request, method, true);
    print_values(request, method, false);
    if (count_method(request, method, &counts)) {
        print_instructions(request, &counts);
        print_operators(request, method, &counts);
        print_delegates(request, method, &counts);
        print_memory(request, method, &counts);
    }
    free_counts(&counts);
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

static void print_sizes(struct info_request *request, const struct ets_program *program)
{
    struct size_part parts[SIZE_PARTS];
    struct info_list list;
    list_sizes(program, parts);
    info_list_begin(&list, request->output, "size");
    for (int i = 0; i < SIZE_PARTS; i++) {
        struct info_line item = {.size = 0};
        if (parts[i].bytes == 0) continue;
        info_add(&item, "%s ", parts[i].label);
        info_add_bytes(&item, parts[i].bytes);
        info_list_add(&list, &item);
    }
    info_list_end(&list);
}

static void print_named_data(struct info_request *request, const struct ets_program *program)
{
    const uint32_t count = program->named_data_count;
    if (count == 0) return;
    info_print(request->output, "\nnamed data: %u", (unsigned)count);
    for (uint32_t i = 0; i < info_shown(request, count); i++) {
        struct ets_program_named_data named;
        struct info_line line = {.size = 0};
        ets_program_named_data(program, i, &named);
        info_item(request, &line, named.bytes.size, named.key);
        info_end_line(request->output, &line);
    }
    info_more(request, count);
}

void info_print_program(struct info_request *request, const struct ets_program *program)
{
    info_fact(request->output, "schema version", "%u", (unsigned)program->version);
    info_fact(request->output, "fingerprint", "%016llx (XXH64)",
              (unsigned long long)ets_program_fingerprint(program));
    print_sizes(request, program);
    for (uint32_t i = 0; i < info_shown(request, program->method_count); i++) {
        struct ets_method method;
        ets_program_method(program, i, &method);
        print_method(request, &method);
    }
    info_more(request, program->method_count);
    print_named_data(request, program);
}

static void put_values(struct info_json *json, const struct ets_method *method, bool is_input)
{
    const uint32_t count = is_input ? method->input_count : method->output_count;
    info_json_array(json, is_input ? "inputs" : "outputs");
    for (uint32_t i = 0; i < count; i++) {
        struct ets_evalue value;
        if (is_input) ets_method_input(method, i, &value);
        else ets_method_output(method, i, &value);
        info_json_object(json, NULL);
        info_json_string(json, "kind", ets_evalue_kind_name(value.kind));
        switch (value.kind) {
        case ETS_EVALUE_TENSOR:
            info_json_tensor(json, &value.tensor.tensor);
            info_json_bool(json, "dynamic", value.tensor.dynamism != ETS_SHAPE_STATIC);
            info_json_string(json, "place", ets_tensor_place_name(value.tensor.place));
            info_json_count(json, "arena", value.tensor.memory_id);
            break;
        case ETS_EVALUE_INT: info_json_integer(json, "value", value.int_value); break;
        case ETS_EVALUE_BOOL: info_json_bool(json, "value", value.int_value != 0); break;
        case ETS_EVALUE_DOUBLE: info_json_real(json, "value", value.double_value); break;
        case ETS_EVALUE_STRING: info_json_text(json, "value", value.string); break;
        default: break;
        }
        info_json_end_object(json);
    }
    info_json_end_array(json);
}

static void put_counts(struct info_json *json, const struct ets_method *method,
                       const struct method_counts *counts)
{
    info_json_count(json, "instruction_count", counts->instructions);
    info_json_object(json, "instructions");
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        if (counts->kinds[kind] == 0) continue;
        info_json_count(json, ets_instruction_kind_name((enum ets_instruction_kind)kind),
                        counts->kinds[kind]);
    }
    info_json_end_object(json);
    info_json_array(json, "operators");
    for (uint32_t i = 0; i < method->operator_count; i++) {
        struct ets_operator operator_;
        ets_method_operator(method, counts->operators[i].index, &operator_);
        info_json_object(json, NULL);
        info_json_text(json, "name", operator_.name);
        info_json_text(json, "overload", operator_.overload);
        info_json_count(json, "calls", counts->operators[i].calls);
        info_json_end_object(json);
    }
    info_json_end_array(json);
    info_json_count(json, "constant_count", counts->constant_count);
    info_json_count(json, "constant_bytes", counts->constant_bytes);
    info_json_count(json, "external_count", counts->external_count);
    info_json_count(json, "external_bytes", counts->external_bytes);
}

static void put_delegates(struct info_json *json, const struct ets_method *method,
                          const struct method_counts *counts)
{
    info_json_array(json, "delegates");
    for (uint32_t i = 0; i < method->delegate_count; i++) {
        struct ets_delegate delegate;
        ets_method_delegate(method, i, &delegate);
        info_json_object(json, NULL);
        info_json_text(json, "backend", delegate.id);
        info_json_count(json, "blob_bytes", delegate.blob.size);
        info_json_count(json, "calls", counts->delegates[i]);
        info_json_end_object(json);
    }
    info_json_end_array(json);
}

static void put_method(struct info_request *request, const struct ets_method *method)
{
    struct info_json *json = request->json;
    struct method_counts counts;
    info_json_object(json, NULL);
    info_json_text(json, "name", method->name);
    put_values(json, method, true);
    put_values(json, method, false);
    if (count_method(request, method, &counts)) {
        put_counts(json, method, &counts);
        put_delegates(json, method, &counts);
    }
    free_counts(&counts);
    info_json_array(json, "arenas");
    for (uint32_t i = 0; i < method->arena_count; i++) {
        struct ets_planned_arena arena;
        ets_method_arena(method, i, &arena);
        info_json_object(json, NULL);
        info_json_count(json, "arena", arena.memory_id);
        info_json_count(json, "bytes", arena.bytes);
        info_json_end_object(json);
    }
    info_json_end_array(json);
    info_json_end_object(json);
}

void info_put_program(struct info_request *request, const struct ets_program *program)
{
    struct info_json *json = request->json;
    struct size_part parts[SIZE_PARTS];
    char fingerprint[20];
    snprintf(fingerprint, sizeof fingerprint, "%016llx",
             (unsigned long long)ets_program_fingerprint(program));
    info_json_count(json, "schema_version", program->version);
    info_json_string(json, "fingerprint", fingerprint);
    info_json_object(json, "sizes");
    list_sizes(program, parts);
    for (int i = 0; i < SIZE_PARTS; i++) info_json_count(json, parts[i].key, parts[i].bytes);
    info_json_end_object(json);
    info_json_array(json, "methods");
    for (uint32_t i = 0; i < program->method_count; i++) {
        struct ets_method method;
        ets_program_method(program, i, &method);
        put_method(request, &method);
    }
    info_json_end_array(json);
    info_json_array(json, "named_data");
    for (uint32_t i = 0; i < program->named_data_count; i++) {
        struct ets_program_named_data named;
        ets_program_named_data(program, i, &named);
        info_json_object(json, NULL);
        info_json_text(json, "key", named.key);
        info_json_count(json, "bytes", named.bytes.size);
        info_json_end_object(json);
    }
    info_json_end_array(json);
}

int info_program(struct info_request *request)
{
    struct ets_program program;
    struct ets_error error;
    if (ets_program_init(&program, request->bytes, &error) != ETS_OK) {
        return cli_fail(request->path, &error);
    }
    if (request->json == NULL) {
        info_heading(request);
        info_print_program(request, &program);
        return CLI_OK;
    }
    info_json_row(request->json);
    info_json_heading(request, "program");
    info_put_program(request, &program);
    info_json_end_row(request->json);
    return CLI_OK;
}
