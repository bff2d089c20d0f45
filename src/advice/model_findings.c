/* Findings about the memory plan, the program's bytes, and captured values. */
#include <math.h>

#include "advice/finding_rules.h"
#include "base/text.h"
#include "etscope/experimental/captured_values.h"
#include "partition/partition_node.h"
#include "views/gap_headline.h"

/* A plan this much above its lower bound is told. */
static const double ABOVE_BOUND = 1.1;
/* Fewer bytes are not worth a look. */
enum { LEAST_BYTES = 1 << 10 };

static bool add_of_plan(struct ets_finder *finder, const char *kind, enum ets_severity severity,
                        uint64_t saved)
{
    struct ets_finding finding = ets_finding_of(kind, severity, "memory");
    if (saved > 0) {
        finding.saving =
            (struct ets_saving){.basis = ETS_SAVING_MEMORY, .ticks = {NAN, NAN}, .bytes = saved};
        finding.confidence = ETS_CONFIDENCE_LOW;
    }
    finding.check = ETS_CHECK_MEMORY;
    finding.method = finder->subject->memory->plan->method.name;
    return ets_finding_add(finder, finding);
}

bool ets_find_plan(struct ets_finder *finder)
{
    const struct ets_memory_lines *lines = finder->subject->memory;
    if (lines == NULL || lines->plan->bound_bytes == 0) return true;
    const struct ets_memory_plan *plan = lines->plan;
    const double ratio = (double)plan->planned_bytes / (double)plan->bound_bytes;
    if (!(ratio >= ABOVE_BOUND) || plan->planned_bytes - plan->bound_bytes < LEAST_BYTES)
        return true;
    ets_find_say(finder, "the memory plan is ");
    ets_add_bytes(&finder->line, plan->planned_bytes - plan->bound_bytes);
    ets_find_say(finder, " (%.0f %%) above its lower bound of %s", 100 * (ratio - 1),
                 plan->has_branches ? "at most " : "");
    ets_add_bytes(&finder->line, plan->bound_bytes);
    ets_find_propose(finder,
                     "try another memory planning algorithm "
                     "(MemoryPlanningPass of ExecutorchBackendConfig)");
    return add_of_plan(finder, "plan_above_bound", ETS_SEVERITY_NOTE,
                       plan->planned_bytes - plan->bound_bytes);
}

bool ets_find_plan_mistakes(struct ets_finder *finder)
{
    char text[256];
    const struct ets_memory_lines *lines = finder->subject->memory;
    if (lines == NULL || lines->findings.mistakes == 0) return true;
    const struct ets_memory_findings *findings = &lines->findings;
    uint32_t first = 0;
    while (findings->items[first].kind == ETS_MEMORY_UNDECIDED) first++;
    (void)ets_memory_finding_print(lines->plan, &findings->items[first], text, sizeof text);
    ets_find_say(finder, "%u mistake%s in the memory plan: %s", findings->mistakes,
                 findings->mistakes == 1 ? "" : "s", text);
    return add_of_plan(finder, "plan_mistake", ETS_SEVERITY_BAD, 0);
}

bool ets_find_duplicates(struct ets_finder *finder)
{
    const struct ets_byte_map *map = finder->subject->bytes;
    if (map == NULL || map->duplicate_count == 0) return true;
    ets_find_say(finder, "%u duplicate%s in the program cost%s ", map->duplicate_count,
                 map->duplicate_count == 1 ? "" : "s", map->duplicate_count == 1 ? "s" : "");
    ets_add_bytes(&finder->line, map->duplicate_bytes);
    ets_find_propose(finder,
                     "use one tensor in the model where two are equal; delegates and kernels "
                     "keep copies of their own");
    struct ets_finding finding = ets_finding_of("duplicates", ETS_SEVERITY_NOTE, "size");
    finding.saving = (struct ets_saving){
        .basis = ETS_SAVING_FILE, .ticks = {NAN, NAN}, .bytes = map->duplicate_bytes};
    finding.confidence = ETS_CONFIDENCE_HIGH;
    finding.check = ETS_CHECK_SIZE;
    return ets_finding_add(finder, finding);
}

/* Whether at least one value could be compared, and all of these agree. */
static bool do_all_agree(const struct ets_gap_report *report)
{
    uint32_t agreeing = 0;
    for (uint32_t i = 0; i < ets_gap_row_count(report); i++) {
        const enum ets_gap_finding finding = ets_gap_row(report, i)->finding;
        if (finding != ETS_GAP_AGREES && finding != ETS_GAP_UNKNOWN) return false;
        agreeing += finding == ETS_GAP_AGREES;
    }
    return agreeing > 0;
}

/* Weights of one scale have no steps left for small channels beside a large one; others have that
 * already. */
static void propose_scales(struct ets_finder *finder, const struct ets_gap_report *report,
                           struct ets_finding *finding)
{
    static const char *const products[] = {"convolution", "conv1d", "conv2d", "linear",
                                           "addmm",       "mm",     "matmul"};
    const struct ets_gap_conclusion *verdict = ets_gap_conclusion(report);
    const struct ets_graph_node *node = ets_gap_row(report, verdict->guilty)->value->node;
    const struct ets_text base = ets_operator_base(node->op);
    bool is_product = false;
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        is_product |= ets_text_is(base, products[i]);
    }
    if (verdict->against != ETS_GAP_AGAINST_OTHER || !is_product) return;
    const struct ets_text module = ets_graph_module_path(node);
    if (module.size == 0) {
        ets_find_propose(finder,
                         "leave this operator in float (a quantizer's set_filter_function)");
    } else {
        /* Names of nodes change from export to export, and a quantizer's set_module_name does not
         * take None. */
        ets_find_propose(finder,
                         "leave it in float: quantizer.set_filter_function(lambda node: "
                         "all(path != \"%.*s\" for path, _ in "
                         "node.meta.get(\"nn_module_stack\", {}).values()))",
                         ETS_TEXT(module));
    }
    if (verdict->weight != NULL) {
        ets_find_propose(finder,
                         "; or, less exact, quantize weights per channel "
                         "(get_symmetric_quantization_config(is_per_channel=True))");
    }
    finding->confidence = ETS_CONFIDENCE_LOW;
}

/* What the gap report concludes. */
bool ets_find_numbers(struct ets_finder *finder)
{
    char text[1024];
    const struct ets_gap_report *report = finder->subject->gap;
    if (report == NULL) return true;
    const struct ets_gap_conclusion *verdict = ets_gap_conclusion(report);
    struct ets_finding finding = ets_finding_of("values_differ", ETS_SEVERITY_NOTE, "numbers");
    if (verdict->mismatch >= ETS_GAP_OTHER_WEIGHTS) {
        finding.kind = "other_values";
        finding.severity = ETS_SEVERITY_BAD;
    } else if (verdict->guilty != ETS_NO_INDEX) {
        finding.kind = "wrong_operator";
        finding.severity = ETS_SEVERITY_BAD;
        finding.check = ETS_CHECK_NUMBERS;
        const struct ets_graph_node *node = ets_gap_row(report, verdict->guilty)->value->node;
        ets_parts_begin(finder);
        if (!ets_parts_add_node(finder, node)) return false;
        ets_finding_place_parts(finder, &finding);
        finding.place = node->name;
        propose_scales(finder, report, &finding);
    } else if (do_all_agree(report)) {
        finding.kind = "values_agree";
        finding.severity = ETS_SEVERITY_GOOD;
    }
    (void)ets_gap_headline(report, finder->subject->words, text, sizeof text);
    ets_find_say(finder, "%s", text);
    return ets_finding_add(finder, finding);
}

/* The first captured value with NaN or infinity where the reference has none. */
bool ets_find_nonfinite(struct ets_finder *finder)
{
    const struct ets_gap_report *report = finder->subject->gap;
    if (report == NULL) return true;
    for (uint32_t i = 0; i < ets_gap_row_count(report); i++) {
        const struct ets_gap_row *row = ets_gap_row(report, i);
        if (!row->has_total || row->total.broken_count == 0) continue;
        struct ets_finding finding = ets_finding_of("nan_or_infinity", ETS_SEVERITY_BAD, "numbers");
        finding.place = row->value->node->name;
        ets_find_say(finder,
                     "%.*s is the first value with NaN or infinity on one side only: %llu "
                     "element%s",
                     ETS_TEXT(finding.place), (unsigned long long)row->total.broken_count,
                     row->total.broken_count == 1 ? "" : "s");
        return ets_finding_add(finder, finding);
    }
    return true;
}
