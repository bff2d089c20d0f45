/* Words a generation: its headline, the lines below, and its rows in documents. */
#include "output/text/generation_text.h"

#include <math.h>

#include "host/output.h"
#include "output/text/facts.h"
#include "views/sentence_numbers.h"

enum { MOST_TOKENS_SHOWN = 64 };

/* A mean that is further from the median is one of few slow calls. */
#define MOST_APART 0.1

/* 3 digits: "5210", "890", "41.2", "0.583". */
static void add_number(struct ets_text_builder *text, double number)
{
    const int digits = !(number > 0)      ? 0
                       : number >= 99.95  ? 0
                       : number >= 9.995  ? 1
                       : number >= 0.9995 ? 2
                                          : 3;
    ets_add_text(text, "%.*f", digits, number);
}

/* "0.58 s", "24.3 ms", "3.11 us" */
static void add_time(struct ets_text_builder *text, double ns)
{
    const double size = fabs(ns);
    if (!isfinite(ns)) {
        ets_add_text(text, "?");
    } else if (size >= 99.95e6) {
        ets_add_text(text, "%.2f s", ns / 1e9);
    } else if (size >= 0.9995e6) {
        add_number(text, ns / 1e6);
        ets_add_text(text, " ms");
    } else {
        add_number(text, ns / 1e3);
        ets_add_text(text, " us");
    }
}

/* "+3.1 us", "-40 ns" */
static void add_change(struct ets_text_builder *text, double ns)
{
    const double size = fabs(ns);
    const double scale = size >= 0.995e6 ? 1e6 : size >= 0.995e3 ? 1e3 : 1;
    const char *unit = scale > 1e5 ? "ms" : scale > 1 ? "us" : "ns";
    ets_add_text(text, "%+.*f %s", size / scale >= 9.95 ? 0 : 1, ns / scale, unit);
}

/* Tokens that are in the cache when it begins. */
static uint32_t before_test(const struct ets_generation_test *test)
{
    return test->phase == ETS_PHASE_PREFILL ? test->depth : test->depth + test->prompt;
}

static double per_second(uint32_t tokens, double ns)
{
    return ns > 0 ? tokens / ns * 1e9 : NAN;
}

/* Tokens per second of each recording as their mean; `deviation_out` of the recordings. */
static struct ets_ranged rate_of(const struct ets_generation_report *report,
                                 const struct ets_generation_test *test, double *deviation_out)
{
    double sum = 0, squares = 0;
    const uint32_t count = report->recordings;
    for (uint32_t i = 0; i < count; i++) sum += per_second(test->tokens, test->total_ns[i]);
    const double mean = sum / count;
    for (uint32_t i = 0; i < count; i++) {
        const double off = per_second(test->tokens, test->total_ns[i]) - mean;
        squares += off * off;
    }
    *deviation_out = count > 1 ? sqrt(squares / (count - 1)) : 0;
    return ets_mean_interval(mean, *deviation_out, count);
}

static struct ets_slope slope_of(const struct ets_generation_report *report,
                                 const struct ets_generation_test *test)
{
    if (report->recordings < 2) return test->slope;
    const struct ets_ranged mean = ets_over_recordings(report, test->slope_ns);
    return (struct ets_slope){mean.value, mean.low, mean.high};
}

static void add_rate(const struct ets_generation_report *report,
                     const struct ets_generation_test *test, const char *hint,
                     struct ets_text_builder *text)
{
    double deviation;
    const struct ets_ranged rate = rate_of(report, test, &deviation);
    add_number(text, rate.value);
    ets_add_text(text, " tokens/s");
    if (report->recordings > 1) {
        ets_add_text(text, " (95 %% interval ");
        char low[32] = "", high[32] = "";
        add_number(&(struct ets_text_builder){low, sizeof low, 0}, fmax(rate.low, 0));
        add_number(&(struct ets_text_builder){high, sizeof high, 0}, rate.high);
        ets_add_range(text, low, high);
        ets_add_text(text, " of %u recordings)", report->recordings);
    } else if (hint != NULL) {
        ets_add_text(text, " (%s; %s gives the interval)",
                     test->is_cold ? "with the process's first call" : "this recording", hint);
    }
}

static void add_test(const struct ets_generation_report *report,
                     const struct ets_generation_test *test, const char *hint,
                     struct ets_text_builder *text)
{
    const bool is_prefill = test->phase == ETS_PHASE_PREFILL;
    ets_add_text(text, "%s %u token%s", is_prefill ? "prefill" : "decode", test->tokens,
                 test->tokens == 1 ? "" : "s");
    if (test->depth > 0) ets_add_text(text, " after %u", before_test(test));
    ets_add_text(text, ": ");
    add_rate(report, test, is_prefill && test->depth == 0 ? hint : NULL, text);
    if (is_prefill) {
        ets_add_text(text, ", first token ");
        add_time(text, ets_over_recordings(report, test->first_token_ns).value);
        const double cold = ets_over_recordings(report, test->cold_token_ns).value;
        if (test->is_cold || isnan(cold)) return;
        ets_add_text(text, ", cold ");
        add_time(text, cold);
        return;
    }
    double deviation;
    const double each = 1e9 / rate_of(report, test, &deviation).value; /* of the rate shown */
    const double median = ets_over_recordings(report, test->median_call_ns).value;
    ets_add_text(text, ", ");
    add_time(text, each);
    if (test->tokens > 1) ets_add_text(text, " each");
    if (test->call_count > 1 && fabs(each - median) > MOST_APART * median) {
        ets_add_text(text, " (median ");
        add_time(text, median);
        ets_add_text(text, ")");
    }
    const struct ets_slope slope = slope_of(report, test);
    if (!ets_slope_is_clear(&slope)) return;
    ets_add_text(text, ", ");
    add_change(text, slope.value);
    ets_add_text(text, " for each position");
}

static void add_cache(const struct ets_generation_report *report, struct ets_text_builder *text)
{
    const struct ets_kv_cache *cache = &report->cache;
    if (!report->has_cache) {
        ets_add_text(text, "no KV cache: each new token computes the whole sequence");
        return;
    }
    if (cache->tensor_count == 0) {
        ets_add_text(text,
                     "KV cache of unknown size: no buffer of the program is one, and a "
                     "backend may keep it");
        return;
    }
    const char *type = ets_scalar_type_name(cache->scalar_type);
    ets_add_text(text, "KV cache ");
    ets_add_bytes(text, cache->bytes);
    ets_add_text(text, " %s%s", type == NULL ? "?" : type,
                 cache->type_count > 1 ? " with scales" : "");
    if (cache->token_bytes > 0) {
        ets_add_text(text, ", ");
        ets_add_bytes(text, cache->token_bytes);
        ets_add_text(text, " a token, %.0f %% used", 100.0 * report->used / report->context);
    }
}

/* Of the decode test that is that one of those that tell; false: there are not so many. */
static bool add_reads(const struct ets_generation_report *report, uint32_t number,
                      struct ets_text_builder *text)
{
    const struct ets_generation_test *test = NULL;
    for (uint32_t i = 0; i < report->test_count; i++) {
        if (report->tests[i].has_reads && number-- == 0) {
            test = &report->tests[i];
            break;
        }
    }
    if (test == NULL) return false;
    ets_add_text(text, "decode");
    if (test->depth > 0) ets_add_text(text, " after %u", before_test(test));
    ets_add_text(text, " reads ");
    ets_add_bytes(text, test->weight_bytes);
    ets_add_text(text, " of weights");
    if (test->cache_bytes > 0) {
        ets_add_text(text, " and ");
        ets_add_bytes(text, test->cache_bytes);
        ets_add_text(text, " of cache");
    }
    ets_add_text(text, " a token at position %u", test->read_position);
    if (test->tokens > 1) ets_add_text(text, ", the mean");
    const double bytes = (double)test->weight_bytes + (double)test->cache_bytes;
    const double ns = ets_over_recordings(report, test->total_ns).value / test->tokens;
    if (ns > 0) ets_add_text(text, ": %.3g GB/s", bytes / ns);
    return true;
}

bool ets_generation_headline(const struct ets_generation_report *report, const char *hint,
                             uint32_t index, struct ets_text_builder *text)
{
    if (index < report->test_count) add_test(report, &report->tests[index], hint, text);
    else if (index == report->test_count) add_cache(report, text);
    else return add_reads(report, index - report->test_count - 1, text);
    return true;
}

static void tell_load(const struct ets_generation_report *report, struct ets_facts *facts)
{
    char room[160];
    struct ets_text_builder text = {room, sizeof room, 0};
    add_time(&text, report->program_ns + report->methods_ns);
    ets_add_text(&text, ": ");
    add_time(&text, report->program_ns);
    ets_add_text(&text, " the program, ");
    add_time(&text, report->methods_ns);
    ets_add_text(&text, " its methods");
    if (report->copied_bytes >= 0) {
        ets_add_text(&text, "; ");
        ets_add_bytes(&text, (uint64_t)report->copied_bytes);
        ets_add_text(&text, " copied, ");
        ets_add_bytes(&text, (uint64_t)report->mapped_bytes);
        ets_add_text(&text, " mapped");
    }
    ets_facts_line(facts, "load");
    ets_facts_words(facts, "%s", room);
    ets_facts_end(facts);
}

/* "first call     decode 410 us, the others 350 us (median)" */
static void tell_first_calls(const struct ets_generation_report *report, struct ets_facts *facts)
{
    for (uint32_t i = 0; i < report->test_count; i++) {
        const struct ets_generation_test *test = &report->tests[i];
        char room[160];
        struct ets_text_builder text = {room, sizeof room, 0};
        ets_add_text(&text, "%s", test->phase == ETS_PHASE_PREFILL ? "prefill" : "decode");
        if (test->depth > 0) ets_add_text(&text, " after %u tokens", before_test(test));
        ets_add_text(&text, " ");
        const double cold = ets_over_recordings(report, test->cold_call_ns).value;
        const double first = ets_over_recordings(report, test->first_call_ns).value;
        const bool was_warmed_up = !test->is_cold && !isnan(cold);
        add_time(&text, was_warmed_up ? cold : first);
        if (test->call_count > 1) {
            ets_add_text(&text, ", then ");
            add_time(&text, ets_over_recordings(report, test->median_call_ns).value);
            if (test->call_count > 2) {
                ets_add_text(&text, " (median of %u calls)", test->call_count - 1);
            }
        } else if (was_warmed_up) {
            ets_add_text(&text, ", then ");
            add_time(&text, first);
        }
        ets_facts_line(facts, i == 0 ? "first call" : "");
        ets_facts_words(facts, "%s", room);
        ets_facts_end(facts);
    }
}

static void tell_machine(const struct ets_generation_report *report, struct ets_facts *facts)
{
    if (report->peak_bytes >= 0) {
        ets_facts_line(facts, "memory");
        ets_facts_bytes(facts, NULL, (uint64_t)report->peak_bytes);
        ets_facts_words(facts, " resident at the peak");
        ets_facts_end(facts);
    }
    ets_facts_line(facts, "machine");
    ets_facts_words(facts, "%s%s%u thread%s%s%s, ExecuTorch %s%s", report->processor,
                    report->processor[0] != '\0' ? ", " : "", report->threads,
                    report->threads == 1 ? "" : "s", report->governor[0] != '\0' ? ", clock " : "",
                    report->governor, report->runtime, report->is_traced ? ", traced" : "");
    ets_facts_end(facts);
}

static void tell_tokens(const struct ets_generation_report *report, struct ets_facts *facts)
{
    for (uint32_t i = 0; i < report->test_count; i++) {
        const struct ets_generation_test *test = &report->tests[i];
        if (test->new_count == 0) continue;
        ets_facts_line(facts, "tokens");
        for (uint32_t k = 0; k < test->new_count && k < MOST_TOKENS_SHOWN; k++) {
            ets_facts_item(facts);
            ets_facts_words(facts, "%lld", (long long)test->new_tokens[k]);
        }
        if (test->new_count > MOST_TOKENS_SHOWN) {
            ets_facts_item(facts);
            ets_facts_words(facts, "and %u more", test->new_count - MOST_TOKENS_SHOWN);
        }
        ets_facts_end(facts);
        if (test->new_text == NULL) continue;
        ets_facts_line(facts, "text");
        ets_facts_string(facts, NULL, test->new_text);
        ets_facts_end(facts);
    }
}

void ets_generation_print(const struct ets_generation_report *report, const char *hint,
                          struct ets_output *output)
{
    struct ets_facts facts;
    ets_facts_init(&facts, NULL, output);
    for (uint32_t i = 0;; i++) {
        char room[ETS_GENERATION_HEADLINE];
        struct ets_text_builder text = {room, sizeof room, 0};
        if (!ets_generation_headline(report, hint, i, &text)) break;
        ets_facts_plain_line(&facts, "%s", room);
        ets_facts_end(&facts);
    }
    ets_facts_plain_line(&facts, "%s", "");
    ets_facts_end(&facts);
    tell_load(report, &facts);
    tell_first_calls(report, &facts);
    tell_machine(report, &facts);
    tell_tokens(report, &facts);
}

static void put_known(struct ets_json_writer *json, const char *key, int64_t number)
{
    if (number < 0) ets_json_put_null(json, key);
    else ets_json_put_integer(json, key, number);
}

static void put_samples(const struct ets_generation_report *report,
                        const struct ets_generation_test *test, struct ets_json_writer *json)
{
    double deviation, deviation_rate;
    const struct ets_ranged ns = ets_mean_of(test->total_ns, report->recordings, &deviation);
    const struct ets_ranged rate = rate_of(report, test, &deviation_rate);
    ets_json_put_real(json, "avg_ns", ns.value);
    ets_json_put_real(json, "stddev_ns", deviation);
    ets_json_put_real(json, "avg_ts", rate.value);
    ets_json_put_real(json, "stddev_ts", deviation_rate);
    ets_json_put_real(json, "low_ts", rate.low);
    ets_json_put_real(json, "high_ts", rate.high);
    ets_json_begin_array(json, "samples_ns");
    for (uint32_t i = 0; i < report->recordings; i++) {
        ets_json_put_real(json, NULL, test->total_ns[i]);
    }
    ets_json_end_array(json);
    ets_json_begin_array(json, "samples_ts");
    for (uint32_t i = 0; i < report->recordings; i++) {
        ets_json_put_real(json, NULL, per_second(test->tokens, test->total_ns[i]));
    }
    ets_json_end_array(json);
}

/* How calls of a phase differ: the first, and with the position. */
static void put_calls(const struct ets_generation_report *report,
                      const struct ets_generation_test *test, struct ets_json_writer *json)
{
    const struct ets_slope slope = slope_of(report, test);
    ets_json_put_real(json, "first_token_ns",
                      ets_over_recordings(report, test->first_token_ns).value);
    ets_json_put_real(json, "first_call_ns",
                      ets_over_recordings(report, test->first_call_ns).value);
    ets_json_put_real(json, "cold_first_token_ns",
                      ets_over_recordings(report, test->cold_token_ns).value);
    ets_json_put_real(json, "cold_call_ns", ets_over_recordings(report, test->cold_call_ns).value);
    ets_json_put_bool(json, "warmed_up", !test->is_cold);
    ets_json_put_real(json, "median_call_ns",
                      ets_over_recordings(report, test->median_call_ns).value);
    ets_json_put_real(json, "position_ns", slope.value);
    ets_json_put_real(json, "position_ns_low", slope.low);
    ets_json_put_real(json, "position_ns_high", slope.high);
    ets_json_put_count(json, "call_count", test->call_count);
    if (test->calls_ns == NULL) {
        ets_json_put_null(json, "calls_ns");
        return;
    }
    ets_json_begin_array(json, "calls_ns");
    for (uint32_t i = 0; i < test->call_count; i++) {
        ets_json_put_real(json, NULL, test->calls_ns[i]);
    }
    ets_json_end_array(json);
}

static void put_cache(const struct ets_generation_report *report, struct ets_json_writer *json)
{
    const struct ets_kv_cache *cache = &report->cache;
    const bool is_known = report->has_cache && cache->tensor_count > 0;
    ets_json_put_bool(json, "has_cache", report->has_cache);
    put_known(json, "cache_bytes", is_known ? (int64_t)cache->bytes : -1);
    ets_json_put_string(json, "cache_dtype",
                        is_known ? ets_scalar_type_name(cache->scalar_type) : NULL);
    put_known(json, "cache_token_bytes",
              is_known && cache->token_bytes > 0 ? (int64_t)cache->token_bytes : -1);
    ets_json_put_count(json, "context", report->context);
    ets_json_put_count(json, "used_positions", report->used);
}

static void put_load(const struct ets_generation_report *report, struct ets_json_writer *json)
{
    ets_json_put_real(json, "program_load_ns", report->program_ns);
    ets_json_put_real(json, "method_load_ns", report->methods_ns);
    put_known(json, "copied_bytes", report->copied_bytes);
    put_known(json, "mapped_bytes", report->mapped_bytes);
    put_known(json, "peak_resident_bytes", report->peak_bytes);
}

static void put_row(const struct ets_generation_report *report,
                    const struct ets_generation_test *test, struct ets_json_writer *json)
{
    const bool is_prefill = test->phase == ETS_PHASE_PREFILL;
    ets_json_begin_row(json);
    ets_json_put_string(json, "phase", is_prefill ? "prefill" : "decode");
    ets_json_put_string(json, "cpu_info", report->processor[0] != '\0' ? report->processor : NULL);
    ets_json_put_string(json, "model_filename", report->model_path);
    ets_json_put_count(json, "model_size", report->model_bytes);
    ets_json_put_count(json, "n_threads", report->threads);
    ets_json_put_count(json, "n_prompt", is_prefill ? test->tokens : 0);
    ets_json_put_count(json, "n_gen", is_prefill ? 0 : test->tokens);
    ets_json_put_count(json, "n_depth", before_test(test));
    ets_json_put_string(json, "test_time", report->time);
    put_samples(report, test, json);
    put_calls(report, test, json);
    put_known(json, "weight_bytes_per_token", test->has_reads ? (int64_t)test->weight_bytes : -1);
    /* No cache among the program's buffers: one that is handed on, or within a backend. */
    put_known(json, "cache_bytes_per_token",
              test->has_reads && test->cache_bytes > 0 ? (int64_t)test->cache_bytes : -1);
    put_load(report, json);
    put_cache(report, json);
    ets_json_put_string(json, "governor", report->governor[0] != '\0' ? report->governor : NULL);
    ets_json_put_string(json, "runtime", report->runtime);
    ets_json_put_bool(json, "traced", report->is_traced);
    ets_json_begin_array(json, "tokens");
    for (uint32_t i = 0; i < test->new_count; i++) {
        ets_json_put_integer(json, NULL, test->new_tokens[i]);
    }
    ets_json_end_array(json);
    ets_json_put_string(json, "text", test->new_text);
    ets_json_end_row(json);
}

void ets_generation_put_rows(const struct ets_generation_report *report,
                             struct ets_json_writer *json)
{
    for (uint32_t i = 0; i < report->test_count; i++) put_row(report, &report->tests[i], json);
}
