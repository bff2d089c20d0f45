/* Fills parameters of operators, and finds them, for readers of payloads. */
#ifndef ETSCOPE_PAYLOAD_PAYLOAD_PARAMETERS_H
#define ETSCOPE_PAYLOAD_PAYLOAD_PARAMETERS_H

#include "payload/payload_reader.h"

/* Numbers to be filled, of a parameter whose name is left as it is. NULL: no memory, or beyond the
 * limit, which the builder keeps. */
int64_t *ets_payload_add_integers(struct ets_payload_builder *builder, uint32_t count, bool is_list,
                                  struct ets_payload_parameter *out);
double *ets_payload_add_reals(struct ets_payload_builder *builder, uint32_t count, bool is_list,
                              struct ets_payload_parameter *out);
/* One number; false: as NULL above. */
bool ets_payload_set_integer(struct ets_payload_builder *builder, int64_t value,
                             struct ets_payload_parameter *out);
bool ets_payload_set_real(struct ets_payload_builder *builder, double value,
                          struct ets_payload_parameter *out);

/* The first parameter of this name that has integers, at least one; NULL: none. All have names. */
const struct ets_payload_parameter *ets_payload_find_integers(const struct ets_payload_node *node,
                                                              const char *name);

#endif
