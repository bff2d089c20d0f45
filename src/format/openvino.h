/*
 * The payload of OpenVINO's backend for the CPU: a header, constants, and the model as XML, whose
 * bytes are combined with a constant key that OpenVINO documents.
 *
 *     struct ets_openvino blob;
 *     ETS_TRY(ets_openvino_init(&blob, payload, &error));
 *     char *text = room(blob.model.size);
 *     ets_openvino_decode(&blob, text);
 *
 * Of other devices, and of versions without the header, nothing is read.
 */
#ifndef ETSCOPE_FORMAT_OPENVINO_H
#define ETSCOPE_FORMAT_OPENVINO_H

#include <stdbool.h>

#include "base/error.h"

#define ETS_OPENVINO_BACKEND "OpenvinoBackend"

struct ets_openvino {
    struct ets_text build; /* "meta=1.0;ov=2026.4.1;isa=..." */
    struct ets_bytes constants;
    struct ets_bytes model; /* as it lies there */
};

/* Statuses: UNSUPPORTED (no such header), TRUNCATED, MALFORMED. */
enum ets_status ets_openvino_init(struct ets_openvino *blob, struct ets_bytes payload,
                                  struct ets_error *error);

/* Writes the model's XML to text[blob->model.size]. */
void ets_openvino_decode(const struct ets_openvino *blob, char *text);

#endif
