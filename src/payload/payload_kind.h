/* What a payload is that no reader here understands: what it begins like, and how it is cut. */
#ifndef ETSCOPE_PAYLOAD_PAYLOAD_KIND_H
#define ETSCOPE_PAYLOAD_PAYLOAD_KIND_H

#include "etscope/base.h"

enum { ETS_PAYLOAD_KIND_CHARS = 32 };

/*
 * "FlatBuffer VK00", "zip", "ExecuTorch program", "ELF"; "unknown" where the first bytes say
 * nothing. The answer is static, or `text`.
 */
const char *ets_payload_kind(struct ets_bytes payload, char text[ETS_PAYLOAD_KIND_CHARS]);

/* The same, and where the bytes say nothing, what this backend writes: "Samsung ENN network". */
const char *ets_payload_kind_of(struct ets_text backend, struct ets_bytes payload,
                                char text[ETS_PAYLOAD_KIND_CHARS]);

/*
 * The FlatBuffer in it, which begins at its first byte or behind Vulkan's header (ExecuTorch
 * backends/vulkan/runtime/VulkanDelegateHeader.h, magic VH00); data NULL: none. It is not verified.
 * `*constants_out`: what the header says of constants behind it; data NULL: nothing.
 */
struct ets_bytes ets_payload_flatbuffer(struct ets_bytes payload, struct ets_bytes *constants_out);

#endif
