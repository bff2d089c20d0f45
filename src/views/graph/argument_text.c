/* Arguments of nodes in words. */
#include "views/graph/argument_text.h"

#include <stdio.h>

#include "base/error.h"
#include "base/text.h"
#include "etscope/tensor.h"

enum { DEEPEST_LIST = 16 };

static size_t argument_text(const struct ets_graph_argument *argument, char *text, size_t room,
                            int depth);

static size_t float_text(double value, char *text, size_t room)
{
    const int length = snprintf(text, room, "%g", value);
    return length < 0 ? 0 : (size_t)length < room ? (size_t)length : room - 1;
}

static size_t list_text(const struct ets_graph_argument *list, char *text, size_t room, int depth)
{
    size_t used = ets_print_text(text, room, "[");
    for (uint32_t i = 0; i < list->item_count && depth < DEEPEST_LIST; i++) {
        if (room - used < 32) {
            used += ets_print_text(text + used, room - used, "...");
            break;
        }
        if (i > 0) used += ets_print_text(text + used, room - used, ", ");
        const size_t item = argument_text(&list->items[i], text + used, room - used, depth + 1);
        if (item == 0) return 0; /* tensors */
        used += item;
    }
    return used + ets_print_text(text + used, room - used, "]");
}

/* A number, a word or a list of these, into `text`; returns the bytes used. */
static size_t argument_text(const struct ets_graph_argument *argument, char *text, size_t room,
                            int depth)
{
    const char *name;
    switch (argument->kind) {
    case ETS_ARGUMENT_INT:
        return ets_print_text(text, room, "%lld", (long long)argument->int_value);
    case ETS_ARGUMENT_BOOL:
        return ets_print_text(text, room, "%s", argument->int_value != 0 ? "true" : "false");
    case ETS_ARGUMENT_FLOAT: return float_text(argument->float_value, text, room);
    case ETS_ARGUMENT_STRING:
    case ETS_ARGUMENT_DEVICE: return ets_print_text(text, room, "%.*s", ETS_TEXT(argument->name));
    case ETS_ARGUMENT_SCALAR_TYPE:
        name = ets_scalar_type_name((int)argument->int_value);
        return ets_print_text(text, room, "%s", name == NULL ? "?" : name);
    case ETS_ARGUMENT_LIST: return list_text(argument, text, room, depth);
    default: return 0;
    }
}

size_t ets_argument_text(const struct ets_graph_argument *argument, char *text, size_t room)
{
    return argument_text(argument, text, room, 0);
}
