/*
 * Lists operators that compute with complex numbers, which are known, but have no reference, and
 * those that need no numbers.
 */
#include "reference/complex_nodes.h"

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
