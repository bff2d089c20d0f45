#include "record/json.h"

#include <string.h>

#include "base/arena.h"

enum { FIRST_CAPACITY = 256 };

void ets_json_init(struct ets_json *json, const struct ets_allocator *allocator)
{
    *json = (struct ets_json){.allocator = allocator != NULL ? allocator : &ets_libc_allocator};
}

void ets_json_reset(struct ets_json *json)
{
    json->allocator->release(json->allocator->context, json->values);
    *json = (struct ets_json){.allocator = json->allocator};
}

int ets_json_grow(struct ets_json *json, struct ets_json_failure *failure)
{
    const size_t capacity = json->capacity == 0 ? FIRST_CAPACITY : json->capacity * 2;
    if (capacity > ETS_JSON_MAX_VALUES) {
        failure->status = ETS_LIMIT;
        failure->text = "too many values";
        return -1;
    }
    struct ets_json_value *values = json->allocator->reallocate(
        json->allocator->context, json->values, capacity * sizeof *values);
    if (values == NULL) {
        failure->status = ETS_NO_MEMORY;
        failure->text = "no memory";
        return -1;
    }
    json->values = values;
    json->capacity = capacity;
    return 0;
}

enum ets_status ets_json_parse(struct ets_json *json, char *text, size_t size,
                               struct ets_json_failure *failure)
{
    *failure = (struct ets_json_failure){.status = ETS_OK};
    json->count = 0;
    if (size > ETS_JSON_MAX_BYTES) {
        *failure = (struct ets_json_failure){ETS_LIMIT, 0, "the text is too long"};
        return ETS_LIMIT;
    }
    return ets_json_scan(json, text, size, failure);
}

const struct ets_json_value *ets_json_get(const struct ets_json_value *object, const char *key)
{
    if (!ets_json_is(object, ETS_JSON_OBJECT)) return NULL;
    const size_t size = strlen(key);
    const struct ets_json_value *name = ets_json_first(object);
    for (uint32_t i = 0; i < object->size; i++) {
        if (name->size == size && memcmp(name->as.text, key, size) == 0) return name + 1;
        name = ets_json_next(name + 1);
    }
    return NULL;
}

struct ets_text ets_json_text(const struct ets_json_value *value)
{
    if (!ets_json_is(value, ETS_JSON_TEXT)) return (struct ets_text){NULL, 0};
    return (struct ets_text){value->as.text, value->size};
}

int ets_json_text_is(const struct ets_json_value *value, const char *expected)
{
    return ets_json_is(value, ETS_JSON_TEXT) && value->size == strlen(expected) &&
           memcmp(value->as.text, expected, value->size) == 0;
}
