/* Words what layers add to the divergence, the changes that reach a wanted one, and their code. */
#include "output/text/layer_quality_text.h"

#include <math.h>

enum { NAMED_CHANGES = 3 };

static void add_scheme(const struct ets_weight_scheme *scheme, struct ets_text_builder *text)
{
    char words[ETS_WEIGHT_SCHEME_CHARS];
    ets_weight_scheme_describe(scheme, words);
    ets_add_text(text, "%s", words);
}

static void add_signed_bytes(int64_t bytes, struct ets_text_builder *text)
{
    ets_add_text(text, "%s", bytes < 0 ? "-" : "+");
    ets_add_bytes(text, (uint64_t)(bytes < 0 ? -bytes : bytes));
}

static bool is_change_of(const struct ets_layer_change *one, const struct ets_layer_change *other)
{
    return one->scheme == other->scheme;
}

/* "layers.0.feed_forward.w2, output in 8 bit per channel and 3 more in float" */
static void add_changes(const struct ets_layer_study *study, struct ets_text_builder *text)
{
    bool is_first = true;
    for (uint32_t scheme = 0; scheme < ETS_WEIGHT_SCHEMES; scheme++) {
        const struct ets_layer_change wanted = {0, scheme};
        uint32_t count = 0;
        for (uint32_t i = 0; i < study->change_count; i++) {
            if (!is_change_of(&study->changes[i], &wanted)) continue;
            if (count == 0 && !is_first) ets_add_text(text, "; ");
            if (count < NAMED_CHANGES) {
                const struct ets_layer_row *row = &study->rows[study->changes[i].row];
                ets_add_plain_text(text, "%s%.*s", count > 0 ? ", " : "",
                                   ETS_TEXT(row->layer->name));
            }
            count++;
        }
        if (count == 0) continue;
        is_first = false;
        if (count > NAMED_CHANGES) ets_add_text(text, " and %u more", count - NAMED_CHANGES);
        ets_add_text(text, " in ");
        add_scheme(&ets_weight_schemes[scheme], text);
    }
}

/* "layers.0.feed_forward.w2 in 8 bit per channel: KL 0.031 -> 0.012, +0.4 MiB" */
static void add_wanted(const struct ets_layer_study *study, double wanted,
                       struct ets_text_builder *text)
{
    if (study->own_reason != NULL || isnan(study->own_kl)) {
        ets_add_plain_text(text, "changes were not looked for: the graph of the ETRecord: %s",
                           study->own_reason != NULL ? study->own_reason : "not evaluated");
        return;
    }
    if (study->change_count == 0 && study->is_reached) {
        ets_add_text(text, "KL %.3g is within the wanted %g already (quantized graph, evaluated)",
                     study->own_kl, wanted);
        return;
    }
    if (!study->is_reached) {
        ets_add_text(text, "no change of weights reaches KL %g; the nearest, column change",
                     wanted);
    } else {
        add_changes(study, text);
    }
    ets_add_text(text, ": KL %.3g -> %.3g, ", study->own_kl, study->changed_kl);
    add_signed_bytes(study->added_bytes, text);
    ets_add_text(text, " (quantized graph with the changes, evaluated)");
}

/* Whether the record's graph and the program are as far from the float graph. */
static bool agrees(double of_graph, double of_program)
{
    static const double ROUNDING = 1e-6, NEAR = 0.25;
    return fabs(of_graph - of_program) <= ROUNDING + NEAR * fmax(of_graph, of_program);
}

/* "; layers.1.attention.wq and 3 more are not known" */
static void add_unknown(const struct ets_layer_study *study, struct ets_text_builder *text)
{
    const uint32_t unknown = study->layers.count - study->known_count;
    if (unknown == 0) return;
    /* Rows of what is known come first. */
    ets_add_plain_text(text, "; %.*s", ETS_TEXT(study->rows[study->known_count].layer->name));
    if (unknown > 1) ets_add_text(text, " and %u more", unknown - 1);
    ets_add_text(text, " %s not known", unknown == 1 ? "is" : "are");
}

/* What the weights together leave of the model's divergence. */
static void add_left(const struct ets_layer_study *study, double model_kl,
                     struct ets_text_builder *text)
{
    const double left = model_kl - study->weights_kl;
    ets_add_text(text, "the weights of %u layers together give %.3g of the model's %.3g",
                 study->known_count, study->weights_kl, model_kl);
    if (study->known_count < study->layers.count) {
        add_unknown(study, text);
    } else if (left < 0) {
        ets_add_text(text, ": errors of weights and of the rest partly cancel");
    } else {
        ets_add_text(text, ", %.2g is left for activations, caches and kernels", left);
    }
    if (isnan(study->rest_kl)) return;
    ets_add_text(text, " (its graph with float weights: %.2g)", study->rest_kl);
}

/* What a graph that is not the program's gives. */
static void add_other_graph(const struct ets_layer_study *study, double model_kl,
                            struct ets_text_builder *text)
{
    ets_add_text(text,
                 "the graph of its ETRecord gives KL %.3g, the program %.3g: they are not of one "
                 "model, or the program computes something else",
                 study->own_kl, model_kl);
}

/* "layers.0.feed_forward.w2 (4 bit, groups of 32) adds most, KL 0.0042" */
static void add_most(const struct ets_layer_study *study, struct ets_text_builder *text)
{
    const struct ets_layer_row *row = &study->rows[0];
    if (row->present.kl == 0) {
        ets_add_text(text, "no weight that is known of the model differs from the reference's");
        return;
    }
    ets_add_plain_text(text, "%.*s (", ETS_TEXT(row->layer->name));
    if (row->layer->scheme.bits > 0) add_scheme(&row->layer->scheme, text);
    else ets_add_text(text, "scheme not known");
    ets_add_text(text, ") adds most");
    if (study->known_count < study->layers.count)
        ets_add_text(text, " of the weights that are known");
    ets_add_text(text, ", KL %.3g", row->present.kl);
}

/* First the layer, or what is more than all layers. */
static void add_present(const struct ets_layer_study *study, double model_kl,
                        struct ets_text_builder *text)
{
    static const double MOST = 0.5;
    if (isnan(study->weights_kl)) {
        add_most(study, text);
    } else if (!isnan(study->own_kl) && !agrees(study->own_kl, model_kl)) {
        add_other_graph(study, model_kl, text);
        ets_add_text(text, "; in the graph ");
        add_most(study, text);
    } else if (study->weights_kl < MOST * model_kl) {
        add_left(study, model_kl, text);
        ets_add_text(text, study->known_count < study->layers.count ? "; " : "; among them ");
        add_most(study, text);
    } else {
        add_most(study, text);
        ets_add_text(text, "; ");
        add_left(study, model_kl, text);
    }
}

static void add_tried(const struct ets_layer_study *study, struct ets_text_builder *text)
{
    const struct ets_layer_row *row = &study->rows[0];
    ets_add_plain_text(text, "%.*s would add most", ETS_TEXT(row->layer->name));
    ets_add_text(text, ", KL %.3g in ", row->effects[0].kl);
    add_scheme(&ets_weight_schemes[0], text);
    ets_add_text(text, "; what the model has now is not known without its ETRecord");
}

bool ets_layer_quality_sentence(const struct ets_layer_study *study, double model_kl, double wanted,
                                uint32_t index, struct ets_text_builder *text)
{
    const bool is_wanted = !isnan(wanted);
    if (index == 0 && is_wanted) {
        add_wanted(study, wanted, text);
        return true;
    }
    if (index != (is_wanted ? 1u : 0u)) return false;
    if (study->layers.count > 0 && !isnan(study->rows[0].present.kl)) {
        add_present(study, model_kl, text);
    } else {
        add_tried(study, text);
    }
    return true;
}

/* The scheme that a row's layer is to have. */
static const struct ets_weight_scheme *scheme_of(const struct ets_layer_study *study, uint32_t row)
{
    for (uint32_t i = 0; i < study->change_count; i++) {
        if (study->changes[i].row == row) return &ets_weight_schemes[study->changes[i].scheme];
    }
    return &study->rows[row].layer->scheme;
}

static bool is_quantized(const struct ets_weight_scheme *scheme)
{
    return scheme->bits > 0 && !ets_weight_scheme_is_float(scheme) && !scheme->is_of_tensor;
}

static const char filter_start[] =
    "# quantize(model) gives each layer its scheme; layers that are not listed stay as they are.\n"
    "import torch\n"
    "from torchao.quantization import (Int8DynamicActivationIntxWeightConfig, "
    "IntxWeightOnlyConfig, quantize_)\n"
    "from torchao.quantization.granularity import PerAxis, PerGroup\n\n";

static const char filter_end[] =
    "}\n\n\n"
    "def quantize(model):\n"
    "    for scheme in sorted(set(SCHEMES.values())):\n"
    "        bits, group = scheme\n"
    "        dtype = getattr(torch, f\"int{bits}\")\n"
    "        granularity = PerGroup(group) if group else PerAxis(0)\n"
    "        quantize_(model, Int8DynamicActivationIntxWeightConfig(\n"
    "            weight_dtype=dtype, weight_granularity=granularity,\n"
    "            intx_choose_qparams_algorithm=ALGORITHM),\n"
    "            filter_fn=lambda m, fqn: isinstance(m, torch.nn.Linear) "
    "and SCHEMES.get(fqn) == scheme)\n"
    "        quantize_(model, IntxWeightOnlyConfig(\n"
    "            weight_dtype=dtype, granularity=granularity,\n"
    "            intx_choose_qparams_algorithm=ALGORITHM),\n"
    "            filter_fn=lambda m, fqn: isinstance(m, torch.nn.Embedding) "
    "and SCHEMES.get(fqn) == scheme)\n";

void ets_layer_quality_filter(const struct ets_layer_study *study, struct ets_output *output)
{
    ets_output_write(output, filter_start, sizeof filter_start - 1);
    ets_output_print(output, "ALGORITHM = \"%s\"\n",
                     study->has_other_scales ? "hqq_scale_only" : "affine");
    if (study->has_other_scales) {
        ets_output_print(output,
                         "# The present scales are not those of \"affine\", which the changes were "
                         "evaluated with.\n"
                         "# If they are of training or of another algorithm, name that here.\n");
    }
    ets_output_print(output,
                     "SCHEMES = {  # name: (bits, elements that share a scale; 0: a row)\n");
    for (uint32_t i = 0; i < study->layers.count; i++) {
        const struct ets_weight_scheme *scheme = scheme_of(study, i);
        const struct ets_text name = study->rows[i].layer->name;
        if (!is_quantized(scheme)) continue;
        ets_output_print(output, "    ");
        ets_output_write_json(output, name.data, name.size);
        ets_output_print(output, ": (%u, %u),%s\n", scheme->bits, scheme->group,
                         scheme != &study->rows[i].layer->scheme ? "  # changed" : "");
    }
    ets_output_write(output, filter_end, sizeof filter_end - 1);
}
