/* Reads the container of Arm's VGF files. */
#include "format/vgf.h"

#include <string.h>

#include "format/descriptor.h"

enum { HEADER_BYTES = 128, SECTIONS_AT = 16, SECTION_BYTES = 16 };
enum { MAGIC_BYTES = 8, COUNT_BYTES = 8, RECORD_BYTES = 24 };

static const struct ets_fb_field code_fields[] = {SCALARS("words", 0, ETS_FB_U32)};
static const struct ets_fb_type code_type = TYPE("SPIRV", code_fields);
/* Code in other languages is not read. */
static const struct ets_fb_type *const codes[] = {NULL, &code_type};
static const struct ets_fb_union code_union = {codes, COUNT(codes)};
static const struct ets_fb_field module_fields[] = {
    SCALAR("type", ETS_VGF_MODULE_TYPE, ETS_FB_U8),
    STRING("name", 1, ETS_FB_NAME),
    STRING("entry_point", 2, ETS_FB_NAME),
    UNION("code", ETS_VGF_MODULE_CODE_TYPE, code_union),
};
static const struct ets_fb_type module_type = TYPE("Module", module_fields);
static const struct ets_fb_field modules_fields[] = {TABLES("modules", 0, module_type)};
static const struct ets_fb_type modules_type = TYPE("ModuleTable", modules_fields);

static const struct ets_fb_field slot_fields[] = {
    SCALAR("binding", ETS_VGF_SLOT_BINDING, ETS_FB_U32),
    SCALAR("mrt_index", ETS_VGF_SLOT_RESOURCE, ETS_FB_U32),
};
static const struct ets_fb_type slot_type = TYPE("BindingSlot", slot_fields);
static const struct ets_fb_field segment_fields[] = {
    SCALAR("type", ETS_VGF_SEGMENT_TYPE, ETS_FB_U8),
    STRING("name", 1, ETS_FB_NAME),
    SCALAR("module_index", ETS_VGF_SEGMENT_MODULE, ETS_FB_U32),
    TABLES("inputs", ETS_VGF_SEGMENT_INPUTS, slot_type),
    TABLES("outputs", ETS_VGF_SEGMENT_OUTPUTS, slot_type),
    SCALARS("constants", ETS_VGF_SEGMENT_CONSTANTS, ETS_FB_U32),
};
static const struct ets_fb_type segment_type = TYPE("SegmentInfo", segment_fields);
static const struct ets_fb_field sequence_fields[] = {
    TABLES("segments", ETS_VGF_SEGMENTS, segment_type),
    TABLES("inputs", ETS_VGF_INPUTS, slot_type),
    TABLES("outputs", ETS_VGF_OUTPUTS, slot_type),
};
static const struct ets_fb_type sequence_type = TYPE("ModelSequenceTable", sequence_fields);

static const struct ets_fb_field description_fields[] = {
    SCALARS("shape", ETS_VGF_DESCRIPTION_SHAPE, ETS_FB_I64),
    SCALARS("strides", 1, ETS_FB_I64),
};
static const struct ets_fb_type description_type = TYPE("Description", description_fields);
static const struct ets_fb_field resource_fields[] = {
    SCALAR("vk_descriptor_type", 0, ETS_FB_U32),
    SCALAR("vk_format", ETS_VGF_RESOURCE_FORMAT, ETS_FB_U32),
    SCALAR("category", 2, ETS_FB_U8),
    TABLE("description", ETS_VGF_RESOURCE_DESCRIPTION, 0, description_type),
};
static const struct ets_fb_type resource_type = TYPE("ModelResourceTableEntry", resource_fields);
static const struct ets_fb_field resources_fields[] = {TABLES("entries", 0, resource_type)};
static const struct ets_fb_type resources_type = TYPE("ModelResourceTable", resources_fields);

static enum ets_status take_section(struct ets_bytes payload, uint32_t index, struct ets_bytes *out,
                                    struct ets_error *error)
{
    static const char *const names[] = {"modules", "sequence", "resources", "constants"};
    const size_t at = SECTIONS_AT + SECTION_BYTES * (size_t)index;
    const uint64_t offset = ets_load_u64(payload.data + at);
    const uint64_t size = ets_load_u64(payload.data + at + 8);
    if (!ets_range_fits(offset, size, payload.size)) {
        return ets_fail(error, ETS_TRUNCATED, at, "the section of %s runs past the end",
                        names[index]);
    }
    *out = (struct ets_bytes){payload.data + offset, (size_t)size};
    return ETS_OK;
}

static enum ets_status take_table(struct ets_bytes payload, uint32_t index,
                                  const struct ets_fb_type *type, struct ets_fb *root,
                                  struct ets_error *error)
{
    struct ets_bytes section;
    ETS_TRY(take_section(payload, index, &section, error));
    *root = (struct ets_fb){NULL, 0};
    if (section.size == 0) return ETS_OK;
    const uint64_t origin = (uint64_t)(section.data - payload.data);
    return ets_fb_verify_root(section, 0, type, origin, root, error);
}

static enum ets_status take_constants(struct ets_vgf *vgf, struct ets_bytes payload,
                                      struct ets_error *error)
{
    struct ets_bytes section;
    ETS_TRY(take_section(payload, 3, &section, error));
    vgf->constants_at = (size_t)(section.data - payload.data);
    if (section.size == 0) return ETS_OK;
    if (section.size < MAGIC_BYTES + COUNT_BYTES ||
        memcmp(section.data, "CONST00", MAGIC_BYTES) != 0) {
        return ets_fail(error, ETS_UNSUPPORTED, vgf->constants_at,
                        "constants of an unknown version");
    }
    const uint64_t count = ets_load_u64(section.data + MAGIC_BYTES);
    const size_t rest = section.size - MAGIC_BYTES - COUNT_BYTES;
    if (count > rest / RECORD_BYTES) {
        return ets_fail(error, ETS_TRUNCATED, vgf->constants_at + MAGIC_BYTES,
                        "%llu constants run past the end", (unsigned long long)count);
    }
    vgf->constant_count = (uint32_t)count;
    vgf->constants = (struct ets_bytes){section.data + MAGIC_BYTES + COUNT_BYTES, rest};
    return ETS_OK;
}

enum ets_status ets_vgf_init(struct ets_vgf *vgf, struct ets_bytes payload, struct ets_error *error)
{
    *vgf = (struct ets_vgf){.constant_count = 0};
    if (payload.size < 4 || memcmp(payload.data, "VGF1", 4) != 0) {
        return ets_fail(error, ETS_WRONG_KIND, 0, "is no VGF file: no VGF1 at its beginning");
    }
    if (payload.size < HEADER_BYTES) {
        return ets_fail(error, ETS_TRUNCATED, payload.size, "ends in the header of a VGF file");
    }
    ETS_TRY(take_table(payload, 0, &modules_type, &vgf->modules, error));
    ETS_TRY(take_table(payload, 1, &sequence_type, &vgf->sequence, error));
    ETS_TRY(take_table(payload, 2, &resources_type, &vgf->resources, error));
    return take_constants(vgf, payload, error);
}

void ets_vgf_constant(const struct ets_vgf *vgf, uint32_t index, struct ets_vgf_constant *out)
{
    const uint8_t *record = vgf->constants.data + RECORD_BYTES * (size_t)index;
    const size_t records = RECORD_BYTES * (size_t)vgf->constant_count;
    const uint64_t size = ets_load_u64(record + 8), offset = ets_load_u64(record + 16);
    *out = (struct ets_vgf_constant){.resource = ets_load_u32(record)};
    if (!ets_range_fits(offset, size, vgf->constants.size - records)) return;
    out->bytes = (struct ets_bytes){vgf->constants.data + records + offset, (size_t)size};
}

struct ets_bytes ets_vgf_code(const struct ets_vgf *vgf, uint32_t module)
{
    const struct ets_fb_vector modules = ets_fb_vector(vgf->modules, ETS_VGF_MODULES);
    const struct ets_bytes none = {NULL, 0};
    if (module >= modules.count) return none;
    const struct ets_fb table = ets_fb_vector_table(modules, module);
    if (ets_fb_u8(table, ETS_VGF_MODULE_CODE_TYPE, 0) != ETS_VGF_SPIRV) return none;
    const struct ets_fb_vector words = ets_fb_vector(ets_fb_table(table, ETS_VGF_MODULE_CODE), 0);
    if (words.at == 0) return none;
    return (struct ets_bytes){words.base + words.at, 4 * (size_t)words.count};
}
