/* One number for each element: what pictures of tensors show. */
#include "numerics/magnitudes.h"

#include <math.h>

#include "base/error.h"

static double difference(double value, double reference)
{
    const bool is_same = value == reference || (isnan(value) && isnan(reference));
    return is_same ? 0 : value - reference;
}

static bool is_alike(const struct ets_magnitudes *m)
{
    const struct ets_tensor *tensor = m->elements.tensor, *reference = m->references.tensor;
    if (tensor->rank != reference->rank) return false;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (tensor->sizes[i] != reference->sizes[i]) return false;
    }
    return m->elements.component_count == m->references.component_count;
}

enum ets_status ets_magnitudes_init(struct ets_magnitudes *magnitudes,
                                    const struct ets_tensor *tensor,
                                    const struct ets_tensor *reference, struct ets_error *error)
{
    magnitudes->has_references = reference != NULL;
    ETS_TRY(ets_elements_init(&magnitudes->elements, tensor, error));
    if (magnitudes->elements.remaining == 0) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "a tensor without elements has no picture");
    }
    if (reference == NULL) return ETS_OK;
    ETS_TRY(ets_elements_init(&magnitudes->references, reference, error));
    if (is_alike(magnitudes)) return ETS_OK;
    return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET,
                    "tensors of different shapes or kinds cannot be subtracted");
}

/* hypot, which libraries for devices lack: scaled, so that squares do not overflow. */
static double magnitude(double real, double imaginary)
{
    const double a = fabs(real), b = fabs(imaginary);
    if (isinf(a) || isinf(b)) return (double)INFINITY;
    const double larger = a > b ? a : b, smaller = a > b ? b : a;
    if (!(larger > 0)) return a + b; /* 0, or NaN */
    const double ratio = smaller / larger;
    return larger * sqrt(1 + ratio * ratio);
}

bool ets_magnitudes_next(struct ets_magnitudes *m, double *value_out)
{
    double parts[2] = {0, 0}, other;
    for (uint32_t i = 0; i < m->elements.component_count; i++) {
        if (!ets_elements_next(&m->elements, &parts[i])) return false;
        if (m->has_references && ets_elements_next(&m->references, &other)) {
            parts[i] = difference(parts[i], other);
        }
    }
    *value_out = m->elements.component_count == 2 ? magnitude(parts[0], parts[1]) : parts[0];
    return true;
}
