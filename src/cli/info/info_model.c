/* Describes what a program states of itself: constants, of a language model in words. */
#include "cli/info/info_model.h"

#include <inttypes.h>

#include "cli/core/cli_text.h"
#include "format/model_numbers.h"
#include "memory/kv_cache.h"
#include "output/text/kv_facts.h"
#include "views/kv_sentence.h"

enum { MOST_EOS = 8 };

/* A number that a method states, in words and as a member. */
struct stated {
    const char *method, *key, *words;
};

static const struct stated numbers[] = {
    {"get_vocab_size", "vocabulary", "vocabulary "},
    {"get_max_context_len", "max_context_len", "context "},
    {"get_max_seq_len", "max_seq_len", "max_seq_len "},
    {"get_max_cache_len", "max_cache_len", "max_cache_len "},
    {"get_n_layers", "layers", "layers "},
    {"get_bos_id", "bos_id", "BOS token "},
    {"get_eos_id", "eos_id", "EOS token "},
};

enum { NUMBER_COUNT = sizeof numbers / sizeof *numbers };

/* A model of images may state numbers of layers, too. */
static bool is_language_model(const struct ets_program *program)
{
    int64_t number;
    return ets_model_context(program, &number) != NULL ||
           ets_model_number(program, "get_vocab_size", &number) ||
           ets_model_number(program, "use_kv_cache", &number);
}

static void tell_use(struct ets_facts *facts, const struct ets_program *program)
{
    int64_t use;
    if (!ets_model_number(program, "use_kv_cache", &use)) {
        ets_json_put_null(facts->json, "use_kv_cache");
        return;
    }
    ets_facts_item(facts);
    ets_facts_bool(facts, "use_kv_cache", use != 0, "KV cache", "no KV cache");
}

static void tell_end_tokens(struct ets_facts *facts, const struct ets_program *program)
{
    int64_t tokens[MOST_EOS];
    const uint32_t count = ets_model_numbers(program, "get_eos_ids", tokens, MOST_EOS);
    ets_json_begin_array(facts->json, "eos_ids");
    for (uint32_t i = 0; i < count && i < MOST_EOS; i++) {
        ets_facts_item(facts);
        if (i == 0) ets_facts_words(facts, "EOS token%s ", count == 1 ? "" : "s");
        ets_facts_integer(facts, ETS_FACTS_ITEM, tokens[i]);
    }
    if (count > MOST_EOS) {
        ets_facts_item(facts);
        ets_facts_words(facts, "and %" PRIu32 " more", count - MOST_EOS);
    }
    ets_json_end_array(facts->json);
}

static void tell_stated(struct ets_facts *facts, const struct ets_program *program)
{
    if (!is_language_model(program)) {
        ets_json_put_null(facts->json, "language_model");
        return;
    }
    ets_facts_line(facts, "language model");
    ets_json_begin_object(facts->json, "language_model");
    for (int i = 0; i < NUMBER_COUNT; i++) {
        int64_t number;
        if (!ets_model_number(program, numbers[i].method, &number)) {
            ets_json_put_null(facts->json, numbers[i].key);
            continue;
        }
        ets_facts_item(facts);
        ets_facts_words(facts, "%s", numbers[i].words);
        ets_facts_integer(facts, numbers[i].key, number);
    }
    tell_use(facts, program);
    tell_end_tokens(facts, program);
    ets_facts_end(facts);
    ets_json_end_object(facts->json);
}

/* A list that wraps at commas, but not inside of a shape. */
static void tell_wrapped(struct ets_facts *facts, struct ets_text text)
{
    size_t begin = 0;
    bool is_inside = false;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '[' || text.data[i] == ']') is_inside = text.data[i] == '[';
        if (i + 1 < text.size && (is_inside || text.data[i] != ',')) continue;
        const size_t end = text.data[i] == ',' ? i : i + 1;
        ets_facts_item(facts);
        ets_facts_text(facts, NULL, (struct ets_text){text.data + begin, end - begin});
        begin = i + 2;
    }
}

/* Nothing is said of caches that cannot be told. */
static void tell_caches(struct info_request *request, const struct ets_program *program)
{
    struct ets_facts *facts = &request->facts;
    char room[ETS_FACTS_CHARS];
    struct ets_text_builder text = {room, sizeof room, 0};
    struct ets_kv_caches caches;
    const enum ets_status status = ets_kv_caches_find(program, &caches, NULL);
    if (status == ETS_NO_MEMORY) request->is_out_of_memory = true;
    if (status != ETS_OK) caches.method_count = 0;
    ets_kv_facts_put(facts->json, &caches);
    if (caches.method_count == 0) return;
    ets_add_kv_caches(&text, &caches);
    ets_facts_line(facts, "KV caches");
    tell_wrapped(facts, ets_built_text(&text));
    ets_facts_end(facts);
}

void info_tell_model(struct info_request *request, const struct ets_program *program)
{
    tell_stated(&request->facts, program);
    tell_caches(request, program);
}

/* Whether a method returns nothing but numbers and texts without computing. */
static bool returns_constants(const struct ets_method *method)
{
    if (!ets_method_is_constant(method) || method->output_count == 0) return false;
    for (uint32_t i = 0; i < method->output_count; i++) {
        struct ets_evalue value;
        ets_method_output(method, i, &value);
        if (value.kind != ETS_EVALUE_INT && value.kind != ETS_EVALUE_BOOL &&
            value.kind != ETS_EVALUE_DOUBLE && value.kind != ETS_EVALUE_STRING) {
            return false;
        }
    }
    return true;
}

bool info_is_folded(const struct info_request *request, const struct ets_method *method)
{
    return !request->all && !ets_facts_are_json(&request->facts) &&
           method->program->method_count > 1 && returns_constants(method);
}

/* Whether the line of the language model has it. */
static bool is_told(const struct ets_program *program, const struct ets_method *method)
{
    if (!is_language_model(program)) return false;
    for (int i = 0; i < NUMBER_COUNT; i++) {
        if (cli_text_is(method->name, numbers[i].method)) return true;
    }
    return cli_text_is(method->name, "use_kv_cache") || cli_text_is(method->name, "get_eos_ids");
}

static void tell_constant(struct ets_facts *facts, const struct ets_method *method)
{
    ets_facts_item(facts);
    ets_facts_text(facts, NULL, method->name);
    for (uint32_t i = 0; i < method->output_count && i < MOST_EOS; i++) {
        struct ets_evalue value;
        ets_method_output(method, i, &value);
        ets_facts_words(facts, " ");
        if (value.kind == ETS_EVALUE_STRING) ets_facts_text(facts, NULL, value.string);
        else if (value.kind == ETS_EVALUE_DOUBLE) ets_facts_real(facts, NULL, value.double_value);
        else if (value.kind == ETS_EVALUE_INT) ets_facts_integer(facts, NULL, value.int_value);
        else ets_facts_words(facts, "%s", value.int_value != 0 ? "true" : "false");
    }
    if (method->output_count > MOST_EOS) ets_facts_words(facts, " ...");
}

void info_tell_folded(struct info_request *request, const struct ets_program *program)
{
    struct ets_facts *facts = &request->facts;
    const uint32_t shown = info_shown_wrapped(request, program->method_count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < program->method_count; i++) {
        struct ets_method method;
        ets_program_method(program, i, &method);
        if (!info_is_folded(request, &method) || is_told(program, &method)) continue;
        if (count == 0)
            ets_facts_line(facts,
                           is_language_model(program) ? "other constants" : "constant methods");
        if (count++ < shown) tell_constant(facts, &method);
    }
    if (count > shown) {
        ets_facts_item(facts);
        ets_facts_words(facts, "and %" PRIu32 " more (--all)", count - shown);
    }
    ets_facts_end(facts);
}
