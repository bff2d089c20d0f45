/* Writes a measured machine as JSON: docs/json.md has its members. */
#include "output/text/machine_text.h"

#include <math.h>

#include "output/text/json_writer.h"

static void write_caches(struct ets_json_writer *json, const struct ets_machine *machine)
{
    ets_json_begin_array(json, "caches");
    for (uint32_t i = 0; i < ETS_CACHE_LEVELS; i++) {
        const struct ets_cache *cache = &machine->caches[i];
        if (cache->bytes == 0) continue;
        ets_json_begin_object(json, NULL);
        ets_json_put_count(json, "level", i + 1);
        ets_json_put_count(json, "bytes", cache->bytes);
        ets_json_put_count(json, "shared_by", cache->shared_by > 0 ? cache->shared_by : 1);
        ets_json_end_object(json);
    }
    ets_json_end_array(json);
}

void ets_machine_write(const struct ets_machine *machine, struct ets_output *output)
{
    struct ets_json_writer json = {.output = output};
    ets_json_begin_object(&json, NULL);
    ets_json_put_count(&json, "etscope_machine", ETS_MACHINE_VERSION);
    ets_json_put_string(&json, "cpu", machine->cpu);
    ets_json_put_string(&json, "flags", machine->flags);
    ets_json_put_string(&json, "governor", machine->governor);
    ets_json_put_string(&json, "runtime", machine->runtime);
    ets_json_put_string(&json, "date", machine->date);
    if (machine->cores > 0) ets_json_put_count(&json, "cores", machine->cores);
    if (machine->is_busy) ets_json_put_bool(&json, "busy", true);
    write_caches(&json, machine);
    ets_json_begin_array(&json, "roofs");
    for (uint32_t i = 0; i < machine->roof_count; i++) {
        const struct ets_roof *roof = &machine->roofs[i];
        ets_json_begin_object(&json, NULL);
        ets_json_put_string(&json, "program", ets_roof_program_name(roof->program));
        ets_json_put_count(&json, "threads", roof->threads);
        ets_json_put_count(&json, "working_set_bytes", roof->working_set_bytes);
        ets_json_put_count(&json, "work", roof->work);
        ets_json_put_real(&json, "time_ns", roof->time_ns);
        ets_json_put_count(&json, "runs", roof->runs);
        if (!isnan(roof->spread)) ets_json_put_real(&json, "spread", roof->spread);
        ets_json_end_object(&json);
    }
    ets_json_end_array(&json);
    ets_json_end_object(&json);
    ets_json_end_document(&json);
}
