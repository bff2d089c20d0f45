/* What can be asked of a graph, wherever it came from. */
#include "etscope/etrecord.h"

#include <string.h>

#include "base/text.h"
#include "record/graph_index.h"

uint32_t ets_graph_hash(struct ets_text text)
{
    uint32_t hash = UINT32_C(2166136261); /* FNV-1a */
    for (size_t i = 0; i < text.size; i++) {
        hash = (hash ^ (uint8_t)text.data[i]) * UINT32_C(16777619);
    }
    return hash ^ hash >> 15;
}

const struct ets_graph_value *ets_graph_find_value(const struct ets_graph *graph,
                                                   struct ets_text name)
{
    const struct ets_graph_index *index = graph->index;
    if (index == NULL) {
        for (uint32_t i = 0; i < graph->value_count; i++) {
            if (ets_text_equal(graph->values[i].name, name)) return &graph->values[i];
        }
        return NULL;
    }
    for (uint32_t slot = ets_graph_hash(name) & index->value_mask; index->value_slots[slot] != 0;
         slot = (slot + 1) & index->value_mask) {
        const struct ets_graph_value *value = &graph->values[index->value_slots[slot] - 1];
        if (ets_text_equal(value->name, name)) return value;
    }
    return NULL;
}

const struct ets_graph_node *ets_graph_find_node(const struct ets_graph *graph,
                                                 struct ets_text name)
{
    const struct ets_graph_index *index = graph->index;
    if (index == NULL) {
        for (uint32_t i = 0; i < graph->node_count; i++) {
            if (ets_text_equal(graph->nodes[i].name, name)) return &graph->nodes[i];
        }
        return NULL;
    }
    for (uint32_t slot = ets_graph_hash(name) & index->node_mask; index->node_slots[slot] != 0;
         slot = (slot + 1) & index->node_mask) {
        const struct ets_graph_node *node = &graph->nodes[index->node_slots[slot] - 1];
        if (ets_text_equal(node->name, name)) return node;
    }
    return NULL;
}

/* 1 where `part` occurs in `text` at the start of a path component. */
static char as_slash(char c)
{
    return c == '\\' ? '/' : c;
}

/* `part` with slashes, which may be backslashes in `text`; it begins where a folder does. */
static int has_folder(struct ets_text text, const char *part)
{
    const size_t size = strlen(part);
    for (size_t at = 0; at + size <= text.size; at++) {
        size_t same = 0;
        if (at > 0 && as_slash(text.data[at - 1]) != '/') continue;
        while (same < size && as_slash(text.data[at + same]) == part[same]) same++;
        if (same == size) return 1;
    }
    return 0;
}

static int is_below(struct ets_text file, const char *const *folders, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (has_folder(file, folders[i])) return 1;
    }
    return 0;
}

static int is_framework(struct ets_text file)
{
    static const char *const folders[] = {"site-packages/torch/",      "site-packages/executorch/",
                                          "site-packages/torchao/",    "dist-packages/torch/",
                                          "dist-packages/executorch/", "dist-packages/torchao/"};
    return is_below(file, folders, sizeof folders / sizeof *folders);
}

/* What traces a model when it is exported: it is on the stack, and no line of any model. */
static int is_machinery(struct ets_text file)
{
    static const char *const folders[] = {
        "torch/_dynamo/",    "torch/_export/",           "torch/export/",    "torch/fx/",
        "torch/_functorch/", "torch/_higher_order_ops/", "torch/_inductor/", "torch/_subclasses/",
        "executorch/exir/",  "executorch/backends/",     "torchao/"};
    return is_framework(file) && is_below(file, folders, sizeof folders / sizeof *folders);
}

/* Code that torch.fx made up, as a pass that quantizes runs it: "<eval_with_key>.1151". */
static int is_generated(struct ets_text file)
{
    static const char name[] = "<eval_with_key>";
    return file.size >= sizeof name - 1 && memcmp(file.data, name, sizeof name - 1) == 0;
}

int ets_graph_frame_is_user(const struct ets_graph_frame *frame)
{
    return !is_framework(frame->file) && !is_generated(frame->file);
}

const struct ets_graph_frame *ets_graph_user_frame(const struct ets_graph_node *node)
{
    if (node->frame_count == 0) return NULL;
    for (uint32_t i = node->frame_count; i-- > 0;) {
        if (ets_graph_frame_is_user(&node->frames[i])) return &node->frames[i];
    }
    for (uint32_t i = node->frame_count; i-- > 0;) {
        const struct ets_text file = node->frames[i].file;
        if (!is_machinery(file) && !is_generated(file)) return &node->frames[i];
    }
    return NULL;
}

struct ets_text ets_graph_module_path(const struct ets_graph_node *node)
{
    static const char export_root[] = "_export_root"; /* how strict export calls the model inside */
    const size_t size = sizeof export_root - 1;       /* a branch or a loop body */
    if (node->module_count == 0) return (struct ets_text){NULL, 0};
    const struct ets_text path = node->modules[node->module_count - 1].path;
    if (path.size < size || memcmp(path.data, export_root, size) != 0) return path;
    if (path.size == size) return (struct ets_text){path.data + size, 0};
    if (path.data[size] != '.') return path;
    return (struct ets_text){path.data + size + 1, path.size - size - 1};
}
