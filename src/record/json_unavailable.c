/* A stub of the JSON parser for a build without RapidJSON. */
#include "record/json.h"

enum ets_status ets_json_scan(struct ets_json *json, char *text, size_t size,
                              struct ets_json_failure *failure)
{
    (void)json;
    (void)text;
    (void)size;
    *failure = (struct ets_json_failure){ETS_UNAVAILABLE, ETS_NO_OFFSET,
                                         "built without the package rapidjson-dev"};
    return failure->status;
}
