/* All expressions; expression_table.c says which operators each is. */
#ifndef ETSCOPE_REFERENCE_EXPRESSION_LIST_H
#define ETSCOPE_REFERENCE_EXPRESSION_LIST_H

#include "reference/expressions.h"

/* Views (expression_views.c) */
reference_expression reference_view, reference_reshape, reference_view_as, reference_flatten,
    reference_unflatten, reference_squeeze, reference_unsqueeze, reference_permute,
    reference_transpose, reference_t, reference_expand, reference_expand_as, reference_slice,
    reference_narrow, reference_select, reference_diagonal, reference_unbind, reference_split,
    reference_chunk;

/* Copies (expression_copies.c) */
reference_expression reference_identity, reference_clone, reference_contiguous, reference_to,
    reference_to_copy, reference_type_as, reference_copy, reference_zeros_like, reference_ones_like,
    reference_new_zeros, reference_new_ones, reference_new_full, reference_empty,
    reference_arange_start, reference_index_copy, reference_native_dropout;

/* Numbers (expression_numbers.c) */
reference_expression reference_assertion, reference_sym_size, reference_sym_numel, reference_item,
    reference_binary, reference_unary;

/* Products (expression_products.c, expression_convolutions.c) */
reference_expression reference_matmul, reference_addmm, reference_convolution, reference_conv,
    reference_conv_transpose;

/* Layers (expression_layers.c, expression_attention.c) */
reference_expression reference_native_layer_norm, reference_layer_norm, reference_rms_norm,
    reference_native_group_norm, reference_group_norm, reference_batch_norm, reference_softmax,
    reference_native_log_softmax, reference_native_sum, reference_sum, reference_max_pool2d,
    reference_adaptive_avg_pool2d, reference_pad, reference_attention;

/* Element by element (expression_elements.c) */
reference_expression reference_hardsigmoid, reference_hardswish, reference_silu, reference_relu6,
    reference_prelu, reference_square, reference_rsub, reference_masked_fill, reference_clamp_end,
    reference_repeat_interleave, reference_by_other_name;

/* Quantised numbers (expression_quantized.c, expression_affine.c) */
reference_expression reference_quantize, reference_dequantize, reference_quantize_channels,
    reference_dequantize_channels, reference_choose_parameters, reference_quantize_blocks,
    reference_dequantize_blocks, reference_choose_for_blocks;

#endif
