/* The tables of a Vulkan payload (ExecuTorch backends/vulkan/serialization/schema.fbs, identifier
 * VK00), for the verifier and for those who write every field. */
#ifndef ETSCOPE_FORMAT_VULKAN_SCHEMA_H
#define ETSCOPE_FORMAT_VULKAN_SCHEMA_H

#include "format/flatbuffer.h"

/* The root, VkGraph. */
extern const struct ets_fb_type ets_vulkan_graph_type;

#endif
