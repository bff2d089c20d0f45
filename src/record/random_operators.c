/* Lists the operators that draw random numbers. */
#include "record/random_operators.h"

#include <stddef.h>

#include "record/operator_names.h"

static bool is_one_of(struct ets_text name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (ets_text_is(name, names[i])) return true;
    }
    return false;
}

/* dropout(input, p, train); native_dropout draws without `train`. */
static bool draws_dropout(const struct ets_graph_node *node)
{
    if (node->input_count < 2) return false;
    const struct ets_graph_argument *p = &node->inputs[1];
    if (p->kind == ETS_ARGUMENT_FLOAT && p->float_value == 0) return false;
    if (node->input_count < 3 || node->inputs[2].kind == ETS_ARGUMENT_NONE) return true;
    return node->inputs[2].kind == ETS_ARGUMENT_BOOL && node->inputs[2].int_value != 0;
}

bool ets_node_is_random(const struct ets_graph_node *node)
{
    static const char *const random[] = {"_standard_gamma",
                                         "bernoulli",
                                         "binomial",
                                         "cauchy",
                                         "exponential",
                                         "geometric",
                                         "log_normal",
                                         "multinomial",
                                         "normal",
                                         "poisson",
                                         "rand",
                                         "rand_like",
                                         "randint",
                                         "randint_like",
                                         "randn",
                                         "randn_like",
                                         "random",
                                         "randperm",
                                         "normal_functional",
                                         "rrelu_with_noise",
                                         "_sample_dirichlet",
                                         "uniform"};
    static const char *const dropouts[] = {"alpha_dropout",         "dropout",
                                           "feature_alpha_dropout", "feature_dropout",
                                           "native_dropout",        "_fused_dropout"};
    const struct ets_text name = ets_node_base_name(node->op);
    return is_one_of(name, random, sizeof random / sizeof *random) ||
           (is_one_of(name, dropouts, sizeof dropouts / sizeof *dropouts) && draws_dropout(node));
}
