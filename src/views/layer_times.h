/*
 * Compares the layers of a stack, which a model repeats: which of them takes another time than the
 * others.
 *
 *     struct ets_layer_times layers;
 *     ets_layer_times_find(&lines, &layers);
 *     size_t size = ets_layer_times_print(&layers, runs.count, tick_ns, text, sizeof text);
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
    double median;         /* of a layer's ticks, each the median over the runs */
    struct ets_span range; /* of all layers; of all others, where one is odd */
    struct ets_text odd;   /* a layer that is outside of what noise explains; data NULL: none */
    struct ets_span odd_time;
    uint32_t odd_count; /* layers like that */
};

/* False: no memory. */
bool ets_layer_times_find(struct ets_arena *arena, const struct ets_operator_lines *lines,
                          struct ets_layer_times *layers_out);

/*
 * "layers.0 takes 240 us, unlike the other 27 layers of layers, which take 104..118 us"; "the 28
 * layers of layers take 104..118 us each; none stands out". What differs in one of one `runs` may
 * be the machine's, so that is said. Returns the length, 0 without such a stack.
 */
size_t ets_layer_times_print(const struct ets_layer_times *layers, uint32_t runs, double tick_ns,
                             char *text, size_t room);

#endif
