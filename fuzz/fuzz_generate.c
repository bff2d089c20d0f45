/* Reads any bytes as a program, and how it takes tokens: what is recognized must be true of the
 * program, and what is not must be said. */
#include <stdlib.h>

#include "generate/generation.h"
#include "memory/kv_cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool is_so)
{
    if (!is_so) abort();
}

static void check_method(const struct ets_token_method *method)
{
    need(method->tokens < method->method.input_count);
    need(method->logits < method->method.output_count);
    need((method->position_kind == ETS_POSITION_ABSENT) == (method->position == ETS_TOKEN_NONE));
    need(method->position == ETS_TOKEN_NONE || method->position < method->method.input_count);
    need(method->position != method->tokens);
    need(method->width > 0 && method->vocabulary > 1);
}

static void check_model(const struct ets_token_model *model)
{
    struct ets_kv_cache cache;
    struct ets_error error = {.message = ""};
    char text[2048];
    struct ets_text_builder builder = {text, sizeof text, 0};
    check_method(&model->prefill);
    check_method(&model->decode);
    need(model->context > 0 && model->context != ETS_TOKEN_NONE && model->stated_by != NULL);
    ets_token_model_describe(model, &builder);
    need(builder.used > 0);
    need(ets_generation_check(model, 0, UINT32_MAX, 1, &error) != ETS_OK);
    (void)ets_generation_check(model, 1, 7, 2, &error);
    need(ets_generation_check_each(model, UINT32_MAX, &error) != ETS_OK);
    (void)ets_generation_check_each(model, 7, &error);
    if (ets_kv_cache_find(&model->decode.method, NULL, model->context, &cache, &error) == ETS_OK) {
        need(cache.token_bytes <= cache.bytes);
    }
}

/* What is said of caches without knowing the tokens. */
static void check_caches(const struct ets_program *program)
{
    struct ets_kv_caches caches;
    struct ets_error error = {.message = ""};
    if (ets_kv_caches_find(program, &caches, &error) != ETS_OK) {
        need(error.message[0] != '\0');
        return;
    }
    need((caches.method_count > 0) == (caches.cache.tensor_count > 0));
    need(caches.cache.kind_count <= ETS_KV_KINDS);
    need(caches.method_count == 0 || caches.method.data != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ets_program program;
    struct ets_token_model model;
    struct ets_error error = {.message = ""};
    struct ets_token_choice choice = ETS_TOKEN_CHOICE_NONE;
    if (ets_program_init(&program, (struct ets_bytes){data, size}, NULL) != ETS_OK) return 0;
    check_caches(&program);
    if (size % 2 == 1) choice.tokens = 0;
    if (ets_token_model_recognize(&program, &choice, &model, &error) == ETS_OK) {
        check_model(&model);
    } else {
        need(error.message[0] != '\0');
    }
    return 0;
}
