/* Recognizes how a program takes tokens: by its methods, their inputs, and what it states. */
#include "generate/recognize.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "format/model_numbers.h"
#include "generate/token_method.h"
#include "memory/kv_cache.h"

enum { MOST_LISTED = 120, MOST_CONTEXT = 1 << 24 };

/* The methods that compute, as a list for messages; returns their number. */
static uint32_t list_methods(const struct ets_program *program, struct ets_text_builder *list)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < program->method_count; i++) {
        struct ets_method method;
        ets_program_method(program, i, &method);
        if (ets_method_is_constant(&method)) continue;
        ets_add_plain_text(list, "%s%.*s", count > 0 ? ", " : "", ETS_TEXT(method.name));
        count++;
    }
    return count;
}

/* The only method that computes and whose name has `part` ("": any) in it. */
static bool find_only(const struct ets_program *program, const char *part,
                      struct ets_method *method_out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < program->method_count; i++) {
        struct ets_method method;
        ets_program_method(program, i, &method);
        const bool fits = part[0] == '\0' || ets_text_contains(method.name, part);
        if (ets_method_is_constant(&method) || !fits) continue;
        *method_out = method;
        count++;
    }
    return count == 1;
}

static bool find_forward(const struct ets_program *program, struct ets_method *method_out)
{
    return ets_program_find_method(program, "forward", method_out, NULL) == ETS_OK &&
           !ets_method_is_constant(method_out);
}

/* The method that something is fed to, if it is one. */
static const char *find_fed(const struct ets_token_choice *choice)
{
    const char *name = NULL;
    for (uint32_t i = 0; i < choice->feed_count; i++) {
        if (name != NULL && strcmp(name, choice->feeds[i].to) != 0) return NULL;
        name = choice->feeds[i].to;
    }
    return name;
}

/* Both methods: named, a pair by their names, fed, the only one, or forward. */
static enum ets_status find_methods(const struct ets_program *program,
                                    const struct ets_token_choice *choice,
                                    struct ets_method *prefill, struct ets_method *decode,
                                    struct ets_error *error)
{
    const char *fed = find_fed(choice);
    if (choice->prefill[0] != '\0' || choice->decode[0] != '\0') {
        const char *first = choice->prefill[0] != '\0' ? choice->prefill : choice->decode;
        const char *then = choice->decode[0] != '\0' ? choice->decode : choice->prefill;
        ETS_TRY(ets_program_find_method(program, first, prefill, error));
        return ets_program_find_method(program, then, decode, error);
    }
    if (find_only(program, "prefill", prefill) &&
        (find_only(program, "decode", decode) || find_only(program, "kv_", decode))) {
        return ETS_OK;
    }
    if (fed != NULL) {
        ETS_TRY(ets_program_find_method(program, fed, prefill, error));
        *decode = *prefill;
        return ETS_OK;
    }
    if (find_only(program, "", prefill) || find_forward(program, prefill)) {
        *decode = *prefill;
        return ETS_OK;
    }
    char text[MOST_LISTED];
    struct ets_text_builder list = {text, sizeof text, 0};
    const uint32_t count = list_methods(program, &list);
    if (count == 0) {
        return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET, "no method computes anything");
    }
    return ets_fail_advising(error, ETS_ADVICE_TOKENS, ETS_AMBIGUOUS, ETS_NO_OFFSET,
                             "which method takes tokens is not known: looked for forward, or for "
                             "names with prefill and decode, among %.*s",
                             ETS_TEXT(ets_built_text(&list)));
}

/* What feeds name must exist. */
static enum ets_status check_feeds(const struct ets_program *program,
                                   const struct ets_token_choice *choice, struct ets_error *error)
{
    for (uint32_t i = 0; i < choice->feed_count; i++) {
        const struct ets_token_feed *feed = &choice->feeds[i];
        struct ets_method to, from;
        ETS_TRY(ets_program_find_method(program, feed->to, &to, error));
        ETS_TRY(ets_program_find_method(program, feed->from, &from, error));
        if (feed->input >= to.input_count) {
            return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET, "%s has no input %u: it has %u",
                            feed->to, feed->input, to.input_count);
        }
        if (feed->output >= from.output_count) {
            return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET, "%s has no output %u: it has %u",
                            feed->from, feed->output, from.output_count);
        }
    }
    return ETS_OK;
}

bool ets_token_feed_is_handed_on(const struct ets_token_model *model,
                                 const struct ets_token_feed *feed)
{
    return strcmp(feed->from, model->prefill.name) == 0 ||
           strcmp(feed->from, model->decode.name) == 0;
}

void ets_token_handed_on(const struct ets_token_model *model, struct ets_kv_inputs *inputs_out)
{
    inputs_out->count = 0;
    for (uint32_t i = 0; i < model->feed_count; i++) {
        const struct ets_token_feed *feed = &model->feeds[i];
        bool is_known =
            strcmp(feed->to, model->decode.name) != 0 || !ets_token_feed_is_handed_on(model, feed);
        for (uint32_t k = 0; k < inputs_out->count; k++) {
            is_known |= inputs_out->items[k] == feed->input;
        }
        if (!is_known) inputs_out->items[inputs_out->count++] = feed->input;
    }
}

/* What the program says of a cache must agree with what it takes. */
static enum ets_status check_cache(struct ets_token_model *model, struct ets_error *error)
{
    int64_t stated;
    struct ets_kv_inputs handed_on;
    const bool is_stated = ets_model_number(model->program, "use_kv_cache", &stated);
    const bool starts = model->prefill.position_kind == ETS_POSITION_ABSENT;
    const bool has_position = model->decode.position_kind != ETS_POSITION_ABSENT;
    ets_token_handed_on(model, &handed_on);
    model->has_cache = has_position || handed_on.count > 0;
    model->prefill_starts = has_position && starts;
    if (!starts && !has_position) {
        return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET, "%s takes a position, but %s does not",
                        model->prefill.name, model->decode.name);
    }
    if (is_stated && (stated != 0) != model->has_cache) {
        return ets_fail(
            error, ETS_MISMATCH, ETS_NO_OFFSET,
            "use_kv_cache returns %s, but %s takes %s position: how it is called is not "
            "known",
            stated != 0 ? "true" : "false", model->decode.name, model->has_cache ? "a" : "no");
    }
    return ETS_OK;
}

/* What a method states; `*name_out` NULL: none does. */
static enum ets_status find_stated(const struct ets_program *program, uint32_t *context_out,
                                   const char **name_out, struct ets_error *error)
{
    int64_t number;
    *name_out = ets_model_context(program, &number);
    if (*name_out == NULL) return ETS_OK;
    if (number < 1 || number > MOST_CONTEXT) {
        return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET, "%s returns %lld", *name_out,
                        (long long)number);
    }
    *context_out = (uint32_t)number;
    return ETS_OK;
}

/* The positions in all: stated, or those of the cache, or of the input; fewer if the user says. */
static enum ets_status find_context(struct ets_token_model *model,
                                    const struct ets_token_choice *choice, struct ets_error *error)
{
    const uint32_t width = model->prefill.width;
    ETS_TRY(find_stated(model->program, &model->context, &model->stated_by, error));
    if (!model->has_cache && (model->stated_by == NULL || model->context > width)) {
        model->context = width;
        model->stated_by = "the input";
    }
    if (model->stated_by == NULL) {
        struct ets_kv_inputs inputs;
        ets_token_handed_on(model, &inputs);
        ETS_TRY(ets_kv_context(&model->decode.method, &inputs, width, &model->context, error));
        if (model->context != ETS_TOKEN_NONE) model->stated_by = "the cache";
    }
    if (choice->context != ETS_TOKEN_NONE) {
        if (model->stated_by != NULL && choice->context > model->context) {
            return ets_fail(
                error, ETS_MISMATCH, ETS_NO_OFFSET,
                "a context of %u is more than the %u positions that there are (from %s)",
                choice->context, model->context, model->stated_by);
        }
        model->context = choice->context;
        model->stated_by = "you";
    }
    if (model->stated_by != NULL) return ETS_OK;
    return ets_fail_advising(error, ETS_ADVICE_CONTEXT, ETS_UNSUPPORTED, ETS_NO_OFFSET,
                             "how many positions the cache of %s has is not known: no "
                             "get_max_context_len or get_max_seq_len, and no buffer that says it",
                             model->decode.name);
}

static enum ets_status check_pair(const struct ets_token_model *model, struct ets_error *error)
{
    if (model->is_one) return ETS_OK;
    if (model->prefill.vocabulary != model->decode.vocabulary) {
        return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET, "%s has logits of %u tokens, %s of %u",
                        model->prefill.name, model->prefill.vocabulary, model->decode.name,
                        model->decode.vocabulary);
    }
    if (!model->has_cache) return ETS_OK;
    return ets_kv_check_shared(&model->prefill.method, &model->decode.method, model->context,
                               error);
}

enum ets_status ets_token_model_recognize(const struct ets_program *program,
                                          const struct ets_token_choice *choice,
                                          struct ets_token_model *model_out,
                                          struct ets_error *error)
{
    struct ets_method prefill, decode;
    int64_t stated;
    uint32_t vocabulary = ETS_TOKEN_NONE;
    memset(model_out, 0, sizeof *model_out);
    model_out->program = program;
    model_out->filler = choice->filler;
    model_out->feed_count = choice->feed_count;
    memcpy(model_out->feeds, choice->feeds, sizeof model_out->feeds);
    ETS_TRY(check_feeds(program, choice, error));
    ETS_TRY(find_methods(program, choice, &prefill, &decode, error));
    if (ets_model_number(program, "get_vocab_size", &stated) && stated > 1 &&
        stated <= MOST_CONTEXT) {
        vocabulary = (uint32_t)stated;
    }
    ETS_TRY(ets_token_method_read(&prefill, choice, vocabulary, &model_out->prefill, error));
    ETS_TRY(ets_token_method_read(&decode, choice, vocabulary, &model_out->decode, error));
    model_out->is_one = prefill.index == decode.index;
    model_out->vocabulary = model_out->decode.vocabulary;
    ETS_TRY(check_cache(model_out, error));
    ETS_TRY(find_context(model_out, choice, error));
    return check_pair(model_out, error);
}

static void describe_method(const struct ets_token_method *method, bool is_start,
                            struct ets_text_builder *text)
{
    const char *bound = method->is_dynamic ? "1 to " : "";
    ets_add_plain_text(text, "%s takes %s%u token%s (input %u)", method->name, bound, method->width,
                       method->width == 1 ? "" : "s", method->tokens);
    if (method->position_kind == ETS_POSITION_FIRST) {
        ets_add_text(text, " and %s position (input %u)", method->width == 1 ? "its" : "the first",
                     method->position);
    } else if (method->position_kind == ETS_POSITION_EACH) {
        ets_add_text(text, " and the position of each (input %u)", method->position);
    }
    if (is_start) ets_add_text(text, ", the first ones,");
    ets_add_text(text, " and gives logits of %s (output %u)",
                 method->gives_all && method->width > 1 ? "all"
                 : method->width > 1                    ? "the last"
                                                        : "it",
                 method->logits);
}

void ets_token_model_describe(const struct ets_token_model *model, struct ets_text_builder *text)
{
    describe_method(&model->prefill, model->prefill_starts, text);
    if (!model->is_one) {
        ets_add_text(text, "; ");
        describe_method(&model->decode, false, text);
    }
    for (uint32_t i = 0; i < model->feed_count; i++) {
        const struct ets_token_feed *feed = &model->feeds[i];
        ets_add_plain_text(
            text, "; input %u of %s is output %u of %s, %s", feed->input, feed->to, feed->output,
            feed->from, ets_token_feed_is_handed_on(model, feed) ? "handed on" : "which runs once");
    }
    ets_add_text(
        text, "; vocabulary %u; %s, context %u (from %s)", model->vocabulary,
        model->has_cache ? "KV cache" : "no KV cache: each step computes the whole sequence",
        model->context, model->stated_by);
}
