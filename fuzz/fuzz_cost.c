/*
 * The work of whatever the input is: a program, a payload, or a graph in JSON. Whatever
 * shapes it has, numbers fit, and what is unknown has none.
 */
#include <stdlib.h>
#include <string.h>

#include "cost/graph_costs.h"
#include "cost/payload_costs.h"
#include "cost/step_costs.h"
#include "payload/payload_store.h"
#include "record/graph_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MEMORY_LIMIT = 512 << 20 };

static void check(const struct ets_cost *cost)
{
    const uint64_t most = INT64_MAX;
    if (cost->macs > most / 2 || cost->ops > most || ets_cost_flops(cost) > most) abort();
    if (cost->bytes_read > most || cost->weight_bytes > most || cost->bytes_written > most ||
        ets_cost_bytes(cost) > most || cost->special > cost->ops) {
        abort();
    }
    const bool is_empty = ets_cost_flops(cost) == 0 && ets_cost_bytes(cost) == 0;
    if (cost->operators == 0 && !is_empty) abort();
    if ((cost->unknown > 0) != (cost->reason != ETS_COST_REASON_NONE)) abort();
}

/* The same of a run with one token. */
static void count_tokens(struct ets_arena *arena, const struct ets_program *program,
                         uint32_t number)
{
    struct ets_method method;
    struct ets_cost cost;
    char name[64];
    const struct ets_token_sizes sizes = {.tokens = 1, .has_position = true, .position = 3};
    ets_program_method(program, number, &method);
    if (method.name.size >= sizeof name) return;
    memcpy(name, method.name.data, method.name.size);
    name[method.name.size] = '\0';
    if (ets_call_cost_find(arena, program, name, &sizes, &cost, NULL) == ETS_OK) check(&cost);
}

static void count_program(struct ets_arena *arena, struct ets_bytes bytes)
{
    struct ets_program program;
    struct ets_delegation *delegation;
    struct ets_step_costs costs;
    const struct ets_delegation_options options = {.program = &program};
    if (ets_program_init(&program, bytes, NULL) != ETS_OK) return;
    if (ets_delegation_open(&options, &delegation, NULL) != ETS_OK) return;
    if (ets_step_costs_find(arena, &program, NULL, delegation, &costs, NULL) == ETS_OK) {
        for (uint32_t i = 0; i < ets_delegation_count(delegation); i++) {
            const struct ets_delegation_step *step = ets_delegation_step_at(delegation, i);
            check(&costs.steps[i].cost);
            for (uint32_t k = 0; costs.units[i] != NULL && k < step->unit_count; k++) {
                check(&costs.units[i][k]);
            }
        }
        for (uint32_t m = 0; m < program.method_count; m++) {
            check(&costs.methods[m].total.cost);
            count_tokens(arena, &program, m);
        }
    }
    ets_delegation_close(delegation);
}

static void count_payload(struct ets_arena *arena, struct ets_bytes bytes, const char *backend)
{
    const struct ets_program program = {.bytes = bytes};
    const struct ets_delegate delegate = {.id = {backend, strlen(backend)}, .blob = bytes};
    const struct ets_payload_graph *graph;
    struct ets_payload_store store;
    struct ets_payload_costs costs;
    ets_payload_store_init(&store, arena, &program);
    if (ets_payload_store_read(&store, &delegate, &graph, NULL, NULL) != ETS_OK || graph == NULL) {
        return;
    }
    if (!ets_payload_costs_open(arena, graph, &costs)) return;
    struct ets_cost cost = ets_payload_cost(&costs, NULL, 0);
    check(&cost);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        cost = ets_payload_cost(&costs, &i, 1);
        check(&cost);
    }
}

static void count_graph(struct ets_arena *arena, struct ets_bytes bytes)
{
    const struct ets_graph *graph;
    struct ets_cost cost;
    if (ets_graph_read((struct ets_text){"input", 5}, bytes, 0, arena, &graph, NULL) != ETS_OK) {
        return;
    }
    struct ets_graph_costs *costs = ets_graph_costs_open(arena, graph);
    const struct ets_graph_node **nodes =
        ets_arena_alloc_array(arena, graph->node_count, sizeof *nodes);
    for (uint32_t i = 0; costs != NULL && nodes != NULL && i < graph->node_count; i++) {
        nodes[i] = &graph->nodes[i];
        if (ets_graph_costs_node(costs, nodes[i], &cost)) check(&cost);
    }
    if (costs != NULL && nodes != NULL &&
        ets_graph_costs_set(costs, nodes, graph->node_count, true, &cost)) {
        check(&cost);
    }
    ets_graph_costs_close(costs);
}

static bool has_magic(struct ets_bytes bytes, const char *magic)
{
    const size_t size = strlen(magic);
    return bytes.size >= 4 + size && memcmp(bytes.data + 4, magic, size) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ets_arena arena;
    const struct ets_bytes bytes = {data, size};
    ets_arena_init(&arena, NULL, MEMORY_LIMIT);
    if (has_magic(bytes, "XH00") || has_magic(bytes, "XN")) {
        count_payload(&arena, bytes, "XnnpackBackend");
    } else if (has_magic(bytes, "VH00") || has_magic(bytes, "VK00")) {
        count_payload(&arena, bytes, "VulkanBackend");
    } else if (size > 0 && data[0] == '{') {
        count_graph(&arena, bytes);
    } else {
        count_program(&arena, bytes);
    }
    ets_arena_reset(&arena);
    return 0;
}
