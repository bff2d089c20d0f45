/*
 * Events of QNN's runtime: each starts at 0 and ends at a value, whose unit is the last word of the
 * name in brackets. Values of nodes are named "<node>:OpId_<number> (cycles)".
 */
#include <string.h>

#include "base/text.h"
#include "payload/payload_reader.h"

static const struct {
    const char *suffix, *unit;
} units[] = {
    {" (us)", "us"},
    {" (bytes)", "bytes"},
    {" (count)", "count"},
    {" (cycles)", "cycles"},
};

/* The name without its unit. */
static struct ets_text strip_unit(struct ets_text name, const char **unit_out)
{
    *unit_out = NULL;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const size_t size = strlen(units[i].suffix);
        if (name.size <= size || memcmp(name.data + name.size - size, units[i].suffix, size) != 0) {
            continue;
        }
        *unit_out = units[i].unit;
        return (struct ets_text){name.data, name.size - size};
    }
    return name;
}

/* The size of a name before ":OpId_7" or " OpId_7" at its end; 0: it has no such end. */
static size_t find_node(struct ets_text name)
{
    static const char mark[] = "OpId_";
    size_t end = name.size;
    while (end > 0 && name.data[end - 1] >= '0' && name.data[end - 1] <= '9') end--;
    const size_t size = strlen(mark);
    if (end == name.size || end < size + 2) return 0;
    if (memcmp(name.data + end - size, mark, size) != 0) return 0;
    const char before = name.data[end - size - 1];
    return before == ':' || before == ' ' ? end - size - 1 : 0;
}

/* What the runtime reports of a whole call. */
static bool is_total(struct ets_text name)
{
    static const char *const starts[] = {"QNN ", "Accelerator ", "RPC ", "Number of HVX threads",
                                         "Num times yield"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        if (ets_text_starts_with(name, starts[i])) return true;
    }
    return false;
}

enum ets_status ets_payload_qnn_identifier(struct ets_arena *arena, struct ets_text identifier,
                                           struct ets_bytes metadata,
                                           struct ets_payload_identifier *said,
                                           struct ets_error *error)
{
    const char *unit;
    const struct ets_text name = strip_unit(identifier, &unit);
    const size_t node = find_node(name);
    (void)arena, (void)metadata, (void)error;
    if (node == 0) {
        if (unit == NULL && !is_total(name)) return ETS_OK;
        said->measure = ETS_PAYLOAD_FIGURE;
        said->label = name;
        said->unit = unit != NULL ? unit : "cycles";
        return ETS_OK;
    }
    said->measure = ETS_PAYLOAD_PART;
    said->unit = unit != NULL ? unit : "cycles";
    said->label = (struct ets_text){name.data, node};
    if (name.data[node] == ':') said->edge_name = said->label;
    return ETS_OK;
}
