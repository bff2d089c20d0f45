/*
 * The operators that are expressions, by name. Those that end in "_copy" (permute_copy) or "_"
 * (relu_) need no line of their own: the one is the view's copy, the other writes back.
 */
#include <string.h>

#include "reference/expression_list.h"

struct row {
    const char *name;
    reference_expression *expression;
};

/* clang-format off */
static const struct row rows[] = {
    {"_operator.abs", reference_unary},
    {"_operator.add", reference_binary},
    {"_operator.and_", reference_binary},
    {"_operator.eq", reference_binary},
    {"_operator.floordiv", reference_binary},
    {"_operator.ge", reference_binary},
    {"_operator.gt", reference_binary},
    {"_operator.le", reference_binary},
    {"_operator.lshift", reference_binary},
    {"_operator.lt", reference_binary},
    {"_operator.mod", reference_binary},
    {"_operator.mul", reference_binary},
    {"_operator.ne", reference_binary},
    {"_operator.neg", reference_unary},
    {"_operator.not_", reference_unary},
    {"_operator.or_", reference_binary},
    {"_operator.pos", reference_unary},
    {"_operator.pow", reference_binary},
    {"_operator.rshift", reference_binary},
    {"_operator.sub", reference_binary},
    {"_operator.truediv", reference_binary},
    {"_operator.xor", reference_binary},
    {"aten._assert_async.msg", reference_assertion},
    {"aten._assert_scalar.default", reference_assertion},
    {"aten._assert_tensor_metadata.default", reference_assertion},
    {"aten._local_scalar_dense.default", reference_item},
    {"aten._to_copy.default", reference_to_copy},
    {"aten._unsafe_view.default", reference_view},
    {"aten.addmm.default", reference_addmm},
    {"aten.alias.default", reference_identity},
    {"aten.alpha_dropout.default", reference_identity},
    {"aten.arange.start", reference_arange_start},
    {"aten.broadcast_to.default", reference_expand},
    {"aten.chunk.default", reference_chunk},
    {"aten.clone.default", reference_clone},
    {"aten.contiguous.default", reference_contiguous},
    {"aten.conv1d.default", reference_conv},
    {"aten.conv1d.padding", reference_conv},
    {"aten.conv2d.default", reference_conv},
    {"aten.conv2d.padding", reference_conv},
    {"aten.conv_transpose1d.default", reference_conv_transpose},
    {"aten.conv_transpose2d.input", reference_conv_transpose},
    {"aten.convolution.default", reference_convolution},
    {"aten.copy.default", reference_copy},
    {"aten.detach.default", reference_identity},
    {"aten.diagonal.default", reference_diagonal},
    {"aten.dropout.default", reference_identity},
    {"aten.empty.memory_format", reference_empty},
    {"aten.empty_like.default", reference_zeros_like},
    {"aten.expand.default", reference_expand},
    {"aten.expand_as.default", reference_expand_as},
    {"aten.feature_dropout.default", reference_identity},
    {"aten.flatten.using_ints", reference_flatten},
    {"aten.index_copy.default", reference_index_copy},
    {"aten.item.default", reference_item},
    {"aten.lift.default", reference_clone},
    {"aten.lift_fresh.default", reference_identity},
    {"aten.matmul.default", reference_matmul},
    {"aten.narrow.default", reference_narrow},
    {"aten.new_empty.default", reference_new_zeros},
    {"aten.new_full.default", reference_new_full},
    {"aten.new_ones.default", reference_new_ones},
    {"aten.new_zeros.default", reference_new_zeros},
    {"aten.numpy_T.default", reference_t},
    {"aten.ones_like.default", reference_ones_like},
    {"aten.permute.default", reference_permute},
    {"aten.reshape.default", reference_reshape},
    {"aten.reshape_as.default", reference_view_as},
    {"aten.resolve_conj.default", reference_identity},
    {"aten.resolve_neg.default", reference_identity},
    {"aten.select.int", reference_select},
    {"aten.slice.Tensor", reference_slice},
    {"aten.split.Tensor", reference_split},
    {"aten.split.sizes", reference_split},
    {"aten.split_with_sizes.default", reference_split},
    {"aten.squeeze.default", reference_squeeze},
    {"aten.squeeze.dim", reference_squeeze},
    {"aten.squeeze.dims", reference_squeeze},
    {"aten.swapaxes.default", reference_transpose},
    {"aten.swapdims.default", reference_transpose},
    {"aten.sym_constrain_range.default", reference_assertion},
    {"aten.sym_constrain_range_for_size.default", reference_assertion},
    {"aten.sym_numel.default", reference_sym_numel},
    {"aten.sym_size.int", reference_sym_size},
    {"aten.t.default", reference_t},
    {"aten.to.device", reference_to},
    {"aten.to.dtype", reference_to},
    {"aten.to.dtype_layout", reference_to},
    {"aten.to.prim_Device", reference_to},
    {"aten.transpose.int", reference_transpose},
    {"aten.type_as.default", reference_type_as},
    {"aten.unbind.int", reference_unbind},
    {"aten.unflatten.int", reference_unflatten},
    {"aten.unsqueeze.default", reference_unsqueeze},
    {"aten.view.default", reference_view},
    {"aten.view_as.default", reference_view_as},
    {"aten.zero.default", reference_zeros_like},
    {"aten.zeros_like.default", reference_zeros_like},
    {"dim_order_ops._clone_dim_order.default", reference_to_copy},
    {"dim_order_ops._empty_dim_order.default", reference_empty},
    {"dim_order_ops._to_dim_order_copy.default", reference_to_copy},
    {"math.ceil", reference_unary},
    {"math.floor", reference_unary},
    {"math.sqrt", reference_unary},
    {"math.trunc", reference_unary},
    {"torch.sym_float", reference_unary},
    {"torch.sym_int", reference_unary},
    {"torch.sym_max", reference_binary},
    {"torch.sym_min", reference_binary},
    {"torch.sym_not", reference_unary},
};
/* clang-format on */

static reference_expression *find(struct ets_text name)
{
    uint32_t low = 0, high = sizeof rows / sizeof *rows;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const int order = strcmp(name.data, rows[middle].name);
        if (order == 0) return rows[middle].expression;
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return NULL;
}

reference_expression *reference_expression_named(const char *name)
{
    char room[128];
    const struct ets_text text = {name, strlen(name)};
    reference_expression *expression = find(text);
    if (expression != NULL) return expression;
    const struct ets_text view = reference_name_without(text, "_copy", room);
    return view.data != NULL ? find(view) : NULL;
}
