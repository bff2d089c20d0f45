/* The tables of MLX's payload. */
#include "format/mlx_schema.h"

#include "format/descriptor.h"

/* Numbers of tensors and of scalars are inline structs of one u32; absent: none. */
#define TENSOR(name, slot) SCALAR_OR_MINUS_ONE(name, slot, ETS_FB_U32)

static const struct ets_fb_field int_or_number_fields[] = {SCALAR("literal", 0, ETS_FB_I64),
                                                           SCALAR("vid", 1, ETS_FB_U32),
                                                           SCALAR("is_vid", 2, ETS_FB_BOOL)};
static const struct ets_fb_type int_or_number_type = TYPE("IntOrVid", int_or_number_fields);
static const struct ets_fb_field float_or_number_fields[] = {SCALAR("literal", 0, ETS_FB_F64),
                                                             SCALAR("vid", 1, ETS_FB_U32),
                                                             SCALAR("is_vid", 2, ETS_FB_BOOL)};
static const struct ets_fb_type float_or_number_type = TYPE("FloatOrVid", float_or_number_fields);
static const struct ets_fb_field number_or_tensor_fields[] = {
    SCALAR("vid", 0, ETS_FB_U32), TENSOR("tid", 1), SCALAR("is_vid", 2, ETS_FB_BOOL)};
static const struct ets_fb_type number_or_tensor_type = TYPE("VidOrTid", number_or_tensor_fields);
static const struct ets_fb_field index_fields[] = {SCALAR("literal", 0, ETS_FB_I64),
                                                   SCALAR("vid", 1, ETS_FB_U32), TENSOR("tid", 2),
                                                   SCALAR("kind", 3, ETS_FB_U8)};
static const struct ets_fb_type index_type = TYPE("IntOrVidOrTid", index_fields);

static const struct ets_fb_field id_copy_fields[] = {
    TENSOR("x", 0),
    TENSOR("out", 1),
};
static const struct ets_fb_field addmm_fields[] = {
    TENSOR("mat1", 0),
    TENSOR("mat2", 1),
    TENSOR("out", 2),
    TENSOR("bias", 3),
    SCALAR("alpha", 4, ETS_FB_F32),
    SCALAR("beta", 5, ETS_FB_F32),
};
static const struct ets_fb_field item_int_fields[] = {
    TENSOR("x", 0),
    SCALAR("out", 1, ETS_FB_U32),
};
static const struct ets_fb_field expand_dims_fields[] = {
    TENSOR("x", 0),
    TENSOR("out", 1),
    SCALAR("axis", 2, ETS_FB_I32),
};
static const struct ets_fb_field tile_fields[] = {
    TENSOR("x", 0),
    TENSOR("out", 1),
    TABLES("reps", 2, int_or_number_type),
};
static const struct ets_fb_field take_along_axis_fields[] = {
    TENSOR("x", 0),
    TENSOR("indices", 1),
    TENSOR("out", 2),
    SCALAR("axis", 3, ETS_FB_I32),
};
static const struct ets_fb_field take_fields[] = {
    TENSOR("x", 0),
    TENSOR("out", 1),
    TABLE("index", 2, 0, index_type),
    SCALAR("axis", 3, ETS_FB_I32),
};
static const struct ets_fb_field r_m_s_norm_fields[] = {
    TENSOR("x", 0),
    TENSOR("weight", 1),
    TENSOR("out", 2),
    SCALAR("eps", 3, ETS_FB_F32),
};
static const struct ets_fb_field layer_norm_fields[] = {
    TENSOR("x", 0),
    TENSOR("out", 1),
    TENSOR("weight", 2),
    TENSOR("bias", 3),
    SCALAR("eps", 4, ETS_FB_F32),
};
static const struct ets_fb_field rope_fields[] = {
    TENSOR("x", 0),
    TENSOR("out", 1),
    SCALAR("dims", 2, ETS_FB_I32),
    TABLE("offset", 3, 0, number_or_tensor_type),
    TENSOR("freqs", 4),
    SCALAR("traditional", 5, ETS_FB_BOOL),
    SCALAR("base", 6, ETS_FB_F32),
    SCALAR("scale", 7, ETS_FB_F32),
};
static const struct ets_fb_field sdpa_fields[] = {
    TENSOR("q", 0),
    TENSOR("k", 1),
    TENSOR("v", 2),
    TENSOR("out", 3),
    SCALAR("scale", 4, ETS_FB_F32),
    TENSOR("mask", 5),
    SCALAR("causal", 6, ETS_FB_BOOL),
};
static const struct ets_fb_field add_fields[] = {
    TENSOR("a", 0),
    TENSOR("b", 1),
    TENSOR("out", 2),
};
static const struct ets_fb_field add_int_fields[] = {
    TABLE("a", 0, 0, int_or_number_type),
    TABLE("b", 1, 0, int_or_number_type),
    SCALAR("out", 2, ETS_FB_U32),
};
static const struct ets_fb_field sym_size_fields[] = {
    TENSOR("a", 0),
    SCALAR("dim", 1, ETS_FB_I32),
    SCALAR("out", 2, ETS_FB_U32),
};
static const struct ets_fb_field conv1_d_fields[] = {
    TENSOR("x", 0),
    TENSOR("w", 1),
    TENSOR("out", 2),
    SCALAR("stride", 3, ETS_FB_I32),
    SCALAR("padding", 4, ETS_FB_I32),
    SCALAR("dilation", 5, ETS_FB_I32),
    SCALAR("groups", 6, ETS_FB_I32),
};
static const struct ets_fb_field conv2_d_fields[] = {
    TENSOR("x", 0),
    TENSOR("w", 1),
    TENSOR("out", 2),
    SCALAR("stride_h", 3, ETS_FB_I32),
    SCALAR("stride_w", 4, ETS_FB_I32),
    SCALAR("padding_h", 5, ETS_FB_I32),
    SCALAR("padding_w", 6, ETS_FB_I32),
    SCALAR("dilation_h", 7, ETS_FB_I32),
    SCALAR("dilation_w", 8, ETS_FB_I32),
    SCALAR("groups", 9, ETS_FB_I32),
};
static const struct ets_fb_field conv3_d_fields[] = {
    TENSOR("x", 0),
    TENSOR("w", 1),
    TENSOR("out", 2),
    SCALAR("stride_d", 3, ETS_FB_I32),
    SCALAR("stride_h", 4, ETS_FB_I32),
    SCALAR("stride_w", 5, ETS_FB_I32),
    SCALAR("padding_d", 6, ETS_FB_I32),
    SCALAR("padding_h", 7, ETS_FB_I32),
    SCALAR("padding_w", 8, ETS_FB_I32),
    SCALAR("dilation_d", 9, ETS_FB_I32),
    SCALAR("dilation_h", 10, ETS_FB_I32),
    SCALAR("dilation_w", 11, ETS_FB_I32),
    SCALAR("groups", 12, ETS_FB_I32),
};
static const struct ets_fb_field gelu_fields[] = {
    TENSOR("x", 0),
    TENSOR("out", 1),
    STRING("approximate", 2, 0),
};
static const struct ets_fb_field a_range_fields[] = {
    TENSOR("out", 0),
    TABLE("start", 1, 0, int_or_number_type),
    TABLE("stop", 2, 0, int_or_number_type),
    TABLE("step", 3, 0, int_or_number_type),
    SCALAR("scalar_type", 4, ETS_FB_I8),
};
static const struct ets_fb_field squeeze_fields[] = {
    TENSOR("x", 0),
    TENSOR("out", 1),
    SCALARS("dims", 2, ETS_FB_I32),
};
static const struct ets_fb_field split_fields[] = {
    TENSOR("x", 0),
    SCALARS("outs", 1, ETS_FB_U32),
    TABLES("sizes", 2, int_or_number_type),
    SCALAR("axis", 3, ETS_FB_I32),
};
static const struct ets_fb_field softmax_fields[] = {
    TENSOR("x", 0),
    TENSOR("out", 1),
    SCALAR("axis", 2, ETS_FB_I32),
    SCALAR("precise", 3, ETS_FB_BOOL),
};
static const struct ets_fb_field broadcast_to_fields[] = {
    TENSOR("x", 0),
    TENSOR("out", 1),
    TABLES("shape", 2, int_or_number_type),
};
static const struct ets_fb_field pad_fields[] = {
    TENSOR("x", 0),
    TENSOR("out", 1),
    TABLES("pad_width", 2, int_or_number_type),
    STRING("mode", 3, 0),
    SCALAR("constant_value", 4, ETS_FB_F32),
};
static const struct ets_fb_field where_fields[] = {
    TENSOR("condition", 0),
    TENSOR("x", 1),
    TENSOR("y", 2),
    TENSOR("out", 3),
};
static const struct ets_fb_field transpose_fields[] = {
    TENSOR("x", 0),
    TENSOR("out", 1),
    SCALARS("perm", 2, ETS_FB_I32),
};
static const struct ets_fb_field as_strided_fields[] = {
    TENSOR("x", 0),
    TENSOR("out", 1),
    TABLES("shape", 2, int_or_number_type),
    TABLES("strides", 3, int_or_number_type),
    SCALAR("offset", 4, ETS_FB_U64),
};
static const struct ets_fb_field gather_fields[] = {
    TENSOR("x", 0),
    SCALARS("indices", 1, ETS_FB_U32),
    TENSOR("out", 2),
    SCALARS("axes", 3, ETS_FB_I32),
    SCALARS("slice_sizes", 4, ETS_FB_I32),
};
static const struct ets_fb_field slice_fields[] = {
    TENSOR("x", 0),
    TENSOR("out", 1),
    TABLE("axis", 2, 0, int_or_number_type),
    TABLE("start", 3, 0, int_or_number_type),
    TABLE("stop", 4, 0, int_or_number_type),
    SCALAR("step", 5, ETS_FB_I32),
};
static const struct ets_fb_field as_type_fields[] = {
    TENSOR("x", 0),
    TENSOR("out", 1),
    SCALAR("scalar_type", 2, ETS_FB_I8),
};
static const struct ets_fb_field concatenate_fields[] = {
    SCALARS("tensors", 0, ETS_FB_U32),
    TENSOR("out", 1),
    SCALAR("axis", 2, ETS_FB_I32),
};
static const struct ets_fb_field full_fields[] = {
    TENSOR("out", 0),
    TABLES("shape", 1, int_or_number_type),
    TABLE("v", 2, 0, float_or_number_type),
    SCALAR("scalar_type", 3, ETS_FB_I8),
};
static const struct ets_fb_field full_like_fields[] = {
    TENSOR("x", 0),
    TENSOR("out", 1),
    TABLE("v", 2, 0, float_or_number_type),
    SCALAR("scalar_type", 3, ETS_FB_I8),
};
static const struct ets_fb_field argmax_fields[] = {
    TENSOR("x", 0),
    TENSOR("out", 1),
    SCALAR("axis", 2, ETS_FB_I32),
    SCALAR("keepdims", 3, ETS_FB_BOOL),
};
static const struct ets_fb_field slice_update_fields[] = {
    TENSOR("dst", 0),
    TENSOR("update", 1),
    TENSOR("out", 2),
    TABLE("axis", 3, 0, int_or_number_type),
    TABLE("start", 4, 0, int_or_number_type),
    TABLE("stop", 5, 0, int_or_number_type),
    SCALAR("step", 6, ETS_FB_I32),
};
static const struct ets_fb_field index_copy_fields[] = {
    TENSOR("dst", 0), TENSOR("update", 1),           TENSOR("indices", 2),
    TENSOR("out", 3), SCALAR("axis", 4, ETS_FB_I32),
};
static const struct ets_fb_field dequantize_fields[] = {
    TENSOR("w", 0),
    TENSOR("scales", 1),
    TENSOR("out", 2),
    TENSOR("biases", 3),
    SCALAR("group_size", 4, ETS_FB_I32),
    SCALAR("bits", 5, ETS_FB_I32),
    STRING("mode", 6, 0),
    TENSOR("global_scale", 7),
    SCALAR("dtype", 8, ETS_FB_I8),
};
static const struct ets_fb_field tri_fields[] = {
    TENSOR("out", 0),
    TABLE("n", 1, 0, int_or_number_type),
    TABLE("m", 2, 0, int_or_number_type),
    SCALAR("k", 3, ETS_FB_I32),
    SCALAR("scalar_type", 4, ETS_FB_I8),
};
static const struct ets_fb_field tril_fields[] = {
    TENSOR("x", 0),
    TENSOR("out", 1),
    SCALAR("k", 2, ETS_FB_I32),
};
static const struct ets_fb_field round_fields[] = {
    TENSOR("x", 0),
    TENSOR("out", 1),
    SCALAR("decimals", 2, ETS_FB_I32),
};
static const struct ets_fb_field log_sum_exp_fields[] = {
    TENSOR("x", 0),
    TENSOR("out", 1),
    SCALARS("axes", 2, ETS_FB_I32),
    SCALAR("keepdims", 3, ETS_FB_BOOL),
};
static const struct ets_fb_field var_fields[] = {
    TENSOR("x", 0),
    TENSOR("out", 1),
    SCALARS("axes", 2, ETS_FB_I32),
    SCALAR("keepdims", 3, ETS_FB_BOOL),
    SCALAR("ddof", 4, ETS_FB_I32),
};
static const struct ets_fb_field conv_transpose1_d_fields[] = {
    TENSOR("x", 0),
    TENSOR("w", 1),
    TENSOR("out", 2),
    SCALAR("stride", 3, ETS_FB_I32),
    SCALAR("padding", 4, ETS_FB_I32),
    SCALAR("dilation", 5, ETS_FB_I32),
    SCALAR("output_padding", 6, ETS_FB_I32),
    SCALAR("groups", 7, ETS_FB_I32),
};
static const struct ets_fb_field conv_transpose2_d_fields[] = {
    TENSOR("x", 0),
    TENSOR("w", 1),
    TENSOR("out", 2),
    SCALAR("stride_h", 3, ETS_FB_I32),
    SCALAR("stride_w", 4, ETS_FB_I32),
    SCALAR("padding_h", 5, ETS_FB_I32),
    SCALAR("padding_w", 6, ETS_FB_I32),
    SCALAR("dilation_h", 7, ETS_FB_I32),
    SCALAR("dilation_w", 8, ETS_FB_I32),
    SCALAR("output_padding_h", 9, ETS_FB_I32),
    SCALAR("output_padding_w", 10, ETS_FB_I32),
    SCALAR("groups", 11, ETS_FB_I32),
};
static const struct ets_fb_field conv_transpose3_d_fields[] = {
    TENSOR("x", 0),
    TENSOR("w", 1),
    TENSOR("out", 2),
    SCALAR("stride_d", 3, ETS_FB_I32),
    SCALAR("stride_h", 4, ETS_FB_I32),
    SCALAR("stride_w", 5, ETS_FB_I32),
    SCALAR("padding_d", 6, ETS_FB_I32),
    SCALAR("padding_h", 7, ETS_FB_I32),
    SCALAR("padding_w", 8, ETS_FB_I32),
    SCALAR("dilation_d", 9, ETS_FB_I32),
    SCALAR("dilation_h", 10, ETS_FB_I32),
    SCALAR("dilation_w", 11, ETS_FB_I32),
    SCALAR("output_padding_d", 12, ETS_FB_I32),
    SCALAR("output_padding_h", 13, ETS_FB_I32),
    SCALAR("output_padding_w", 14, ETS_FB_I32),
    SCALAR("groups", 15, ETS_FB_I32),
};
static const struct ets_fb_field clip_fields[] = {
    TENSOR("x", 0),
    TENSOR("out", 1),
    TENSOR("a_min", 2),
    TENSOR("a_max", 3),
};
static const struct ets_fb_field cumsum_fields[] = {
    TENSOR("x", 0),
    TENSOR("out", 1),
    SCALAR("axis", 2, ETS_FB_I32),
    SCALAR("reverse", 3, ETS_FB_BOOL),
    SCALAR("inclusive", 4, ETS_FB_BOOL),
};
static const struct ets_fb_field stack_fields[] = {
    SCALARS("tensors", 0, ETS_FB_U32),
    TENSOR("out", 1),
    SCALAR("axis", 2, ETS_FB_I32),
};
static const struct ets_fb_field repeat_fields[] = {
    TENSOR("x", 0),
    TENSOR("out", 1),
    TABLE("repeats", 2, 0, int_or_number_type),
    SCALAR("axis", 3, ETS_FB_I32),
};
static const struct ets_fb_field partition_fields[] = {
    TENSOR("x", 0),
    TENSOR("out", 1),
    TABLE("kth", 2, 0, int_or_number_type),
    SCALAR("axis", 3, ETS_FB_I32),
};
static const struct ets_fb_field quantized_matmul_fields[] = {
    TENSOR("x", 0),
    TENSOR("w", 1),
    TENSOR("scales", 2),
    TENSOR("out", 3),
    TENSOR("biases", 4),
    SCALAR("group_size", 5, ETS_FB_I32),
    SCALAR("bits", 6, ETS_FB_I32),
    STRING("mode", 7, 0),
    SCALAR("transpose", 8, ETS_FB_BOOL),
};
static const struct ets_fb_field scatter_add_fields[] = {
    TENSOR("x", 0),   TENSOR("indices", 1),          TENSOR("updates", 2),
    TENSOR("out", 3), SCALAR("axis", 4, ETS_FB_I32),
};
static const struct ets_fb_field gather_mm_fields[] = {
    TENSOR("a", 0),
    TENSOR("b", 1),
    TENSOR("out", 2),
    TENSOR("lhs_indices", 3),
    TENSOR("rhs_indices", 4),
    SCALAR("sorted_indices", 5, ETS_FB_BOOL),
    TABLE("sorted_indices_flag", 6, 0, int_or_number_type),
};
static const struct ets_fb_field gather_qmm_fields[] = {
    TENSOR("x", 0),
    TENSOR("w", 1),
    TENSOR("scales", 2),
    TENSOR("out", 3),
    STRING("mode", 4, 0),
    TENSOR("biases", 5),
    TENSOR("lhs_indices", 6),
    TENSOR("rhs_indices", 7),
    SCALAR("transpose", 8, ETS_FB_BOOL),
    SCALAR("group_size", 9, ETS_FB_I32),
    SCALAR("bits", 10, ETS_FB_I32),
    SCALAR("sorted_indices", 11, ETS_FB_BOOL),
    TABLE("sorted_indices_flag", 12, 0, int_or_number_type),
};
static const struct ets_fb_field scan_fields[] = {
    SCALARS("originals", 0, ETS_FB_U32),     SCALARS("sliced", 1, ETS_FB_U32),
    SCALARS("outputs", 2, ETS_FB_U32),       SCALARS("carry", 3, ETS_FB_U32),
    SCALAR("body_chain_idx", 4, ETS_FB_I32), SCALAR("scan_axis", 5, ETS_FB_I32),
};
static const struct ets_fb_field metal_kernel_fields[] = {
    STRING("name", 0, 0),
    STRING("source", 1, 0),
    SCALARS("inputs", 2, ETS_FB_U32),
    SCALARS("outputs", 3, ETS_FB_U32),
    TABLES("grid", 4, int_or_number_type),
    TABLES("threadgroup", 5, int_or_number_type),
    STRING("header", 6, 0),
    {"input_names", 7, ETS_FB_STRINGS, 0, {0}},
    {"output_names", 8, ETS_FB_STRINGS, 0, {0}},
    SCALAR("ensure_row_contiguous", 9, ETS_FB_BOOL),
    SCALAR("atomic_outputs", 10, ETS_FB_BOOL),
    TABLES("output_shapes_flat", 11, int_or_number_type),
    SCALARS("output_shape_lengths", 12, ETS_FB_I32),
    SCALARS("output_dtypes", 13, ETS_FB_I8),
    {"template_arg_names", 14, ETS_FB_STRINGS, 0, {0}},
    SCALARS("template_arg_kinds", 15, ETS_FB_I8),
    SCALARS("template_arg_values", 16, ETS_FB_I32),
    SCALAR("init_value", 17, ETS_FB_F32),
};
static const struct ets_fb_field roll_fields[] = {
    TENSOR("x", 0),
    TENSOR("out", 1),
    TABLES("shift", 2, int_or_number_type),
    SCALARS("axes", 3, ETS_FB_I32),
};
static const struct ets_fb_field if_fields[] = {
    TABLE("cond", 0, 0, int_or_number_type),
    SCALAR("then_chain_idx", 1, ETS_FB_U32),
    SCALAR("else_chain_idx", 2, ETS_FB_U32),
};
static const struct ets_fb_field random_bits_fields[] = {
    TENSOR("out", 0),
    TABLES("shape", 1, int_or_number_type),
    SCALAR("seed", 2, ETS_FB_U32),
    SCALAR("width", 3, ETS_FB_I32),
};
static const struct ets_fb_field update_and_attend_fields[] = {
    TENSOR("q", 0),
    TENSOR("k", 1),
    TENSOR("v", 2),
    TENSOR("position", 3),
    TENSOR("out", 4),
    SCALAR("layer_id", 5, ETS_FB_I32),
    SCALAR("scale", 6, ETS_FB_F32),
    SCALAR("out_dtype", 7, ETS_FB_I8),
};
static const struct ets_fb_field flip_fields[] = {
    TENSOR("x", 0),
    TENSOR("out", 1),
    SCALARS("axes", 2, ETS_FB_I32),
};

#define OPERATOR(name, fields)      \
    {                               \
        name, fields, COUNT(fields) \
    }
/* By number of the union. */
static const struct ets_fb_type types[] = {
    [1] = {"Noop", NULL, 0},
    [2] = OPERATOR("IdCopy", id_copy_fields),
    [3] = OPERATOR("Addmm", addmm_fields),
    [4] = OPERATOR("ItemInt", item_int_fields),
    [5] = OPERATOR("ExpandDims", expand_dims_fields),
    [6] = OPERATOR("Tile", tile_fields),
    [7] = OPERATOR("TakeAlongAxis", take_along_axis_fields),
    [8] = OPERATOR("Take", take_fields),
    [9] = OPERATOR("RMSNorm", r_m_s_norm_fields),
    [10] = OPERATOR("LayerNorm", layer_norm_fields),
    [11] = OPERATOR("Rope", rope_fields),
    [12] = OPERATOR("Sdpa", sdpa_fields),
    [13] = OPERATOR("Add", add_fields),
    [14] = OPERATOR("AddInt", add_int_fields),
    [15] = OPERATOR("SubtractInt", add_int_fields),
    [16] = OPERATOR("MultiplyInt", add_int_fields),
    [17] = OPERATOR("FloorDivideInt", add_int_fields),
    [18] = OPERATOR("SymSize", sym_size_fields),
    [19] = OPERATOR("Multiply", add_fields),
    [20] = OPERATOR("Divide", add_fields),
    [21] = OPERATOR("Subtract", add_fields),
    [22] = OPERATOR("Conv1D", conv1_d_fields),
    [23] = OPERATOR("Conv2D", conv2_d_fields),
    [24] = OPERATOR("Conv3D", conv3_d_fields),
    [25] = OPERATOR("Gelu", gelu_fields),
    [26] = OPERATOR("ARange", a_range_fields),
    [27] = OPERATOR("Silu", id_copy_fields),
    [28] = OPERATOR("Sigmoid", id_copy_fields),
    [29] = OPERATOR("Tanh", id_copy_fields),
    [30] = OPERATOR("Squeeze", squeeze_fields),
    [31] = OPERATOR("Split", split_fields),
    [32] = OPERATOR("Rsqrt", id_copy_fields),
    [33] = OPERATOR("Maximum", add_fields),
    [34] = OPERATOR("Minimum", add_fields),
    [35] = OPERATOR("Log", id_copy_fields),
    [36] = OPERATOR("Softmax", softmax_fields),
    [37] = OPERATOR("BroadcastTo", broadcast_to_fields),
    [38] = OPERATOR("Pad", pad_fields),
    [39] = OPERATOR("Where", where_fields),
    [40] = OPERATOR("Reshape", broadcast_to_fields),
    [41] = OPERATOR("Transpose", transpose_fields),
    [42] = OPERATOR("AsStrided", as_strided_fields),
    [43] = OPERATOR("Contiguous", id_copy_fields),
    [44] = OPERATOR("Gather", gather_fields),
    [45] = OPERATOR("Slice", slice_fields),
    [46] = OPERATOR("AsType", as_type_fields),
    [47] = OPERATOR("Concatenate", concatenate_fields),
    [48] = OPERATOR("Full", full_fields),
    [49] = OPERATOR("FullLike", full_like_fields),
    [50] = OPERATOR("Argmax", argmax_fields),
    [51] = OPERATOR("SliceUpdate", slice_update_fields),
    [52] = OPERATOR("IndexCopy", index_copy_fields),
    [53] = OPERATOR("Dequantize", dequantize_fields),
    [54] = OPERATOR("Less", add_fields),
    [55] = OPERATOR("LessEqual", add_fields),
    [56] = OPERATOR("Greater", add_fields),
    [57] = OPERATOR("GreaterEqual", add_fields),
    [58] = OPERATOR("Equal", add_fields),
    [59] = OPERATOR("NotEqual", add_fields),
    [60] = OPERATOR("LogicalNot", id_copy_fields),
    [61] = OPERATOR("LogicalAnd", add_fields),
    [62] = OPERATOR("LogicalOr", add_fields),
    [63] = OPERATOR("Tri", tri_fields),
    [64] = OPERATOR("Tril", tril_fields),
    [65] = OPERATOR("Triu", tril_fields),
    [66] = OPERATOR("Floor", id_copy_fields),
    [67] = OPERATOR("Ceil", id_copy_fields),
    [68] = OPERATOR("Square", id_copy_fields),
    [69] = OPERATOR("Exp", id_copy_fields),
    [70] = OPERATOR("Sin", id_copy_fields),
    [71] = OPERATOR("Cos", id_copy_fields),
    [72] = OPERATOR("Tan", id_copy_fields),
    [73] = OPERATOR("Arcsin", id_copy_fields),
    [74] = OPERATOR("Arccos", id_copy_fields),
    [75] = OPERATOR("Arctan", id_copy_fields),
    [76] = OPERATOR("Sinh", id_copy_fields),
    [77] = OPERATOR("Cosh", id_copy_fields),
    [78] = OPERATOR("Arcsinh", id_copy_fields),
    [79] = OPERATOR("Arccosh", id_copy_fields),
    [80] = OPERATOR("Arctanh", id_copy_fields),
    [81] = OPERATOR("Log2", id_copy_fields),
    [82] = OPERATOR("Log10", id_copy_fields),
    [83] = OPERATOR("Log1p", id_copy_fields),
    [84] = OPERATOR("Erf", id_copy_fields),
    [85] = OPERATOR("Expm1", id_copy_fields),
    [86] = OPERATOR("Round", round_fields),
    [87] = OPERATOR("Reciprocal", id_copy_fields),
    [88] = OPERATOR("Sqrt", id_copy_fields),
    [89] = OPERATOR("Abs", id_copy_fields),
    [90] = OPERATOR("Neg", id_copy_fields),
    [91] = OPERATOR("Atan2", add_fields),
    [92] = OPERATOR("LogAddExp", add_fields),
    [93] = OPERATOR("FloorDivide", add_fields),
    [94] = OPERATOR("Power", add_fields),
    [95] = OPERATOR("LogSumExp", log_sum_exp_fields),
    [96] = OPERATOR("Sum", log_sum_exp_fields),
    [97] = OPERATOR("Mean", log_sum_exp_fields),
    [98] = OPERATOR("Var", var_fields),
    [99] = OPERATOR("Std", var_fields),
    [100] = OPERATOR("Prod", log_sum_exp_fields),
    [101] = OPERATOR("Max", log_sum_exp_fields),
    [102] = OPERATOR("Min", log_sum_exp_fields),
    [103] = OPERATOR("Argmin", argmax_fields),
    [104] = OPERATOR("Median", log_sum_exp_fields),
    [105] = OPERATOR("ModInt", add_int_fields),
    [106] = OPERATOR("Remainder", add_fields),
    [107] = OPERATOR("ConvTranspose1D", conv_transpose1_d_fields),
    [108] = OPERATOR("ConvTranspose2D", conv_transpose2_d_fields),
    [109] = OPERATOR("ConvTranspose3D", conv_transpose3_d_fields),
    [110] = OPERATOR("Clip", clip_fields),
    [111] = OPERATOR("Cumsum", cumsum_fields),
    [112] = OPERATOR("Stack", stack_fields),
    [113] = OPERATOR("Sign", id_copy_fields),
    [114] = OPERATOR("Any", log_sum_exp_fields),
    [115] = OPERATOR("All", log_sum_exp_fields),
    [116] = OPERATOR("Repeat", repeat_fields),
    [117] = OPERATOR("Sort", expand_dims_fields),
    [118] = OPERATOR("Argsort", expand_dims_fields),
    [119] = OPERATOR("Partition", partition_fields),
    [120] = OPERATOR("ArgPartition", partition_fields),
    [121] = OPERATOR("QuantizedMatmul", quantized_matmul_fields),
    [122] = OPERATOR("ScatterAdd", scatter_add_fields),
    [123] = OPERATOR("GatherMm", gather_mm_fields),
    [124] = OPERATOR("GatherQmm", gather_qmm_fields),
    [125] = OPERATOR("Scan", scan_fields),
    [126] = OPERATOR("MetalKernel", metal_kernel_fields),
    [127] = OPERATOR("BitwiseInvert", id_copy_fields),
    [128] = OPERATOR("Roll", roll_fields),
    [129] = OPERATOR("BitwiseAnd", add_fields),
    [130] = OPERATOR("BitwiseOr", add_fields),
    [131] = OPERATOR("BitwiseXor", add_fields),
    [132] = OPERATOR("If", if_fields),
    [133] = OPERATOR("RandomBits", random_bits_fields),
    [134] = OPERATOR("UpdateAndAttend", update_and_attend_fields),
    [135] = OPERATOR("Trunc", id_copy_fields),
    [136] = OPERATOR("Flip", flip_fields),
};
enum { OPERATORS = COUNT(types) };
static const struct ets_fb_type *const members[] = {
    NULL,        &types[1],   &types[2],   &types[3],   &types[4],   &types[5],   &types[6],
    &types[7],   &types[8],   &types[9],   &types[10],  &types[11],  &types[12],  &types[13],
    &types[14],  &types[15],  &types[16],  &types[17],  &types[18],  &types[19],  &types[20],
    &types[21],  &types[22],  &types[23],  &types[24],  &types[25],  &types[26],  &types[27],
    &types[28],  &types[29],  &types[30],  &types[31],  &types[32],  &types[33],  &types[34],
    &types[35],  &types[36],  &types[37],  &types[38],  &types[39],  &types[40],  &types[41],
    &types[42],  &types[43],  &types[44],  &types[45],  &types[46],  &types[47],  &types[48],
    &types[49],  &types[50],  &types[51],  &types[52],  &types[53],  &types[54],  &types[55],
    &types[56],  &types[57],  &types[58],  &types[59],  &types[60],  &types[61],  &types[62],
    &types[63],  &types[64],  &types[65],  &types[66],  &types[67],  &types[68],  &types[69],
    &types[70],  &types[71],  &types[72],  &types[73],  &types[74],  &types[75],  &types[76],
    &types[77],  &types[78],  &types[79],  &types[80],  &types[81],  &types[82],  &types[83],
    &types[84],  &types[85],  &types[86],  &types[87],  &types[88],  &types[89],  &types[90],
    &types[91],  &types[92],  &types[93],  &types[94],  &types[95],  &types[96],  &types[97],
    &types[98],  &types[99],  &types[100], &types[101], &types[102], &types[103], &types[104],
    &types[105], &types[106], &types[107], &types[108], &types[109], &types[110], &types[111],
    &types[112], &types[113], &types[114], &types[115], &types[116], &types[117], &types[118],
    &types[119], &types[120], &types[121], &types[122], &types[123], &types[124], &types[125],
    &types[126], &types[127], &types[128], &types[129], &types[130], &types[131], &types[132],
    &types[133], &types[134], &types[135], &types[136],
};
static const struct ets_fb_union operator_union = {members, COUNT(members)};

static const struct ets_fb_field instruction_fields[] = {UNION("op", 0, operator_union)};
static const struct ets_fb_type instruction_type = TYPE("Instruction", instruction_fields);
static const struct ets_fb_field chain_fields[] = {TABLES("instructions", 0, instruction_type)};
static const struct ets_fb_type chain_type = TYPE("InstructionChain", chain_fields);
static const struct ets_fb_field slot_fields[] = {SCALAR("idx", 0, ETS_FB_U32),
                                                  SCALAR("slot_type", 1, ETS_FB_I8)};
static const struct ets_fb_type slot_type = TYPE("SlotVariant", slot_fields);
static const struct ets_fb_field named_slot_fields[] = {STRING("name", 0, ETS_FB_NAME),
                                                        TABLE("slot", 1, 0, slot_type)};
static const struct ets_fb_type named_slot_type = TYPE("NamedSlot", named_slot_fields);
static const struct ets_fb_field dim_fields[] = {SCALAR_OR_MINUS_ONE("value", 0, ETS_FB_I32),
                                                 SCALAR("min_value", 1, ETS_FB_I32),
                                                 SCALAR_OR_MINUS_ONE("max_value", 2, ETS_FB_I32)};
static const struct ets_fb_type dim_type = TYPE("ShapeDim", dim_fields);
static const struct ets_fb_field meta_fields[] = {TABLES("shape", 0, dim_type),
                                                  SCALAR("scalar_type", 1, ETS_FB_I8),
                                                  SCALARS("dim_order", 2, ETS_FB_U8)};
static const struct ets_fb_type meta_type = TYPE("TensorMeta", meta_fields);

static const struct ets_fb_field graph_fields[] = {
    STRING("version", 0, 0),
    SCALAR("num_constant_tensors", 1, ETS_FB_U32),
    SCALAR("num_input_tensors", 2, ETS_FB_U32),
    SCALAR("num_output_tensors", 3, ETS_FB_U32),
    SCALAR("num_mutable_buffer_tensors", 4, ETS_FB_U32),
    SCALAR("num_temp_tensors", 5, ETS_FB_U32),
    SCALAR("num_values", 6, ETS_FB_U32),
    TABLES("instruction_chains", 7, chain_type),
    SCALAR("main_chain_idx", 8, ETS_FB_U32),
    SCALAR_OR_MINUS_ONE("init_chain_idx", 9, ETS_FB_I32),
    TABLES("input_map", 10, slot_type),
    TABLES("output_map", 11, slot_type),
    TABLES("mutable_buffer_map", 12, slot_type),
    TABLES("named_slots", 13, named_slot_type),
    TABLES("tensor_meta", 14, meta_type),
};
const struct ets_fb_type ets_mlx_graph_type = TYPE("MLXGraph", graph_fields);

const struct ets_fb_type *ets_mlx_operator(uint8_t number)
{
    return number > 0 && number < OPERATORS ? &types[number] : NULL;
}

enum ets_mlx_field_kind ets_mlx_field_kind(const struct ets_fb_field *field)
{
    const bool is_number = field->of.scalar == ETS_FB_U32;
    if (field->kind == ETS_FB_SCALAR && is_number && field->flags == ETS_FB_MINUS_ONE) {
        return ETS_MLX_TENSOR;
    }
    if (field->kind == ETS_FB_SCALARS && is_number) return ETS_MLX_TENSORS;
    if (field->kind == ETS_FB_TABLES) return ETS_MLX_INTS_OR_NUMBERS;
    if (field->kind != ETS_FB_TABLE) return ETS_MLX_PLAIN;
    if (field->of.table == &int_or_number_type) return ETS_MLX_INT_OR_NUMBER;
    if (field->of.table == &float_or_number_type) return ETS_MLX_FLOAT_OR_NUMBER;
    return field->of.table == &index_type ? ETS_MLX_INDEX : ETS_MLX_NUMBER_OR_TENSOR;
}
