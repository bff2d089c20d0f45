/* Operators of different runtimes with one kind. */
#include "test_faults_support.h"

#include "compare/operator_kinds.h"

static void assert_kind(const char *name, const char *expected)
{
    struct ets_arena arena;
    struct ets_text kind;
    ets_arena_init(&arena, NULL, 0);
    assert_true(ets_operator_kind(&arena, (struct ets_text){name, strlen(name)}, &kind));
    assert_int_equal(kind.size, strlen(expected));
    assert_memory_equal(kind.data, expected, kind.size);
    ets_arena_reset(&arena);
}

static void test_operator_kinds__runtimes_name_one_kind(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *names[8];
    } cases[] = {
        {"linear",
         {"addmm.out", "aten::linear", "Gemm", "FusedGemm", "FULLY_CONNECTED",
          "Fully Connected (NC, F32) GEMM", "Fully Connected (NC, F32) GEMM #1"}},
        {"matmul",
         {"MatMul", "bmm.out", "mm.out", "BATCH_MATMUL",
          "Batch Matrix Multiply (NC, F32) GEMM #2"}},
        {"conv",
         {"convolution.out", "Conv", "FusedConv", "CONV_2D", "DEPTHWISE_CONV_2D",
          "Convolution (NHWC, F32) IGEMM #1"}},
        {"softmax", {"_softmax.out", "Softmax", "SOFTMAX", "Softmax (NC, F32) #1"}},
        {"transpose", {"permute_copy.out", "Transpose", "TRANSPOSE", "aten::t"}},
        {"reshape", {"view_copy.out", "Reshape", "Static Reshape (NC)", "Unsqueeze"}},
        {"sum", {"sum.IntList_out", "ReduceSum", "SUM"}},
        {"relu", {"relu.out", "aten::relu", "Relu", "RELU"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t k = 0; k < 8 && cases[i].names[k] != NULL; k++) {
            assert_kind(cases[i].names[k], cases[i].kind);
        }
    }
}

static void test_operator_kinds__an_unknown_name_is_its_letters(void **state)
{
    (void)state;
    assert_kind("my_ops::Fancy.out", "fancy");
    assert_kind("TopK", "topk");
    assert_kind("topk.values", "topk");
    assert_kind("Fused", "fused");
    assert_kind("::", "::");
    assert_kind("", "");
    assert_kind("a b c", "abc");
    assert_kind(" linear ", "linear"); /* blanks do not match two names of a list at once */
    assert_kind("gemmfullyconnected", "gemmfullyconnected");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operator_kinds__runtimes_name_one_kind),
        cmocka_unit_test(test_operator_kinds__an_unknown_name_is_its_letters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
