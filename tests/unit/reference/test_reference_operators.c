/* The table of operators that are evaluated, against the table of what operators are. */
#include "test_faults_support.h"

#include <stdio.h>

#include "operators/operator_traits.h"
#include "reference/operators.h"

/* Operators that the reference evaluates and that have no trait: each was looked at. A new one
 * either gets a row in the table of traits or is added here. */
static const char without_row[] =
    " "
    "__and __or __xor _adaptive_avg_pool2d _assert_async _assert_scalar "
    "_assert_tensor_metadata _cdist_forward _choose_qparams_per_token_asymmetric_impl _d2h "
    "_empty_dim_order _h2d _local_scalar_dense _log_softmax _native_batch_norm_legit "
    "_native_batch_norm_legit_no_training _operator _pdist_forward _prelu_kernel _softmax "
    "_upsample_bilinear2d_aa acos acosh adaptive_avg_pool2d amax amin any arange argmax argmin "
    "as_strided asin asinh atan atan2 atanh avg_pool2d batch_norm bitwise_and "
    "bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor broadcast_to "
    "cat celu  chunk clamp_max "
    "clamp_min clip concat concatenate constant_pad_nd convolution_backward copy cosh cumsum "
    "custom_quantized_sdpa custom_sdpa diagonal divide embedding embedding_2bit embedding_4bit "
    "embedding_byte empty empty_like expand_as expm1 fast_hadamard_transform fill flip "
    "floor_divide fmod full full_like gather glu grid_sampler_2d group_norm hardsigmoid "
    "hardswish index index_copy index_put index_select isinf isnan item layer_norm lift log10 "
    "log2 log_sigmoid log_softmax logical_and logical_not logical_or logical_xor logit "
    "masked_fill masked_scatter masked_select math max max_pool2d max_pool2d_with_indices "
    "max_pool2d_with_indices_backward mean min mish multiply narrow native_group_norm "
    "native_layer_norm negative new_empty new_full new_ones new_zeros nonzero numpy_T ones "
    "ones_like pad pixel_shuffle pixel_unshuffle pow prelu prod reflection_pad1d "
    "reflection_pad2d reflection_pad3d relu6 remainder repeat repeat_interleave "
    "replication_pad1d replication_pad2d replication_pad3d reshape_as resolve_conj resolve_neg "
    "rms_norm roll rsub scalar_tensor scaled_dot_product_attention scatter scatter_add "
    "sdpa_with_kv_cache select_scatter selu sign silu sinh slice_scatter softmax softplus "
    "split split_with_sizes square stack subtract sum swapaxes swapdims sym_constrain_range "
    "sym_constrain_range_for_size sym_numel tan to topk torch tril type_as unbind unfold "
    "update_cache update_cache_with_indices upsample_bilinear2d upsample_nearest2d var "
    "var_mean view_as where zero zeros zeros_like ";

static void traits__of_each_operator_that_is_evaluated_were_decided(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < ets_reference_operator_count; i++) {
        const char *name = ets_reference_operators[i].name;
        const struct ets_text base = ets_operator_base_name(ets_text_of(name));
        char word[128];
        assert_true(base.size + 3 < sizeof word);
        snprintf(word, sizeof word, " %.*s ", (int)base.size, base.data);
        const bool has_row = ets_operator_traits(ets_text_of(name)) != 0;
        const bool is_listed = strstr(without_row, word) != NULL;
        if (has_row == is_listed) {
            fail_msg("%s: %s", name,
                     has_row ? "has a row, and stands in the list of those without"
                             : "has no row, and does not stand in the list of those without");
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traits__of_each_operator_that_is_evaluated_were_decided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
