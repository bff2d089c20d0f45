/* Describes an ETRecord. */
#include <stdio.h>
#include <string.h>

#include "cli/core/cli_text.h"
#include "cli/info/info_kinds.h"
#include "etscope/etrecord.h"
#include "record/record_maps.h"

/* The contents of a method's maps. */
struct map_counts {
    size_t mapped;         /* instructions with an entry in debug_handle_map */
    size_t handles;        /* in all entries */
    size_t delegate_calls; /* entries of delegate_map */
    size_t identifiers;    /* of all delegate calls */
    const char *backend;   /* of the first delegate call */
    bool has_graph;        /* an edge program, which may be damaged */
    size_t reference_cases;
    struct ets_error unread; /* why reference_cases is not known, or ETS_OK */
    bool has_delegate_map, has_num_outs_map;
};

static void count_maps(struct ets_etrecord *record, const char *method, struct map_counts *counts)
{
    const int64_t *instructions;
    *counts = (struct map_counts){
        .has_delegate_map = ets_etrecord_has_delegate_map(record, method),
        .has_num_outs_map = ets_etrecord_has_num_outs_map(record, method),
    };
    const struct ets_graph *graph;
    counts->has_graph = ets_etrecord_edge_graph(record, method, &graph, NULL) != ETS_NOT_FOUND;
    ets_etrecord_mapped_instructions(record, method, &instructions, &counts->mapped);
    for (size_t i = 0; i < counts->mapped; i++) {
        const int64_t *handles;
        size_t count;
        ets_etrecord_handles(record, method, instructions[i], &handles, &count, NULL);
        counts->handles += count;
        const char *backend = ets_etrecord_backend(record, method, instructions[i]);
        if (backend == NULL) continue;
        if (counts->delegate_calls++ == 0) counts->backend = backend;
        size_t at = 0;
        while (ets_etrecord_delegate_identifier(record, method, instructions[i], at) != NULL) at++;
        counts->identifiers += at;
    }
    ets_etrecord_reference_case_count(record, method, &counts->reference_cases, &counts->unread);
}

static void tell_reference(struct ets_facts *facts, struct ets_etrecord *record, const char *method,
                           const struct map_counts *counts)
{
    const struct ets_value *values;
    const size_t cases = counts->reference_cases;
    size_t count;
    ets_facts_line(facts, "references");
    if (counts->unread.status == ETS_OK) {
        ets_facts_count(facts, "reference_case_count", cases, "case");
    } else {
        ets_json_put_null(facts->json, "reference_case_count");
        ets_facts_words(facts, "unreadable: %s", counts->unread.message);
    }
    ets_facts_end(facts);
    ets_json_begin_array(facts->json, "reference_outputs");
    if (cases > 0 &&
        ets_etrecord_reference_outputs(record, method, 0, &values, &count, NULL) == ETS_OK) {
        ets_facts_line(facts, "  of case 0");
        for (size_t i = 0; i < count; i++) {
            ets_facts_item(facts);
            ets_facts_value(facts, &values[i]);
        }
        ets_facts_end(facts);
    }
    ets_json_end_array(facts->json);
}

static void tell_delegates(struct ets_facts *facts, const struct map_counts *counts)
{
    ets_json_put_bool(facts->json, "has_delegate_map", counts->has_delegate_map);
    ets_json_put_bool(facts->json, "has_num_outs_map", counts->has_num_outs_map);
    ets_json_put_count(facts->json, "delegate_call_count", counts->delegate_calls);
    ets_json_put_count(facts->json, "delegate_identifier_count", counts->identifiers);
    ets_facts_line(facts, "delegates");
    if (!counts->has_delegate_map) {
        ets_facts_words(facts, "no map");
    } else if (counts->delegate_calls == 0) {
        ets_facts_words(facts, "none");
    } else {
        ets_facts_count(facts, NULL, counts->delegate_calls, "call");
        ets_facts_words(facts, " (");
        ets_facts_string(facts, NULL, counts->backend);
        ets_facts_words(facts, ")");
        if (counts->identifiers > 0) {
            ets_facts_words(facts, ", ");
            ets_facts_count(facts, NULL, counts->identifiers, "event");
            ets_facts_words(facts, " with handles within them");
        }
    }
    ets_facts_end(facts);
}

static void tell_edge_graph(struct ets_facts *facts, struct ets_etrecord *record,
                            const struct map_counts *counts)
{
    ets_json_put_bool(facts->json, "has_graph", counts->has_graph);
    if (counts->has_graph) return;
    ets_facts_line(facts, "graph");
    ets_facts_words(facts, "none, and no lines of its operators%s",
                    ets_etrecord_why_no_graph(record));
    ets_facts_end(facts);
}

static void tell_method(struct ets_facts *facts, struct ets_etrecord *record, const char *method)
{
    struct map_counts counts;
    count_maps(record, method, &counts);
    ets_json_begin_object(facts->json, NULL);
    ets_facts_plain_line(facts, "\nmethod ");
    ets_facts_string(facts, "name", method);
    ets_facts_end(facts);
    ets_facts_line(facts, "debug handles");
    ets_facts_number(facts, "mapped_instruction_count", counts.mapped);
    ets_facts_words(facts, " instructions, ");
    ets_facts_number(facts, "handle_count", counts.handles);
    ets_facts_words(facts, " handles");
    ets_facts_end(facts);
    tell_edge_graph(facts, record, &counts);
    tell_delegates(facts, &counts);
    tell_reference(facts, record, method, &counts);
    ets_json_end_object(facts->json);
}

/* Weights that are objects of a class with tensors inside, as torchao's, by their classes. */
struct weight_classes {
    struct {
        struct ets_text name;
        size_t count;
    } items[16];
    size_t count;
    size_t others; /* weights of further classes */
};

static void add_class(struct weight_classes *classes, struct ets_text name)
{
    enum { ROOM = sizeof classes->items / sizeof *classes->items };
    size_t i = 0;
    while (i < classes->count && (classes->items[i].name.size != name.size ||
                                  memcmp(classes->items[i].name.data, name.data, name.size) != 0)) {
        i++;
    }
    if (i == ROOM) {
        classes->others++;
        return;
    }
    if (i == classes->count) {
        classes->items[classes->count++].name = name;
        classes->items[i].count = 0;
    }
    classes->items[i].count++;
}

static void find_classes(struct ets_etrecord *record, const struct ets_graph *graph,
                         struct weight_classes *classes)
{
    static const char *const suffixes[] = {"_state_dict", "_constants"};
    *classes = (struct weight_classes){.count = 0};
    for (size_t s = 0; s < sizeof suffixes / sizeof *suffixes; s++) {
        const struct ets_named_value *values;
        size_t count;
        char entry[512];
        const int length = snprintf(entry, sizeof entry, "%.*s%s", (int)graph->name.size,
                                    graph->name.data, suffixes[s]);
        if (length < 0 || (size_t)length >= sizeof entry) continue;
        if (ets_etrecord_named_values(record, entry, &values, &count, NULL) != ETS_OK) continue;
        for (size_t i = 0; i < count; i++) {
            if (values[i].value.kind != ETS_VALUE_OTHER) continue;
            if (values[i].class_name.data != NULL) add_class(classes, values[i].class_name);
        }
    }
}

static void tell_classes(struct ets_facts *facts, struct ets_etrecord *record,
                         const struct ets_graph *graph)
{
    struct weight_classes classes;
    find_classes(record, graph, &classes);
    ets_json_begin_array(facts->json, "weight_classes");
    for (size_t i = 0; i < classes.count; i++) {
        ets_json_begin_object(facts->json, NULL);
        ets_json_put_text(facts->json, "name", classes.items[i].name);
        ets_facts_plain_line(facts, "    ");
        ets_facts_count(facts, "weight_count", classes.items[i].count, "weight");
        ets_facts_words(facts, " of class ");
        ets_facts_text(facts, NULL, classes.items[i].name);
        ets_facts_end(facts);
        ets_json_end_object(facts->json);
    }
    if (classes.others > 0) {
        ets_facts_plain_line(facts, "    %zu weights of further classes", classes.others);
    }
    ets_facts_end(facts);
    ets_json_end_array(facts->json);
}

static void tell_graph(struct ets_facts *facts, struct ets_etrecord *record, const char *name,
                       const struct ets_graph *graph)
{
    ets_facts_plain_line(facts, "  ");
    ets_facts_string(facts, NULL, name);
    ets_facts_words(facts, ": ");
    ets_json_put_text(facts->json, "dialect", graph->dialect);
    ets_facts_count(facts, "node_count", graph->node_count, "node");
    ets_json_put_count(facts->json, "subgraph_count", graph->subgraph_count);
    if (graph->subgraph_count > 0) {
        ets_facts_words(facts, ", ");
        ets_facts_count(facts, NULL, graph->subgraph_count, "subgraph");
    }
    if (graph->dialect.size > 0) ets_facts_words(facts, ", ");
    ets_facts_text(facts, NULL, graph->dialect);
    if (!ets_etrecord_has_weights(record, name)) ets_facts_words(facts, ", weights left out");
    ets_facts_end(facts);
    tell_classes(facts, record, graph);
}

/*
 * In JSON all graphs, with the reason if one cannot be read; people see those before the first such
 * graph.
 */
static int tell_graphs(struct info_request *request, struct ets_etrecord *record)
{
    struct ets_facts *facts = &request->facts;
    struct ets_error first = {.status = ETS_OK};
    const bool is_json = ets_facts_are_json(facts);
    const char *name = ets_etrecord_graph_name(record, 0);
    if (name != NULL) ets_facts_plain_line(facts, "\ngraphs");
    ets_facts_end(facts);
    ets_json_begin_array(facts->json, "graphs");
    for (size_t i = 0; name != NULL && (is_json || first.status == ETS_OK);
         name = ets_etrecord_graph_name(record, ++i)) {
        const struct ets_graph *graph;
        struct ets_error error;
        const bool is_read = ets_etrecord_graph(record, name, &graph, &error) == ETS_OK;
        if (!is_read && first.status == ETS_OK) first = error;
        ets_json_begin_object(facts->json, NULL);
        ets_json_put_string(facts->json, "name", name);
        if (is_read) tell_graph(facts, record, name, graph);
        ets_json_put_bool(facts->json, "has_weights", ets_etrecord_has_weights(record, name));
        ets_json_put_string(facts->json, "error", is_read ? NULL : error.message);
        ets_json_end_object(facts->json);
    }
    ets_json_end_array(facts->json);
    return first.status == ETS_OK ? CLI_OK : cli_fail(request->path, &first);
}

static void tell_entries(struct info_request *request, struct ets_etrecord *record)
{
    struct ets_facts *facts = &request->facts;
    const uint32_t count = (uint32_t)ets_etrecord_entry_count(record);
    ets_facts_plain_line(facts, "\nentries: %u", (unsigned)count);
    ets_facts_end(facts);
    ets_json_begin_array(facts->json, "entries");
    for (uint32_t i = 0; i < info_shown(request, count); i++) {
        const struct ets_etrecord_entry *entry = ets_etrecord_entry(record, i);
        ets_json_begin_object(facts->json, NULL);
        ets_json_put_text(facts->json, "name", entry->name);
        ets_json_put_count(facts->json, "offset", entry->offset);
        ets_json_put_count(facts->json, "bytes", entry->size);
        ets_json_end_object(facts->json);
        info_item(request, entry->size, entry->name);
        ets_facts_end(facts);
    }
    info_more(request, count);
    ets_json_end_array(facts->json);
}

/* What backends stored about their delegates at export (later versions), as JSON. */
static struct ets_text delegate_info(struct ets_etrecord *record)
{
    struct ets_bytes bytes;
    if (ets_etrecord_entry_bytes(record, "delegate_info", &bytes, NULL) != ETS_OK) {
        return (struct ets_text){NULL, 0};
    }
    return (struct ets_text){(const char *)bytes.data, bytes.size};
}

static void tell_delegate_info(struct info_request *request, struct ets_etrecord *record)
{
    enum { SHOWN = 200 };
    struct ets_facts *facts = &request->facts;
    struct ets_text text = delegate_info(record);
    const bool is_long = text.size > SHOWN && !request->all;
    ets_json_put_text(facts->json, "delegate_info", text);
    if (text.data == NULL) return;
    if (is_long) text.size = SHOWN;
    ets_facts_line(facts, "delegate info");
    ets_facts_text(facts, NULL, text);
    if (is_long) ets_facts_words(facts, " ...");
    ets_facts_end(facts);
}

static void tell_inputs(struct ets_facts *facts, struct ets_etrecord *record)
{
    const struct ets_value *inputs;
    size_t count;
    struct ets_error error;
    ets_facts_line(facts, "inputs");
    const enum ets_status status =
        ets_etrecord_representative_inputs(record, &inputs, &count, &error);
    if (status == ETS_OK) {
        ets_json_begin_array(facts->json, "representative_inputs");
        for (size_t i = 0; i < count; i++) {
            ets_facts_item(facts);
            ets_facts_value(facts, &inputs[i]);
        }
        ets_json_end_array(facts->json);
    } else {
        ets_json_put_null(facts->json, "representative_inputs");
        if (status == ETS_NOT_FOUND) ets_facts_words(facts, "no representative inputs");
        else ets_facts_words(facts, "unreadable: %s", error.message);
    }
    ets_facts_end(facts);
}

static int tell_record(struct info_request *request, struct ets_etrecord *record)
{
    struct ets_facts *facts = &request->facts;
    const uint64_t id = ets_etrecord_export_graph_id(record);
    const uint32_t methods = (uint32_t)ets_etrecord_method_count(record);
    info_begin(request);
    if (id != 0) ets_facts_line(facts, "export");
    ets_facts_number(facts, "export_graph_id", id);
    if (id != 0) ets_facts_words(facts, ", a number that tells it from other exports");
    ets_facts_end(facts);
    tell_inputs(facts, record);
    tell_delegate_info(request, record);
    ets_json_begin_array(facts->json, "methods");
    for (uint32_t i = 0; i < info_shown(request, methods); i++) {
        tell_method(facts, record, ets_etrecord_method_name(record, i));
    }
    info_more(request, methods);
    ets_json_end_array(facts->json);
    const int code = tell_graphs(request, record);
    tell_entries(request, record);
    info_end(request);
    return code;
}

int info_etrecord(struct info_request *request)
{
    struct ets_etrecord *record;
    struct ets_error error;
    if (ets_etrecord_open(request->bytes, NULL, &record, &error) != ETS_OK) {
        return cli_fail(request->path, &error);
    }
    const int code = tell_record(request, record);
    ets_etrecord_close(record);
    return code;
}
