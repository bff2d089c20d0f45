/* Arguments of nodes that are no tensors, in words. */
#ifndef ETSCOPE_VIEWS_GRAPH_ARGUMENT_TEXT_H
#define ETSCOPE_VIEWS_GRAPH_ARGUMENT_TEXT_H

#include <stddef.h>

#include "etscope/etrecord.h"

/* A number, a word or a list of these, into `text`; returns the bytes used, 0: it is neither. */
size_t ets_argument_text(const struct ets_graph_argument *argument, char *text, size_t room);

#endif
