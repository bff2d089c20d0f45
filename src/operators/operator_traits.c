/* The table of operators. */
#include "operators/operator_traits.h"

#include <string.h>

#define RANDOM ETS_OPERATOR_RANDOM
#define DROPOUT ETS_OPERATOR_DROPOUT
#define PRODUCT ETS_OPERATOR_PRODUCT
#define CONVOLUTION ETS_OPERATOR_CONVOLUTION
#define VIEW ETS_OPERATOR_VIEW
#define PERMUTE ETS_OPERATOR_PERMUTE
#define PART ETS_OPERATOR_PART
#define SIZE ETS_OPERATOR_SIZE
#define CAST ETS_OPERATOR_CAST
#define COMPARE ETS_OPERATOR_COMPARE
#define PAIRWISE ETS_OPERATOR_PAIRWISE
#define IN_PLACE ETS_OPERATOR_IN_PLACE

/* In the order of strcmp. */
static const struct {
    const char *name;
    uint32_t traits;
} operators[] = {
    {"_clone_dim_order", VIEW},
    {"_fused_dropout", DROPOUT},
    {"_sample_dirichlet", RANDOM},
    {"_standard_gamma", RANDOM},
    {"_to", CAST},
    {"_to_dim_order", CAST},
    {"_unsafe_view", VIEW},
    {"abs", IN_PLACE},
    {"add", PAIRWISE | IN_PLACE},
    {"addmm", PRODUCT},
    {"alias", VIEW},
    {"alpha_dropout", DROPOUT},
    {"bernoulli", RANDOM},
    {"binomial", RANDOM},
    {"bmm", PRODUCT},
    {"cauchy", RANDOM},
    {"ceil", IN_PLACE},
    {"clamp", IN_PLACE},
    {"clone", VIEW},
    {"contiguous", VIEW},
    {"conv1d", CONVOLUTION},
    {"conv2d", CONVOLUTION},
    {"conv3d", CONVOLUTION},
    {"conv_transpose1d", CONVOLUTION},
    {"conv_transpose2d", CONVOLUTION},
    {"conv_transpose3d", CONVOLUTION},
    {"convolution", CONVOLUTION},
    {"cos", IN_PLACE},
    {"detach", VIEW},
    {"div", PAIRWISE | IN_PLACE},
    {"dropout", DROPOUT},
    {"elu", IN_PLACE},
    {"eq", COMPARE},
    {"erf", IN_PLACE},
    {"exp", IN_PLACE},
    {"expand", PART},
    {"exponential", RANDOM},
    {"feature_alpha_dropout", DROPOUT},
    {"feature_dropout", DROPOUT},
    {"flatten", VIEW},
    {"floor", IN_PLACE},
    {"ge", COMPARE},
    {"gelu", IN_PLACE},
    {"geometric", RANDOM},
    {"getitem", SIZE},
    {"gt", COMPARE},
    {"hardtanh", IN_PLACE},
    {"le", COMPARE},
    {"leaky_relu", IN_PLACE},
    {"lift_fresh", VIEW},
    {"linear", PRODUCT},
    {"log", IN_PLACE},
    {"log1p", IN_PLACE},
    {"log_normal", RANDOM},
    {"lt", COMPARE},
    {"matmul", PRODUCT},
    {"maximum", PAIRWISE | IN_PLACE},
    {"minimum", PAIRWISE | IN_PLACE},
    {"mm", PRODUCT},
    {"mul", PAIRWISE | IN_PLACE},
    {"multinomial", RANDOM},
    {"native_dropout", DROPOUT},
    {"ne", COMPARE},
    {"neg", IN_PLACE},
    {"normal", RANDOM},
    {"normal_functional", RANDOM},
    {"permute", PERMUTE},
    {"poisson", RANDOM},
    {"rand", RANDOM},
    {"rand_like", RANDOM},
    {"randint", RANDOM},
    {"randint_like", RANDOM},
    {"randn", RANDOM},
    {"randn_like", RANDOM},
    {"random", RANDOM},
    {"randperm", RANDOM},
    {"reciprocal", IN_PLACE},
    {"relu", IN_PLACE},
    {"reshape", VIEW},
    {"round", IN_PLACE},
    {"rrelu_with_noise", RANDOM},
    {"rsqrt", IN_PLACE},
    {"select", PART},
    {"sigmoid", IN_PLACE},
    {"sin", IN_PLACE},
    {"slice", PART},
    {"sqrt", IN_PLACE},
    {"squeeze", VIEW},
    {"sub", PAIRWISE | IN_PLACE},
    {"sym_size", SIZE},
    {"t", PERMUTE},
    {"tanh", IN_PLACE},
    {"transpose", PERMUTE},
    {"trunc", IN_PLACE},
    {"unflatten", VIEW},
    {"uniform", RANDOM},
    {"unsqueeze", VIEW},
    {"view", VIEW},
};

/* Of these, libraries have many by the end of their names. */
static const struct {
    const char *start;
    uint32_t traits;
} families[] = {
    {"choose_qparams", ETS_OPERATOR_CHOOSE_SCALE},
    {"dequantize_", ETS_OPERATOR_DEQUANTIZE},
    {"quantize_", ETS_OPERATOR_QUANTIZE},
};

/* Behind the namespace "aten::" or "aten.", in front of the overload. */
static struct ets_text without_ends(struct ets_text name)
{
    const char *const end = name.data + name.size;
    for (const char *at = name.data; at + 1 < end; at++) {
        if (at[0] != ':' || at[1] != ':') continue;
        const char *const start = at + 2;
        const char *const dot = memchr(start, '.', (size_t)(end - start));
        return (struct ets_text){start, (size_t)((dot == NULL ? end : dot) - start)};
    }
    const char *last = end;
    while (last > name.data && last[-1] != '.') last--;
    if (last == name.data) return name;
    const char *start = last - 1; /* the overload's dot */
    while (start > name.data && start[-1] != '.') start--;
    return (struct ets_text){start, (size_t)(last - 1 - start)};
}

struct ets_text ets_operator_base_name(struct ets_text name)
{
    static const char copy[] = "_copy";
    const size_t copy_size = sizeof copy - 1;
    if (name.size == 0) return name; /* an event without a name */
    struct ets_text base = without_ends(name);
    /* "permute_copy" is permute; index_copy is an operator of its own */
    if (base.size > copy_size && !ets_text_is(base, "index_copy") &&
        memcmp(base.data + base.size - copy_size, copy, copy_size) == 0) {
        base.size -= copy_size;
    }
    while (base.size > 1 && base.data[base.size - 1] == '_') base.size--;
    return base;
}

bool ets_operator_is_mutating(struct ets_text name)
{
    if (name.size == 0) return false;
    const struct ets_text base = without_ends(name);
    return base.size > 1 && base.data[base.size - 1] == '_';
}

static int compare(struct ets_text name, const char *row)
{
    const size_t size = strlen(row);
    const int order = memcmp(name.data, row, name.size < size ? name.size : size);
    return order != 0 ? order : (name.size > size) - (name.size < size);
}

uint32_t ets_operator_traits(struct ets_text name)
{
    const struct ets_text base = ets_operator_base_name(name);
    if (base.size == 0) return 0;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        if (ets_text_starts_with(base, families[i].start)) return families[i].traits;
    }
    size_t low = 0, high = sizeof operators / sizeof *operators;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = compare(base, operators[middle].name);
        if (order == 0) return operators[middle].traits;
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return 0;
}
