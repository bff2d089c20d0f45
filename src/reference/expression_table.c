/*
 * The operators that are expressions, by name. Operators that end in "_copy" (permute_copy) or "_"
 * (relu_) need no line: the former copies a view, the latter writes back.
 */
#include <string.h>

#include "reference/expression_list.h"

struct row {
    const char *name;
    reference_expression *expression;
    bool for_doubles; /* only for doubles: the kernel computes with floats, or there is none */
};

/* clang-format off */
static const struct row rows[] = {
    {"_operator.abs", ets_reference_unary, false},
    {"_operator.add", ets_reference_binary, false},
    {"_operator.and_", ets_reference_binary, false},
    {"_operator.eq", ets_reference_binary, false},
    {"_operator.floordiv", ets_reference_binary, false},
    {"_operator.ge", ets_reference_binary, false},
    {"_operator.gt", ets_reference_binary, false},
    {"_operator.le", ets_reference_binary, false},
    {"_operator.lshift", ets_reference_binary, false},
    {"_operator.lt", ets_reference_binary, false},
    {"_operator.mod", ets_reference_binary, false},
    {"_operator.mul", ets_reference_binary, false},
    {"_operator.ne", ets_reference_binary, false},
    {"_operator.neg", ets_reference_unary, false},
    {"_operator.not_", ets_reference_unary, false},
    {"_operator.or_", ets_reference_binary, false},
    {"_operator.pos", ets_reference_unary, false},
    {"_operator.pow", ets_reference_binary, false},
    {"_operator.rshift", ets_reference_binary, false},
    {"_operator.sub", ets_reference_binary, false},
    {"_operator.truediv", ets_reference_binary, false},
    {"_operator.xor", ets_reference_binary, false},
    {"aten.__and__.Scalar", ets_reference_by_other_name, false},
    {"aten.__and__.Tensor", ets_reference_by_other_name, false},
    {"aten.__or__.Scalar", ets_reference_by_other_name, false},
    {"aten.__or__.Tensor", ets_reference_by_other_name, false},
    {"aten.__xor__.Scalar", ets_reference_by_other_name, false},
    {"aten.__xor__.Tensor", ets_reference_by_other_name, false},
    {"aten._adaptive_avg_pool2d.default", ets_reference_adaptive_avg_pool2d, false},
    {"aten._assert_async.msg", ets_reference_assertion, false},
    {"aten._assert_scalar.default", ets_reference_assertion, false},
    {"aten._assert_tensor_metadata.default", ets_reference_assertion, false},
    {"aten._local_scalar_dense.default", ets_reference_item, false},
    {"aten._log_softmax.default", ets_reference_native_log_softmax, true},
    {"aten._prelu_kernel.default", ets_reference_prelu, false},
    {"aten._to_copy.default", ets_reference_to_copy, false},
    {"aten._unsafe_view.default", ets_reference_view, false},
    {"aten.adaptive_avg_pool2d.default", ets_reference_adaptive_avg_pool2d, false},
    {"aten.addmm.default", ets_reference_addmm, false},
    {"aten.alias.default", ets_reference_identity, false},
    {"aten.alpha_dropout.default", ets_reference_identity, false},
    {"aten.arange.start", ets_reference_arange_start, false},
    {"aten.batch_norm.default", ets_reference_batch_norm, false},
    {"aten.broadcast_to.default", ets_reference_expand, false},
    {"aten.celu.default", ets_reference_celu, false},
    {"aten.chunk.default", ets_reference_chunk, false},
    {"aten.clamp_max.default", ets_reference_clamp_end, false},
    {"aten.clamp_min.default", ets_reference_clamp_end, false},
    {"aten.clip.default", ets_reference_by_other_name, false},
    {"aten.clone.default", ets_reference_clone, false},
    {"aten.concat.default", ets_reference_by_other_name, false},
    {"aten.concatenate.default", ets_reference_by_other_name, false},
    {"aten.contiguous.default", ets_reference_contiguous, false},
    {"aten.conv1d.default", ets_reference_conv, false},
    {"aten.conv1d.padding", ets_reference_conv, false},
    {"aten.conv2d.default", ets_reference_conv, false},
    {"aten.conv2d.padding", ets_reference_conv, false},
    {"aten.conv_transpose1d.default", ets_reference_conv_transpose, false},
    {"aten.conv_transpose2d.input", ets_reference_conv_transpose, false},
    {"aten.convolution.default", ets_reference_convolution, false},
    {"aten.copy.default", ets_reference_copy, false},
    {"aten.detach.default", ets_reference_identity, false},
    {"aten.diagonal.default", ets_reference_diagonal, false},
    {"aten.divide.Tensor", ets_reference_by_other_name, false},
    {"aten.dropout.default", ets_reference_identity, false},
    {"aten.empty.memory_format", ets_reference_empty, false},
    {"aten.empty_like.default", ets_reference_zeros_like, false},
    {"aten.expand.default", ets_reference_expand, false},
    {"aten.expand_as.default", ets_reference_expand_as, false},
    {"aten.feature_dropout.default", ets_reference_identity, false},
    {"aten.flatten.using_ints", ets_reference_flatten, false},
    {"aten.group_norm.default", ets_reference_group_norm, false},
    {"aten.hardsigmoid.default", ets_reference_hardsigmoid, false},
    {"aten.hardswish.default", ets_reference_hardswish, false},
    {"aten.index_copy.default", ets_reference_index_copy, false},
    {"aten.item.default", ets_reference_item, false},
    {"aten.layer_norm.default", ets_reference_layer_norm, false},
    {"aten.lift.default", ets_reference_clone, false},
    {"aten.lift_fresh.default", ets_reference_identity, false},
    {"aten.log_sigmoid.default", ets_reference_log_sigmoid, false},
    {"aten.log_softmax.int", ets_reference_softmax, false},
    {"aten.masked_fill.Tensor", ets_reference_masked_fill, false},
    {"aten.matmul.default", ets_reference_matmul, false},
    {"aten.max_pool2d.default", ets_reference_max_pool2d, false},
    {"aten.mish.default", ets_reference_mish, false},
    {"aten.multiply.Tensor", ets_reference_by_other_name, false},
    {"aten.narrow.default", ets_reference_narrow, false},
    {"aten.native_dropout.default", ets_reference_native_dropout, false},
    {"aten.native_group_norm.default", ets_reference_native_group_norm, true},
    {"aten.native_layer_norm.default", ets_reference_native_layer_norm, true},
    {"aten.negative.default", ets_reference_by_other_name, false},
    {"aten.new_empty.default", ets_reference_new_zeros, false},
    {"aten.new_full.default", ets_reference_new_full, false},
    {"aten.new_ones.default", ets_reference_new_ones, false},
    {"aten.new_zeros.default", ets_reference_new_zeros, false},
    {"aten.numpy_T.default", ets_reference_t, false},
    {"aten.ones_like.default", ets_reference_ones_like, false},
    {"aten.pad.default", ets_reference_pad, false},
    {"aten.permute.default", ets_reference_permute, false},
    {"aten.prelu.default", ets_reference_prelu, false},
    {"aten.relu6.default", ets_reference_relu6, false},
    {"aten.repeat_interleave.self_int", ets_reference_repeat_interleave, false},
    {"aten.reshape.default", ets_reference_reshape, false},
    {"aten.reshape_as.default", ets_reference_view_as, false},
    {"aten.resolve_conj.default", ets_reference_identity, false},
    {"aten.resolve_neg.default", ets_reference_identity, false},
    {"aten.rms_norm.default", ets_reference_rms_norm, false},
    {"aten.rsub.Tensor", ets_reference_rsub, false},
    {"aten.scaled_dot_product_attention.default", ets_reference_attention, false},
    {"aten.select.int", ets_reference_select, false},
    {"aten.selu.default", ets_reference_selu, false},
    {"aten.silu.default", ets_reference_silu, false},
    {"aten.slice.Tensor", ets_reference_slice, false},
    {"aten.softmax.int", ets_reference_softmax, false},
    {"aten.softplus.default", ets_reference_softplus, false},
    {"aten.split.Tensor", ets_reference_split, false},
    {"aten.split.sizes", ets_reference_split, false},
    {"aten.split_with_sizes.default", ets_reference_split, false},
    {"aten.square.default", ets_reference_square, false},
    {"aten.squeeze.default", ets_reference_squeeze, false},
    {"aten.squeeze.dim", ets_reference_squeeze, false},
    {"aten.squeeze.dims", ets_reference_squeeze, false},
    {"aten.subtract.Tensor", ets_reference_by_other_name, false},
    {"aten.sum.default", ets_reference_sum, false},
    {"aten.sum.dim_IntList", ets_reference_native_sum, true},
    {"aten.swapaxes.default", ets_reference_transpose, false},
    {"aten.swapdims.default", ets_reference_transpose, false},
    {"aten.sym_constrain_range.default", ets_reference_assertion, false},
    {"aten.sym_constrain_range_for_size.default", ets_reference_assertion, false},
    {"aten.sym_numel.default", ets_reference_sym_numel, false},
    {"aten.sym_size.int", ets_reference_sym_size, false},
    {"aten.t.default", ets_reference_t, false},
    {"aten.to.device", ets_reference_to, false},
    {"aten.to.dtype", ets_reference_to, false},
    {"aten.to.dtype_layout", ets_reference_to, false},
    {"aten.to.prim_Device", ets_reference_to, false},
    {"aten.transpose.int", ets_reference_transpose, false},
    {"aten.type_as.default", ets_reference_type_as, false},
    {"aten.unbind.int", ets_reference_unbind, false},
    {"aten.unflatten.int", ets_reference_unflatten, false},
    {"aten.unsqueeze.default", ets_reference_unsqueeze, false},
    {"aten.view.default", ets_reference_view, false},
    {"aten.view_as.default", ets_reference_view_as, false},
    {"aten.where.Scalar", ets_reference_by_other_name, false},
    {"aten.where.ScalarOther", ets_reference_by_other_name, false},
    {"aten.where.ScalarSelf", ets_reference_by_other_name, false},
    {"aten.zero.default", ets_reference_zeros_like, false},
    {"aten.zeros_like.default", ets_reference_zeros_like, false},
    {"dim_order_ops._clone_dim_order.default", ets_reference_to_copy, false},
    {"dim_order_ops._empty_dim_order.default", ets_reference_empty, false},
    {"dim_order_ops._to_dim_order_copy.default", ets_reference_to_copy, false},
    {"math.ceil", ets_reference_unary, false},
    {"math.floor", ets_reference_unary, false},
    {"math.sqrt", ets_reference_unary, false},
    {"math.trunc", ets_reference_unary, false},
    {"quantized_decomposed.choose_qparams.tensor", ets_reference_choose_parameters, false},
    {"quantized_decomposed.dequantize_per_channel.default", ets_reference_dequantize_channels, false},
    {"quantized_decomposed.dequantize_per_tensor.default", ets_reference_dequantize, false},
    {"quantized_decomposed.dequantize_per_tensor.tensor", ets_reference_dequantize, false},
    {"quantized_decomposed.quantize_per_channel.default", ets_reference_quantize_channels, false},
    {"quantized_decomposed.quantize_per_tensor.default", ets_reference_quantize, false},
    {"quantized_decomposed.quantize_per_tensor.tensor", ets_reference_quantize, false},
    {"torch.sym_float", ets_reference_unary, false},
    {"torch.sym_int", ets_reference_unary, false},
    {"torch.sym_max", ets_reference_binary, false},
    {"torch.sym_min", ets_reference_binary, false},
    {"torch.sym_not", ets_reference_unary, false},
    {"torchao.choose_qparams_affine.default", ets_reference_choose_for_blocks, false},
    {"torchao.dequantize_affine.default", ets_reference_dequantize_blocks, false},
    {"torchao.quantize_affine.default", ets_reference_quantize_blocks, false},
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

reference_expression *ets_reference_expression_named(const char *name, bool use_double)
{
    char room[128];
    const struct ets_text text = {name, strlen(name)};
    reference_expression *expression = find(text, use_double);
    if (expression != NULL) return expression;
    const struct ets_text view = ets_reference_name_without(text, "_copy", room);
    return view.data != NULL ? find(view, use_double) : NULL;
}
