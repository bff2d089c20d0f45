/* Findings about work whose result is the same in every run, or that is done twice. */
#include <stdlib.h>

#include "advice/finding_rules.h"
#include "base/text.h"
#include "operators/operator_traits.h"

/* Work that is the same in every run, by what removes it. */
enum constant_work { CONSTANT_WEIGHTS, CONSTANT_CASTS, CONSTANT_MOVES, CONSTANT_REST };

static enum constant_work work_of(const struct ets_graph_node *node)
{
    const uint32_t traits = ets_operator_traits(node->op);
    if (traits & ETS_OPERATOR_DEQUANTIZE) return CONSTANT_WEIGHTS;
    if (traits & ETS_OPERATOR_CAST) return CONSTANT_CASTS;
    if (traits & ETS_OPERATOR_PERMUTE) return CONSTANT_MOVES;
    return CONSTANT_REST;
}

/* Whether a delegate computes only what is the same in every run. */
static bool is_constant_call(const struct ets_finder *finder, const struct ets_delegate_line *line)
{
    const struct ets_delegation_step *step = line->step;
    if (step->kind != ETS_INSTRUCTION_DELEGATE_CALL || finder->method.partition == NULL ||
        line->unit != ETS_NO_INDEX) {
        return false;
    }
    for (size_t i = 0; i < step->node_count; i++) {
        if (!ets_is_constant_work(finder, step->nodes[i].node)) return false;
    }
    return step->node_count > 0;
}

/* The calls whose inputs never change, of one kind. */
static bool collect_constant(struct ets_finder *finder, enum constant_work work)
{
    const struct ets_delegate_lines *lines = &finder->method.lines;
    ets_parts_begin(finder);
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct ets_delegate_line *line = &lines->items[i];
        const struct ets_graph_node *node = ets_kernel_node(finder, line->step->instruction);
        const bool is_kernel = node != NULL && line->unit == ETS_NO_INDEX &&
                               ets_is_constant_work(finder, node) && work_of(node) == work;
        const bool is_call = work == CONSTANT_REST && is_constant_call(finder, line);
        if (!is_kernel && !is_call) continue;
        if (!ets_parts_add(finder, line)) return false;
    }
    return true;
}

/* What a sentence says of one kernel and of several, and what to do. */
struct constant_words {
    const char *one, *several, *action, *doubt;
};

/* What removes each was seen with ExecuTorch 1.5.1. */
static const struct constant_words words_of[] = {
    [CONSTANT_CASTS] = {"converts a constant again", "convert constants again",
                        "write numbers beside float tensors as floats (2.0, not 2), and keep "
                        "weights in the type that is computed in",
                        "weights may have fewer bits for the size of the file"},
    [CONSTANT_MOVES] = {"transposes a weight again", "transpose weights again",
                        "delegate the layers, which packs their weights once, or apply "
                        "constant_prop_pass (executorch.exir.passes.constant_prop_pass) to the "
                        "program of to_edge",
                        NULL},
    [CONSTANT_REST] = {"computes the same result", "compute the same result",
                       "keep the result in a buffer, or apply constant_prop_pass "
                       "(executorch.exir.passes.constant_prop_pass) to the exported program",
                       NULL}};

static bool find_constant(struct ets_finder *finder, enum constant_work work)
{
    const struct constant_words *words = &words_of[work];
    if (!collect_constant(finder, work)) return false;
    if (!ets_parts_are_large(finder)) return true;
    const uint32_t calls = finder->parts.calls;
    ets_find_say(finder, "%u kernel%s %s in every run", calls, calls == 1 ? "" : "s",
                 calls == 1 ? words->one : words->several);
    ets_parts_say_share(finder);
    ets_parts_prove(finder);
    ets_find_propose(finder, "%s", words->action);
    struct ets_finding finding =
        ets_finding_of_parts(finder, "constant_work", ETS_SAVING_REMOVED, ETS_CHECK_DIFFERENCE);
    finding.confidence = ETS_CONFIDENCE_HIGH;
    finding.doubt = words->doubt;
    return ets_finding_add(finder, finding);
}

bool ets_find_constant_work(struct ets_finder *finder)
{
    return find_constant(finder, CONSTANT_REST) && find_constant(finder, CONSTANT_CASTS) &&
           find_constant(finder, CONSTANT_MOVES);
}

/* Whether a call quantizes or dequantizes, or computes with a weight that is dequantized. */
static bool is_of_float_detour(const struct ets_finder *finder,
                               const struct ets_delegate_line *line)
{
    const struct ets_graph_node *node = ets_kernel_node(finder, line->step->instruction);
    const struct ets_delegation_step *step = line->step;
    if (line->unit != ETS_NO_INDEX) return false;
    if (node != NULL) {
        return !ets_is_constant_work(finder, node) &&
               ets_text_contains(node->op, "quantized_decomposed.");
    }
    for (size_t i = 0; step->kind == ETS_INSTRUCTION_DELEGATE_CALL && i < step->node_count; i++) {
        const struct ets_graph_node *inner = step->nodes[i].node;
        const struct ets_judgement judgement = {.partition = finder->method.partition,
                                                .node = inner};
        for (uint32_t k = 0; k < inner->input_count; k++) {
            const struct ets_graph_node *maker = ets_argument_maker(&judgement, &inner->inputs[k]);
            if (maker != NULL && work_of(maker) == CONSTANT_WEIGHTS &&
                ets_is_constant_work(finder, maker)) {
                return true;
            }
        }
    }
    return false;
}

/* With the weights go their products in float, and what converts activations for these. */
static void add_float_detour(const struct ets_finder *finder, struct ets_finding *finding)
{
    const struct ets_delegate_lines *lines = &finder->method.lines;
    for (uint32_t i = 0; i < lines->count && finder->method.partition != NULL; i++) {
        if (!is_of_float_detour(finder, &lines->items[i])) continue;
        ets_saving_add(finder, finding, lines->items[i].middle + finder->method.between);
    }
}

bool ets_find_weights_dequantized(struct ets_finder *finder)
{
    if (!collect_constant(finder, CONSTANT_WEIGHTS)) return false;
    if (!ets_parts_are_large(finder)) return true;
    const uint32_t calls = finder->parts.calls;
    ets_find_say(finder, "%u weight%s dequantized again in every run", calls,
                 calls == 1 ? " is" : "s are");
    ets_parts_say_share(finder);
    ets_parts_prove(finder);
    ets_find_propose(finder,
                     "XnnpackPartitioner() without config_precisions, so that the "
                     "quantized operators are delegated as such");
    struct ets_finding finding = ets_finding_of_parts(finder, "weights_dequantized",
                                                      ETS_SAVING_REMOVED, ETS_CHECK_DELEGATES);
    finding.saving.basis = ETS_SAVING_BOUND;
    if (finding.saving.ticks.lower > 0) finding.saving.ticks.lower = 0;
    add_float_detour(finder, &finding);
    finding.confidence = ETS_CONFIDENCE_HIGH;
    return ets_finding_add(finder, finding);
}

static bool are_arguments_equal(const struct ets_graph_argument *a,
                                const struct ets_graph_argument *b)
{
    if (a->kind != b->kind || a->item_count != b->item_count || a->int_value != b->int_value ||
        a->graph != b->graph || !ets_text_equal(a->name, b->name) ||
        !(a->float_value == b->float_value)) {
        return false;
    }
    for (uint32_t i = 0; i < a->item_count; i++) {
        if (!are_arguments_equal(&a->items[i], &b->items[i])) return false;
    }
    return true;
}

bool ets_nodes_have_equal_arguments(const struct ets_graph_node *a, const struct ets_graph_node *b,
                                    uint32_t first)
{
    if (a->input_count != b->input_count) return false;
    for (uint32_t i = first; i < a->input_count; i++) {
        if (!are_arguments_equal(&a->inputs[i], &b->inputs[i])) return false;
    }
    return true;
}

/* A kernel call with its node, sorted by operator and first input. */
struct kernel {
    const struct ets_delegate_line *line;
    const struct ets_graph_node *node;
};

static int by_operator(const void *left, const void *right)
{
    const struct kernel *a = left, *b = right;
    int order = ets_text_compare(a->node->op, b->node->op);
    if (order == 0 && a->node->input_count > 0 && b->node->input_count > 0) {
        order = ets_text_compare(a->node->inputs[0].name, b->node->inputs[0].name);
    }
    if (order != 0) return order;
    return a->line->step->instruction < b->line->step->instruction ? -1 : 1;
}

static bool is_repeated(const struct kernel *kernels, uint32_t index)
{
    enum { FARTHEST = 100 };
    for (uint32_t i = index; i-- > 0 && index - i <= FARTHEST;) {
        if (!ets_text_equal(kernels[i].node->op, kernels[index].node->op)) return false;
        if (kernels[i].node->input_count == 0 ||
            !ets_text_equal(kernels[i].node->inputs[0].name, kernels[index].node->inputs[0].name)) {
            return false;
        }
        if (kernels[i].node != kernels[index].node &&
            ets_nodes_have_equal_arguments(kernels[i].node, kernels[index].node, 0)) {
            return true;
        }
    }
    return false;
}

/* Kernels with equal inputs and arguments: the later ones are not needed. */
bool ets_find_repeated(struct ets_finder *finder)
{
    const struct ets_delegate_lines *lines = &finder->method.lines;
    struct kernel *kernels = ets_arena_alloc_array(finder->arena, lines->count, sizeof *kernels);
    uint32_t count = 0;
    if (kernels == NULL) return false;
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct ets_delegate_line *line = &lines->items[i];
        const struct ets_graph_node *node = ets_kernel_node(finder, line->step->instruction);
        if (line->unit != ETS_NO_INDEX || node == NULL || node->input_count == 0 ||
            ets_is_random(node) || ets_is_constant_work(finder, node)) {
            continue;
        }
        kernels[count++] = (struct kernel){line, node};
    }
    if (count > 1) qsort(kernels, count, sizeof *kernels, by_operator);
    ets_parts_begin(finder);
    for (uint32_t i = 0; i < count; i++) {
        if (is_repeated(kernels, i) && !ets_parts_add(finder, kernels[i].line)) return false;
    }
    if (!ets_parts_are_large(finder)) return true;
    const uint32_t calls = finder->parts.calls;
    ets_find_say(finder, "%u kernel%s compute%s what another one has computed from the same inputs",
                 calls, calls == 1 ? "" : "s", calls == 1 ? "s" : "");
    ets_parts_say_share(finder);
    ets_parts_prove(finder);
    ets_find_propose(finder, "compute it once in the model and use the result twice");
    struct ets_finding finding =
        ets_finding_of_parts(finder, "computed_twice", ETS_SAVING_REMOVED, ETS_CHECK_DIFFERENCE);
    finding.confidence = ETS_CONFIDENCE_HIGH;
    return ets_finding_add(finder, finding);
}
