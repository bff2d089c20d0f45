/*
 * The operators that ExecuTorch's numeric gap compares. Values of the reference are identified by
 * debug handle; of several nodes with a handle, the last wins. Events of the trace are identified
 * by their handles; overlapping ones are merged, and the latest instruction wins. (Source:
 * executorch/devtools/inspector/_inspector.py and _inspector_utils.py 1.5.1.)
 */
#include "gap/upstream_pairs.h"
#include "etscope/experimental/captured_values.h"
#include "gap/gap_parts.h"
#include "inspect/upstream/upstream_view.h"
#include "record/record_maps.h"

/* Limit of handles visited while keys are merged, because hostile files may overlap often. */
enum { MERGE_BUDGET = 1 << 26 };

/* The entry of one run-time key. */
struct entry {
    const int64_t *handles;
    uint32_t handle_count;
    const struct ets_upstream_event *event; /* of the value */
    bool is_merged;                         /* into a later one */
};

struct pairing {
    struct ets_gap_report *report;
    struct ets_error *error;
    const struct ets_upstream_event **events; /* selected events, in order */
    uint32_t event_count;
    struct entry *kept; /* [kept_count] by key, in the order of their first events */
    uint32_t kept_count;
    struct entry *merged; /* [merged_count] in order of creation */
    uint32_t merged_count;
    struct ets_key_table owners; /* handle -> */
    uint32_t *owner;             /* the merged entry that has it */
    uint32_t owner_capacity;
    uint64_t budget;
    struct ets_key_table aot;           /* handles of reference nodes, in order of appearance */
    const struct ets_graph_node **last; /* [aot.count] the last node of a handle */
};

static enum ets_status fail_pairs(const struct pairing *p)
{
    return gap_fail_memory(p->error);
}

/* Events that ExecuTorch uses, without delegate calls whose inner events have more details. */
static bool is_of_interest(const struct ets_upstream_event *event)
{
    return event->op_type_count > 0 && event->handle_count > 0 &&
           strcmp(event->name, "OPERATOR_CALL") != 0;
}

/* The keys of events inside delegates that have values. */
struct inner {
    struct ets_strings backends;
    struct ets_key_table handles; /* number of the backend, handle */
};

static bool note_inner(struct inner *inner, const struct ets_upstream_event *event)
{
    const struct ets_text name = {event->backend, strlen(event->backend)};
    const uint32_t backend = ets_strings_add(&inner->backends, name);
    if (backend == UINT32_MAX) return false;
    for (uint32_t i = 0; i < event->handle_count; i++) {
        const uint64_t key[] = {backend, (uint64_t)event->handles[i]};
        if (ets_key_table_add(&inner->handles, key) == ETS_KEY_NONE) return false;
    }
    return true;
}

/* Whether a delegate call's inner events have more details than it. */
static bool is_told_inside(const struct inner *inner, const struct ets_upstream_event *event)
{
    if (event->backend == NULL || strcmp(event->name, "DELEGATE_CALL") != 0) return false;
    const struct ets_text name = {event->backend, strlen(event->backend)};
    const uint32_t backend = ets_strings_find(&inner->backends, name);
    for (uint32_t i = 0; backend != UINT32_MAX && i < event->handle_count; i++) {
        const uint64_t key[] = {backend, (uint64_t)event->handles[i]};
        if (ets_key_table_find(&inner->handles, key) != ETS_KEY_NONE) return true;
    }
    return false;
}

/* Each method has its own handles; ExecuTorch, which knows one method, would mix them up. */
static bool is_of_method(const struct ets_gap_report *report,
                         const struct ets_upstream_block *block)
{
    return block->method == NULL || strcmp(block->method, report->method) == 0;
}

static enum ets_status list_events(struct pairing *p, const struct ets_upstream_view *view)
{
    uint32_t room = 0;
    struct inner inner;
    struct ets_arena *arena = &p->report->arena;
    if (ets_strings_init(&inner.backends, arena) != 0) return fail_pairs(p);
    ets_key_table_init(&inner.handles, arena, 2);
    for (uint32_t i = 0; i < view->block_count; i++) {
        if (!is_of_method(p->report, &view->blocks[i])) continue;
        room += view->blocks[i].event_count;
        for (uint32_t k = 0; k < view->blocks[i].event_count; k++) {
            const struct ets_upstream_event *event = &view->blocks[i].events[k];
            const bool is_inner =
                event->is_delegated && event->backend != NULL && event->debug_event_count > 0;
            if (is_inner && is_of_interest(event) && !note_inner(&inner, event)) {
                return fail_pairs(p);
            }
        }
    }
    p->events = ets_arena_alloc_array(arena, room, sizeof *p->events);
    if (p->events == NULL) return fail_pairs(p);
    for (uint32_t i = 0; i < view->block_count; i++) {
        if (!is_of_method(p->report, &view->blocks[i])) continue;
        for (uint32_t k = 0; k < view->blocks[i].event_count; k++) {
            const struct ets_upstream_event *event = &view->blocks[i].events[k];
            if (!is_of_interest(event) || is_told_inside(&inner, event)) continue;
            p->events[p->event_count++] = event;
        }
    }
    return ETS_OK;
}

/* One entry per key: its event with the latest instruction, the first of several. */
static enum ets_status keep_latest(struct pairing *p)
{
    struct ets_key_table keys; /* number of the prefix, next handle: a key by its prefixes */
    struct ets_arena *arena = &p->report->arena;
    ets_key_table_init(&keys, arena, 2);
    uint64_t room = 0;
    for (uint32_t i = 0; i < p->event_count; i++) room += p->events[i]->handle_count;
    uint32_t *entry_of = ets_arena_alloc_array(arena, (size_t)room, sizeof *entry_of);
    p->kept = ets_arena_alloc_array(arena, p->event_count, sizeof *p->kept);
    if (entry_of == NULL || p->kept == NULL) return fail_pairs(p);
    for (uint32_t i = 0; i < p->event_count; i++) {
        const struct ets_upstream_event *event = p->events[i];
        uint32_t prefix = GAP_NONE;
        for (uint32_t h = 0; h < event->handle_count; h++) {
            const uint64_t key[] = {prefix, (uint64_t)event->handles[h]};
            prefix = ets_key_table_add(&keys, key);
            if (prefix == ETS_KEY_NONE) return fail_pairs(p);
        }
        if (entry_of[prefix] == 0) {
            if (event->instruction < 0) continue;
            p->kept[p->kept_count] = (struct entry){event->handles, event->handle_count, event, 0};
            entry_of[prefix] = ++p->kept_count;
        } else if (event->instruction > p->kept[entry_of[prefix] - 1].event->instruction) {
            p->kept[entry_of[prefix] - 1].event = event;
        }
    }
    return ETS_OK;
}

static bool has_handle(const struct entry *entry, int64_t handle)
{
    for (uint32_t i = 0; i < entry->handle_count; i++) {
        if (entry->handles[i] == handle) return true;
    }
    return false;
}

/* The handles of `left` that `right` lacks, followed by those of `right`, each once. */
static enum ets_status join_handles(struct pairing *p, const struct entry *left,
                                    const struct entry *right, struct entry *joined)
{
    const uint64_t work = (uint64_t)(left->handle_count + right->handle_count) *
                          (left->handle_count + right->handle_count);
    const size_t room = (size_t)left->handle_count + right->handle_count;
    if (work > p->budget) {
        return ets_fail(p->error, ETS_LIMIT, ETS_NO_OFFSET,
                        "the debug handles of the trace's instructions overlap too often");
    }
    p->budget -= work;
    int64_t *handles = ets_arena_alloc_array(&p->report->arena, room, sizeof *handles);
    if (handles == NULL) return fail_pairs(p);
    joined->handles = handles;
    joined->handle_count = 0;
    for (uint32_t i = 0; i < left->handle_count; i++) {
        if (!has_handle(right, left->handles[i])) {
            handles[joined->handle_count++] = left->handles[i];
        }
    }
    const uint32_t start = joined->handle_count;
    for (uint32_t i = 0; i < right->handle_count; i++) {
        const struct entry so_far = {handles + start, joined->handle_count - start, NULL, false};
        if (!has_handle(&so_far, right->handles[i])) {
            handles[joined->handle_count++] = right->handles[i];
        }
    }
    return ETS_OK;
}

static uint32_t owner_of(const struct pairing *p, int64_t handle)
{
    const uint64_t key = (uint64_t)handle;
    const uint32_t at = ets_key_table_find(&p->owners, &key);
    return at == ETS_KEY_NONE ? GAP_NONE : p->owner[at];
}

/* The first merged entry from `from` on that shares a handle with `current`. */
static uint32_t next_overlap(const struct pairing *p, const struct entry *current, uint32_t from)
{
    uint32_t next = GAP_NONE;
    for (uint32_t i = 0; i < current->handle_count; i++) {
        const uint32_t owner = owner_of(p, current->handles[i]);
        if (owner != GAP_NONE && owner >= from && owner < next) next = owner;
    }
    return next;
}

static enum ets_status own_handles(struct pairing *p, uint32_t merged)
{
    const struct entry *entry = &p->merged[merged];
    for (uint32_t i = 0; i < entry->handle_count; i++) {
        const uint64_t key = (uint64_t)entry->handles[i];
        const uint32_t at = ets_key_table_add(&p->owners, &key);
        if (at == ETS_KEY_NONE) return fail_pairs(p);
        if (at >= p->owner_capacity) {
            const uint32_t capacity = 2 * at + 64;
            uint32_t *larger = ets_arena_alloc_array(&p->report->arena, capacity, sizeof *larger);
            if (larger == NULL) return fail_pairs(p);
            if (at > 0) memcpy(larger, p->owner, at * sizeof *larger);
            p->owner = larger;
            p->owner_capacity = capacity;
        }
        p->owner[at] = merged;
    }
    return ETS_OK;
}

static enum ets_status merge_overlapping(struct pairing *p)
{
    p->merged = ets_arena_alloc_array(&p->report->arena, p->kept_count, sizeof *p->merged);
    if (p->merged == NULL) return fail_pairs(p);
    ets_key_table_init(&p->owners, &p->report->arena, 1);
    p->budget = MERGE_BUDGET;
    for (uint32_t i = 0; i < p->kept_count; i++) {
        const struct entry *current = &p->kept[i];
        struct entry result = *current;
        for (uint32_t at = 0; (at = next_overlap(p, current, at)) != GAP_NONE; at++) {
            struct entry *existing = &p->merged[at];
            const bool is_later = existing->event->instruction < current->event->instruction;
            const struct entry before = result;
            if (is_later) {
                result.event = current->event;
                ETS_TRY(join_handles(p, existing, &before, &result));
            } else {
                result.event = existing->event;
                ETS_TRY(join_handles(p, &before, existing, &result));
            }
            existing->is_merged = true;
        }
        p->merged[p->merged_count++] = result;
        ETS_TRY(own_handles(p, p->merged_count - 1));
    }
    return ETS_OK;
}

/* Whether ExecuTorch's interpreter keeps the node's result. */
static bool is_captured(const struct ets_gap_report *report, uint32_t node)
{
    return report->reference->level[node] == 0 && report->origins.handle[node] >= 0;
}

static enum ets_status index_reference(struct pairing *p)
{
    const struct gap_graph *reference = p->report->reference;
    ets_key_table_init(&p->aot, &p->report->arena, 1);
    p->last = ets_arena_alloc_array(&p->report->arena, reference->node_count, sizeof *p->last);
    if (p->last == NULL) return fail_pairs(p);
    for (uint32_t i = 0; i < reference->node_count; i++) {
        if (!is_captured(p->report, i)) continue;
        const uint64_t key = (uint64_t)p->report->origins.handle[i];
        const uint32_t at = ets_key_table_add(&p->aot, &key);
        if (at == ETS_KEY_NONE) return fail_pairs(p);
        p->last[at] = reference->nodes[i];
    }
    return ETS_OK;
}

/* Members by group: `members` of group g are [first[g], first[g + 1]). */
struct groups {
    uint32_t *first, *members;
};

/* A counting sort of `count` numbers by `group[i]`, below `group_count` or GAP_NONE. */
static enum ets_status group_numbers(struct pairing *p, const uint32_t *group, uint32_t count,
                                     uint32_t group_count, struct groups *out)
{
    out->first =
        ets_arena_alloc_array(&p->report->arena, (size_t)group_count + 2, sizeof(uint32_t));
    out->members = ets_arena_alloc_array(&p->report->arena, count, sizeof(uint32_t));
    if (out->first == NULL || out->members == NULL) return fail_pairs(p);
    for (uint32_t i = 0; i < count; i++) {
        if (group[i] != GAP_NONE) out->first[group[i] + 2]++;
    }
    for (uint32_t i = 2; i < group_count + 2; i++) out->first[i] += out->first[i - 1];
    for (uint32_t i = 0; i < count; i++) {
        if (group[i] != GAP_NONE) out->members[out->first[group[i] + 1]++] = i;
    }
    return ETS_OK;
}

/* Nodes by key, keys and run-time entries by merged entry. */
struct listing {
    struct groups nodes, keys, events;
    uint32_t *entry_of_key; /* [aot.count] */
};

static enum ets_status make_listing(struct pairing *p, struct listing *listing)
{
    struct ets_gap_report *report = p->report;
    const uint32_t node_count = report->reference->node_count;
    uint32_t *key_of = ets_arena_alloc_array(&report->arena, node_count, sizeof *key_of);
    uint32_t *event_of = ets_arena_alloc_array(&report->arena, p->kept_count, sizeof *event_of);
    listing->entry_of_key = ets_arena_alloc_array(&report->arena, p->aot.count, sizeof(uint32_t));
    if (key_of == NULL || event_of == NULL || listing->entry_of_key == NULL) return fail_pairs(p);
    for (uint32_t i = 0; i < node_count; i++) {
        const uint64_t key = (uint64_t)report->origins.handle[i];
        key_of[i] = is_captured(report, i) ? ets_key_table_find(&p->aot, &key) : GAP_NONE;
    }
    for (uint32_t i = 0; i < p->aot.count; i++) {
        listing->entry_of_key[i] = owner_of(p, (int64_t)*ets_key_table_key(&p->aot, i));
    }
    for (uint32_t i = 0; i < p->kept_count; i++) {
        event_of[i] = owner_of(p, p->kept[i].handles[0]);
    }
    ETS_TRY(group_numbers(p, key_of, node_count, p->aot.count, &listing->nodes));
    ETS_TRY(group_numbers(p, listing->entry_of_key, p->aot.count, p->merged_count, &listing->keys));
    return group_numbers(p, event_of, p->kept_count, p->merged_count, &listing->events);
}

/* All operators with handles of entry `number`. */
static enum ets_status name_operators(struct pairing *p, const struct listing *listing,
                                      uint32_t number, struct ets_gap_pair *pair)
{
    const uint32_t *key_at = listing->keys.first + number;
    const uint32_t *event_at = listing->events.first + number;
    const uint32_t *node_at = listing->nodes.first;
    uint32_t room = 0;
    for (uint32_t i = key_at[0]; i < key_at[1]; i++) {
        const uint32_t key = listing->keys.members[i];
        room += node_at[key + 1] - node_at[key];
    }
    const struct ets_graph_node **nodes =
        ets_arena_alloc_array(&p->report->arena, room, sizeof *nodes);
    const char **names =
        ets_arena_alloc_array(&p->report->arena, event_at[1] - event_at[0], sizeof *names);
    if (nodes == NULL || names == NULL) return fail_pairs(p);
    for (uint32_t i = key_at[0]; i < key_at[1]; i++) {
        const uint32_t key = listing->keys.members[i];
        for (uint32_t k = node_at[key]; k < node_at[key + 1]; k++) {
            nodes[pair->aot_op_count++] = p->report->reference->nodes[listing->nodes.members[k]];
        }
    }
    for (uint32_t i = event_at[0]; i < event_at[1]; i++) {
        names[pair->runtime_op_count++] = p->kept[listing->events.members[i]].event->name;
    }
    pair->aot_ops = nodes;
    pair->runtime_ops = names;
    return ETS_OK;
}

static void read_value(const struct pairing *p, uint32_t event, struct ets_captured_value *out)
{
    struct ets_captured_values values;
    const struct ets_captured_filter filter = {
        .block = ETS_NO_INDEX, .run = ETS_NO_INDEX, .event = event};
    const struct ets_bytes none = {NULL, 0};
    ets_captured_values_init(&values, p->report->options.inspection, none, &filter);
    if (!ets_captured_values_next(&values, out)) *out = (struct ets_captured_value){.event = event};
}

/* A symbolic size matches any size. */
static bool fits(const struct ets_graph_value *expected, const struct ets_captured_value *value)
{
    if (expected == NULL || !value->has_tensor || value->item_count > 0) return false;
    if (expected->rank != value->tensor.rank) return false;
    for (uint32_t i = 0; i < expected->rank; i++) {
        const bool is_open = expected->size_texts != NULL && expected->size_texts[i].data != NULL;
        if (!is_open && expected->sizes[i] != value->tensor.sizes[i]) return false;
    }
    return true;
}

/* The argument of a call with the node's shape, and its type if several match. */
static uint32_t choose_argument(const struct pairing *p, const struct ets_upstream_event *event,
                                const struct ets_graph_node *node)
{
    const struct gap_graph *reference = p->report->reference;
    const struct ets_graph_value *expected =
        ets_graph_find_value(reference->graph, node->outputs[0].name);
    uint32_t alike = 0, typed = 0, first_alike = 0, first_typed = 0;
    for (uint32_t i = 0; i < event->debug_event_count; i++) {
        struct ets_captured_value value;
        read_value(p, event->debug_events[i], &value);
        if (!fits(expected, &value)) continue;
        if (alike++ == 0) first_alike = event->debug_events[i];
        if ((int)value.tensor.scalar_type != expected->scalar_type) continue;
        if (typed++ == 0) first_typed = event->debug_events[i];
    }
    if (alike == 1) return first_alike;
    return typed == 1 ? first_typed : event->debug_events[event->debug_event_count - 1];
}

/* The value compared with output -1 - `output` of the event's call; false: ExecuTorch has no row.
 */
static bool choose_value(const struct pairing *p, const struct ets_upstream_event *event,
                         uint32_t output, struct ets_gap_pair *pair)
{
    const struct ets_graph_node *node = pair->node;
    if (output >= event->debug_event_count || ets_gap_output_count(node) != 1) return false;
    pair->is_list = node->outputs[0].kind == ETS_ARGUMENT_LIST;
    pair->event = event->debug_events[event->debug_event_count - 1 - output];
    const bool is_tensor = node->outputs[0].kind == ETS_ARGUMENT_TENSOR;
    if (is_tensor && event->num_outputs == 1 && event->debug_event_count > 1) {
        pair->event = choose_argument(p, event, node);
    }
    return true;
}

static enum ets_status check_value(const struct pairing *p, const struct ets_upstream_event *event,
                                   const struct ets_gap_pair *pair)
{
    struct ets_captured_value value;
    read_value(p, pair->event, &value);
    const uint32_t given = value.item_count > 0 ? value.item_count : event->debug_event_count;
    if (pair->is_list ? given == 1 : value.item_count == 0) return ETS_OK;
    return ets_fail(p->error, ETS_MISMATCH, ETS_NO_OFFSET,
                    "%s at instruction %lld and %.*s cannot be compared: only one of them is a "
                    "list of tensors, or their lengths differ",
                    event->name, (long long)event->instruction, ETS_TEXT(pair->node->name));
}

static enum ets_status add_pairs(struct pairing *p, const struct listing *listing, uint32_t number)
{
    struct ets_gap_report *report = p->report;
    const struct entry *entry = &p->merged[number];
    const int64_t outputs = entry->event->num_outputs;
    for (uint32_t i = 0; i < outputs && i < entry->handle_count; i++) {
        const uint64_t key = (uint64_t)entry->handles[entry->handle_count - 1 - i];
        const uint32_t at = ets_key_table_find(&p->aot, &key);
        if (at == ETS_KEY_NONE) continue;
        struct ets_gap_pair pair = {
            .handles = entry->handles, .handle_count = entry->handle_count, .node = p->last[at]};
        if (!choose_value(p, entry->event, i, &pair)) continue;
        ETS_TRY(check_value(p, entry->event, &pair));
        ETS_TRY(name_operators(p, listing, number, &pair));
        report->pairs[report->pair_count++] = pair;
    }
    return ETS_OK;
}

/* Sorts rows by the reference's nodes. */
static enum ets_status list_pairs(struct pairing *p)
{
    struct listing listing;
    struct ets_gap_report *report = p->report;
    uint64_t room = 0;
    ETS_TRY(make_listing(p, &listing));
    bool *is_listed = ets_arena_alloc_array(&report->arena, p->merged_count, sizeof *is_listed);
    for (uint32_t i = 0; i < p->merged_count; i++) room += p->merged[i].handle_count;
    report->pairs = ets_arena_alloc_array(&report->arena, (size_t)room, sizeof *report->pairs);
    if (is_listed == NULL || report->pairs == NULL) return fail_pairs(p);
    for (uint32_t i = 0; i < p->aot.count; i++) {
        const uint32_t entry = listing.entry_of_key[i];
        if (entry == GAP_NONE || is_listed[entry]) continue;
        is_listed[entry] = true;
        ETS_TRY(add_pairs(p, &listing, entry));
    }
    return ETS_OK;
}

static enum ets_status make_pairs(struct ets_gap_report *report, struct ets_error *error)
{
    struct pairing p = {.report = report, .error = error};
    const struct ets_upstream_view *view;
    ETS_TRY(ets_inspection_upstream_view(report->options.inspection, ETS_UNIT_NS, ETS_UNIT_MS,
                                         &view, error));
    ETS_TRY(list_events(&p, view));
    ETS_TRY(keep_latest(&p));
    ETS_TRY(merge_overlapping(&p));
    ETS_TRY(index_reference(&p));
    return list_pairs(&p);
}

enum ets_status ets_gap_upstream_pairs(struct ets_gap_report *report,
                                       const struct ets_gap_pair **pairs_out, uint32_t *count_out,
                                       struct ets_error *error)
{
    if (!report->has_pairs) ETS_TRY(make_pairs(report, error));
    report->has_pairs = true;
    *pairs_out = report->pairs;
    *count_out = report->pair_count;
    return ETS_OK;
}
