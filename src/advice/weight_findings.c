/*
 * Findings about int8 weights with one scale for all channels: where one channel is far larger than
 * the others, these have few steps left. Seen in the weights of the program, before anybody runs
 * it.
 */
#include <stdlib.h>
#include <string.h>

#include "advice/finding_rules.h"
#include "base/load.h"
#include "base/text.h"

/* A channel whose weights reach this many of 127 steps, and no more, is rounded by a tenth of its
 * largest weight and more. */
enum { FEW_STEPS = 3 };
/* Of so many channels of a layer it is told; of so many it is wrong, as far as weights tell. */
static const double MANY_CHANNELS = 0.2, MOST_CHANNELS = 0.5;
/* Weights that are read, in all layers together. */
static const uint64_t MOST_READ = UINT64_C(1) << 28;

struct channels {
    uint32_t count, coarse; /* those with a weight, but none beyond FEW_STEPS */
    int largest;            /* of all, in steps */
    uint32_t loudest;       /* the channel of `largest` */
    int next;               /* the largest of all other channels */
};

/* The bytes of an item, in the program that it is in; data NULL: they are in another file. */
static struct ets_bytes bytes_of(const struct ets_byte_map *map, const struct ets_byte_item *item)
{
    const struct ets_byte_file *file = &map->files[item->file];
    const struct ets_bytes whole = file->program.bytes;
    if (file->program.method_count == 0 || item->offset < file->program_offset) {
        return (struct ets_bytes){NULL, 0};
    }
    const uint64_t at = item->offset - file->program_offset;
    if (at > whole.size || item->size > whole.size - at) return (struct ets_bytes){NULL, 0};
    return (struct ets_bytes){whole.data + at, (size_t)item->size};
}

static bool is_weight_of_one_scale(const struct ets_byte_item *item)
{
    return item->part == ETS_BYTES_WEIGHT && item->role != NULL && item->dtype != NULL &&
           item->content != NULL && item->rank >= 2 && strcmp(item->role, "weight") == 0 &&
           strcmp(item->dtype, "qint8") == 0 && ets_text_is(item->backend, "XnnpackBackend");
}

/* Output channels are the first dimension of XNNPACK's weights, of depthwise ones the last. */
static bool count_channels(const struct ets_byte_item *item, struct ets_bytes weights,
                           struct channels *channels_out)
{
    const bool is_depthwise = strcmp(item->content, "DepthwiseConv2d") == 0;
    const int64_t size = item->shape[is_depthwise ? item->rank - 1 : 0];
    *channels_out = (struct channels){.count = 0};
    if (size < 2 || (uint64_t)size > weights.size || weights.size % (size_t)size != 0) return false;
    const size_t channels = (size_t)size, each = weights.size / channels;
    for (size_t c = 0; c < channels; c++) {
        const uint8_t *first = weights.data + (is_depthwise ? c : c * each);
        const size_t stride = is_depthwise ? channels : 1;
        int largest = 0;
        for (size_t i = 0; i < each; i++) {
            const int weight = (int8_t)first[i * stride];
            const int magnitude = weight < 0 ? -weight : weight;
            if (magnitude > largest) largest = magnitude;
        }
        channels_out->coarse += largest > 0 && largest <= FEW_STEPS;
        if (largest > channels_out->largest) {
            channels_out->next = channels_out->largest;
            channels_out->largest = largest;
            channels_out->loudest = (uint32_t)c;
        } else if (largest > channels_out->next) {
            channels_out->next = largest;
        }
    }
    channels_out->count = (uint32_t)channels;
    return true;
}

static bool is_coarse(const struct channels *channels)
{
    return channels->largest > FEW_STEPS &&
           (double)channels->coarse >= MANY_CHANNELS * (double)channels->count;
}

/* The nodes of the method that an item belongs to; none without a record. */
static bool read_nodes(struct ets_finder *finder, const struct ets_byte_item *item,
                       struct ets_handle_nodes *nodes_out)
{
    struct ets_method method = {.name = {NULL, 0}};
    if (item->method != ETS_BYTES_NONE && item->program != ETS_BYTES_NONE) {
        ets_program_method(&finder->subject->bytes->files[item->program].program, item->method,
                           &method);
    }
    return ets_read_handle_nodes(finder, method.name, nodes_out);
}

/* "blocks.2.depth", or how `size` calls the layer. */
static void say_layer(struct ets_finder *finder, const struct ets_byte_item *item)
{
    if (item->module.size > 0) ets_find_say(finder, "%.*s", ETS_TEXT(item->module));
    else ets_find_say(finder, "%s %u.%u", item->content, item->delegate, item->node);
}

bool ets_find_coarse_weights(struct ets_finder *finder)
{
    const struct ets_byte_map *map = finder->subject->bytes;
    const struct ets_byte_item *worst = NULL;
    struct channels channels, of_worst = {.count = 0};
    struct ets_handle_nodes nodes = {.count = 0};
    uint64_t read = 0;
    uint32_t layers = 0;
    ets_parts_begin(finder);
    for (uint32_t i = 0; map != NULL && i < map->item_count && read < MOST_READ; i++) {
        const struct ets_byte_item *item = &map->items[i];
        if (!is_weight_of_one_scale(item)) continue;
        const struct ets_bytes weights = bytes_of(map, item);
        if (weights.data == NULL || !count_channels(item, weights, &channels)) continue;
        read += weights.size;
        if (!is_coarse(&channels)) continue;
        if (layers++ == 0 && !read_nodes(finder, item, &nodes)) return false;
        if (!ets_parts_add_handle(finder, &nodes, item->debug_handle) ||
            !ets_parts_add_module(finder, item->module)) {
            return false;
        }
        if (worst != NULL && channels.coarse * (uint64_t)of_worst.count <=
                                 of_worst.coarse * (uint64_t)channels.count) {
            continue;
        }
        worst = item;
        of_worst = channels;
    }
    if (worst == NULL) return true;
    ets_find_say(finder, "the int8 weights of %u layer%s have too few steps: in ", layers,
                 layers == 1 ? "" : "s");
    say_layer(finder, worst);
    ets_find_say(finder, ", %u of %u channels reach %d of 127 at most", of_worst.coarse,
                 of_worst.count, FEW_STEPS);
    ets_find_evidence(finder,
                      "one scale for all channels, which channel %u sets: it reaches %d steps",
                      of_worst.loudest, of_worst.largest);
    if (of_worst.next > 0) {
        ets_find_evidence(finder, ", %.3g times as far as the next",
                          (double)of_worst.largest / of_worst.next);
    }
    ets_find_evidence(finder,
                      "; in Python the layer may be harmless: a batch norm behind it is folded "
                      "into it");
    ets_find_propose(
        finder,
        "quantize weights per channel "
        "(get_symmetric_quantization_config(is_per_channel=True)); or equalize: divide "
        "channel %u (its batch norm, too) by what makes it large, and multiply the "
        "weights that take it",
        of_worst.loudest);
    struct ets_finding finding = ets_finding_of("coarse_weights", ETS_SEVERITY_BAD, "size");
    ets_finding_place_parts(finder, &finding);
    const bool is_most = (double)of_worst.coarse >= MOST_CHANNELS * (double)of_worst.count;
    if (!is_most) finding.severity = ETS_SEVERITY_NOTE;
    finding.confidence = is_most ? ETS_CONFIDENCE_MEDIUM : ETS_CONFIDENCE_LOW;
    finding.doubt = "channels of small weights matter little to what follows";
    finding.check = ETS_CHECK_PROGRAM;
    return ets_finding_add(finder, finding);
}

/* Float weights that are whole numbers of int8, or of int4: so many different ones are no chance.
 */
enum { LEAST_DIFFERENT = 32, LEAST_REACH = 64, LEAST_OF_INT4 = 14, LEAST_NUMBERS = 256 };

static bool is_float_weight(const struct ets_byte_item *item)
{
    return item->part == ETS_BYTES_WEIGHT && item->role != NULL && item->dtype != NULL &&
           item->rank >= 2 && strcmp(item->role, "weight") == 0 &&
           strcmp(item->dtype, "float32") == 0 && ets_text_is(item->backend, "XnnpackBackend");
}

static bool are_whole_numbers(struct ets_bytes weights)
{
    bool seen[256] = {false};
    uint32_t different = 0;
    int reach = 0, least = 0;
    if (weights.size == 0 || weights.size % 4 != 0) return false;
    for (size_t i = 0; i < weights.size; i += 4) {
        const uint32_t bits = ets_load_u32(weights.data + i);
        float number;
        memcpy(&number, &bits, sizeof number);
        if (!(number >= -128 && number <= 127) || number != (float)(int)number) return false;
        const int whole = (int)number;
        different += !seen[whole + 128];
        seen[whole + 128] = true;
        if (abs(whole) > reach) reach = abs(whole);
        if (whole < least) least = whole;
    }
    const bool is_int4 = reach <= 8 && least >= -8 && different >= LEAST_OF_INT4 &&
                         weights.size / 4 >= LEAST_NUMBERS;
    return is_int4 || (different >= LEAST_DIFFERENT && reach >= LEAST_REACH);
}

static bool has_finding(const struct ets_finder *finder, const char *kind)
{
    for (uint32_t i = 0; i < finder->out->count; i++) {
        if (strcmp(finder->out->items[i].kind, kind) == 0) return true;
    }
    return false;
}

bool ets_find_whole_weights(struct ets_finder *finder)
{
    const struct ets_byte_map *map = finder->subject->bytes;
    const struct ets_byte_item *first = NULL;
    struct ets_handle_nodes nodes = {.count = 0};
    uint64_t read = 0;
    uint32_t layers = 0;
    if (has_finding(finder, "lost_weight_scales")) return true; /* the record's graph tells it */
    ets_parts_begin(finder);
    for (uint32_t i = 0; map != NULL && i < map->item_count && read < MOST_READ; i++) {
        const struct ets_byte_item *item = &map->items[i];
        if (!is_float_weight(item)) continue;
        const struct ets_bytes weights = bytes_of(map, item);
        if (weights.data == NULL || !are_whole_numbers(weights)) continue;
        read += weights.size;
        if (layers++ == 0) {
            first = item;
            if (!read_nodes(finder, item, &nodes)) return false;
        }
        if (!ets_parts_add_handle(finder, &nodes, item->debug_handle) ||
            !ets_parts_add_module(finder, item->module)) {
            return false;
        }
    }
    if (first == NULL) return true;
    ets_find_say(finder, "XNNPACK has lost the scales of the weights of %u layer%s, such as ",
                 layers, layers == 1 ? "" : "s");
    say_layer(finder, first);
    ets_find_say(finder, ": results are wrong by orders of magnitude");
    ets_find_evidence(finder,
                      "its float weights are whole numbers, as of int8 or int4 without a scale");
    ets_find_propose(finder,
                     "quantize activations dynamically as well "
                     "(Int8DynamicActivationIntxWeightConfig), which XNNPACK takes");
    struct ets_finding finding = ets_finding_of("lost_weight_scales", ETS_SEVERITY_BAD, "size");
    ets_finding_place_parts(finder, &finding);
    finding.confidence = ETS_CONFIDENCE_HIGH;
    finding.doubt = "the model has such weights on purpose";
    finding.check = ETS_CHECK_PROGRAM;
    return ets_finding_add(finder, finding);
}
