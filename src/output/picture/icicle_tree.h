/* The nodes of an icicle: modules or calls, each with the time that is certainly its own. */
#ifndef ETSCOPE_OUTPUT_PICTURE_ICICLE_TREE_H
#define ETSCOPE_OUTPUT_PICTURE_ICICLE_TREE_H

#include "output/picture/plot.h"

struct ets_icicle_node {
    struct ets_text name;
    uint32_t parent; /* before this one; ETS_NO_INDEX: a root */
    uint32_t depth;
    enum ets_ink ink;
    struct ets_span ticks; /* bounds of `mid`, as in the tables */
    struct ets_span self;  /* its time that no node inside of it has */
    struct ets_span share;
    double x, certain, width; /* pixels, by the layout; the rest of the width is undecided */
};

struct ets_icicle {
    struct ets_icicle_node *items;
    uint32_t count;
    uint32_t without_time; /* nodes whose clock is unknown or that overlap: not drawn */
    double ticks;          /* `mid` of all roots together */
};

/* Modules, and what lies outside of them. Returns false if memory runs out. */
bool ets_icicle_modules(struct ets_plot *plot, struct ets_icicle *icicle_out);

/* Calls, and what they leave over. Status: NO_MEMORY. */
enum ets_status ets_icicle_calls(struct ets_plot *plot, struct ets_icicle *icicle_out,
                                 struct ets_error *error);

#endif
