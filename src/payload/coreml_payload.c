/*
 * The payload of Core ML: a package of files, of which model.mlmodel has the graph and weight.bin
 * the weights. Where several methods share a package, each payload names it instead.
 */
#include "base/text.h"
#include "payload/coreml_parts.h"

static const char *const backends[] = {ETS_COREML_BACKEND, NULL};

static enum ets_status no_memory(struct ets_error *error)
{
    return ets_fail_memory(error, "a Core ML payload");
}

/* The package itself, or what the payload refers to. */
static enum ets_status find_files(struct ets_coreml_reading *r, struct ets_bytes *files_out,
                                  struct ets_error *error)
{
    struct ets_coreml_reference reference;
    struct ets_payload_graph *graph = &r->builder->graph;
    *files_out = graph->bytes;
    if (!ets_coreml_is_reference(graph->bytes)) return ETS_OK;
    ETS_TRY(ets_coreml_reference_read(graph->bytes, &reference, error));
    r->function = reference.function;
    graph->files_key = reference.key;
    if (!ets_payload_named_data(r->builder, reference.key, files_out)) return no_memory(error);
    if (files_out->data != NULL) return ETS_OK;
    return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET,
                    "the program has no data named %.*s, which the payload refers to",
                    ETS_TEXT(reference.key));
}

static enum ets_status open_files(struct ets_coreml_reading *r, struct ets_bytes bytes,
                                  struct ets_coreml_files *files_out, struct ets_error *error)
{
    const size_t size = ets_coreml_directory_size(bytes);
    uint32_t count;
    if (size == 0) {
        return ets_fail(error, ETS_WRONG_KIND, ETS_NO_OFFSET,
                        "not a Core ML package: it does not end with a directory");
    }
    char *text = ets_payload_room(r->builder, size, 1);
    if (text == NULL) return no_memory(error);
    ets_coreml_directory_read(bytes, size, text);
    const struct ets_text directory = {text, size};
    ETS_TRY(ets_coreml_count(directory, &count, error));
    struct ets_coreml_entry *entries = ets_payload_room(r->builder, count, sizeof *entries);
    if (entries == NULL) return no_memory(error);
    return ets_coreml_init(files_out, bytes, directory, entries, count, error);
}

static struct ets_text text_file(const struct ets_coreml_files *files, const char *path)
{
    const struct ets_bytes bytes = ets_coreml_file(files, path);
    return (struct ets_text){(const char *)bytes.data, bytes.size};
}

static enum ets_status read_payload(struct ets_payload_builder *builder, struct ets_bytes bytes,
                                    struct ets_error *error)
{
    struct ets_coreml_reading r = {.builder = builder};
    struct ets_coreml_files files;
    ETS_TRY(find_files(&r, &bytes, error));
    ETS_TRY(open_files(&r, bytes, &files, error));
    if (ets_coreml_find(&files, ETS_COREML_COMPILED) != NULL) {
        return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET,
                        "a compiled Core ML model of %u files and %llu bytes; its operators are "
                        "not read",
                        files.file_count, (unsigned long long)files.file_bytes);
    }
    const struct ets_bytes model = ets_coreml_file(&files, ETS_COREML_MODEL);
    if (model.data == NULL) {
        return ets_fail(error, ETS_MALFORMED, ETS_NO_OFFSET, "the Core ML package has no model");
    }
    builder->graph.files = bytes;
    builder->graph.flatbuffer = builder->graph.bytes;
    r.weights = ets_coreml_file(&files, ETS_COREML_WEIGHTS);
    r.metadata = text_file(&files, ETS_COREML_METADATA);
    r.debug_info = text_file(&files, ETS_COREML_DEBUG_INFO);
    return ets_coreml_program_read(&r, model, error);
}

const struct ets_payload_reader ets_payload_coreml = {
    .backends = backends,
    .format = "Core ML package",
    .read = read_payload,
    .identifier = ets_payload_coreml_identifier,
};
