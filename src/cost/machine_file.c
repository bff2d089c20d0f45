/* Reads the JSON of a measured machine; the file may be anybody's. */
#include <math.h>
#include <stdbool.h>

#include "base/error.h"
#include "cost/machine.h"
#include "record/json.h"

enum { MOST_ROOFS = 10000, MOST_BYTES = 16 << 20 };
#define MOST_WORK ((uint64_t)1 << 53)

struct reader {
    struct ets_arena *arena;
    struct ets_machine *machine;
    struct ets_error *error;
};

static enum ets_status fail(const struct reader *reader, const char *where, uint32_t index,
                            const char *member, const char *what)
{
    return ets_fail(reader->error, ETS_MALFORMED, ETS_NO_OFFSET, "%s %u: \"%s\" %s", where, index,
                    member, what);
}

static enum ets_status fail_count(const struct reader *reader, const char *where, uint32_t index,
                                  const char *member, uint64_t least, uint64_t most)
{
    return ets_fail(reader->error, ETS_MALFORMED, ETS_NO_OFFSET,
                    "%s %u: \"%s\" must be %llu to %llu", where, index, member,
                    (unsigned long long)least, (unsigned long long)most);
}

/* A text of the file as the arena keeps it; "" for none. */
static enum ets_status read_text(const struct reader *reader, const struct ets_json_value *object,
                                 const char *member, const char **text_out)
{
    const struct ets_text text = ets_json_text(ets_json_get(object, member));
    *text_out = text.data == NULL ? "" : ets_arena_copy_text(reader->arena, text.data, text.size);
    return *text_out != NULL ? ETS_OK : ets_fail_memory(reader->error, "the machine");
}

/* A whole number from `least` to `most`. */
static bool read_count(const struct ets_json_value *object, const char *member, uint64_t least,
                       uint64_t most, uint64_t *count_out)
{
    const struct ets_json_value *value = ets_json_get(object, member);
    if (!ets_json_is(value, ETS_JSON_INT) || value->as.integer < 0) return false;
    *count_out = (uint64_t)value->as.integer;
    return *count_out >= least && *count_out <= most;
}

static bool read_time(const struct ets_json_value *object, double *ns_out)
{
    const struct ets_json_value *value = ets_json_get(object, "time_ns");
    if (ets_json_is(value, ETS_JSON_INT)) *ns_out = (double)value->as.integer;
    else if (ets_json_is(value, ETS_JSON_DOUBLE)) *ns_out = value->as.number;
    else return false;
    return *ns_out > 0 && *ns_out <= 1e15; /* eleven days; not NaN */
}

/* Optional: files of before have none. */
static double read_spread(const struct ets_json_value *object)
{
    const struct ets_json_value *value = ets_json_get(object, "spread");
    if (ets_json_is(value, ETS_JSON_INT) && value->as.integer >= 0) {
        return (double)value->as.integer;
    }
    if (!ets_json_is(value, ETS_JSON_DOUBLE)) return NAN;
    return value->as.number >= 0 && value->as.number <= 1e15 ? value->as.number : NAN;
}

static enum ets_roof_program find_program(const struct ets_json_value *name)
{
    enum ets_roof_program program = 0;
    while (program < ETS_ROOF_PROGRAMS && !ets_json_text_is(name, ets_roof_program_name(program))) {
        program++;
    }
    return program;
}

static enum ets_status read_roof(const struct reader *reader, uint32_t index,
                                 const struct ets_json_value *object, struct ets_roof *roof)
{
    uint64_t values[4];
    static const struct {
        const char *name;
        uint64_t least, most;
    } members[4] = {{"threads", 1, UINT16_MAX},
                    {"working_set_bytes", 0, MOST_WORK},
                    {"work", 1, MOST_WORK},
                    {"runs", 1, UINT32_MAX}};
    for (size_t i = 0; i < 4; i++) {
        if (!read_count(object, members[i].name, members[i].least, members[i].most, &values[i])) {
            return fail_count(reader, "roof", index, members[i].name, members[i].least,
                              members[i].most);
        }
    }
    if (!read_time(object, &roof->time_ns)) {
        return fail(reader, "roof", index, "time_ns", "is not a time above 0");
    }
    roof->spread = read_spread(object);
    roof->threads = (uint32_t)values[0];
    roof->working_set_bytes = values[1];
    roof->work = values[2];
    roof->runs = (uint32_t)values[3];
    return ETS_OK;
}

static enum ets_status read_roofs(const struct reader *reader, const struct ets_json_value *list)
{
    if (!ets_json_is(list, ETS_JSON_ARRAY)) {
        return ets_fail(reader->error, ETS_MALFORMED, ETS_NO_OFFSET, "\"roofs\" is no list");
    }
    if (list->size > MOST_ROOFS) {
        return ets_fail(reader->error, ETS_LIMIT, ETS_NO_OFFSET, "%u roofs, more than %d",
                        list->size, MOST_ROOFS);
    }
    struct ets_roof *roofs = ets_arena_alloc_array(reader->arena, list->size, sizeof *roofs);
    if (roofs == NULL) return ets_fail_memory(reader->error, "the roofs");
    uint32_t count = 0;
    const struct ets_json_value *item = ets_json_first(list);
    for (uint32_t i = 0; i < list->size; i++, item = ets_json_next(item)) {
        if (ets_json_text(ets_json_get(item, "program")).data == NULL) {
            return fail(reader, "roof", i, "program", "is no text");
        }
        roofs[count].program = find_program(ets_json_get(item, "program"));
        if (roofs[count].program == ETS_ROOF_PROGRAMS) continue;
        ETS_TRY(read_roof(reader, i, item, &roofs[count]));
        count++;
    }
    reader->machine->roofs = roofs;
    reader->machine->roof_count = count;
    return ETS_OK;
}

static enum ets_status read_caches(const struct reader *reader, const struct ets_json_value *list)
{
    if (list == NULL) return ETS_OK;
    if (!ets_json_is(list, ETS_JSON_ARRAY)) {
        return ets_fail(reader->error, ETS_MALFORMED, ETS_NO_OFFSET, "\"caches\" is no list");
    }
    const struct ets_json_value *item = ets_json_first(list);
    for (uint32_t i = 0; i < list->size; i++, item = ets_json_next(item)) {
        uint64_t level, bytes, shared_by;
        if (!read_count(item, "level", 1, ETS_CACHE_LEVELS, &level)) {
            return fail_count(reader, "cache", i, "level", 1, ETS_CACHE_LEVELS);
        }
        if (!read_count(item, "bytes", 1, MOST_WORK, &bytes)) {
            return fail_count(reader, "cache", i, "bytes", 1, MOST_WORK);
        }
        if (!read_count(item, "shared_by", 1, UINT16_MAX, &shared_by)) {
            return fail_count(reader, "cache", i, "shared_by", 1, UINT16_MAX);
        }
        reader->machine->caches[level - 1] = (struct ets_cache){bytes, (uint32_t)shared_by};
    }
    return ETS_OK;
}

static enum ets_status read_machine(const struct reader *reader, const struct ets_json_value *root)
{
    uint64_t version, cores = 0;
    struct ets_machine *machine = reader->machine;
    if (!read_count(root, "etscope_machine", 0, UINT32_MAX, &version)) {
        return ets_fail(reader->error, ETS_WRONG_KIND, ETS_NO_OFFSET,
                        "no measured machine: its JSON has no \"etscope_machine\"");
    }
    if (version != ETS_MACHINE_VERSION) {
        return ets_fail(reader->error, ETS_UNSUPPORTED, ETS_NO_OFFSET,
                        "a measured machine of version %llu; this etscope reads version %d",
                        (unsigned long long)version, ETS_MACHINE_VERSION);
    }
    ETS_TRY(read_text(reader, root, "cpu", &machine->cpu));
    ETS_TRY(read_text(reader, root, "flags", &machine->flags));
    ETS_TRY(read_text(reader, root, "governor", &machine->governor));
    ETS_TRY(read_text(reader, root, "runtime", &machine->runtime));
    ETS_TRY(read_text(reader, root, "date", &machine->date));
    if (read_count(root, "cores", 1, UINT16_MAX, &cores)) machine->cores = (uint32_t)cores;
    const struct ets_json_value *busy = ets_json_get(root, "busy");
    machine->is_busy = ets_json_is(busy, ETS_JSON_BOOL) && busy->as.integer != 0;
    ETS_TRY(read_caches(reader, ets_json_get(root, "caches")));
    return read_roofs(reader, ets_json_get(root, "roofs"));
}

static enum ets_status parse(const struct reader *reader, struct ets_bytes text,
                             struct ets_json *json)
{
    struct ets_json_failure failure;
    char *copy = ets_arena_copy_text(reader->arena, (const char *)text.data, text.size);
    if (copy == NULL) return ets_fail_memory(reader->error, "the machine");
    const enum ets_status status = ets_json_parse(json, copy, text.size, &failure);
    if (status == ETS_OK) return read_machine(reader, json->values);
    return ets_fail(reader->error, status, failure.offset, "no measured machine: %s", failure.text);
}

enum ets_status ets_machine_read(struct ets_bytes text, struct ets_arena *arena,
                                 struct ets_machine *machine_out, struct ets_error *error)
{
    struct ets_json json;
    const struct reader reader = {arena, machine_out, error};
    *machine_out =
        (struct ets_machine){.cpu = "", .flags = "", .governor = "", .runtime = "", .date = ""};
    if (text.size > MOST_BYTES) {
        return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET, "%zu bytes: too long for a machine's file",
                        text.size);
    }
    ets_json_init(&json, arena->allocator);
    const enum ets_status status = parse(&reader, text, &json);
    ets_json_reset(&json);
    return status;
}
