/* Operators without a rule, and what does the same work with one: faster in the measurements that
 * docs/advice.md lists. */
#include "base/text.h"
#include "partition/rule_checks.h"

struct substitute {
    const char *op, *remedy;
    int64_t most;      /* elements of the last dimension for which it was faster; 0: of any size */
    int64_t least;     /* elements of the output from which on it was faster; 0: of any size */
    bool is_last_only; /* it works along the last dimension ("dim", or "dims") */
};

static const struct substitute substitutes[] = {
    {.op = "aten.mul.Scalar", .remedy = "multiply by a tensor: x * torch.tensor(2.0)"},
    {.op = "aten.add.Scalar", .remedy = "add a tensor: x + torch.tensor(2.0)"},
    {.op = "aten.select_copy.int", .remedy = "a slice, then a view"},
    {.op = "aten.upsample_nearest2d.vec",
     .remedy = "mode=\"bilinear\", which computes other values"},
    {.op = "aten.elu.default",
     .remedy = "relu(x) + exp(-relu(-x)) - 1.0, if alpha is 1",
     .least = 8192},
    {.op = "aten.log1p.default",
     .remedy = "softplus(x) as relu(x) + log(1.0 + exp(-abs(x))), mish(x) as x * tanh of that"},
    {.op = "aten.reciprocal.default", .remedy = "torch.tensor(1.0) / x"},
    {.op = "aten._log_softmax.default",
     .remedy = "log(softmax(x, -1)), if probabilities below 1e-38 do not matter",
     .is_last_only = true},
    {.op = "aten.cumsum.default",
     .remedy = "F.linear(x, torch.tril(torch.ones(n, n))), with the matrix in a Parameter",
     .most = 256,
     .is_last_only = true},
    {.op = "aten.flip.default",
     .remedy = "F.linear(x, torch.eye(n).flip(0)), with the matrix in a Parameter",
     .most = 512,
     .is_last_only = true},
    {.op = "aten.index_select.default",
     .remedy =
         "roll as torch.cat of two slices; fixed indices as F.linear(x, torch.eye(n)[indices]), "
         "with the matrix in a Parameter",
     .most = 128,
     .is_last_only = true},
    {.op = "aten.sum.dim_IntList",
     .remedy =
         "over height and width their mean with keepdim=True, times their number; over the last "
         "dimension F.linear(x, ones), with ones = torch.ones(1, n) in a Parameter"},
    {.op = "aten.where.self",
     .remedy = "leaky_relu for where(x > 0, x, x * slope); softplus and mish as products and sums; "
               "with a fixed mask of numbers x * mask, "
               "or x + mask before a softmax, of 0 and a number that is just low enough, such as "
               "-30: if quantized, its scale covers the mask, too"},
    {.op = "aten._native_batch_norm_legit.no_stats",
     .remedy = "d = x - x.mean((2, 3), keepdim=True), then d * rsqrt((d * d).mean((2, 3), "
               "keepdim=True) + eps)"},
    {.op = "aten._adaptive_avg_pool2d.default",
     .remedy = "avg_pool2d with a fixed kernel, or an output of 1x1"},
    {.op = "aten.expand_copy.default",
     .remedy = "leave it out where the next operator broadcasts; if it changes nothing: "
               "to_edge_transform_and_lower(transform_passes=get_transform_passes())"},
    {.op = "aten.squeeze_copy.dims", .remedy = "view with fixed sizes"},
    {.op = "aten.arange.start_step", .remedy = "a buffer with the numbers"},
    {.op = "aten.full.default", .remedy = "a buffer with the numbers"},
};

/* Whether a node works along the last dimension of its input, and on so few elements. */
static bool is_along_last(const struct ets_judgement *judgement, int64_t most)
{
    const struct ets_graph_value *input =
        ets_argument_tensor(judgement, &judgement->node->inputs[0]);
    const struct ets_graph_argument *dims = ets_node_argument(judgement->node, "dims");
    if (input == NULL || input->rank == 0) return false;
    int64_t dimension = ets_node_integer(judgement->node, "dim", 0);
    if (dims != NULL) {
        if (dims->item_count != 1 || dims->items[0].kind != ETS_ARGUMENT_INT) return false;
        dimension = dims->items[0].int_value;
    }
    if (dimension != -1 && dimension != (int64_t)input->rank - 1) return false;
    return most == 0 ||
           (input->sizes[input->rank - 1] <= most && !ets_is_dynamic(input, input->rank - 1));
}

/* Whether the output of a node always has so many elements. */
static bool has_elements(const struct ets_judgement *judgement, int64_t least)
{
    const struct ets_graph_value *output = ets_node_output(judgement, 0);
    double elements = 1;
    if (output == NULL) return false;
    for (uint32_t i = 0; i < output->rank; i++) {
        if (ets_is_dynamic(output, i)) return false;
        elements *= (double)output->sizes[i];
    }
    return elements >= (double)least;
}

const char *ets_substitute_of(const struct ets_judgement *judgement)
{
    const struct ets_graph_node *node = judgement->node;
    for (size_t i = 0; i < sizeof substitutes / sizeof *substitutes; i++) {
        const struct substitute *substitute = &substitutes[i];
        if (!ets_text_is(node->op, substitute->op)) continue;
        const bool fits = (!substitute->is_last_only ||
                           (node->input_count > 0 && is_along_last(judgement, substitute->most))) &&
                          (substitute->least == 0 || has_elements(judgement, substitute->least));
        return fits ? substitute->remedy : NULL;
    }
    return NULL;
}
