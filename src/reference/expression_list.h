/* All expressions. expression_table.c maps operators to them. */
#ifndef ETSCOPE_REFERENCE_EXPRESSION_LIST_H
#define ETSCOPE_REFERENCE_EXPRESSION_LIST_H

#include "reference/expressions.h"

/* Views (expression_views.c) */
reference_expression ets_reference_view, ets_reference_reshape, ets_reference_view_as,
    ets_reference_flatten, ets_reference_unflatten, ets_reference_squeeze, ets_reference_unsqueeze,
    ets_reference_permute, ets_reference_transpose, ets_reference_t, ets_reference_expand,
    ets_reference_expand_as, ets_reference_slice, ets_reference_narrow, ets_reference_select,
    ets_reference_diagonal, ets_reference_unbind, ets_reference_split, ets_reference_chunk;

/* Copies (expression_copies.c) */
reference_expression ets_reference_identity, ets_reference_clone, ets_reference_contiguous,
    ets_reference_to, ets_reference_to_copy, ets_reference_type_as, ets_reference_copy,
    ets_reference_zeros_like, ets_reference_ones_like, ets_reference_new_zeros,
    ets_reference_new_ones, ets_reference_new_full, ets_reference_empty, ets_reference_arange_start,
    ets_reference_index_copy, ets_reference_native_dropout;

/* Numbers (expression_numbers.c) */
reference_expression ets_reference_assertion, ets_reference_sym_size, ets_reference_sym_numel,
    ets_reference_item, ets_reference_binary, ets_reference_unary;

/* Products (expression_products.c, expression_convolutions.c) */
reference_expression ets_reference_matmul, ets_reference_addmm, ets_reference_convolution,
    ets_reference_conv, ets_reference_conv_transpose;

/* Layers (expression_layers.c, expression_attention.c) */
reference_expression ets_reference_native_layer_norm, ets_reference_layer_norm,
    ets_reference_rms_norm, ets_reference_native_group_norm, ets_reference_group_norm,
    ets_reference_batch_norm, ets_reference_softmax, ets_reference_native_log_softmax,
    ets_reference_native_sum, ets_reference_sum, ets_reference_max_pool2d,
    ets_reference_adaptive_avg_pool2d, ets_reference_pad, ets_reference_attention;

/* Elementwise (expression_elements.c) */
reference_expression ets_reference_hardsigmoid, ets_reference_hardswish, ets_reference_silu,
    ets_reference_softplus, ets_reference_mish, ets_reference_log_sigmoid, ets_reference_selu,
    ets_reference_celu, ets_reference_relu6, ets_reference_prelu, ets_reference_square,
    ets_reference_rsub, ets_reference_masked_fill, ets_reference_clamp_end,
    ets_reference_repeat_interleave, ets_reference_by_other_name;

/* Quantised numbers (expression_quantized.c, expression_affine.c) */
reference_expression ets_reference_quantize, ets_reference_dequantize,
    ets_reference_quantize_channels, ets_reference_dequantize_channels,
    ets_reference_choose_parameters, ets_reference_quantize_blocks, ets_reference_dequantize_blocks,
    ets_reference_choose_for_blocks;

/* Language models (expression_caches.c, expression_tokens.c, expression_embeddings.c,
 * expression_hadamard.c) */
reference_expression ets_reference_update_cache, ets_reference_update_cache_by_indices,
    ets_reference_cache_attention, ets_reference_attention_with_cache,
    ets_reference_quantized_attention, ets_reference_choose_symmetric_for_tokens,
    ets_reference_choose_for_tokens, ets_reference_quantize_tokens, ets_reference_dequantize_tokens,
    ets_reference_embedding_byte, ets_reference_embedding_4bit, ets_reference_embedding_2bit,
    ets_reference_hadamard;

#endif
