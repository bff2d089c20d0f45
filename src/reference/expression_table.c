/*
 * The operators that are expressions, by name. Those that end in "_copy" (permute_copy) or "_"
 * (relu_) need no line of their own: the one is the view's copy, the other writes back.
 */
#include <string.h>

#include "reference/expression_list.h"

struct row {
    const char *name;
    reference_expression *expression;
    bool for_doubles; /* alone: their kernel computes with floats, or not at all */
};

/* clang-format off */
static const struct row rows[] = {
    {"_operator.abs", reference_unary, false},
    {"_operator.add", reference_binary, false},
    {"_operator.and_", reference_binary, false},
    {"_operator.eq", reference_binary, false},
    {"_operator.floordiv", reference_binary, false},
    {"_operator.ge", reference_binary, false},
    {"_operator.gt", reference_binary, false},
    {"_operator.le", reference_binary, false},
    {"_operator.lshift", reference_binary, false},
    {"_operator.lt", reference_binary, false},
    {"_operator.mod", reference_binary, false},
    {"_operator.mul", reference_binary, false},
    {"_operator.ne", reference_binary, false},
    {"_operator.neg", reference_unary, false},
    {"_operator.not_", reference_unary, false},
    {"_operator.or_", reference_binary, false},
    {"_operator.pos", reference_unary, false},
    {"_operator.pow", reference_binary, false},
    {"_operator.rshift", reference_binary, false},
    {"_operator.sub", reference_binary, false},
    {"_operator.truediv", reference_binary, false},
    {"_operator.xor", reference_binary, false},
    {"aten.__and__.Scalar", reference_by_other_name, false},
    {"aten.__and__.Tensor", reference_by_other_name, false},
    {"aten.__or__.Scalar", reference_by_other_name, false},
    {"aten.__or__.Tensor", reference_by_other_name, false},
    {"aten.__xor__.Scalar", reference_by_other_name, false},
    {"aten.__xor__.Tensor", reference_by_other_name, false},
    {"aten._adaptive_avg_pool2d.default", reference_adaptive_avg_pool2d, false},
    {"aten._assert_async.msg", reference_assertion, false},
    {"aten._assert_scalar.default", reference_assertion, false},
    {"aten._assert_tensor_metadata.default", reference_assertion, false},
    {"aten._local_scalar_dense.default", reference_item, false},
    {"aten._log_softmax.default", reference_native_log_softmax, true},
    {"aten._prelu_kernel.default", reference_prelu, false},
    {"aten._to_copy.default", reference_to_copy, false},
    {"aten._unsafe_view.default", reference_view, false},
    {"aten.adaptive_avg_pool2d.default", reference_adaptive_avg_pool2d, false},
    {"aten.addmm.default", reference_addmm, false},
    {"aten.alias.default", reference_identity, false},
    {"aten.alpha_dropout.default", reference_identity, false},
    {"aten.arange.start", reference_arange_start, false},
    {"aten.batch_norm.default", reference_batch_norm, false},
    {"aten.broadcast_to.default", reference_expand, false},
    {"aten.chunk.default", reference_chunk, false},
    {"aten.clamp_max.default", reference_clamp_end, false},
    {"aten.clamp_min.default", reference_clamp_end, false},
    {"aten.clip.default", reference_by_other_name, false},
    {"aten.clone.default", reference_clone, false},
    {"aten.concat.default", reference_by_other_name, false},
    {"aten.concatenate.default", reference_by_other_name, false},
    {"aten.contiguous.default", reference_contiguous, false},
    {"aten.conv1d.default", reference_conv, false},
    {"aten.conv1d.padding", reference_conv, false},
    {"aten.conv2d.default", reference_conv, false},
    {"aten.conv2d.padding", reference_conv, false},
    {"aten.conv_transpose1d.default", reference_conv_transpose, false},
    {"aten.conv_transpose2d.input", reference_conv_transpose, false},
    {"aten.convolution.default", reference_convolution, false},
    {"aten.copy.default", reference_copy, false},
    {"aten.detach.default", reference_identity, false},
    {"aten.diagonal.default", reference_diagonal, false},
    {"aten.divide.Tensor", reference_by_other_name, false},
    {"aten.dropout.default", reference_identity, false},
    {"aten.empty.memory_format", reference_empty, false},
    {"aten.empty_like.default", reference_zeros_like, false},
    {"aten.expand.default", reference_expand, false},
    {"aten.expand_as.default", reference_expand_as, false},
    {"aten.feature_dropout.default", reference_identity, false},
    {"aten.flatten.using_ints", reference_flatten, false},
    {"aten.group_norm.default", reference_group_norm, false},
    {"aten.hardsigmoid.default", reference_hardsigmoid, false},
    {"aten.hardswish.default", reference_hardswish, false},
    {"aten.index_copy.default", reference_index_copy, false},
    {"aten.item.default", reference_item, false},
    {"aten.layer_norm.default", reference_layer_norm, false},
    {"aten.lift.default", reference_clone, false},
    {"aten.lift_fresh.default", reference_identity, false},
    {"aten.log_softmax.int", reference_softmax, false},
    {"aten.masked_fill.Tensor", reference_masked_fill, false},
    {"aten.matmul.default", reference_matmul, false},
    {"aten.max_pool2d.default", reference_max_pool2d, false},
    {"aten.multiply.Tensor", reference_by_other_name, false},
    {"aten.narrow.default", reference_narrow, false},
    {"aten.native_dropout.default", reference_native_dropout, false},
    {"aten.native_group_norm.default", reference_native_group_norm, true},
    {"aten.native_layer_norm.default", reference_native_layer_norm, true},
    {"aten.negative.default", reference_by_other_name, false},
    {"aten.new_empty.default", reference_new_zeros, false},
    {"aten.new_full.default", reference_new_full, false},
    {"aten.new_ones.default", reference_new_ones, false},
    {"aten.new_zeros.default", reference_new_zeros, false},
    {"aten.numpy_T.default", reference_t, false},
    {"aten.ones_like.default", reference_ones_like, false},
    {"aten.pad.default", reference_pad, false},
    {"aten.permute.default", reference_permute, false},
    {"aten.prelu.default", reference_prelu, false},
    {"aten.relu6.default", reference_relu6, false},
    {"aten.repeat_interleave.self_int", reference_repeat_interleave, false},
    {"aten.reshape.default", reference_reshape, false},
    {"aten.reshape_as.default", reference_view_as, false},
    {"aten.resolve_conj.default", reference_identity, false},
    {"aten.resolve_neg.default", reference_identity, false},
    {"aten.rms_norm.default", reference_rms_norm, false},
    {"aten.rsub.Tensor", reference_rsub, false},
    {"aten.scaled_dot_product_attention.default", reference_attention, false},
    {"aten.select.int", reference_select, false},
    {"aten.silu.default", reference_silu, false},
    {"aten.slice.Tensor", reference_slice, false},
    {"aten.softmax.int", reference_softmax, false},
    {"aten.split.Tensor", reference_split, false},
    {"aten.split.sizes", reference_split, false},
    {"aten.split_with_sizes.default", reference_split, false},
    {"aten.square.default", reference_square, false},
    {"aten.squeeze.default", reference_squeeze, false},
    {"aten.squeeze.dim", reference_squeeze, false},
    {"aten.squeeze.dims", reference_squeeze, false},
    {"aten.subtract.Tensor", reference_by_other_name, false},
    {"aten.sum.default", reference_sum, false},
    {"aten.sum.dim_IntList", reference_native_sum, true},
    {"aten.swapaxes.default", reference_transpose, false},
    {"aten.swapdims.default", reference_transpose, false},
    {"aten.sym_constrain_range.default", reference_assertion, false},
    {"aten.sym_constrain_range_for_size.default", reference_assertion, false},
    {"aten.sym_numel.default", reference_sym_numel, false},
    {"aten.sym_size.int", reference_sym_size, false},
    {"aten.t.default", reference_t, false},
    {"aten.to.device", reference_to, false},
    {"aten.to.dtype", reference_to, false},
    {"aten.to.dtype_layout", reference_to, false},
    {"aten.to.prim_Device", reference_to, false},
    {"aten.transpose.int", reference_transpose, false},
    {"aten.type_as.default", reference_type_as, false},
    {"aten.unbind.int", reference_unbind, false},
    {"aten.unflatten.int", reference_unflatten, false},
    {"aten.unsqueeze.default", reference_unsqueeze, false},
    {"aten.view.default", reference_view, false},
    {"aten.view_as.default", reference_view_as, false},
    {"aten.where.Scalar", reference_by_other_name, false},
    {"aten.where.ScalarOther", reference_by_other_name, false},
    {"aten.where.ScalarSelf", reference_by_other_name, false},
    {"aten.zero.default", reference_zeros_like, false},
    {"aten.zeros_like.default", reference_zeros_like, false},
    {"dim_order_ops._clone_dim_order.default", reference_to_copy, false},
    {"dim_order_ops._empty_dim_order.default", reference_empty, false},
    {"dim_order_ops._to_dim_order_copy.default", reference_to_copy, false},
    {"math.ceil", reference_unary, false},
    {"math.floor", reference_unary, false},
    {"math.sqrt", reference_unary, false},
    {"math.trunc", reference_unary, false},
    {"quantized_decomposed.choose_qparams.tensor", reference_choose_parameters, false},
    {"quantized_decomposed.dequantize_per_channel.default", reference_dequantize_channels, false},
    {"quantized_decomposed.dequantize_per_tensor.default", reference_dequantize, false},
    {"quantized_decomposed.dequantize_per_tensor.tensor", reference_dequantize, false},
    {"quantized_decomposed.quantize_per_channel.default", reference_quantize_channels, false},
    {"quantized_decomposed.quantize_per_tensor.default", reference_quantize, false},
    {"quantized_decomposed.quantize_per_tensor.tensor", reference_quantize, false},
    {"torch.sym_float", reference_unary, false},
    {"torch.sym_int", reference_unary, false},
    {"torch.sym_max", reference_binary, false},
    {"torch.sym_min", reference_binary, false},
    {"torch.sym_not", reference_unary, false},
    {"torchao.choose_qparams_affine.default", reference_choose_for_blocks, false},
    {"torchao.dequantize_affine.default", reference_dequantize_blocks, false},
    {"torchao.quantize_affine.default", reference_quantize_blocks, false},
};
/* clang-format on */

static reference_expression *find(struct ets_text name, bool use_double)
{
    uint32_t low = 0, high = sizeof rows / sizeof *rows;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const int order = strcmp(name.data, rows[middle].name);
        if (order == 0) {
            return use_double || !rows[middle].for_doubles ? rows[middle].expression : NULL;
        }
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return NULL;
}

reference_expression *reference_expression_named(const char *name, bool use_double)
{
    char room[128];
    const struct ets_text text = {name, strlen(name)};
    reference_expression *expression = find(text, use_double);
    if (expression != NULL) return expression;
    const struct ets_text view = reference_name_without(text, "_copy", room);
    return view.data != NULL ? find(view, use_double) : NULL;
}
