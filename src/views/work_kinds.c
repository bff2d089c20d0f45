/* Tells categories, parts and layers from the names of operators and modules. */
#include "views/work_kinds.h"

#include <string.h>

#include "base/text.h"
#include "cost/cost.h"
#include "etscope/experimental/row_filter.h"
#include "host/text_builder.h"
#include "operators/operator_traits.h"
#include "payload/payload_names.h"

/* ---- categories ---- */

/* The heavier last. */
enum category {
    OTHER,
    DATA_MOVEMENT,
    ELEMENTWISE,
    QUANTIZATION,
    REDUCTION,
    NORMALIZATION,
    EMBEDDING,
    MATRIX_PRODUCT,
    CONVOLUTION,
    ATTENTION
};

static const char *const category_names[] = {
    [OTHER] = "other",
    [DATA_MOVEMENT] = "data movement",
    [ELEMENTWISE] = "elementwise",
    [QUANTIZATION] = "quantization",
    [REDUCTION] = "reduction",
    [NORMALIZATION] = "normalization",
    [EMBEDDING] = "embedding",
    [MATRIX_PRODUCT] = "matrix product",
    [CONVOLUTION] = "convolution",
    [ATTENTION] = "attention",
};

static enum category category_of(struct ets_text name)
{
    const struct ets_text base = ets_operator_base_name(name);
    if (ets_operator_is(name, ETS_OPERATOR_QUANTIZATION)) return QUANTIZATION;
    if (ets_text_starts_with(base, "embedding")) return EMBEDDING;
    if (ets_text_contains(base, "softmax")) return NORMALIZATION;
    if (ets_text_starts_with(base, "update_cache")) return ATTENTION;
    if (ets_text_starts_with(base, "et_view")) return DATA_MOVEMENT;
    switch (ets_cost_family_of(name)) {
    case ETS_FAMILY_CONVOLUTION: return CONVOLUTION;
    case ETS_FAMILY_RECURRENT:
    case ETS_FAMILY_PRODUCT: return MATRIX_PRODUCT;
    case ETS_FAMILY_ATTENTION: return ATTENTION;
    case ETS_FAMILY_NORM: return NORMALIZATION;
    case ETS_FAMILY_POOL:
    case ETS_FAMILY_REDUCTION: return REDUCTION;
    case ETS_FAMILY_ELEMENTS: return ELEMENTWISE;
    case ETS_FAMILY_CONVERSION:
    case ETS_FAMILY_MOVE: return DATA_MOVEMENT;
    default: return OTHER;
    }
}

/* A delegate's event is what its name says, which is one operator of a call. */
const char *ets_work_category(const struct ets_row *row)
{
    const char *operation = row->is_delegated ? ets_payload_event_operation(row->name) : NULL;
    if (operation != NULL) return category_names[category_of(ets_text_of(operation))];
    enum category heaviest = category_of(ets_row_operator(row));
    for (size_t i = 0; i < row->node_count; i++) {
        const enum category each = category_of(row->nodes[i].node->op);
        if (each > heaviest) heaviest = each;
    }
    return category_names[heaviest];
}

/* ---- parts ---- */

/* A component of a path, from its end: the innermost first. */
static struct ets_text last_component(struct ets_text *path)
{
    size_t start = path->size;
    while (start > 0 && path->data[start - 1] != '.') start--;
    const struct ets_text component = {path->data + start, path->size - start};
    path->size = start > 0 ? start - 1 : 0;
    return component;
}

static bool is_one_of(struct ets_text component, const char *const *names)
{
    for (; *names != NULL; names++) {
        if (ets_text_is(component, *names)) return true;
    }
    return false;
}

static bool contains_one_of(struct ets_text component, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (ets_text_contains(component, *words)) return true;
    }
    return false;
}

/* Names of modules inside of an attention. */
static const char *const projections[] = {"wq",        "wk",
                                          "wv",        "q_proj",
                                          "k_proj",    "v_proj",
                                          "qkv_proj",  "qkv",
                                          "Wqkv",      "c_attn",
                                          "query",     "key",
                                          "value",     "wqkv",
                                          "q",         "k",
                                          "v",         "to_q",
                                          "to_k",      "to_v",
                                          "in_proj",   "query_key_value",
                                          "q_a_proj",  "kv_a_proj_with_mqa",
                                          "kv_b_proj", NULL};
/* Of these, what no other module is named. */
static const char *const telling_projections[] = {
    "q_proj", "k_proj", "v_proj", "qkv_proj", "qkv", "Wqkv", "c_attn", "wq", "wk", "wv", NULL};
static const char *const outputs[] = {"wo",   "o_proj", "out_proj", "c_proj", "dense",
                                      "proj", "to_out", "out",      NULL};
/* Parts of names, anywhere. */
static const char *const rotaries[] = {"rotary", NULL};
/* Whole words of names, as others contain them: "properties", "amoeba". */
static const char *const rotary_words[] = {"rope", NULL};
static const char *const mlp_words[] = {"ffn", "moe", NULL};
static const char *const attentions[] = {"attn", "attention", "Attention", "sdpa",
                                         "SDPA", "mha",       NULL};
static const char *const caches[] = {"kv_cache", "cache", NULL};
static const char *const norms[] = {"norm", "Norm", NULL};
static const char *const norm_names[] = {"ln_1", "ln_2", "ln_f",       "ln",
                                         "ln1",  "ln2",  "layer_norm", NULL};
static const char *const mlps[] = {"mlp", "feed_forward", "experts", "intermediate", NULL};
static const char *const mlp_names[] = {"ff", "fc1",       "fc2",     "w1",        "w2",
                                        "w3", "gate_proj", "up_proj", "down_proj", NULL};
static const char *const embeddings[] = {"embed", "wte", "wpe", NULL};
static const char *const heads[] = {"lm_head",    "embed_out", "proj_out",
                                    "classifier", "score",     NULL};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Whether one of the words is in it with no letter beside it. */
static bool has_word_of(struct ets_text component, const char *const *words)
{
    for (; *words != NULL; words++) {
        const struct ets_text word = ets_text_of(*words);
        for (size_t at = 0; at + word.size <= component.size; at++) {
            const size_t end = at + word.size;
            if (!ets_text_equal((struct ets_text){component.data + at, word.size}, word)) continue;
            const bool begins = at == 0 || !is_letter(component.data[at - 1]);
            if (begins && (end == component.size || !is_letter(component.data[end]))) return true;
        }
    }
    return false;
}

static bool is_rotary(struct ets_text component)
{
    return contains_one_of(component, rotaries) || has_word_of(component, rotary_words);
}

static bool is_mlp(struct ets_text component)
{
    return contains_one_of(component, mlps) || has_word_of(component, mlp_words);
}

static bool is_attention(struct ets_text component)
{
    return contains_one_of(component, attentions);
}

static bool is_embedding(struct ets_text component)
{
    return contains_one_of(component, embeddings);
}

/* What an operator is inside of an attention, whatever its module is named. */
static const char *attention_part_of(struct ets_text operation)
{
    static const char *const writes[] = {"update_cache",
                                         "update_cache_with_indices",
                                         "update_quantized_cache",
                                         "index_put",
                                         "index_copy",
                                         NULL};
    const struct ets_text base = ets_operator_base_name(operation);
    if (is_one_of(base, writes)) return "attention: cache";
    return category_of(operation) == ATTENTION ? "attention: scores" : NULL;
}

static const char *inside_attention(struct ets_text path, struct ets_text operation)
{
    const char *by_operator = attention_part_of(operation);
    if (by_operator != NULL) return by_operator;
    while (path.size > 0) {
        const struct ets_text component = last_component(&path);
        if (is_rotary(component)) return "attention: rotary";
        if (contains_one_of(component, caches)) return "attention: cache";
        if (is_one_of(component, projections)) return "attention: projections";
        if (is_one_of(component, outputs)) return "attention: output";
        if (is_attention(component)) return "attention: scores";
    }
    return NULL;
}

static bool is_within(struct ets_text path, bool (*is)(struct ets_text component))
{
    while (path.size > 0) {
        if (is(last_component(&path))) return true;
    }
    return false;
}

/* BERT and its kin name the second product of their MLP so. */
static bool is_output_of_layer(struct ets_text innermost, struct ets_text outer)
{
    return ets_text_is(innermost, "dense") && ets_text_is(last_component(&outer), "output");
}

const char *ets_module_part(struct ets_text path, struct ets_text operation)
{
    struct ets_text outer = path;
    const struct ets_text innermost = last_component(&outer);
    if (path.size == 0) return NULL;
    if (contains_one_of(innermost, norms) || is_one_of(innermost, norm_names)) return "norm";
    if (is_within(path, is_rotary)) return "attention: rotary";
    if (is_within(path, is_mlp) || is_one_of(innermost, mlp_names)) return "MLP";
    if (is_within(path, is_attention)) return inside_attention(path, operation);
    if (is_output_of_layer(innermost, outer)) return "MLP";
    if (is_one_of(innermost, telling_projections)) return "attention: projections";
    if (is_within(path, is_embedding)) return "embedding";
    if (is_one_of(innermost, heads)) return "head";
    /* Llama's own code and torchtune name it so. */
    return ets_text_is(innermost, "output") && outer.size == 0 ? "head" : NULL;
}

/* Outside of modules, the operator may tell. */
static const char *part_by_operator(struct ets_text operation)
{
    static const char *const samplings[] = {"argmax", "multinomial", "topk", "sort", NULL};
    const struct ets_text base = ets_operator_base_name(operation);
    if (category_of(operation) == EMBEDDING) return "embedding";
    if (category_of(operation) == ATTENTION) return attention_part_of(operation);
    return is_one_of(base, samplings) ? "sampling" : NULL;
}

/* ---- layers ---- */

static bool is_number(struct ets_text component)
{
    for (size_t i = 0; i < component.size; i++) {
        if (component.data[i] < '0' || component.data[i] > '9') return false;
    }
    return component.size > 0;
}

/* Up to the first number, which counts the layers of a stack. */
struct ets_text ets_module_layer(struct ets_text path)
{
    for (size_t start = 0; start < path.size;) {
        size_t end = start;
        while (end < path.size && path.data[end] != '.') end++;
        if (is_number((struct ets_text){path.data + start, end - start})) {
            return (struct ets_text){path.data, end};
        }
        start = end + 1;
    }
    return path;
}

/* ---- rows ---- */

/* Kinds of a row's modules, each once. */
struct kinds {
    struct ets_text items[4];
    uint32_t count;
};

static void add_kind(struct kinds *kinds, struct ets_text kind)
{
    enum { MOST = sizeof kinds->items / sizeof *kinds->items };
    for (uint32_t i = 0; i < kinds->count && i < MOST; i++) {
        if (ets_text_equal(kinds->items[i], kind)) return;
    }
    if (kinds->count < MOST) kinds->items[kinds->count] = kind;
    kinds->count++;
}

/* "norm + MLP", or how many there are where that would be long. Absent: none. False: no memory. */
static bool join(struct ets_arena *arena, const struct kinds *kinds, const char *several,
                 struct ets_text *name_out)
{
    enum { MOST_JOINED = 2 };
    *name_out = (struct ets_text){NULL, 0};
    if (kinds->count == 0) return true;
    *name_out = kinds->items[0];
    if (kinds->count > MOST_JOINED) {
        *name_out = ets_text_of(several);
    } else if (kinds->count == 2) {
        const size_t room = kinds->items[0].size + kinds->items[1].size + sizeof " + ";
        char *text = ets_arena_alloc(arena, room);
        if (text == NULL) return false;
        struct ets_text_builder joined = {text, room, 0};
        ets_add_text(&joined, "%.*s + %.*s", ETS_TEXT(kinds->items[0]), ETS_TEXT(kinds->items[1]));
        *name_out = ets_built_text(&joined);
    }
    return true;
}

/* The part of an operator in a module; `is_only` that it is in. Absent: nothing tells. */
static struct ets_text part_of(const struct ets_part_table *own, struct ets_text path,
                               struct ets_text operation, bool is_only)
{
    const struct ets_text said = ets_part_table_find(own, path, operation);
    if (said.data != NULL) return said;
    const char *part = ets_module_part(path, operation);
    return ets_text_of(part == NULL && is_only ? part_by_operator(operation) : part);
}

bool ets_work_part_name(struct ets_arena *arena, const struct ets_text *modules, size_t count,
                        const struct ets_part_table *own, const struct ets_row *row,
                        struct ets_text *name_out)
{
    struct kinds kinds = {.count = 0};
    const struct ets_text operation = ets_row_operator(row);
    for (size_t i = 0; i < count; i++) {
        const struct ets_text part = part_of(own, modules[i], operation, count == 1);
        add_kind(&kinds, part.data == NULL ? ets_text_of("other") : part);
    }
    const struct ets_text part = count == 0
                                     ? part_of(own, (struct ets_text){"", 0}, operation, true)
                                     : (struct ets_text){NULL, 0};
    if (part.data != NULL) add_kind(&kinds, part);
    return join(arena, &kinds, "(several parts)", name_out);
}

bool ets_work_layer_name(struct ets_arena *arena, const struct ets_text *modules, size_t count,
                         struct ets_text *name_out)
{
    struct kinds kinds = {.count = 0};
    for (size_t i = 0; i < count; i++) {
        add_kind(&kinds,
                 modules[i].size == 0 ? ets_text_of("(model)") : ets_module_layer(modules[i]));
    }
    return join(arena, &kinds, "(several layers)", name_out);
}

/* ---- numbers of places ---- */

/* The modules of a row; NULL: no memory. */
static const struct ets_text *modules_of(struct ets_arena *arena, struct ets_places *places,
                                         const struct ets_row *row, size_t *count_out)
{
    struct ets_numbers lines, modules;
    if (!ets_places_of_row(places, row, &lines, &modules)) return NULL;
    struct ets_text *paths = ets_arena_alloc_array(arena, (size_t)modules.count + 1, sizeof *paths);
    for (uint32_t i = 0; paths != NULL && i < modules.count; i++) {
        paths[i] = ets_places_path(places, modules.items[i]);
    }
    *count_out = modules.count;
    return paths;
}

/* False: no memory. */
static bool number(struct ets_places *places, struct ets_text name, uint32_t *number_out)
{
    *number_out = name.data == NULL ? ETS_NO_INDEX : ets_places_none(places, name);
    return name.data == NULL || *number_out != ETS_NO_INDEX;
}

bool ets_work_part(struct ets_arena *arena, struct ets_places *places,
                   const struct ets_part_table *own, const struct ets_row *row,
                   uint32_t *number_out)
{
    struct ets_text name;
    size_t count;
    const struct ets_text *modules = modules_of(arena, places, row, &count);
    return modules != NULL && ets_work_part_name(arena, modules, count, own, row, &name) &&
           number(places, name, number_out);
}

bool ets_work_layer(struct ets_arena *arena, struct ets_places *places, const struct ets_row *row,
                    uint32_t *number_out)
{
    struct ets_text name;
    size_t count;
    const struct ets_text *modules = modules_of(arena, places, row, &count);
    return modules != NULL && ets_work_layer_name(arena, modules, count, &name) &&
           number(places, name, number_out);
}
