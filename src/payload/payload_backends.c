/* The backends whose payloads are read, and what else is known of them. */
#include "base/text.h"
#include "payload/payload_events.h"
#include "payload/payload_names.h"
#include "payload/payload_reader.h"
#include "payload/payload_store.h"

static const struct ets_payload_reader *const readers[] = {
    &ets_payload_xnnpack,  &ets_payload_vulkan, &ets_payload_vela, &ets_payload_coreml,
    &ets_payload_openvino, &ets_payload_tosa,   &ets_payload_vgf,  &ets_payload_mlx,
    &ets_payload_native,   &ets_payload_qnn,
};

const struct ets_payload_reader *ets_payload_reader_of(struct ets_text backend)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        for (const char *const *id = readers[i]->backends; *id != NULL; id++) {
            if (ets_text_is(backend, *id)) return readers[i];
        }
    }
    return NULL;
}

enum ets_payload_knowledge ets_payload_knowledge(struct ets_text backend)
{
    const struct ets_payload_reader *reader = ets_payload_reader_of(backend);
    if (reader == NULL) return ETS_PAYLOAD_UNKNOWN;
    return reader->events != NULL ? ETS_PAYLOAD_FORETOLD : ETS_PAYLOAD_READABLE;
}

uint32_t ets_payload_arena_padding(struct ets_text backend)
{
    const struct ets_payload_reader *reader = ets_payload_reader_of(backend);
    return reader != NULL ? reader->arena_padding : 0;
}

bool ets_payload_parts(const struct ets_delegate *delegate, struct ets_payload_parts *parts_out)
{
    const struct ets_payload_reader *reader = ets_payload_reader_of(delegate->id);
    *parts_out = (struct ets_payload_parts){.count = 0};
    return reader != NULL && reader->parts != NULL && reader->parts(delegate->blob, parts_out);
}

bool ets_payload_next_block(const struct ets_delegate *delegate, size_t *at,
                            struct ets_payload_block *block_out)
{
    const struct ets_payload_reader *reader = ets_payload_reader_of(delegate->id);
    return reader != NULL && reader->next_block != NULL &&
           reader->next_block(delegate->blob, at, block_out);
}

bool ets_payload_map_numbers_its_own(struct ets_text backend)
{
    const struct ets_payload_reader *reader = ets_payload_reader_of(backend);
    return reader != NULL && reader->map_numbers_its_own;
}

bool ets_payload_folds(struct ets_text backend)
{
    const struct ets_payload_reader *reader = ets_payload_reader_of(backend);
    return reader != NULL && reader->folds_batch_norms;
}

const char *ets_payload_format(const struct ets_payload_graph *graph)
{
    return graph->reader->format;
}

bool ets_payload_is_in_schema_order(const struct ets_payload_graph *graph)
{
    return graph->reader->is_in_schema_order;
}

bool ets_payload_writes_in_place(const struct ets_payload_graph *graph)
{
    return graph->reader->writes_in_place;
}

bool ets_payload_types_tell_quantization(const struct ets_payload_graph *graph)
{
    return graph->reader->types_tell_quantization;
}

bool ets_payload_has_events(const struct ets_payload_graph *graph)
{
    return graph->reader->events != NULL;
}

enum ets_status ets_payload_events(struct ets_arena *arena, const struct ets_payload_graph *graph,
                                   struct ets_payload_events *events_out, struct ets_error *error)
{
    *events_out = (struct ets_payload_events){.odd_node = ETS_PAYLOAD_NONE};
    if (graph->reader->events == NULL) return ETS_OK;
    return graph->reader->events(arena, graph, events_out, error);
}

/* Whether the reader is of this backend, which may not be known. */
static bool may_be_of(const struct ets_payload_reader *reader, struct ets_text backend)
{
    return backend.data == NULL || ets_payload_reader_of(backend) == reader;
}

bool ets_payload_names_vary(struct ets_text backend)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        if (readers[i]->plain_name != NULL && may_be_of(readers[i], backend)) return true;
    }
    return false;
}

size_t ets_payload_plain_name(struct ets_text backend, struct ets_text name, char *out)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        if (readers[i]->plain_name == NULL || !may_be_of(readers[i], backend)) continue;
        const size_t size = readers[i]->plain_name(name, out);
        if (size > 0) return size;
    }
    return 0;
}

const char *const *ets_payload_event_origins(struct ets_text event_name)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        const char *const *origins =
            readers[i]->origins == NULL ? NULL : readers[i]->origins(event_name);
        if (origins != NULL) return origins;
    }
    return NULL;
}

const char *ets_payload_event_operation(struct ets_text event_name)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        const char *operation =
            readers[i]->operation == NULL ? NULL : readers[i]->operation(event_name);
        if (operation != NULL) return operation;
    }
    return NULL;
}

enum ets_payload_arithmetic ets_payload_event_arithmetic(struct ets_text event_name)
{
    enum ets_payload_arithmetic said = ETS_PAYLOAD_ARITHMETIC_UNKNOWN;
    for (size_t i = 0; i < sizeof readers / sizeof *readers && said == 0; i++) {
        if (readers[i]->arithmetic != NULL) said = readers[i]->arithmetic(event_name);
    }
    return said;
}

enum ets_status ets_payload_identifier_read(struct ets_arena *arena, struct ets_text backend,
                                            struct ets_text identifier, struct ets_bytes metadata,
                                            struct ets_payload_identifier *said_out,
                                            struct ets_error *error)
{
    *said_out = (struct ets_payload_identifier){.measure = ETS_PAYLOAD_TIME, .number = -1};
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        if (readers[i]->identifier == NULL || !may_be_of(readers[i], backend)) continue;
        ETS_TRY(readers[i]->identifier(arena, identifier, metadata, said_out, error));
        if (said_out->measure != ETS_PAYLOAD_TIME) break;
    }
    return ETS_OK;
}
