/*
 * Findings about changes of layout at the borders of XNNPACK's calls. Inputs in channels_last avoid
 * them, but make some programs fail or wrong: docs/compatibility.md tells how that was seen.
 */
#include "advice/finding_rules.h"
#include "base/text.h"
#include "format/program_lists.h"
#include "operators/operator_traits.h"

/* Batch, channels, height, width. */
enum { IMAGE_RANK = 4 };

/* What speaks against inputs in channels_last. */
struct obstacle {
    bool is_there;
    bool is_copied;         /* the export puts a copy before it, which takes longer */
    struct ets_text kernel; /* that does not take the layout; data NULL: a size of 1 does not */
};

/* Kernels of ExecuTorch 1.5.1 that were seen to compute the same in channels_last. Others refuse
 * it, compute something else, or were not tried. */
static bool takes_channels_last(struct ets_text kernel)
{
    static const char *const names[] = {"_clone_dim_order.out",
                                        "_to_dim_order_copy.out",
                                        "asinh.out",
                                        "elu.out",
                                        "eq.Scalar_out",
                                        "erf.out",
                                        "expm1.out",
                                        "ge.Scalar_out",
                                        "gt.Scalar_out",
                                        "isnan.out",
                                        "log1p.out",
                                        "lt.Scalar_out",
                                        "pow.Scalar_out",
                                        "pow.Tensor_Scalar_out",
                                        "remainder.Scalar_out",
                                        "round.out",
                                        "sign.out",
                                        "trunc.out",
                                        "upsample_nearest2d.vec_out"};
    const struct ets_text name = ets_kernel_short_name(kernel);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (ets_text_is(name, names[i])) return true;
    }
    return false;
}

/* Whether a delegate reads the pixels of an image in a row, as flatten does. */
static bool is_flattened(const struct ets_finder *finder, const struct ets_graph_node *node)
{
    const struct ets_judgement judgement = {.partition = finder->method.partition, .node = node};
    if (!ets_text_is(ets_operator_base_name(node->op), "view") || node->input_count == 0) {
        return false;
    }
    const struct ets_graph_value *from = ets_argument_tensor(&judgement, &node->inputs[0]);
    const struct ets_graph_value *to = ets_node_output(&judgement, 0);
    return from != NULL && to != NULL && from->rank == IMAGE_RANK && to->rank != IMAGE_RANK &&
           (from->sizes[2] != 1 || from->sizes[3] != 1);
}

static bool has_flattened(const struct ets_finder *finder, const struct ets_delegation_step *step)
{
    for (size_t i = 0; finder->method.partition != NULL && i < step->node_count; i++) {
        if (is_flattened(finder, step->nodes[i].node)) return true;
    }
    return false;
}

static struct obstacle find_obstacle_of(const struct ets_finder *finder,
                                        const struct ets_delegation_step *step,
                                        const struct ets_method *method,
                                        const struct ets_instruction *instruction)
{
    static const struct ets_text flatten = {"flatten", sizeof "flatten" - 1};
    struct ets_evalue value;
    uint32_t images = 0, ambiguous = 0;
    for (uint32_t i = 0; i < instruction->argument_count; i++) {
        ets_method_value(method, ets_instruction_argument(instruction, i), &value);
        if (!ets_is_image(&value)) continue;
        images++;
        ambiguous += ets_is_ambiguous_image(&value.tensor.tensor);
    }
    if (step->kind == ETS_INSTRUCTION_DELEGATE_CALL) {
        const bool is_copied = ambiguous == 0 && has_flattened(finder, step);
        return (struct obstacle){.is_there = ambiguous > 0 || is_copied,
                                 .is_copied = is_copied,
                                 .kernel = is_copied ? flatten : (struct ets_text){NULL, 0}};
    }
    const bool is_mean = ets_text_is(ets_kernel_short_name(step->name), "mean.out");
    const bool is_sizes_only = step->output_count == 0;
    return (struct obstacle){
        .is_there = images > 0 && !is_sizes_only && !takes_channels_last(step->name),
        .is_copied = is_mean && images < 2, /* its result is no image */
        .kernel = step->name};
}

static struct obstacle find_obstacle(const struct ets_finder *finder,
                                     const struct ets_method *method)
{
    const struct ets_delegate_lines *lines = &finder->method.lines;
    struct ets_chain chain;
    struct ets_instruction instruction;
    ets_method_chain(method, 0, &chain);
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct ets_delegation_step *step = lines->items[i].step;
        if (lines->items[i].unit != ETS_NO_INDEX) continue;
        ets_chain_instruction(&chain, step->instruction, &instruction);
        const struct obstacle obstacle = find_obstacle_of(finder, step, method, &instruction);
        if (obstacle.is_there) return obstacle;
    }
    return (struct obstacle){.is_there = false};
}

/* Whether the caller gives images, and not in channels_last. */
static bool has_contiguous_input(const struct ets_method *method)
{
    struct ets_evalue value;
    for (uint32_t i = 0; i < method->input_count; i++) {
        ets_method_input(method, i, &value);
        if (ets_is_image(&value) && value.tensor.tensor.strides[3] == 1) return true;
    }
    return false;
}

/* Says what to do, or why that is no way. Returns whether there is something to do. */
static bool propose_layout(struct ets_finder *finder)
{
    struct ets_method method;
    const struct ets_delegation_step *step =
        ets_delegation_step_at(finder->delegation, finder->method.section->first_step);
    ets_program_method(finder->subject->program, step->method, &method);
    if (!has_contiguous_input(&method)) return false;
    const struct obstacle obstacle = find_obstacle(finder, &method);
    if (!obstacle.is_there) {
        ets_find_propose(finder,
                         "export with example inputs in channels_last "
                         "(x.to(memory_format=torch.channels_last)), and feed only such inputs: "
                         "others give wrong results without an error");
        return true;
    }
    if (obstacle.kernel.data == NULL) {
        ets_find_say(finder,
                     "; example inputs in channels_last can make the program fail, "
                     "because a tensor has one channel or one pixel");
    } else if (obstacle.is_copied) {
        ets_find_say(finder,
                     "; example inputs in channels_last would take longer: the export puts a copy "
                     "before %.*s",
                     ETS_TEXT(ets_kernel_short_name(obstacle.kernel)));
    } else {
        const struct ets_text kernel = ets_kernel_short_name(obstacle.kernel);
        ets_find_say(finder,
                     "; example inputs in channels_last are no way out, because %.*s may refuse "
                     "that layout or compute wrong values from it",
                     ETS_TEXT(kernel));
    }
    return false;
}

bool ets_find_transposes(struct ets_finder *finder)
{
    const struct ets_delegate_lines *lines = &finder->method.lines;
    ets_parts_begin(finder);
    for (uint32_t i = 0; i < lines->count; i++) {
        if (!ets_is_border_transpose(&lines->items[i])) continue;
        if (!ets_parts_add(finder, &lines->items[i])) return false;
    }
    if (!ets_parts_are_large(finder)) return true;
    const uint32_t calls = finder->parts.calls;
    ets_find_say(finder,
                 "XNNPACK changes the layout of tensors %u time%s at the borders of its calls",
                 calls, calls == 1 ? "" : "s");
    ets_parts_say_share(finder);
    ets_parts_prove(finder);
    const bool is_advice = propose_layout(finder);
    struct ets_finding finding = ets_finding_of_parts(
        finder, "layout_transposes", is_advice ? ETS_SAVING_BOUND : ETS_SAVING_NONE,
        is_advice ? ETS_CHECK_DIFFERENCE : ETS_CHECK_NONE);
    if (!is_advice) finding.confidence = ETS_CONFIDENCE_UNSAID;
    return ets_finding_add(finder, finding);
}
