/* The share of elements that changed their sign, which matters for the margin of a classifier. */
#include "etscope/experimental/comparator_plugin.h"
#include "etscope/numerics.h"

static enum ets_status compare(const struct ets_tensor *reference, const struct ets_tensor *other,
                               double *result_out, struct ets_error *error)
{
    struct ets_elements left, right;
    double a, b, count = 0, flips = 0;
    enum ets_status status = ets_elements_init(&left, reference, error);
    if (status == ETS_OK) status = ets_elements_init(&right, other, error);
    if (status != ETS_OK) return status;
    while (ets_elements_next(&left, &a) && ets_elements_next(&right, &b)) {
        count++;
        flips += (a < 0 && b > 0) || (a > 0 && b < 0);
    }
    *result_out = count > 0 ? flips / count : 0;
    return ETS_OK;
}

const struct ets_comparator *ets_comparator_plugin(void)
{
    static const struct ets_comparator comparator = {
        .interface_version = ETS_COMPARATOR_INTERFACE_VERSION,
        .struct_bytes = sizeof comparator,
        .name = "sign_flips",
        .title = "sign flips",
        .compare = compare,
    };
    return &comparator;
}
