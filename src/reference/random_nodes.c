/*
 * Lists operators that draw random numbers or compute with complex ones. They are known, but have
 * no reference.
 */
#include "reference/random_nodes.h"

#include <string.h>

#include "base/text.h"
#include "reference/operators.h"

/* "bernoulli" for "torch.ops.aten.bernoulli_.float"; absent: not an operator of aten. */
static struct ets_text base_name(const struct ets_graph_node *node)
{
    const struct ets_text name = ets_reference_operator_name(node->target);
    if (!ets_text_starts_with(name, "aten.")) return (struct ets_text){"", 0};
    const char *begin = name.data + 5;
    const char *dot = memchr(begin, '.', name.size - 5);
    size_t size = dot != NULL ? (size_t)(dot - begin) : name.size - 5;
    if (size > 0 && begin[size - 1] == '_') size--;
    return (struct ets_text){begin, size};
}

static bool is_one_of(struct ets_text name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (ets_text_is(name, names[i])) return true;
    }
    return false;
}

#define IS_ONE_OF(name, names) is_one_of(name, names, sizeof(names) / sizeof *(names))

/* Dropouts draw only in training: dropout(input, p, train). native_dropout draws without `train`.
 */
static bool draws_dropout(const struct ets_graph_node *node)
{
    if (node->input_count < 2) return false;
    const struct ets_graph_argument *p = &node->inputs[1];
    if (p->kind == ETS_ARGUMENT_FLOAT && p->float_value == 0) return false;
    if (node->input_count < 3 || node->inputs[2].kind == ETS_ARGUMENT_NONE) return true;
    return node->inputs[2].kind == ETS_ARGUMENT_BOOL && node->inputs[2].int_value != 0;
}

bool ets_reference_is_random(const struct ets_graph_node *node)
{
    static const char *const RANDOM[] = {
        "bernoulli",  "binomial",    "cauchy",   "exponential",       "geometric",
        "log_normal", "multinomial", "normal",   "normal_functional", "poisson",
        "rand",       "rand_like",   "randint",  "randint_like",      "randn",
        "randn_like", "random",      "randperm", "rrelu_with_noise",  "uniform"};
    static const char *const DROPOUTS[] = {"alpha_dropout", "dropout", "feature_alpha_dropout",
                                           "feature_dropout", "native_dropout"};
    const struct ets_text name = base_name(node);
    return IS_ONE_OF(name, RANDOM) || (IS_ONE_OF(name, DROPOUTS) && draws_dropout(node));
}

bool ets_reference_is_complex(const struct ets_graph_node *node)
{
    static const char *const COMPLEX[] = {"view_as_complex", "view_as_real", "view_as_real_copy",
                                          "complex",         "polar",        "stft",
                                          "istft",           "_conj",        "_conj_physical"};
    const struct ets_text name = base_name(node);
    return ets_text_starts_with(name, "_fft_") || ets_text_starts_with(name, "fft_") ||
           IS_ONE_OF(name, COMPLEX);
}

bool ets_reference_needs_shape_only(const struct ets_graph_node *node)
{
    static const char *const SHAPES[] = {"empty_like", "full_like", "new_empty", "new_full",
                                         "new_ones",   "new_zeros", "ones_like", "sym_numel",
                                         "sym_size",   "zeros_like"};
    return IS_ONE_OF(base_name(node), SHAPES);
}
