/* Backends and their partitioners. */
#include "partition/partitioners.h"

#include "base/text.h"
#include "partition/partitioner_lists.h"
#include "partition/xnnpack_rules.h"

#define ET " in ExecuTorch 1.5.1"

static const struct ets_partitioner partitioners[] = {
    {"XnnpackBackend", "XnnpackPartitioner", "XnnpackPartitioner" ET, "XNNPACK", "rules",
     ets_xnnpack_judge},
    {"VulkanBackend", "VulkanPartitioner", "VulkanPartitioner" ET, "Vulkan", "operator list",
     ets_vulkan_judge},
    {"EthosUBackend", "EthosUPartitioner", "EthosUPartitioner" ET, "Ethos-U", "operator list",
     ets_tosa_judge},
    {"TOSABackend", "TOSAPartitioner", "TOSAPartitioner" ET, "TOSA", "operator list",
     ets_tosa_judge},
    {"VgfBackend", "VgfPartitioner", "VgfPartitioner" ET, "VGF", "operator list", ets_tosa_judge},
    {"CoreMLBackend", "CoreMLPartitioner", "CoreMLPartitioner" ET " with coremltools 9.0",
     "Core ML", "operator list", ets_coreml_judge},
};

static void ask(struct ets_asked *asked, const struct ets_partitioner *partitioner)
{
    const uint32_t most = sizeof asked->items / sizeof *asked->items;
    for (uint32_t i = 0; i < asked->count; i++) {
        if (asked->items[i] == partitioner) return;
    }
    if (asked->count == most) return;
    asked->items[asked->count++] = partitioner;
    if (partitioner != &partitioners[0]) return;
    asked->items[asked->count - 1] = asked->items[0];
    asked->items[0] = partitioner;
}

void ets_ask_partitioner_of(struct ets_asked *asked, struct ets_text backend)
{
    for (size_t i = 0; i < sizeof partitioners / sizeof *partitioners; i++) {
        if (ets_text_is(backend, partitioners[i].backend)) ask(asked, &partitioners[i]);
    }
}

void ets_ask_partitioners(struct ets_asked *asked, const struct ets_asked *more)
{
    for (uint32_t i = 0; i < more->count; i++) ask(asked, more->items[i]);
}

void ets_say_asked(struct ets_text_builder *text, const struct ets_asked *asked, const char *and)
{
    for (uint32_t i = 0; i < asked->count; i++) {
        const struct ets_partitioner *of = asked->items[i];
        ets_add_text(text, "%sthe %s of %s", i == 0 ? "" : and, of->basis, of->release);
    }
}
