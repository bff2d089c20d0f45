/* Describes a summary that a device wrote. */
#include <stdio.h>

#include "cli/info/info_kinds.h"
#include "format/summary_file.h"

/* The name, or "#" and its hash; of what has no name, in JSON "". */
static void tell_name(struct info_request *request, const char *key, struct ets_text name,
                      uint64_t hash)
{
    char text[32];
    if (name.data == NULL && hash == 0) {
        ets_json_put_string(request->facts.json, key, "");
        ets_facts_words(&request->facts, "without a name");
        return;
    }
    if (name.data != NULL) {
        ets_facts_text(&request->facts, key, name);
        return;
    }
    snprintf(text, sizeof text, "#%016llx", (unsigned long long)hash);
    ets_facts_string(&request->facts, key, text);
}

/* For people in microseconds. */
static void tell_time(struct info_request *request, const char *words, const char *key, double ns)
{
    ets_facts_words(&request->facts, "%s%.*f us", words, ns < 1e5 ? 2 : 0, ns / 1e3);
    ets_json_put_real(request->facts.json, key, ns);
}

static void tell_row(struct info_request *request, const struct ets_summary_row *row)
{
    struct ets_facts *facts = &request->facts;
    ets_json_begin_object(facts->json, NULL);
    ets_facts_plain_line(facts, "    ");
    ets_facts_string(facts, "kind", ets_summary_kind_name(row->kind));
    ets_facts_words(facts, " ");
    tell_name(request, "name", row->name, row->name_hash);
    if (row->instruction >= 0) {
        ets_facts_words(facts, ", instruction ");
        ets_facts_integer(facts, "instruction", row->instruction);
    }
    ets_facts_words(facts, ", method ");
    tell_name(request, "method", row->method, row->method_hash);
    ets_facts_words(facts, ": ");
    ets_facts_count(facts, "runs", row->count, "run");
    tell_time(request, ", mean ", "mean_ns", (double)row->sum_ns / row->count);
    tell_time(request, ", from ", "min_ns", (double)row->min_ns);
    tell_time(request, " to ", "max_ns", (double)row->max_ns);
    ets_facts_end(facts);
    ets_json_end_object(facts->json);
}

int info_summary(struct info_request *request)
{
    struct ets_facts *facts = &request->facts;
    struct ets_summary_file file;
    struct ets_error error;
    if (ets_summary_file_open(request->bytes, &file, &error) != ETS_OK) {
        return cli_fail(request->path, &error);
    }
    info_begin(request);
    ets_facts_number_line(facts, "start", "start", file.start);
    ets_facts_number_line(facts, "report", "sequence", file.sequence);
    ets_facts_number_line(facts, "runs", "runs", file.runs);
    ets_facts_number_line(facts, "left out as warm-up", "warm_up_runs", file.warm_up_runs);
    ets_facts_number_line(facts, "times without a row", "lost_values", file.lost_values);
    ets_facts_number_line(facts, "events lost", "lost_events", file.lost_events);
    ets_facts_line(facts, "names and fingerprint");
    ets_facts_bool(facts, "hashed", file.is_hashed != 0, "hashes", "as they are");
    ets_facts_end(facts);
    ets_facts_line(facts, "rows");
    ets_facts_number(facts, "row_count", file.row_count);
    ets_facts_end(facts);
    ets_json_begin_array(facts->json, "rows");
    for (uint32_t i = 0; i < info_shown(request, file.row_count); i++) {
        struct ets_summary_row row;
        ets_summary_file_row(&file, i, &row);
        tell_row(request, &row);
    }
    info_more(request, file.row_count);
    ets_json_end_array(facts->json);
    info_end(request);
    return CLI_OK;
}
