/* Drives the engine: the methods that feed, the prompt, then token by token. */
#include "generate/generation.h"

#include <string.h>

#include "base/error.h"
#include "generate/greedy.h"

enum { MOST_FEEDERS = ETS_TOKEN_FEEDS };

/* What a run needs; the methods are closed at its end. */
struct run {
    const struct ets_generation_options *options;
    const struct ets_token_model *model;
    struct ets_arena *arena;
    struct ets_generation *out;
    struct ets_engine_method *prefill, *decode;      /* the same if one does both */
    struct ets_engine_method *feeders[MOST_FEEDERS]; /* each once */
    struct ets_engine_method *of_feed[MOST_FEEDERS]; /* [feed] */
    uint32_t feeder_count;
    int64_t *sequence; /* all tokens so far, without a cache */
    uint8_t *bytes;    /* of one input */
    uint8_t *places;
    uint32_t call_room;
    int64_t next; /* the token with the largest logit of the last call */
    bool is_warm_up;
};

static bool takes(const struct ets_token_method *method, uint32_t count)
{
    return method->is_dynamic ? count <= method->width : count == method->width;
}

/*
 * How many of `left` tokens the call at `position` takes, and by which method: as many as fit in
 * the prefill method, the rest by decode where that takes fewer. 0: no method takes them.
 */
static uint32_t next_piece(const struct ets_token_model *model, uint32_t position, uint32_t left,
                           bool *by_decode)
{
    const struct ets_token_method *prefill = &model->prefill, *decode = &model->decode;
    const bool fits = position == 0 || !model->prefill_starts;
    *by_decode = false;
    if (fits && left >= prefill->width) return prefill->width;
    if (fits && prefill->is_dynamic) return left;
    *by_decode = true;
    if (left >= decode->width) return decode->width;
    return decode->is_dynamic ? left : 0;
}

/* The same for calls that give the logits of each of their tokens. */
static uint32_t next_logits_piece(const struct ets_token_model *model, uint32_t position,
                                  uint32_t left, bool *by_decode)
{
    const uint32_t piece = next_piece(model, position, left, by_decode);
    const struct ets_token_method *method = *by_decode ? &model->decode : &model->prefill;
    if (piece <= 1 || method->gives_all) return piece;
    *by_decode = takes(&model->decode, 1);
    const bool fits = position == 0 || !model->prefill_starts;
    return *by_decode || (fits && takes(&model->prefill, 1)) ? 1 : 0;
}

static enum ets_status check_places(const struct ets_token_model *model, uint32_t depth_count,
                                    uint32_t prompt_count, uint32_t new_count,
                                    struct ets_error *error)
{
    const uint64_t all = (uint64_t)depth_count + prompt_count + new_count;
    if ((uint64_t)depth_count + prompt_count > model->context) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "a prompt of %llu tokens does not fit in the context of %u (from %s)",
                        (unsigned long long)depth_count + prompt_count, model->context,
                        model->stated_by);
    }
    if (all > model->context) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "%u tokens and %u new ones need position %llu: the context has %u (from "
                        "%s), so at most %u can be new",
                        depth_count + prompt_count, new_count, (unsigned long long)all - 1,
                        model->context, model->stated_by,
                        model->context - depth_count - prompt_count);
    }
    return ETS_OK;
}

/* Without a cache a method of fixed length needs something behind the last token. */
static enum ets_status check_whole(const struct ets_token_model *model, uint32_t count,
                                   uint32_t new_count, struct ets_error *error)
{
    const struct ets_token_method *method = &model->prefill;
    if (model->filler >= 0 && !method->gives_all) {
        return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET,
                        "%s gives the logits of its last position alone, which a filler would be",
                        method->name);
    }
    if (method->is_dynamic || model->filler >= 0) return ETS_OK;
    if (count == method->width && new_count == 0) return ETS_OK;
    return ets_fail_advising(
        error, ETS_ADVICE_FILLER, ETS_UNSUPPORTED, ETS_NO_OFFSET,
        "%s takes exactly %u tokens and keeps no cache: it takes a prompt of %u tokens without new "
        "ones, or needs a token to fill up with",
        method->name, method->width, method->width);
}

enum ets_status ets_generation_check(const struct ets_token_model *model, uint32_t depth_count,
                                     uint32_t prompt_count, uint32_t new_count,
                                     struct ets_error *error)
{
    if (prompt_count == 0) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "a prompt has at least 1 token");
    }
    /* A method of fixed length needs a filler for new tokens, whatever else fits. */
    if (!model->has_cache) {
        ETS_TRY(check_whole(model, depth_count + prompt_count, new_count, error));
    }
    ETS_TRY(check_places(model, depth_count, prompt_count, new_count, error));
    if (!model->has_cache) return ETS_OK;
    const uint32_t parts[] = {depth_count, prompt_count};
    uint32_t position = 0;
    for (int i = 0; i < 2; i++) {
        uint32_t left = parts[i];
        bool by_decode;
        while (left > 0) {
            const uint32_t piece = next_piece(model, position, left, &by_decode);
            if (piece == 0) {
                return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET,
                                "%s takes exactly %u tokens, and no method takes the other %u of "
                                "%u: give a multiple of %u",
                                model->prefill.name, model->prefill.width, left, parts[i],
                                model->prefill.width);
            }
            left -= piece;
            position += piece;
        }
    }
    if (new_count == 0 || takes(&model->decode, 1)) return ETS_OK;
    return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET,
                    "%s takes exactly %u tokens at a time: it cannot decode one new token",
                    model->decode.name, model->decode.width);
}

/* The method whose calls are too long for logits of each token. */
static enum ets_status refuse_last(const struct ets_token_method *method, struct ets_error *error)
{
    return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET,
                    "%s takes exactly %u tokens and gives logits of the last alone: those of the "
                    "others are not known",
                    method->name, method->width);
}

enum ets_status ets_generation_check_each(const struct ets_token_model *model, uint32_t count,
                                          struct ets_error *error)
{
    const struct ets_token_method *prefill = &model->prefill;
    if (count > model->context) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "%u tokens do not fit in the context of %u (from %s)", count,
                        model->context, model->stated_by);
    }
    if (!model->has_cache) {
        if (prefill->gives_all) return check_whole(model, count, 0, error);
        return prefill->is_dynamic ? ETS_OK : refuse_last(prefill, error);
    }
    uint32_t position = 0;
    while (position < count) {
        bool by_decode;
        const uint32_t piece = next_logits_piece(model, position, count - position, &by_decode);
        if (piece == 0) {
            const struct ets_token_method *method = by_decode ? &model->decode : prefill;
            if (!method->gives_all) return refuse_last(method, error);
            return ets_generation_check(model, 0, count, 0, error); /* says why */
        }
        position += piece;
    }
    return ETS_OK;
}

static enum ets_status open_method(struct run *run, const char *name,
                                   struct ets_engine_method **method_out, struct ets_error *error)
{
    const struct ets_generation_options *options = run->options;
    const uint64_t before = options->now_ns();
    ETS_TRY(options->engine->method_open(options->program, name, method_out, error));
    run->out->load_ns += (double)(options->now_ns() - before);
    return ETS_OK;
}

static void close_all(struct run *run)
{
    const struct ets_engine *engine = run->options->engine;
    for (uint32_t i = 0; i < run->feeder_count; i++) engine->method_close(run->feeders[i]);
    if (run->decode != run->prefill) engine->method_close(run->decode);
    engine->method_close(run->prefill);
}

static enum ets_status open_all(struct run *run, struct ets_error *error)
{
    ETS_TRY(open_method(run, run->model->prefill.name, &run->prefill, error));
    if (run->model->is_one) {
        run->decode = run->prefill;
        return ETS_OK;
    }
    return open_method(run, run->model->decode.name, &run->decode, error);
}

/* Executes, and keeps the time of the call. */
static enum ets_status execute(struct run *run, struct ets_engine_method *method,
                               const struct ets_generation_call *call, struct ets_error *error)
{
    struct ets_generation *out = run->out;
    const struct ets_generation_options *options = run->options;
    out->calls = ets_arena_grow(run->arena, out->calls, out->call_count, &run->call_room,
                                sizeof *out->calls);
    if (out->calls == NULL) return ets_fail_memory(error, "the times");
    const uint64_t before = options->now_ns();
    const enum ets_status status = options->engine->method_execute(method, error);
    const uint64_t after = options->now_ns();
    if (status != ETS_OK) return status;
    out->calls[out->call_count] = *call;
    out->calls[out->call_count].is_warm_up = run->is_warm_up;
    out->calls[out->call_count++].ns = (double)(after - before);
    return ETS_OK;
}

static enum ets_status set_numbers(struct run *run, struct ets_engine_method *method,
                                   uint32_t input, const struct ets_tensor *shape, uint32_t count,
                                   uint8_t *bytes, struct ets_error *error)
{
    struct ets_value value = {.kind = ETS_VALUE_TENSOR, .as.tensor = *shape};
    struct ets_tensor *tensor = &value.as.tensor;
    if (tensor->rank > 0) tensor->sizes[tensor->rank - 1] = count;
    ets_tensor_set_contiguous(tensor);
    tensor->data = bytes;
    tensor->data_bytes = count * ets_scalar_type_bytes(tensor->scalar_type);
    return run->options->engine->method_set_input(method, input, &value, error);
}

/* Sets an input of prefill or decode, whichever `to` is. */
static enum ets_status give(struct run *run, const struct ets_token_feed *feed,
                            const struct ets_value *value, struct ets_error *error)
{
    const struct ets_engine *engine = run->options->engine;
    if (strcmp(feed->to, run->model->prefill.name) == 0) {
        return engine->method_set_input(run->prefill, feed->input, value, error);
    }
    if (strcmp(feed->to, run->model->decode.name) == 0) {
        return engine->method_set_input(run->decode, feed->input, value, error);
    }
    return ETS_OK;
}

/* Outputs that are inputs of the next call. */
static enum ets_status hand_on(struct run *run, struct ets_engine_method *method, const char *name,
                               struct ets_error *error)
{
    for (uint32_t i = 0; i < run->model->feed_count; i++) {
        const struct ets_token_feed *feed = &run->model->feeds[i];
        struct ets_value value;
        if (strcmp(feed->from, name) != 0) continue;
        ETS_TRY(run->options->engine->method_get_output(method, feed->output, &value, error));
        ETS_TRY(give(run, feed, &value, error));
    }
    return ETS_OK;
}

/* What is handed on begins as zeros. */
static enum ets_status give_zeros(struct run *run, const struct ets_token_feed *feed,
                                  struct ets_error *error)
{
    const struct ets_generation_options *options = run->options;
    struct ets_engine_value_info shape;
    ETS_TRY(options->engine->input_info(options->program, feed->to, feed->input, &shape, error));
    struct ets_value value = {.kind = ETS_VALUE_TENSOR, .as.tensor = shape.tensor};
    const uint64_t bytes =
        ets_tensor_count(&shape.tensor) * ets_scalar_type_bytes(shape.tensor.scalar_type);
    if (shape.kind != ETS_VALUE_TENSOR) {
        return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET, "input %u of %s is no tensor",
                        feed->input, feed->to);
    }
    value.as.tensor.data = ets_arena_alloc(run->arena, (size_t)bytes);
    value.as.tensor.data_bytes = (size_t)bytes;
    if (value.as.tensor.data == NULL) return ets_fail_memory(error, "a cache");
    return give(run, feed, &value, error);
}

/* Hands out the logits of each token of a call that ends at `position` + `count`. */
static enum ets_status give_logits(struct run *run, const struct ets_token_method *shape,
                                   const struct ets_tensor *logits, uint32_t count, uint32_t given,
                                   uint32_t position, struct ets_error *error)
{
    const struct ets_generation_options *options = run->options;
    if (options->logits == NULL) return ETS_OK;
    if (!shape->gives_all) {
        return options->logits(options->logits_context, position + count - 1, logits, 0, 1, error);
    }
    for (uint32_t i = 0; i < count; i++) {
        ETS_TRY(options->logits(options->logits_context, position + i, logits, i, given, error));
    }
    return ETS_OK;
}

/* One call on `count` tokens from `position` on; the largest logit of the last is the next token.
 */
static enum ets_status call(struct run *run, enum ets_generation_phase phase, bool by_decode,
                            const int64_t *tokens, uint32_t count, uint32_t position,
                            struct ets_error *error)
{
    const struct ets_token_method *shape = by_decode ? &run->model->decode : &run->model->prefill;
    struct ets_engine_method *method = by_decode ? run->decode : run->prefill;
    const struct ets_generation_call entry = {
        .method = shape->name, .phase = phase, .position = position, .tokens = count};
    const uint32_t given = shape->is_dynamic ? count : shape->width;
    struct ets_value logits;
    for (uint32_t i = 0; i < given; i++) {
        ets_put_integer(run->bytes, shape->token_shape.scalar_type, i,
                        i < count ? tokens[i] : run->model->filler);
    }
    ETS_TRY(set_numbers(run, method, shape->tokens, &shape->token_shape, given, run->bytes, error));
    if (shape->position_kind != ETS_POSITION_ABSENT) {
        const uint32_t places = shape->position_kind == ETS_POSITION_EACH ? given : 1;
        for (uint32_t i = 0; i < places; i++) {
            ets_put_integer(run->places, shape->position_shape.scalar_type, i, position + i);
        }
        ETS_TRY(set_numbers(run, method, shape->position, &shape->position_shape, places,
                            run->places, error));
    }
    ETS_TRY(execute(run, method, &entry, error));
    ETS_TRY(hand_on(run, method, shape->name, error));
    ETS_TRY(run->options->engine->method_get_output(method, shape->logits, &logits, error));
    if (logits.kind != ETS_VALUE_TENSOR) {
        return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET, "output %u of %s is no tensor",
                        shape->logits, shape->name);
    }
    if (phase == ETS_PHASE_PREFILL) {
        ETS_TRY(give_logits(run, shape, &logits.as.tensor, count, given, position, error));
    }
    const uint32_t row = shape->gives_all ? count - 1 : 0;
    return ets_greedy_token(&logits.as.tensor, row, shape->gives_all ? given : 1, &run->next,
                            error);
}

static bool is_stopped(struct run *run)
{
    const struct ets_generation_options *options = run->options;
    const bool stops =
        options->is_stopped != NULL && options->is_stopped(options->stop_context, run->out->end);
    run->out->is_stopped |= stops;
    return stops;
}

/* `count` tokens of a prompt, in pieces. */
static enum ets_status fill(struct run *run, enum ets_generation_phase phase, const int64_t *tokens,
                            uint32_t count, struct ets_error *error)
{
    uint32_t done = 0;
    while (done < count && !is_stopped(run)) {
        bool by_decode;
        const uint32_t left = count - done;
        const uint32_t piece = run->options->logits != NULL
                                   ? next_logits_piece(run->model, run->out->end, left, &by_decode)
                                   : next_piece(run->model, run->out->end, left, &by_decode);
        ETS_TRY(call(run, phase, by_decode, tokens + done, piece, run->out->end, error));
        done += piece;
        run->out->end += piece;
    }
    return ETS_OK;
}

/* One is enough to warm up. */
static uint32_t new_count(const struct run *run)
{
    const uint32_t wanted = run->options->new_count;
    return run->is_warm_up && wanted > 1 ? 1 : wanted;
}

/* With a cache each token is computed once. */
static enum ets_status generate_cached(struct run *run, struct ets_error *error)
{
    const struct ets_generation_options *options = run->options;
    const int64_t *prompt = options->tokens + options->depth_count;
    ETS_TRY(fill(run, ETS_PHASE_DEPTH, options->tokens, options->depth_count, error));
    ETS_TRY(fill(run, ETS_PHASE_PREFILL, prompt, options->prompt_count, error));
    run->out->prompt_next = run->next;
    for (uint32_t i = 0; i < new_count(run) && !is_stopped(run); i++) {
        const int64_t token = run->next;
        ETS_TRY(call(run, ETS_PHASE_DECODE, true, &token, 1, run->out->end, error));
        run->out->new_tokens[run->out->new_count++] = token;
        run->out->end++;
    }
    return ETS_OK;
}

/* Each start of the sequence, where a call gives logits of the last token alone. */
static enum ets_status run_starts(struct run *run, struct ets_error *error)
{
    const uint32_t count = run->options->prompt_count;
    for (uint32_t end = 1; end <= count && !is_stopped(run); end++) {
        ETS_TRY(call(run, ETS_PHASE_PREFILL, false, run->sequence, end, 0, error));
        run->out->end = end;
    }
    return ETS_OK;
}

/* Without one each call computes the whole sequence; its tokens and position are the new ones. */
static enum ets_status generate_whole(struct run *run, struct ets_error *error)
{
    const struct ets_generation_options *options = run->options;
    uint32_t count = options->depth_count + options->prompt_count;
    memcpy(run->sequence, options->tokens, count * sizeof *run->sequence);
    if (options->logits != NULL && !run->model->prefill.gives_all) return run_starts(run, error);
    if (is_stopped(run)) return ETS_OK;
    ETS_TRY(call(run, ETS_PHASE_PREFILL, false, run->sequence, count, 0, error));
    run->out->calls[run->out->call_count - 1].position = options->depth_count;
    run->out->calls[run->out->call_count - 1].tokens = options->prompt_count;
    run->out->end = count;
    run->out->prompt_next = run->next;
    for (uint32_t i = 0; i < new_count(run) && !is_stopped(run); i++) {
        run->sequence[count++] = run->next;
        const int64_t token = run->next;
        ETS_TRY(call(run, ETS_PHASE_DECODE, true, run->sequence, count, 0, error));
        run->out->calls[run->out->call_count - 1].position = count - 1;
        run->out->calls[run->out->call_count - 1].tokens = 1;
        run->out->new_tokens[run->out->new_count++] = token;
        run->out->end = count;
    }
    return ETS_OK;
}

static enum ets_status set_feeder_inputs(struct run *run, struct ets_engine_method *method,
                                         const char *name, struct ets_error *error)
{
    const struct ets_generation_options *options = run->options;
    struct ets_engine_method_info info;
    ETS_TRY(options->engine->method_info(options->program, name, &info, error));
    for (uint32_t i = 0; i < info.input_count; i++) {
        struct ets_engine_value_info shape;
        struct ets_value value;
        ETS_TRY(options->engine->input_info(options->program, name, i, &shape, error));
        ETS_TRY(options->input(options->input_context, name, i, &shape, &value, error));
        ETS_TRY(options->engine->method_set_input(method, i, &value, error));
    }
    return ETS_OK;
}

/* The same method for an earlier feed; NULL: this is the first. */
static struct ets_engine_method *find_feeder(const struct run *run, uint32_t feed)
{
    const struct ets_token_feed *feeds = run->model->feeds;
    for (uint32_t i = 0; i < feed; i++) {
        if (strcmp(feeds[i].from, feeds[feed].from) == 0) return run->of_feed[i];
    }
    return NULL;
}

static enum ets_status open_feeders(struct run *run, struct ets_error *error)
{
    for (uint32_t i = 0; i < run->model->feed_count; i++) {
        const struct ets_token_feed *each = &run->model->feeds[i];
        if (ets_token_feed_is_handed_on(run->model, each)) continue;
        run->of_feed[i] = find_feeder(run, i);
        if (run->of_feed[i] != NULL) continue;
        ETS_TRY(open_method(run, each->from, &run->of_feed[i], error));
        run->feeders[run->feeder_count++] = run->of_feed[i];
        ETS_TRY(set_feeder_inputs(run, run->of_feed[i], each->from, error));
    }
    return ETS_OK;
}

/* Runs the methods that feed, each once, and hands their outputs over. They stay open, because
 * their outputs are theirs. */
static enum ets_status feed(struct run *run, struct ets_error *error)
{
    for (uint32_t i = 0; i < run->model->feed_count; i++) {
        const struct ets_token_feed *each = &run->model->feeds[i];
        const struct ets_generation_call entry = {.method = each->from, .phase = ETS_PHASE_ENCODE};
        struct ets_value value;
        if (run->of_feed[i] == NULL) {
            ETS_TRY(give_zeros(run, each, error));
            continue;
        }
        if (find_feeder(run, i) == NULL) ETS_TRY(execute(run, run->of_feed[i], &entry, error));
        ETS_TRY(
            run->options->engine->method_get_output(run->of_feed[i], each->output, &value, error));
        ETS_TRY(give(run, each, &value, error));
    }
    return ETS_OK;
}

static enum ets_status make_room(struct run *run, struct ets_error *error)
{
    const struct ets_generation_options *options = run->options;
    const struct ets_token_model *model = run->model;
    const uint32_t width =
        model->prefill.width > model->decode.width ? model->prefill.width : model->decode.width;
    const size_t all = (size_t)options->depth_count + options->prompt_count + options->new_count;
    run->bytes = ets_arena_alloc_array(run->arena, width, sizeof(int64_t));
    run->places = ets_arena_alloc_array(run->arena, width, sizeof(int64_t));
    run->sequence = ets_arena_alloc_array(run->arena, all, sizeof *run->sequence);
    run->out->new_tokens = ets_arena_alloc_array(run->arena, options->new_count, sizeof(int64_t));
    if (run->bytes != NULL && run->places != NULL && run->sequence != NULL &&
        run->out->new_tokens != NULL) {
        return ETS_OK;
    }
    return ets_fail_memory(error, "the tokens");
}

static enum ets_status generate_once(struct run *run, struct ets_error *error)
{
    run->out->end = run->out->new_count = 0;
    ETS_TRY(feed(run, error));
    return run->model->has_cache ? generate_cached(run, error) : generate_whole(run, error);
}

/* The prompt and a new token, untraced. */
static enum ets_status warm_up(struct run *run, struct ets_error *error)
{
    const struct ets_generation_options *options = run->options;
    run->is_warm_up = true;
    options->engine->trace_enable(options->program, 0);
    const enum ets_status status = generate_once(run, error);
    options->engine->trace_enable(options->program, 1);
    run->is_warm_up = false;
    run->out->warm_up_next = run->out->prompt_next;
    if (run->out->is_stopped) run->out->new_count = 0;
    return status;
}

static enum ets_status generate(struct run *run, struct ets_error *error)
{
    ETS_TRY(make_room(run, error));
    ETS_TRY(open_all(run, error));
    ETS_TRY(open_feeders(run, error));
    if (run->options->warms_up) ETS_TRY(warm_up(run, error));
    return run->out->is_stopped ? ETS_OK : generate_once(run, error);
}

enum ets_status ets_generation_run(const struct ets_generation_options *options,
                                   struct ets_arena *arena, struct ets_generation *generation_out,
                                   struct ets_error *error)
{
    struct run run = {
        .options = options, .model = options->model, .arena = arena, .out = generation_out};
    memset(generation_out, 0, sizeof *generation_out);
    if (options->logits != NULL) {
        ETS_TRY(ets_generation_check_each(options->model, options->prompt_count, error));
    }
    if (options->logits == NULL || options->new_count > 0) {
        ETS_TRY(ets_generation_check(options->model, options->depth_count, options->prompt_count,
                                     options->new_count, error));
    }
    const enum ets_status status = generate(&run, error);
    close_all(&run);
    return status;
}
