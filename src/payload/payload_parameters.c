/* What readers of payloads share of operators' parameters. */
#include "payload/payload_parameters.h"

#include <string.h>

int64_t *ets_payload_add_integers(struct ets_payload_builder *builder, uint32_t count, bool is_list,
                                  struct ets_payload_parameter *out)
{
    int64_t *integers = ets_payload_room(builder, count, sizeof *integers);
    out->kind = ETS_PAYLOAD_INTEGERS;
    out->is_list = is_list;
    out->count = count;
    out->integers = integers;
    return integers;
}

double *ets_payload_add_reals(struct ets_payload_builder *builder, uint32_t count, bool is_list,
                              struct ets_payload_parameter *out)
{
    double *reals = ets_payload_room(builder, count, sizeof *reals);
    out->kind = ETS_PAYLOAD_REALS;
    out->is_list = is_list;
    out->count = count;
    out->reals = reals;
    return reals;
}

bool ets_payload_set_integer(struct ets_payload_builder *builder, int64_t value,
                             struct ets_payload_parameter *out)
{
    int64_t *integer = ets_payload_add_integers(builder, 1, false, out);
    if (integer != NULL) *integer = value;
    return integer != NULL;
}

bool ets_payload_set_real(struct ets_payload_builder *builder, double value,
                          struct ets_payload_parameter *out)
{
    double *real = ets_payload_add_reals(builder, 1, false, out);
    if (real != NULL) *real = value;
    return real != NULL;
}

const struct ets_payload_parameter *ets_payload_find_integers(const struct ets_payload_node *node,
                                                              const char *name)
{
    for (uint32_t i = 0; i < node->parameter_count; i++) {
        const struct ets_payload_parameter *parameter = &node->parameters[i];
        const bool is_it = parameter->kind == ETS_PAYLOAD_INTEGERS && parameter->count > 0 &&
                           strcmp(parameter->name, name) == 0;
        if (is_it) return parameter;
    }
    return NULL;
}
