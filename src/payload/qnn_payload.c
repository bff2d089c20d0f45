/*
 * The payload of Qualcomm's QNN: a compiled context binary. Its graphs have names, inputs and
 * outputs, and its nodes have names; what connects them is the vendor's own.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "format/qnn.h"
#include "payload/payload_reader.h"

static const char *const backends[] = {ETS_QNN_BACKEND, NULL};

enum { MOST_GROUPS = 64, SHOWN_GROUPS = 3, LOOKED_THROUGH = 1 << 26 };

struct group {
    struct ets_text operation;
    uint32_t count;
};

/* Names of nodes by the operator in them: "convolution" of "aten_convolution_default_12". */
struct groups {
    struct group items[MOST_GROUPS];
    uint32_t count, nodes;
};

static struct ets_text operation_in(struct ets_text name)
{
    static const char prefix[] = "aten_";
    static const char *const overloads[] = {"_default", "_tensor", "_scalar",
                                            "_copy",    "_dim",    "_int"};
    if (!ets_text_starts_with(name, prefix)) return (struct ets_text){NULL, 0};
    const struct ets_text rest = {name.data + strlen(prefix), name.size - strlen(prefix)};
    for (size_t at = 1; at < rest.size; at++) {
        const struct ets_text tail = {rest.data + at, rest.size - at};
        for (size_t i = 0; i < sizeof overloads / sizeof *overloads; i++) {
            if (ets_text_starts_with(tail, overloads[i])) return (struct ets_text){rest.data, at};
        }
    }
    return rest;
}

static void add_name(struct groups *groups, struct ets_text name)
{
    const struct ets_text operation = operation_in(name);
    groups->nodes++;
    if (operation.data == NULL) return;
    for (uint32_t i = 0; i < groups->count; i++) {
        if (!ets_text_equal(groups->items[i].operation, operation)) continue;
        groups->items[i].count++;
        return;
    }
    if (groups->count < MOST_GROUPS) groups->items[groups->count++] = (struct group){operation, 1};
}

/* The most frequent one, which is taken out; count 0: none is left. */
static struct group take_most(struct groups *groups)
{
    struct group most = {.count = 0};
    uint32_t at = 0;
    for (uint32_t i = 0; i < groups->count; i++) {
        if (groups->items[i].count <= most.count) continue;
        most = groups->items[i];
        at = i;
    }
    if (most.count > 0) groups->items[at].count = 0;
    return most;
}

/* "about 1,552 names of nodes, most often mul 212, view 150 and convolution 97" */
static void describe(const struct ets_qnn *qnn, char *text, size_t room)
{
    struct groups groups = {.count = 0};
    struct ets_qnn start = *qnn;
    struct ets_text name;
    size_t at = 0;
    const bool is_large = qnn->blob.size > LOOKED_THROUGH; /* weights are among it */
    if (is_large) start.blob.size = LOOKED_THROUGH;
    while (ets_qnn_next_name(&start, &at, &name)) add_name(&groups, name);
    size_t used = ets_print_text(text, room, "%s %u names of nodes",
                                 is_large ? "at least" : "about", groups.nodes);
    for (int i = 0; i < SHOWN_GROUPS; i++) {
        const struct group most = take_most(&groups);
        if (most.count == 0) break;
        used += ets_print_text(text + used, room - used, "%s%.*s %u", i == 0 ? ": " : ", ",
                               ETS_TEXT(most.operation), most.count);
    }
}

static enum ets_status read_payload(struct ets_payload_builder *builder, struct ets_bytes bytes,
                                    struct ets_error *error)
{
    struct ets_qnn qnn;
    char names[128];
    ETS_TRY(ets_qnn_init(&qnn, bytes, error));
    if (!ets_payload_look(builder, bytes.size)) return ets_fail_memory(error, "a QNN payload");
    describe(&qnn, names, sizeof names);
    if (qnn.graph_count == 0) {
        return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET,
                        "a QNN context binary does not keep its operators; %s", names);
    }
    return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET,
                    "a QNN context binary of %u graph%s does not keep its operators; %s",
                    qnn.graph_count, qnn.graph_count == 1 ? "" : "s", names);
}

const struct ets_payload_reader ets_payload_qnn = {
    .backends = backends,
    .format = "QNN context binary",
    .read = read_payload,
    .identifier = ets_payload_qnn_identifier,
};
