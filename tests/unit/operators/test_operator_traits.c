/* Names of operators in all their forms, and the table of traits. */
#include "test_faults_support.h"

#include "operators/operator_traits.h"

static void assert_base(const char *name, const char *base)
{
    const struct ets_text found = ets_operator_base_name(ets_text_of(name));
    assert_int_equal(found.size, strlen(base));
    assert_memory_equal(found.data, base, found.size);
}

static void names__of_all_variants_have_one_base(void **state)
{
    (void)state;
    assert_base("aten::add.out", "add");
    assert_base("aten::add_.Tensor", "add");
    assert_base("aten.add.Tensor", "add");
    assert_base("add.Tensor", "add");
    assert_base("aten::linear", "linear");
    assert_base("permute_copy.out", "permute");
    assert_base("aten.permute_copy.default", "permute");
    assert_base("dim_order_ops::_to_dim_order_copy.out", "_to_dim_order");
    assert_base("sym_size.int", "sym_size");
    assert_base("executorch.exir.dialects.edge.ops.aten.view_copy.default", "view");
    assert_base("aten.index_copy.default", "index_copy");
    assert_base("aten::index_copy.out", "index_copy");
    assert_base("_copy", "_copy");
    assert_base("_", "_");
    assert_base("aten::", "");
    assert_base(".", "");
    assert_base("", "");
    assert_int_equal(ets_operator_base_name((struct ets_text){NULL, 0}).size, 0);
}

static void names__tell_the_variant_that_changes_its_argument(void **state)
{
    (void)state;
    assert_true(ets_operator_is_mutating(ets_text_of("aten.index_put_.default")));
    assert_true(ets_operator_is_mutating(ets_text_of("aten::add_.Tensor")));
    assert_false(ets_operator_is_mutating(ets_text_of("aten.index_put.default")));
    assert_false(ets_operator_is_mutating(ets_text_of("aten::")));
    assert_false(ets_operator_is_mutating((struct ets_text){NULL, 0}));
}

static void traits__do_not_depend_on_the_form_of_a_name(void **state)
{
    (void)state;
    static const char *const forms[] = {"aten::mm.out", "aten.mm.default", "mm.default", "mm"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        assert_int_equal(ets_operator_traits(ets_text_of(forms[i])), ETS_OPERATOR_PRODUCT);
    }
    assert_int_equal(ets_operator_traits(ets_text_of("aten::cumsum.out")), 0);
    assert_int_equal(ets_operator_traits(ets_text_of("aten::")), 0);
}

static void traits__of_families_need_only_their_start(void **state)
{
    (void)state;
    static const char *const quantize[] = {"quantized_decomposed.quantize_per_tensor.default",
                                           "quantized_decomposed::quantize_per_channel.out",
                                           "torchao.quantize_affine.default"};
    for (size_t i = 0; i < sizeof quantize / sizeof *quantize; i++) {
        assert_int_equal(ets_operator_traits(ets_text_of(quantize[i])), ETS_OPERATOR_QUANTIZE);
    }
    assert_int_equal(ets_operator_traits(ets_text_of("quantized_decomposed.choose_qparams.tensor")),
                     ETS_OPERATOR_CHOOSE_SCALE);
    assert_int_equal(
        ets_operator_traits(ets_text_of("quantized_decomposed.dequantize_per_token.default")),
        ETS_OPERATOR_DEQUANTIZE);
    assert_false(
        ets_operator_is(ets_text_of("cadence::quantized_linear.out"), ETS_OPERATOR_QUANTIZATION));
}

/* The first and the last rows, and some whose names begin alike, which a wrong order would hide. */
static void table__is_in_order(void **state)
{
    (void)state;
    static const char *const alike[] = {
        "_clone_dim_order", "_to",         "_to_dim_order", "conv3d",
        "conv_transpose1d", "convolution", "log",           "log1p",
        "log_normal",       "ne",          "neg",           "rand",
        "rand_like",        "randint",     "randperm",      "sqrt",
        "squeeze",          "t",           "tanh",          "view"};
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++) {
        assert_int_not_equal(ets_operator_traits(ets_text_of(alike[i])), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names__of_all_variants_have_one_base),
        cmocka_unit_test(names__tell_the_variant_that_changes_its_argument),
        cmocka_unit_test(traits__do_not_depend_on_the_form_of_a_name),
        cmocka_unit_test(traits__of_families_need_only_their_start),
        cmocka_unit_test(table__is_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
