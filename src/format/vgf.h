/*
 * Reads the container of Arm's VGF files, the payload of VgfBackend.
 *
 *     struct ets_vgf vgf;
 *     ETS_TRY(ets_vgf_init(&vgf, payload, error));
 *     for (uint32_t i = 0; i < vgf.constant_count; i++) ets_vgf_constant(&vgf, i, &constant);
 *
 * A header of 128 bytes with the places of four sections: modules (SPIR-V), the sequence of
 * segments that runs, resources (shapes and formats), constants. All but the last are FlatBuffers.
 * Versions 0.4 and 0.5 of the format. The memory of the payload is borrowed.
 */
#ifndef ETSCOPE_FORMAT_VGF_H
#define ETSCOPE_FORMAT_VGF_H

#include <stdbool.h>

#include "format/flatbuffer.h"

/* Slots of the tables. */
enum { ETS_VGF_MODULES = 0 };
enum { ETS_VGF_MODULE_TYPE = 0, ETS_VGF_MODULE_CODE_TYPE = 3, ETS_VGF_MODULE_CODE = 4 };
enum { ETS_VGF_SEGMENTS = 0, ETS_VGF_INPUTS = 1, ETS_VGF_OUTPUTS = 2 };
enum {
    ETS_VGF_SEGMENT_TYPE = 0,
    ETS_VGF_SEGMENT_MODULE = 2,
    ETS_VGF_SEGMENT_INPUTS = 4,
    ETS_VGF_SEGMENT_OUTPUTS = 5,
    ETS_VGF_SEGMENT_CONSTANTS = 6
};
enum { ETS_VGF_SLOT_BINDING = 0, ETS_VGF_SLOT_RESOURCE = 1 };
enum { ETS_VGF_RESOURCES = 0 };
enum { ETS_VGF_RESOURCE_FORMAT = 1, ETS_VGF_RESOURCE_DESCRIPTION = 3 };
enum { ETS_VGF_DESCRIPTION_SHAPE = 0 };
enum { ETS_VGF_GRAPH = 1 }; /* type of a module or segment; 0: a shader */
enum { ETS_VGF_SPIRV = 1 }; /* type of a code */

struct ets_vgf {
    struct ets_fb modules, sequence, resources; /* roots */
    struct ets_bytes constants;                 /* records, and the data behind them */
    uint32_t constant_count;
    size_t constants_at; /* of the section, in the payload */
};

struct ets_vgf_constant {
    uint32_t resource;
    struct ets_bytes bytes;
};

/* Statuses: WRONG_KIND, UNSUPPORTED, TRUNCATED, MALFORMED, LIMIT. */
enum ets_status ets_vgf_init(struct ets_vgf *vgf, struct ets_bytes payload,
                             struct ets_error *error);

/* `index` is below constant_count; bytes that do not lie in the section are absent. */
void ets_vgf_constant(const struct ets_vgf *vgf, uint32_t index, struct ets_vgf_constant *out);

/* The code of a module as words of SPIR-V; data NULL: it has none. */
struct ets_bytes ets_vgf_code(const struct ets_vgf *vgf, uint32_t module);

#endif
