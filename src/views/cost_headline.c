/* Writes the sentence that says what a run computes and moves. */
#include "views/cost_headline.h"

#include <math.h>
#include <stdio.h>

#include "host/text_builder.h"

double ets_flops_unit(uint64_t flops, const char **name_out)
{
    static const struct {
        double least, unit;
        const char *name;
    } units[] = {
        {1e14, 1e12, "TFLOP"}, {1e8, 1e9, "GFLOP"}, {1e5, 1e6, "MFLOP"}, {0, 1e3, "kFLOP"}};
    size_t at = 0;
    while ((double)flops < units[at].least) at++;
    *name_out = units[at].name;
    return units[at].unit;
}

size_t ets_print_flops(double flops, char *text, size_t room)
{
    const char *name;
    const double unit = ets_flops_unit(flops < 9e18 ? (uint64_t)flops : UINT64_MAX, &name);
    const int size = flops < 1000 ? snprintf(text, room, "%.0f FLOP", flops)
                                  : snprintf(text, room, "%.3g %s", flops / unit, name);
    return size < 0 ? 0 : (size_t)size < room ? (size_t)size : room - 1;
}

/* The family with most of the work. */
static int largest_family(const struct ets_total_cost *total)
{
    int best = 0;
    for (int i = 1; i < ETS_FAMILY_COUNT; i++) {
        if (total->families[i].flops > total->families[best].flops) best = i;
    }
    return best;
}

static void add_family(struct ets_text_builder *out, const struct ets_total_cost *total)
{
    const int best = largest_family(total);
    const struct ets_family_cost *family = &total->families[best];
    const double share = 100.0 * (double)family->flops / (double)ets_cost_flops(&total->cost);
    const char *name = ets_cost_family_name((enum ets_cost_family)best);
    if (family->operators == 0) return;
    char percent[16];
    /* Never 100 of what is less than all. */
    (void)snprintf(percent, sizeof percent, "%.0f", share < 100 ? floor(share) : share);
    if (family->operators == 1) ets_add_text(out, "; %s %% in one %s", percent, name);
    else ets_add_text(out, "; %s %% in %u %ss", percent, family->operators, name);
}

/* "no rule for llama::quantized_moe_ffn.out, foo::bar.out and more" */
static void add_unruled(struct ets_text_builder *out, const struct ets_total_cost *total)
{
    enum { MOST = 3 };
    ets_add_text(out, "no rule for ");
    for (uint32_t i = 0; i < total->unruled_count && i < MOST; i++) {
        if (i > 0) ets_add_text(out, ", ");
        ets_add_shown_text(out, total->unruled[i]);
    }
    if (total->unruled_count > MOST) ets_add_text(out, " and more");
}

static void add_doubts(struct ets_text_builder *out, const struct ets_total_cost *total)
{
    const struct ets_cost *cost = &total->cost;
    if (cost->at_most) ets_add_text(out, "; at most, as shapes are upper bounds");
    if (cost->is_example) ets_add_text(out, "; for the sizes of the example inputs");
    if (cost->folded > 0) {
        ets_add_text(out, "; %u batch norm%s folded into weights", cost->folded,
                     cost->folded == 1 ? " is" : "s are");
    }
    if (cost->unknown == 0) return;
    ets_add_text(out, "; %u operator%s not counted: ", cost->unknown,
                 cost->unknown == 1 ? " is" : "s are");
    if (cost->reason == ETS_COST_NO_RULE && total->unruled_count > 0) add_unruled(out, total);
    else ets_add_text(out, "%s", ets_cost_reason_name(cost->reason));
}

size_t ets_cost_headline(const struct ets_total_cost *total, const char *of, char *text,
                         size_t room)
{
    char number[64];
    struct ets_text_builder out = {text, room, 0};
    const struct ets_cost *cost = &total->cost;
    const enum ets_cost_state state = ets_cost_state(cost);
    const uint64_t flops = ets_cost_flops(cost), bytes = ets_cost_bytes(cost);
    if (state == ETS_COST_NONE) return 0;
    if (state == ETS_COST_UNKNOWN) {
        ets_add_text(&out, "the work %s is unknown: %s", of, ets_cost_reason_name(cost->reason));
        return out.used;
    }
    /* Without some operators and with upper bounds of others, it is no bound of the whole. */
    const bool is_partial = state == ETS_COST_PARTIAL, is_bound = !cost->at_most;
    const char *least = is_partial && is_bound ? "at least " : "";
    const char *counted = is_partial && !is_bound ? " in what is counted" : "";
    if (flops == 0) {
        ets_add_text(&out, "%sno arithmetic %s%s; %llu bytes moved", least, of, counted,
                     (unsigned long long)bytes);
    } else {
        (void)ets_print_flops((double)flops, number, sizeof number);
        ets_add_text(&out, "%s%s %s%s", least, number, of, counted);
        /* Shares and ratios of a part are none of the whole. */
        if (cost->unknown == 0) add_family(&out, total);
        if (bytes > 0 && cost->unknown == 0) {
            (void)snprintf(number, sizeof number, "%.3g", (double)flops / (double)bytes);
            ets_add_text(&out, "; %s operations a byte", number);
        }
    }
    add_doubts(&out, total);
    return out.used;
}
