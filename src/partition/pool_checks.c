/* Operators on the height and width of images. */
#include "partition/rule_checks.h"

/* One of a list of integers; lists of one number hold for all dimensions. */
static int64_t item(const struct ets_graph_argument *list, uint32_t index, int64_t otherwise)
{
    if (list == NULL) return otherwise;
    if (list->kind == ETS_ARGUMENT_INT) return list->int_value;
    if (list->kind != ETS_ARGUMENT_LIST || list->item_count == 0) return otherwise;
    const struct ets_graph_argument *found =
        &list->items[index < list->item_count ? index : list->item_count - 1];
    return found->kind == ETS_ARGUMENT_INT ? found->int_value : otherwise;
}

static bool has_dynamic_size(const struct ets_graph_value *value)
{
    for (uint32_t i = 0; value != NULL && i < value->rank; i++) {
        if (ets_is_dynamic(value, i)) return true;
    }
    return false;
}

void ets_check_avg_pool(struct ets_judgement *judgement)
{
    const struct ets_graph_node *node = judgement->node;
    const struct ets_graph_argument *kernel = ets_node_argument(node, "kernel_size");
    const struct ets_graph_argument *padding = ets_node_argument(node, "padding");
    const int64_t area = item(kernel, 0, 1) * item(kernel, 1, 1);
    const int64_t divisor = ets_node_integer(node, "divisor_override", area);
    const bool is_padded = item(padding, 0, 0) != 0 || item(padding, 1, 0) != 0;
    if (ets_node_integer(node, "ceil_mode", 0) != 0) {
        ets_refuse(judgement, "ceil_mode", "ceil_mode=False, with padding if needed",
                   "ceil_mode=True is not taken");
    }
    if (is_padded && ets_node_integer(node, "count_include_pad", 1) != 0) {
        ets_refuse(judgement, "count_include_pad",
                   "F.conv2d(x, w, stride=s, padding=p, groups=channels) with a Parameter w of "
                   "1 / area, which counts its padding, too; or count_include_pad=False, which "
                   "computes other values at the border",
                   "padding counts in the average (count_include_pad=True, the default)");
    }
    if (divisor != area) {
        ets_refuse(judgement, "divisor_override", "multiply the result by a constant",
                   "divisor_override=%lld differs from the area of %lld", (long long)divisor,
                   (long long)area);
    }
}

void ets_check_max_pool(struct ets_judgement *judgement)
{
    const struct ets_graph_node *node = judgement->node;
    const struct ets_graph_argument *kernel = ets_node_argument(node, "kernel_size");
    const struct ets_graph_argument *stride = ets_node_argument(node, "stride");
    for (uint32_t i = 0; i < 2; i++) {
        const int64_t width = item(kernel, i, 1);
        const int64_t step = item(stride, i, width);
        if (step > width) {
            ets_refuse(judgement, "stride", NULL,
                       "stride %lld is larger than the kernel of %lld, which is not taken",
                       (long long)step, (long long)width);
            break;
        }
    }
    if (ets_node_integer(node, "ceil_mode", 0) != 0 &&
        has_dynamic_size(ets_node_tensor(judgement, "self"))) {
        ets_refuse(judgement, "ceil_mode", "fixed sizes, or ceil_mode=False",
                   "ceil_mode=True is taken of fixed sizes only");
    }
}

/*
 * What max_pool1d, max_pool2d with to_edge(), and a max_pool2d that the partitioner refused become:
 * the partitioner asks for max_pool2d.
 */
void ets_check_max_pool_with_indices(struct ets_judgement *judgement)
{
    ets_check_max_pool(judgement);
    if (judgement->rule != NULL) return;
    if (ets_node_output_uses(judgement, 1) > 0) {
        ets_refuse(judgement, "indices", NULL, "its indices are used; only max_pool2d is taken");
        return;
    }
    ets_refuse(judgement, "indices",
               "max_pool2d by to_edge_transform_and_lower; instead of max_pool1d: "
               "F.max_pool2d(x.unsqueeze(2), (1, k)).squeeze(2)",
               "max_pool1d and to_edge() leave max_pool2d_with_indices; only max_pool2d is taken");
}

void ets_check_max_dim(struct ets_judgement *judgement)
{
    const struct ets_graph_value *input = ets_node_tensor(judgement, "self");
    if (input != NULL && input->rank != 4) {
        ets_refuse(judgement, "rank", NULL, "its input has rank %u; only rank 4 is taken",
                   input->rank);
    }
    if (ets_node_output_uses(judgement, 1) > 0) {
        ets_refuse(judgement, "indices", "use amax where no index is needed",
                   "its indices are used; only the values are taken");
    }
}

/* Whether the dimensions are the two last of four. */
static bool is_height_and_width(const struct ets_graph_argument *dims)
{
    if (dims == NULL || dims->kind != ETS_ARGUMENT_LIST || dims->item_count != 2) return false;
    int64_t first = item(dims, 0, 0), second = item(dims, 1, 0);
    if (first < 0) first += 4;
    if (second < 0) second += 4;
    return (first == 2 && second == 3) || (first == 3 && second == 2);
}

void ets_check_mean(struct ets_judgement *judgement)
{
    const struct ets_graph_node *node = judgement->node;
    const struct ets_graph_value *input = ets_node_tensor(judgement, "self");
    if (input != NULL && input->rank != 4) {
        ets_refuse(judgement, "rank", NULL, "its input has rank %u; only rank 4 is taken",
                   input->rank);
    } else if (!is_height_and_width(ets_node_argument(node, "dim"))) {
        ets_refuse(judgement, "dimension", NULL,
                   "only a mean over height and width (dim 2 and 3) is taken");
    }
    if (ets_node_integer(node, "keepdim", 0) == 0) {
        ets_refuse(judgement, "keepdim", "keepdim=True, then flatten",
                   "keepdim=False; only keepdim=True is taken");
    }
    if (ets_node_argument(node, "dtype") != NULL) {
        ets_refuse(judgement, "dtype_argument", "convert the type apart from the mean",
                   "a dtype argument is not taken");
    }
}

void ets_check_upsample(struct ets_judgement *judgement)
{
    if (!has_dynamic_size(ets_node_output(judgement, 0))) return;
    ets_refuse(judgement, "dynamic_output", "fixed sizes", "the size of its output is dynamic");
}
