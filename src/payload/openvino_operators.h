/* OpenVINO's types of layers and elements. */
#ifndef ETSCOPE_PAYLOAD_OPENVINO_OPERATORS_H
#define ETSCOPE_PAYLOAD_OPENVINO_OPERATORS_H

#include "payload/payload.h"

/* ATen's operator of a type of layers; NULL: none that is known to be the same. */
const char *ets_openvino_operation(struct ets_text type);
/* "FP16" of a port; never NULL. */
const struct ets_payload_type *ets_openvino_type(struct ets_text precision);

#endif
