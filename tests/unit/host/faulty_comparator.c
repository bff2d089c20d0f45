/* A comparator that is wrong in the one way that a FAULT_ macro names. */
#include "etscope/experimental/comparator_plugin.h"

#ifndef FAULT_NO_SYMBOL
static enum ets_status refuse(const struct ets_tensor *reference, const struct ets_tensor *other,
                              double *result_out, struct ets_error *error)
{
    (void)reference;
    (void)other;
    (void)error;
    *result_out = 7;
    return ETS_UNSUPPORTED;
}

const struct ets_comparator *ets_comparator_plugin(void)
{
    static struct ets_comparator comparator = {
        .interface_version = ETS_COMPARATOR_INTERFACE_VERSION,
        .struct_bytes = sizeof comparator,
        .name = "refuses",
        .compare = refuse,
    };
#if defined(FAULT_NOTHING)
    return NULL;
#elif defined(FAULT_VERSION)
    comparator.interface_version++;
#elif defined(FAULT_SIZE)
    comparator.struct_bytes--;
#elif defined(FAULT_NO_NAME)
    comparator.name = NULL;
#elif defined(FAULT_BAD_NAME)
    comparator.name = "bad name";
#elif defined(FAULT_LONG_NAME)
    comparator.name = "a2345678901234567890123456789012";
#elif defined(FAULT_COLUMN)
    comparator.name = "mse";
#elif defined(FAULT_NO_FUNCTION)
    comparator.compare = NULL;
#endif
    return &comparator;
}
#endif
