/* info on an ETRecord. */
#include <stdio.h>
#include <string.h>

#include "cli/core/cli_text.h"
#include "cli/info/info_kinds.h"
#include "etscope/etrecord.h"
#include "record/record_maps.h"

/* What the maps of a method say. */
struct map_counts {
    size_t mapped;         /* instructions with an entry in debug_handle_map */
    size_t handles;        /* in all entries */
    size_t delegate_calls; /* entries of delegate_map */
    size_t identifiers;    /* of all delegate calls */
    const char *backend;   /* of the first delegate call */
    size_t reference_cases;
    bool has_delegate_map, has_num_outs_map;
};

static void count_maps(struct ets_etrecord *record, const char *method, struct map_counts *counts)
{
    const int64_t *instructions;
    *counts = (struct map_counts){
        .has_delegate_map = ets_etrecord_has_delegate_map(record, method),
        .has_num_outs_map = ets_etrecord_has_num_outs_map(record, method),
    };
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
    ets_etrecord_reference_case_count(record, method, &counts->reference_cases, NULL);
}

static void print_reference(struct info_request *request, struct ets_etrecord *record,
                            const char *method, size_t cases)
{
    const struct ets_value *values;
    struct info_line line = {.size = 0};
    struct info_list list;
    size_t count;
    info_label(&line, "references");
    info_add_count(&line, cases, "case");
    info_end_line(request->output, &line);
    if (cases == 0 ||
        ets_etrecord_reference_outputs(record, method, 0, &values, &count, NULL) != ETS_OK) {
        return;
    }
    info_list_begin(&list, request->output, "  of case 0");
    for (size_t i = 0; i < count; i++) {
        struct info_line item = {.size = 0};
        info_add_value(&item, &values[i]);
        info_list_add(&list, &item);
    }
    info_list_end(&list);
}

static void print_method(struct info_request *request, struct ets_etrecord *record,
                         const char *method)
{
    struct map_counts counts;
    struct info_line line = {.size = 0};
    count_maps(record, method, &counts);
    info_add(&line, "\nmethod ");
    info_add_text(&line, cli_text(method));
    info_end_line(request->output, &line);
    info_fact(request->output, "debug handles", "%zu instructions, %zu handles", counts.mapped,
              counts.handles);
    if (!counts.has_delegate_map) {
        info_fact(request->output, "delegates", "no map");
    } else if (counts.delegate_calls == 0) {
        info_fact(request->output, "delegates", "none");
    } else {
        info_label(&line, "delegates");
        info_add_count(&line, counts.delegate_calls, "call");
        info_add(&line, " (");
        info_add_text(&line, cli_text(counts.backend));
        info_add(&line, "), ");
        info_add_count(&line, counts.identifiers, "identifier");
        info_end_line(request->output, &line);
    }
    print_reference(request, record, method, counts.reference_cases);
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

static void print_classes(struct info_request *request, struct ets_etrecord *record,
                          const struct ets_graph *graph)
{
    struct weight_classes classes;
    find_classes(record, graph, &classes);
    for (size_t i = 0; i < classes.count; i++) {
        struct info_line line = {.size = 0};
        info_add(&line, "    ");
        info_add_count(&line, classes.items[i].count, "weight");
        info_add(&line, " of class ");
        info_add_text(&line, classes.items[i].name);
        info_end_line(request->output, &line);
    }
    if (classes.others > 0) {
        info_print(request->output, "    %zu weights of further classes", classes.others);
    }
}

static void put_classes(struct info_json *json, struct ets_etrecord *record,
                        const struct ets_graph *graph)
{
    struct weight_classes classes;
    find_classes(record, graph, &classes);
    info_json_array(json, "weight_classes");
    for (size_t i = 0; i < classes.count; i++) {
        info_json_object(json, NULL);
        info_json_text(json, "name", classes.items[i].name);
        info_json_count(json, "weight_count", classes.items[i].count);
        info_json_end_object(json);
    }
    info_json_end_array(json);
}

static int print_graphs(struct info_request *request, struct ets_etrecord *record)
{
    const struct ets_graph *graph;
    struct ets_error error;
    if (ets_etrecord_graph_name(record, 0) == NULL) return CLI_OK;
    info_print(request->output, "\ngraphs");
    for (size_t i = 0; ets_etrecord_graph_name(record, i) != NULL; i++) {
        struct info_line line = {.size = 0};
        const char *name = ets_etrecord_graph_name(record, i);
        if (ets_etrecord_graph(record, name, &graph, &error) != ETS_OK) {
            return cli_fail(request->path, &error);
        }
        info_add(&line, "  ");
        info_add_text(&line, cli_text(name));
        info_add(&line, ": ");
        info_add_count(&line, graph->node_count, "node");
        if (graph->subgraph_count > 0) {
            info_add(&line, ", ");
            info_add_count(&line, graph->subgraph_count, "subgraph");
        }
        if (graph->dialect.size > 0) {
            info_add(&line, ", ");
            info_add_text(&line, graph->dialect);
        }
        if (!ets_etrecord_has_weights(record, name)) info_add(&line, ", weights left out");
        info_end_line(request->output, &line);
        print_classes(request, record, graph);
    }
    return CLI_OK;
}

static void print_entries(struct info_request *request, struct ets_etrecord *record)
{
    const uint32_t count = (uint32_t)ets_etrecord_entry_count(record);
    info_print(request->output, "\nentries: %u", (unsigned)count);
    for (uint32_t i = 0; i < info_shown(request, count); i++) {
        const struct ets_etrecord_entry *entry = ets_etrecord_entry(record, i);
        struct info_line line = {.size = 0};
        info_item(request, &line, entry->size, entry->name);
        info_end_line(request->output, &line);
    }
    info_more(request, count);
}

/* What backends said of their delegates at export (later versions): JSON, as it stands. */
static struct ets_text delegate_info(struct ets_etrecord *record)
{
    struct ets_bytes bytes;
    if (ets_etrecord_entry_bytes(record, "delegate_info", &bytes, NULL) != ETS_OK) {
        return (struct ets_text){NULL, 0};
    }
    return (struct ets_text){(const char *)bytes.data, bytes.size};
}

static void print_delegate_info(struct info_request *request, struct ets_etrecord *record)
{
    enum { SHOWN = 200 };
    struct ets_text text = delegate_info(record);
    if (text.data == NULL) return;
    const bool is_long = text.size > SHOWN && !request->all;
    if (is_long) text.size = SHOWN;
    struct info_line line = {.size = 0};
    info_label(&line, "delegate info");
    info_add_text(&line, text);
    if (is_long) info_add(&line, " ...");
    info_end_line(request->output, &line);
}

static int print_record(struct info_request *request, struct ets_etrecord *record)
{
    const struct ets_value *inputs;
    size_t count;
    const uint64_t id = ets_etrecord_export_graph_id(record);
    info_heading(request);
    if (id != 0) info_fact(request->output, "export graph", "%llu", (unsigned long long)id);
    struct info_list list;
    info_list_begin(&list, request->output, "inputs");
    if (ets_etrecord_representative_inputs(record, &inputs, &count, NULL) == ETS_OK) {
        for (size_t i = 0; i < count; i++) {
            struct info_line item = {.size = 0};
            info_add_value(&item, &inputs[i]);
            info_list_add(&list, &item);
        }
    } else {
        info_add(&list.line, "no representative inputs");
    }
    info_list_end(&list);
    print_delegate_info(request, record);
    const uint32_t methods = (uint32_t)ets_etrecord_method_count(record);
    for (uint32_t i = 0; i < info_shown(request, methods); i++) {
        print_method(request, record, ets_etrecord_method_name(record, i));
    }
    info_more(request, methods);
    const int code = print_graphs(request, record);
    print_entries(request, record);
    return code;
}

static void put_methods(struct info_json *json, struct ets_etrecord *record)
{
    info_json_array(json, "methods");
    for (size_t i = 0; i < ets_etrecord_method_count(record); i++) {
        const char *method = ets_etrecord_method_name(record, i);
        const struct ets_value *values;
        struct map_counts counts;
        size_t count;
        count_maps(record, method, &counts);
        info_json_object(json, NULL);
        info_json_string(json, "name", method);
        info_json_count(json, "mapped_instruction_count", counts.mapped);
        info_json_count(json, "handle_count", counts.handles);
        info_json_bool(json, "has_delegate_map", counts.has_delegate_map);
        info_json_bool(json, "has_num_outs_map", counts.has_num_outs_map);
        info_json_count(json, "delegate_call_count", counts.delegate_calls);
        info_json_count(json, "delegate_identifier_count", counts.identifiers);
        info_json_count(json, "reference_case_count", counts.reference_cases);
        info_json_array(json, "reference_outputs");
        if (counts.reference_cases > 0 &&
            ets_etrecord_reference_outputs(record, method, 0, &values, &count, NULL) == ETS_OK) {
            for (size_t v = 0; v < count; v++) info_json_value(json, &values[v]);
        }
        info_json_end_array(json);
        info_json_end_object(json);
    }
    info_json_end_array(json);
}

static void put_graphs(struct info_json *json, struct ets_etrecord *record, struct ets_error *error)
{
    const struct ets_graph *graph;
    info_json_array(json, "graphs");
    for (size_t i = 0; ets_etrecord_graph_name(record, i) != NULL; i++) {
        struct ets_error reason;
        const char *name = ets_etrecord_graph_name(record, i);
        const bool is_read = ets_etrecord_graph(record, name, &graph, &reason) == ETS_OK;
        if (!is_read && error->status == ETS_OK) *error = reason;
        info_json_object(json, NULL);
        info_json_string(json, "name", name);
        if (is_read) {
            info_json_text(json, "dialect", graph->dialect);
            info_json_count(json, "node_count", graph->node_count);
            info_json_count(json, "subgraph_count", graph->subgraph_count);
            put_classes(json, record, graph);
        }
        info_json_bool(json, "has_weights", ets_etrecord_has_weights(record, name));
        info_json_string(json, "error", is_read ? NULL : reason.message);
        info_json_end_object(json);
    }
    info_json_end_array(json);
}

static int put_record(struct info_request *request, struct ets_etrecord *record)
{
    struct info_json *json = request->json;
    struct ets_error error = {.status = ETS_OK};
    const struct ets_value *inputs;
    size_t count;
    info_json_row(json);
    info_json_heading(request, "etrecord");
    info_json_count(json, "export_graph_id", ets_etrecord_export_graph_id(record));
    if (ets_etrecord_representative_inputs(record, &inputs, &count, NULL) == ETS_OK) {
        info_json_array(json, "representative_inputs");
        for (size_t i = 0; i < count; i++) info_json_value(json, &inputs[i]);
        info_json_end_array(json);
    } else {
        info_json_null(json, "representative_inputs");
    }
    info_json_text(json, "delegate_info", delegate_info(record));
    put_methods(json, record);
    put_graphs(json, record, &error);
    info_json_array(json, "entries");
    for (size_t i = 0; i < ets_etrecord_entry_count(record); i++) {
        const struct ets_etrecord_entry *entry = ets_etrecord_entry(record, i);
        info_json_object(json, NULL);
        info_json_text(json, "name", entry->name);
        info_json_count(json, "offset", entry->offset);
        info_json_count(json, "bytes", entry->size);
        info_json_end_object(json);
    }
    info_json_end_array(json);
    info_json_end_row(json);
    return error.status == ETS_OK ? CLI_OK : cli_fail(request->path, &error);
}

int info_etrecord(struct info_request *request)
{
    struct ets_etrecord *record;
    struct ets_error error;
    if (ets_etrecord_open(request->bytes, NULL, &record, &error) != ETS_OK) {
        return cli_fail(request->path, &error);
    }
    const int code =
        request->json != NULL ? put_record(request, record) : print_record(request, record);
    ets_etrecord_close(record);
    return code;
}
