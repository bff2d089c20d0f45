/* The kernels that a program calls, with the types of their tensors: what a selective build needs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/cli_text.h"
#include "cli/info/info_kinds.h"
#include "etscope/bundle.h"
#include "format/program_lists.h"
#include "host/arena.h"

/* One call; equal ones are shown once. */
struct kernel_call {
    struct ets_text name; /* "aten::add.out" */
    struct ets_text key;  /* "v1/6;0,1|6;0,1", as ExecuTorch's build writes types and orders */
    const uint8_t *types; /* [type_count] */
    uint32_t type_count;
};

struct kernel_list {
    struct ets_arena arena;
    struct kernel_call *calls;
    uint32_t count, room;
};

enum { TENSOR_CHARS = 4 + 3 * ETS_TENSOR_MAX_RANK, KEY_START_CHARS = 4 };

/* The tensor of an argument: of a list its first one, which stands for all. False: there is none.
 */
static bool tensor_of(const struct ets_method *method, uint32_t argument, struct ets_evalue *out)
{
    struct ets_evalue list;
    ets_method_value(method, argument, out);
    if (out->kind == ETS_EVALUE_TENSOR) return true;
    if (!ets_evalue_is_tensor_list(out)) return false;
    list = *out;
    for (uint32_t i = 0; i < list.item_count; i++) {
        const int32_t item = ets_evalue_item(&list, i);
        if (item < 0) continue;
        ets_method_value(method, (uint32_t)item, out);
        if (out->kind == ETS_EVALUE_TENSOR) return true;
    }
    return false;
}

/* Appends "6;0,1|" and returns how much. */
static size_t write_tensor(const struct ets_evalue *value, char *text)
{
    uint8_t order[ETS_TENSOR_MAX_RANK];
    const uint32_t rank = value->tensor.tensor.rank;
    size_t used = (size_t)snprintf(text, 5, "%d;", (int)value->tensor.tensor.scalar_type);
    ets_evalue_dim_order(value, order);
    for (uint32_t i = 0; i < rank; i++) {
        used += (size_t)snprintf(text + used, 5, i > 0 ? ",%u" : "%u", (unsigned)order[i]);
    }
    text[used++] = '|';
    return used;
}

static bool describe(struct kernel_list *list, const struct ets_method *method,
                     const struct ets_instruction *call, struct kernel_call *out)
{
    const size_t count = call->argument_count;
    char *key = ets_arena_alloc_array(&list->arena, KEY_START_CHARS + count * TENSOR_CHARS, 1);
    uint8_t *types = ets_arena_alloc_array(&list->arena, count + 1, 1);
    if (key == NULL || types == NULL) return false;
    size_t used = (size_t)snprintf(key, KEY_START_CHARS, "v1/");
    for (uint32_t i = 0; i < count; i++) {
        struct ets_evalue value;
        if (!tensor_of(method, ets_instruction_argument(call, i), &value)) continue;
        used += write_tensor(&value, key + used);
        types[out->type_count++] = (uint8_t)value.tensor.tensor.scalar_type;
    }
    out->key = (struct ets_text){key, used - 1}; /* without the last '|', or the '/' */
    out->types = types;
    return true;
}

static bool add_call(struct kernel_list *list, const struct ets_method *method,
                     const struct ets_text *names, const struct ets_instruction *instruction)
{
    struct kernel_call *calls =
        ets_arena_grow(&list->arena, list->calls, list->count, &list->room, sizeof *list->calls);
    if (calls == NULL) return false;
    list->calls = calls;
    struct kernel_call *call = &calls[list->count];
    *call = (struct kernel_call){.name = names[instruction->operator_index]};
    if (!describe(list, method, instruction, call)) return false;
    list->count++;
    return true;
}

static struct ets_text *name_operators(struct kernel_list *list, const struct ets_method *method)
{
    const uint32_t count = method->operator_count;
    struct ets_text *names = ets_arena_alloc_array(&list->arena, (size_t)count + 1, sizeof *names);
    for (uint32_t i = 0; names != NULL && i < count; i++) {
        struct ets_operator found;
        ets_method_operator(method, i, &found);
        const size_t size = found.name.size + 1 + found.overload.size;
        char *name = ets_arena_alloc_array(&list->arena, size + 1, 1);
        if (name == NULL) return NULL;
        if (found.name.size > 0) memcpy(name, found.name.data, found.name.size);
        name[found.name.size] = '.';
        if (found.overload.size > 0) {
            memcpy(name + found.name.size + 1, found.overload.data, found.overload.size);
        }
        names[i] = (struct ets_text){name, found.overload.size > 0 ? size : found.name.size};
    }
    return names;
}

static bool add_method(struct kernel_list *list, const struct ets_method *method)
{
    const struct ets_text *names = name_operators(list, method);
    if (names == NULL) return false;
    for (uint32_t c = 0; c < method->chain_count; c++) {
        struct ets_chain chain;
        ets_method_chain(method, c, &chain);
        for (uint32_t i = 0; i < chain.instruction_count; i++) {
            struct ets_instruction instruction;
            ets_chain_instruction(&chain, i, &instruction);
            if (instruction.kind != ETS_INSTRUCTION_KERNEL_CALL) continue;
            if (!add_call(list, method, names, &instruction)) return false;
        }
    }
    return true;
}

static int compare_texts(struct ets_text a, struct ets_text b)
{
    const size_t shared = a.size < b.size ? a.size : b.size;
    const int order = shared > 0 ? memcmp(a.data, b.data, shared) : 0;
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static int by_name_and_key(const void *left, const void *right)
{
    const struct kernel_call *a = left, *b = right;
    const int order = compare_texts(a->name, b->name);
    return order != 0 ? order : compare_texts(a->key, b->key);
}

/* The first call behind `at` that is of another kernel, or has other tensors. */
static uint32_t end_of(const struct kernel_list *list, uint32_t at, bool is_of_kernel)
{
    const struct kernel_call *first = &list->calls[at];
    while (++at < list->count && compare_texts(list->calls[at].name, first->name) == 0) {
        if (!is_of_kernel && compare_texts(list->calls[at].key, first->key) != 0) break;
    }
    return at;
}

static void tell_variant(struct ets_facts *facts, const struct kernel_call *call, uint32_t calls)
{
    ets_json_begin_object(facts->json, NULL);
    ets_facts_plain_line(facts, "    ");
    if (call->type_count == 0) ets_facts_words(facts, "no tensors");
    ets_json_begin_array(facts->json, "dtypes");
    for (uint32_t i = 0; i < call->type_count; i++) {
        if (i > 0) ets_facts_words(facts, ", ");
        ets_facts_string(facts, ETS_FACTS_ITEM, ets_scalar_type_name(call->types[i]));
    }
    ets_json_end_array(facts->json);
    ets_facts_end(facts);
    ets_facts_plain_line(facts, "      ");
    ets_facts_text(facts, "key", call->key);
    ets_facts_end(facts);
    ets_json_put_count(facts->json, "calls", calls);
    ets_json_end_object(facts->json);
}

static void tell_kernels(struct ets_facts *facts, const struct kernel_list *list)
{
    ets_json_begin_array(facts->json, "kernels");
    for (uint32_t at = 0, end; at < list->count; at = end) {
        end = end_of(list, at, true);
        ets_json_begin_object(facts->json, NULL);
        ets_facts_plain_line(facts, "  ");
        ets_facts_text(facts, "name", list->calls[at].name);
        ets_facts_words(facts, ": ");
        ets_facts_count(facts, "calls", end - at, "call");
        ets_facts_end(facts);
        ets_json_begin_array(facts->json, "variants");
        for (uint32_t i = at, next; i < end; i = next) {
            next = end_of(list, i, false);
            tell_variant(facts, &list->calls[i], next - i);
        }
        ets_json_end_array(facts->json);
        ets_json_end_object(facts->json);
    }
    ets_json_end_array(facts->json);
}

static bool collect(struct kernel_list *list, const struct ets_program *program)
{
    for (uint32_t i = 0; i < program->method_count; i++) {
        struct ets_method method;
        ets_program_method(program, i, &method);
        if (!add_method(list, &method)) return false;
    }
    if (list->count > 0) qsort(list->calls, list->count, sizeof *list->calls, by_name_and_key);
    return true;
}

int info_kernels(struct info_request *request)
{
    struct ets_bundle bundle;
    struct ets_program program;
    struct ets_error error;
    struct kernel_list list = {.count = 0};
    struct ets_bytes bytes = request->bytes;
    if (ets_bundle_sniff(bytes)) {
        if (ets_bundle_init(&bundle, bytes, &error) != ETS_OK) {
            return cli_fail(request->path, &error);
        }
        bytes = bundle.program;
    }
    if (ets_program_init(&program, bytes, &error) != ETS_OK) return cli_fail(request->path, &error);
    ets_arena_init(&list.arena, NULL, 0);
    request->is_out_of_memory = !collect(&list, &program);
    if (!request->is_out_of_memory) {
        info_begin(request);
        if (list.count == 0) ets_facts_plain_line(&request->facts, "  no kernels");
        ets_facts_end(&request->facts);
        tell_kernels(&request->facts, &list);
        info_end(request);
    }
    ets_arena_reset(&list.arena);
    return CLI_OK;
}
