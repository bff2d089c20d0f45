/* Lists the frames of an ETRecord by file, so that each file is compared with its own frames only.
 */
#include "output/table/recorded_frames.h"

#include "base/text.h"
#include "base/xxh64.h"

static uint64_t hash_of(struct ets_text file)
{
    return ets_xxh64_of((struct ets_bytes){(const uint8_t *)file.data, file.size});
}

/* A node may be in many rows. */
static bool find_nodes(struct ets_arena *arena, const struct ets_inspection *inspection,
                       struct ets_key_table *nodes_out)
{
    ets_key_table_init(nodes_out, arena, 1);
    for (uint32_t i = 0; i < ets_inspection_row_count(inspection); i++) {
        const struct ets_row *row = ets_inspection_row(inspection, i);
        for (size_t k = 0; k < row->node_count; k++) {
            const uint64_t key = (uint64_t)(uintptr_t)row->nodes[k].node;
            if (ets_key_table_add(nodes_out, &key) == ETS_KEY_NONE) return false;
        }
    }
    return true;
}

static const struct ets_graph_node *node_at(const struct ets_key_table *nodes, uint32_t index)
{
    return (const struct ets_graph_node *)(uintptr_t)*ets_key_table_key(nodes, index);
}

bool ets_recorded_frames_collect(struct ets_arena *arena, const struct ets_inspection *inspection,
                                 struct ets_recorded_frames *out)
{
    struct ets_key_table nodes;
    size_t count = 0;
    uint32_t used = 0;
    if (!find_nodes(arena, inspection, &nodes)) return false;
    for (uint32_t i = 0; i < nodes.count; i++) count += node_at(&nodes, i)->frame_count;
    if (count >= UINT32_MAX) return false;
    ets_key_table_init(&out->files, arena, 1);
    out->frames = ets_arena_alloc_array(arena, count, sizeof *out->frames);
    out->first = ets_arena_alloc_array(arena, count, sizeof *out->first);
    if (out->frames == NULL || out->first == NULL) return false;
    for (uint32_t i = 0; i < nodes.count; i++) {
        const struct ets_graph_node *node = node_at(&nodes, i);
        for (uint32_t n = 0; n < node->frame_count; n++) {
            const uint64_t key = hash_of(node->frames[n].file);
            const uint32_t known = out->files.count, file = ets_key_table_add(&out->files, &key);
            if (file == ETS_KEY_NONE) return false;
            out->frames[used].frame = &node->frames[n];
            out->frames[used].next = file == known ? 0 : out->first[file];
            out->first[file] = ++used;
        }
    }
    return true;
}

const struct ets_graph_frame *ets_recorded_frames_difference(
    const struct ets_recorded_frames *recorded, struct ets_text file,
    const struct ets_source_text *source)
{
    const uint64_t key = hash_of(file);
    const uint32_t number = ets_key_table_find(&recorded->files, &key);
    uint32_t at = number == ETS_KEY_NONE ? 0 : recorded->first[number];
    for (; at != 0; at = recorded->frames[at - 1].next) {
        const struct ets_graph_frame *frame = recorded->frames[at - 1].frame;
        if (ets_text_equal(frame->file, file) &&
            ets_source_text_compare(source, frame) != ETS_SOURCE_AGREES) {
            return frame;
        }
    }
    return NULL;
}
