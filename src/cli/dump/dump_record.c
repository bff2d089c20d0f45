/* dump of an ETRecord: entries, maps, graphs, weights, inputs and outputs. */
#include <stdio.h>
#include <string.h>

#include "cli/core/cli_text.h"
#include "cli/dump/dump_parts.h"
#include "record/record_maps.h"

struct recording {
    struct dump_request *request;
    struct ets_etrecord *record;
};

/* Entries that are torch.save's dicts of tensors. */
static bool has_values(struct ets_text name)
{
    static const char *const endings[] = {"_state_dict", "_constants"};
    for (int i = 0; i < 2; i++) {
        const size_t size = strlen(endings[i]);
        if (name.size > size && memcmp(name.data + name.size - size, endings[i], size) == 0) {
            return true;
        }
    }
    return false;
}

/* The name of an entry, terminated; false: too long for one that is read. */
static bool entry_name(const struct ets_etrecord_entry *entry, char name[1024])
{
    if (entry->name.size >= 1024) return false;
    memcpy(name, entry->name.data, entry->name.size);
    name[entry->name.size] = '\0';
    return true;
}

static int fail(struct recording *r, const struct ets_error *error)
{
    return cli_fail(r->request->path, error);
}

static int read_values(struct recording *r, const char *entry,
                       const struct ets_named_value **values, size_t *count)
{
    struct ets_error error;
    const enum ets_status status =
        ets_etrecord_named_values(r->record, entry, values, count, &error);
    return status == ETS_OK ? CLI_OK : fail(r, &error);
}

static int hash_entry(struct recording *r, const struct ets_etrecord_entry *entry)
{
    char name[1024];
    struct ets_bytes bytes;
    struct ets_error error;
    const struct ets_named_value *values;
    size_t count;
    if (!entry_name(entry, name)) {
        return cli_complain(CLI_INPUT, "%s: an entry's name has %zu bytes, at most 1023 are read",
                            cli_path_name(r->request->path), entry->name.size);
    }
    if (ets_etrecord_entry_bytes(r->record, name, &bytes, &error) != ETS_OK) return fail(r, &error);
    r->request->contents.budget += 2 * (uint64_t)bytes.size;
    r->request->data_budget += 2 * (uint64_t)bytes.size;
    int code = dump_hash(r->request, bytes, true);
    if (code != CLI_OK || !has_values(entry->name)) return code;
    code = read_values(r, name, &values, &count);
    for (size_t i = 0; i < count && code == CLI_OK; i++) {
        code = dump_hash_value(r->request, &values[i].value);
    }
    return code;
}

/* Lists of values that may be missing. */
static int hash_list(struct recording *r, enum ets_status status, const struct ets_value *values,
                     size_t count, const struct ets_error *error)
{
    int code = CLI_OK;
    if (status == ETS_NOT_FOUND) return CLI_OK;
    if (status != ETS_OK) return fail(r, error);
    for (size_t i = 0; i < count && code == CLI_OK; i++) {
        code = dump_hash_value(r->request, &values[i]);
    }
    return code;
}

static size_t case_count(struct recording *r, const char *method)
{
    size_t count = 0;
    return ets_etrecord_reference_case_count(r->record, method, &count, NULL) == ETS_OK ? count : 0;
}

static int hash_cases(struct recording *r, const char *method)
{
    int code = CLI_OK;
    for (size_t i = 0; i < case_count(r, method) && code == CLI_OK; i++) {
        const struct ets_value *values;
        size_t count;
        struct ets_error error;
        const enum ets_status status =
            ets_etrecord_reference_outputs(r->record, method, i, &values, &count, &error);
        code = hash_list(r, status, values, count, &error);
    }
    return code;
}

/* Reads and hashes all that is told below. */
static int read_all(struct recording *r)
{
    const struct ets_graph *graph;
    const struct ets_value *values;
    size_t count;
    struct ets_error error;
    int code = CLI_OK;
    for (size_t i = 0; i < ets_etrecord_entry_count(r->record) && code == CLI_OK; i++) {
        code = hash_entry(r, ets_etrecord_entry(r->record, i));
    }
    for (size_t i = 0; ets_etrecord_graph_name(r->record, i) != NULL && code == CLI_OK; i++) {
        const char *name = ets_etrecord_graph_name(r->record, i);
        if (ets_etrecord_graph(r->record, name, &graph, &error) != ETS_OK) code = fail(r, &error);
    }
    if (code != CLI_OK) return code;
    const enum ets_status status =
        ets_etrecord_representative_inputs(r->record, &values, &count, &error);
    code = hash_list(r, status, values, count, &error);
    for (size_t i = 0; i < ets_etrecord_method_count(r->record) && code == CLI_OK; i++) {
        code = hash_cases(r, ets_etrecord_method_name(r->record, i));
    }
    return code;
}

static void put_entries(struct recording *r)
{
    struct ets_json_writer *json = r->request->json;
    ets_json_begin_array(json, "entries");
    for (size_t i = 0; i < ets_etrecord_entry_count(r->record); i++) {
        char name[1024];
        struct ets_bytes bytes;
        const struct ets_etrecord_entry *entry = ets_etrecord_entry(r->record, i);
        if (!entry_name(entry, name) ||
            ets_etrecord_entry_bytes(r->record, name, &bytes, NULL) != ETS_OK) {
            continue; /* read_all would have failed */
        }
        ets_json_begin_object(json, NULL);
        ets_json_put_text(json, "name", entry->name);
        ets_json_put_count(json, "offset", entry->offset);
        dump_put_hashed(r->request, bytes, r->request->with_data);
        ets_json_end_object(json);
    }
    ets_json_end_array(json);
}

static void put_integers(struct ets_json_writer *json, const char *key, const int64_t *numbers,
                         size_t count)
{
    ets_json_begin_array(json, key);
    for (size_t i = 0; i < count; i++) ets_json_put_integer(json, NULL, numbers[i]);
    ets_json_end_array(json);
}

static void put_identifiers(struct recording *r, const char *method, int64_t instruction)
{
    struct ets_json_writer *json = r->request->json;
    const char *identifier;
    ets_json_begin_array(json, "delegate_identifiers");
    for (size_t i = 0;
         (identifier = ets_etrecord_delegate_identifier(r->record, method, instruction, i)) != NULL;
         i++) {
        const int64_t *handles;
        size_t count;
        ets_etrecord_delegate_handles(r->record, method, instruction,
                                      (struct ets_text){identifier, strlen(identifier)}, &handles,
                                      &count);
        ets_json_begin_object(json, NULL);
        ets_json_put_string(json, "identifier", identifier);
        put_integers(json, "debug_handles", handles, count);
        ets_json_end_object(json);
    }
    ets_json_end_array(json);
}

/* The three maps of a method, by instruction. */
static void put_instructions(struct recording *r, const char *method)
{
    struct ets_json_writer *json = r->request->json;
    const int64_t *instructions;
    size_t count;
    ets_etrecord_mapped_instructions(r->record, method, &instructions, &count);
    ets_json_begin_array(json, "instructions");
    for (size_t i = 0; i < count; i++) {
        const int64_t *handles;
        size_t handle_count;
        int is_list;
        ets_etrecord_handles(r->record, method, instructions[i], &handles, &handle_count, &is_list);
        ets_json_begin_object(json, NULL);
        ets_json_put_integer(json, "instruction", instructions[i]);
        ets_json_put_bool(json, "is_list", is_list != 0);
        put_integers(json, "debug_handles", handles, handle_count);
        ets_json_put_string(json, "backend",
                            ets_etrecord_backend(r->record, method, instructions[i]));
        put_identifiers(r, method, instructions[i]);
        ets_json_put_integer(json, "num_outs",
                             ets_etrecord_num_outs(r->record, method, instructions[i]));
        ets_json_end_object(json);
    }
    ets_json_end_array(json);
}

static void put_list(struct recording *r, const char *key, const struct ets_value *values,
                     size_t count)
{
    struct ets_json_writer *json = r->request->json;
    ets_json_begin_array(json, key);
    for (size_t i = 0; i < count; i++) {
        ets_json_begin_object(json, NULL);
        dump_put_value(r->request, &values[i]);
        ets_json_end_object(json);
    }
    ets_json_end_array(json);
}

static void put_methods(struct recording *r)
{
    struct ets_json_writer *json = r->request->json;
    ets_json_begin_array(json, "methods");
    for (size_t i = 0; i < ets_etrecord_method_count(r->record); i++) {
        const char *method = ets_etrecord_method_name(r->record, i);
        ets_json_begin_object(json, NULL);
        ets_json_put_string(json, "name", method);
        ets_json_put_bool(json, "has_delegate_map",
                          ets_etrecord_has_delegate_map(r->record, method) != 0);
        ets_json_put_bool(json, "has_num_outs_map",
                          ets_etrecord_has_num_outs_map(r->record, method) != 0);
        put_instructions(r, method);
        ets_json_begin_array(json, "reference_outputs");
        for (size_t k = 0; k < case_count(r, method); k++) {
            const struct ets_value *values;
            size_t count;
            if (ets_etrecord_reference_outputs(r->record, method, k, &values, &count, NULL) !=
                ETS_OK) {
                continue;
            }
            put_list(r, NULL, values, count);
        }
        ets_json_end_array(json);
        ets_json_end_object(json);
    }
    ets_json_end_array(json);
}

static void put_graphs(struct recording *r)
{
    ets_json_begin_array(r->request->json, "graphs");
    for (size_t i = 0; ets_etrecord_graph_name(r->record, i) != NULL; i++) {
        const struct ets_graph *graph;
        const char *name = ets_etrecord_graph_name(r->record, i);
        if (ets_etrecord_graph(r->record, name, &graph, NULL) != ETS_OK) continue;
        dump_put_graph(r->request->json, NULL, graph);
    }
    ets_json_end_array(r->request->json);
}

static void put_named_values(struct recording *r)
{
    struct ets_json_writer *json = r->request->json;
    ets_json_begin_array(json, "named_values");
    for (size_t i = 0; i < ets_etrecord_entry_count(r->record); i++) {
        char name[1024];
        const struct ets_named_value *values;
        size_t count;
        const struct ets_etrecord_entry *entry = ets_etrecord_entry(r->record, i);
        if (!has_values(entry->name) || !entry_name(entry, name) ||
            ets_etrecord_named_values(r->record, name, &values, &count, NULL) != ETS_OK) {
            continue;
        }
        ets_json_begin_object(json, NULL);
        ets_json_put_string(json, "entry", name);
        ets_json_begin_array(json, "values");
        for (size_t k = 0; k < count; k++) {
            ets_json_begin_object(json, NULL);
            ets_json_put_text(json, "name", values[k].name);
            ets_json_put_text(json, "class_name", values[k].class_name);
            dump_put_value(r->request, &values[k].value);
            ets_json_end_object(json);
        }
        ets_json_end_array(json);
        ets_json_end_object(json);
    }
    ets_json_end_array(json);
}

static int put_record(struct recording *r)
{
    struct ets_json_writer *json;
    const struct ets_value *values;
    size_t count;
    const int code = dump_begin(r->request);
    if (code != CLI_OK) return code;
    json = r->request->json;
    ets_json_put_count(json, "export_graph_id", ets_etrecord_export_graph_id(r->record));
    put_entries(r);
    put_methods(r);
    put_graphs(r);
    put_named_values(r);
    if (ets_etrecord_representative_inputs(r->record, &values, &count, NULL) == ETS_OK) {
        put_list(r, "representative_inputs", values, count);
    } else {
        ets_json_put_null(json, "representative_inputs");
    }
    dump_end(r->request);
    return CLI_OK;
}

int dump_record(struct dump_request *request)
{
    struct recording r = {.request = request};
    struct ets_error error;
    if (ets_etrecord_open(request->bytes, NULL, &r.record, &error) != ETS_OK) {
        return cli_fail(request->path, &error);
    }
    int code = read_all(&r);
    if (code == CLI_OK) code = put_record(&r);
    ets_etrecord_close(r.record);
    return code;
}
