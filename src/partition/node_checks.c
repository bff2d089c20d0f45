/* Element-wise operators, normalization, conversions. */
#include "base/text.h"
#include "partition/rule_checks.h"

void ets_check_alpha(struct ets_judgement *judgement)
{
    const struct ets_graph_argument *alpha = ets_node_argument(judgement->node, "alpha");
    if (alpha == NULL) return;
    const double value =
        alpha->kind == ETS_ARGUMENT_FLOAT ? alpha->float_value : (double)alpha->int_value;
    if (value == 1) return;
    ets_refuse(judgement, "alpha", "multiply first, then add", "alpha=%g; only alpha=1 is taken",
               value);
}

void ets_check_batch_norm(struct ets_judgement *judgement)
{
    static const char *const parts[] = {"weight", "bias", "running_mean", "running_var"};
    const struct ets_graph_value *input = ets_node_tensor(judgement, "input");
    if (input != NULL && (input->rank < 2 || input->rank > 4)) {
        ets_refuse(judgement, "rank", NULL, "its input has rank %u; ranks 2 to 4 are taken",
                   input->rank);
    } else if (input != NULL && ets_is_dynamic(input, 1)) {
        ets_refuse(judgement, "dynamic_channels", NULL, "the number of channels is dynamic");
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct ets_graph_argument *part = ets_node_argument(judgement->node, parts[i]);
        if (part != NULL && !ets_is_static(judgement, part)) {
            ets_refuse(judgement, "weight_input", "make it a parameter or a buffer",
                       "%s is not a constant", parts[i]);
        }
    }
    if (ets_node_output_uses(judgement, 1) + ets_node_output_uses(judgement, 2) > 0) {
        ets_refuse(judgement, "other_outputs", NULL, "its mean or deviation is used");
    }
}

void ets_check_clone(struct ets_judgement *judgement)
{
    (void)judgement;
}

void ets_check_conversion(struct ets_judgement *judgement)
{
    const struct ets_graph_argument *source = ets_node_argument(judgement->node, "self");
    const struct ets_graph_value *from = ets_argument_tensor(judgement, source);
    const struct ets_graph_value *to = ets_node_output(judgement, 0);
    if (from == NULL || to == NULL || from->scalar_type == to->scalar_type) return;
    const bool is_number = from->rank == 0 && ets_is_static(judgement, source);
    ets_refuse(judgement, "conversion",
               is_number ? "write the number as a float: 2.0, not 2"
                         : "keep one type from the input to the output",
               "converts %s to %s; conversions of types are not taken",
               ets_scalar_type_name(from->scalar_type), ets_scalar_type_name(to->scalar_type));
}

void ets_check_gelu(struct ets_judgement *judgement)
{
    const struct ets_graph_value *input = ets_node_tensor(judgement, "self");
    if (input == NULL || input->scalar_type != ETS_SCALAR_HALF) return;
    ets_refuse(judgement, "half_gelu", "compute gelu in float32",
               "its input is float16; of gelu only float32 is taken");
}

/* How to write a power with operators that are taken; NULL: not known. */
static const char *power_of(double exponent)
{
    static const struct {
        double exponent;
        const char *remedy;
    } powers[] = {{2, "x ** 2 with an integer, or x * x"},
                  {3, "x * x * x"},
                  {4, "y * y, with y = x * x"},
                  {5, "x * y * y, with y = x * x"},
                  {6, "y * y * y, with y = x * x"},
                  {-1, "torch.tensor(1.0) / x"},
                  {-2, "torch.tensor(1.0) / (x * x)"},
                  {0.5, "torch.sqrt(x)"},
                  {-0.5, "torch.rsqrt(x)"}};
    for (size_t i = 0; i < sizeof powers / sizeof *powers; i++) {
        if (powers[i].exponent == exponent) return powers[i].remedy;
    }
    return NULL;
}

void ets_check_pow(struct ets_judgement *judgement)
{
    const struct ets_graph_argument *exponent = ets_node_argument(judgement->node, "exponent");
    if (exponent == NULL) return;
    if (exponent->kind == ETS_ARGUMENT_FLOAT) {
        ets_refuse(judgement, "exponent", power_of(exponent->float_value),
                   "the exponent is the float %g; of all exponents only the integer 2 is taken",
                   exponent->float_value);
    } else if (exponent->kind == ETS_ARGUMENT_INT && exponent->int_value != 2) {
        ets_refuse(judgement, "exponent", power_of((double)exponent->int_value),
                   "the exponent is %lld; of all exponents only 2 is taken",
                   (long long)exponent->int_value);
    }
}

void ets_check_prelu(struct ets_judgement *judgement)
{
    const struct ets_graph_argument *weight = ets_node_argument(judgement->node, "weight");
    if (weight == NULL || ets_is_static(judgement, weight)) return;
    ets_refuse(judgement, "prelu_weight", "make the weight an nn.PReLU's parameter",
               "its weight is not a parameter");
}

void ets_check_softmax(struct ets_judgement *judgement)
{
    const struct ets_graph_value *input = ets_node_tensor(judgement, "self");
    const int64_t dim = ets_node_integer(judgement->node, "dim", -1);
    if (input == NULL || dim == -1 || dim == (int64_t)input->rank - 1) return;
    /* Of images XNNPACK 1.5.1 computes the last dimension wrongly (advice/wrong_findings.c). */
    ets_refuse(judgement, "dimension",
               input->rank == 4 ? NULL : "permute the dimension to the end first",
               "dim=%lld of %u; only the last dimension is taken", (long long)dim, input->rank);
}
