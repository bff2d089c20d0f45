/*
 * Compares the layers of a stack, which a model repeats: which of them takes another time than the
 * others.
 *
 *     struct ets_layer_times layers;
 *     ets_layer_times_find(&lines, &layers);
 *     size_t size = ets_layer_times_print(&layers, tick_ns, text, sizeof text);
 *
 * `lines` are grouped by layer. Only stacks of at least ETS_LEAST_LAYERS layers are judged.
 */
#ifndef ETSCOPE_VIEWS_LAYER_TIMES_H
#define ETSCOPE_VIEWS_LAYER_TIMES_H

#include "views/operator_lines.h"

enum { ETS_LEAST_LAYERS = 4 };

struct ets_layer_times {
    struct ets_text stack; /* "model.layers", of the stack that takes the most time */
    uint32_t count;        /* layers; below ETS_LEAST_LAYERS: there is nothing to compare */
    double median;         /* ticks of a run in a layer */
    struct ets_span range; /* of all layers; of all others, where one is odd */
    struct ets_text odd;   /* a layer that is outside of what noise explains; data NULL: none */
    struct ets_span odd_time;
    uint32_t odd_count; /* layers like that */
};

/* False: no memory. */
bool ets_layer_times_find(struct ets_arena *arena, const struct ets_operator_lines *lines,
                          struct ets_layer_times *layers_out);

/*
 * "layers.0 takes 2.1 times the median of the 28 layers of layers (112 us; the others 104..118
 * us)"; "the 28 layers of layers take 104..118 us each". Returns the length, 0 without such a
 * stack.
 */
size_t ets_layer_times_print(const struct ets_layer_times *layers, double tick_ns, char *text,
                             size_t room);

#endif
