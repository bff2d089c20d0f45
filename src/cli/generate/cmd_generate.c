/* The command `generate`: prompt, new tokens, and how fast they are. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <time.h>

#include "cli/core/document.h"
#include "cli/core/interrupt.h"
#include "cli/generate/generate_plan.h"
#include "cli/target/target.h"
#include "cli/tokens/prompt_tokens.h"
#include "cli/tokens/token_program.h"
#include "cli/tokens/tokenizer.h"
#include "cost/step_costs.h"
#include "host/output.h"
#include "output/text/generation_text.h"

static const struct cli_command_option option_list[] = {
    {"--data"},
    {"--prompt",
     .help = "Tokens of a random prompt; default 512, or half of the context if that is less"},
    {"--tokens", .value = "FILE",
     .help = "The tokens of the prompt: numbers with spaces or commas between them, or a .npy"},
    {"--text"},
    {"--tokenizer"},
    {"--new"},
    {"--depth", .value = "N[,N...]",
     .help = "Tokens that are in the cache before the prompt, in turn for each number; default 0"},
    {"--map", .value = "KEY=VALUE[,...]", .is_repeatable = true,
     .help = "How the program takes tokens, where it is not recognized: tokens=INPUT, "
             "position=INPUT, logits=OUTPUT, method=NAME, prefill=NAME, decode=NAME, context=N "
             "(positions of the cache), filler=TOKEN (fills up a fixed length without cache)"},
    {"--feed"},
    {"--input", .help = "Inputs of methods that feed others, in their order, as .npy files; "
                        "default: random numbers from 0 to 1"},
    {"--seed", .help = "Seed of random tokens and inputs; default 0"},
    {"--recordings",
     .help = "Generate N times, each time in a new process, for means and 95 % intervals"},
    {"--no-warmup"},
    {"--threads"},
    {"--output", .help = "Also write the trace (ETDump) to FILE, with --recordings one for each to "
                         "NAME.recording-1.etdp, ...; tracing makes calls slower"},
    {"--format", .value = "table|json|jsonl",
     .help =
         "Output format; json: a row for each of prefill and decode at each depth, with "
         "llama-bench's names (cpu_info, model_filename, model_size, n_threads, n_prompt, n_gen, "
         "n_depth, test_time, avg_ns, stddev_ns, avg_ts, stddev_ts, samples_ns, samples_ts) and "
         "phase, low_ts, high_ts, first_token_ns, first_call_ns, cold_first_token_ns, "
         "cold_call_ns, warmed_up, median_call_ns, position_ns, position_ns_low, position_ns_high, "
         "call_count, calls_ns, weight_bytes_per_token, cache_bytes_per_token, program_load_ns, "
         "method_load_ns, copied_bytes, mapped_bytes, peak_resident_bytes, has_cache, cache_bytes, "
         "cache_dtype, cache_token_bytes, context, used_positions, governor, runtime, traced, "
         "tokens, text"},
    {"--load-library"},
    {"--python",
     .help = "With --tokenizer: the Python that has pytorch-tokenizers; otherwise one whose "
             "executorch has the kernels of llama:: operators, to be taken instead of ours"},
    {"--engine"},
    CLI_TARGET_OPTIONS,
    {NULL},
};

enum { DEFAULT_PROMPT = 512, DEFAULT_NEW = 128 };
#define INTERVAL_HINT "--recordings 5"

static uint32_t least(uint32_t left, uint32_t right)
{
    return left < right ? left : right;
}

/* The most tokens that the deepest test leaves. */
static uint32_t room_in_context(const struct cli_generate_plan *plan)
{
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < plan->depths.count; i++) {
        if (plan->depths.items[i] > deepest) deepest = plan->depths.items[i];
    }
    return deepest < plan->model.context ? plan->model.context - deepest : 0;
}

/* Without a cache, a method of fixed length takes that many tokens and no new ones. */
static bool is_fixed(const struct ets_token_model *model)
{
    return !model->has_cache && !model->prefill.is_dynamic && model->filler < 0;
}

static int make_prompt(struct cli_generate_plan *plan)
{
    const struct cli_arguments *arguments = plan->arguments;
    const char *path = cli_value(arguments, "--tokens");
    const bool has_text = cli_has(arguments, "--text");
    const uint32_t room = room_in_context(plan);
    int code = CLI_OK;
    if ((path != NULL) + has_text + cli_has(arguments, "--prompt") > 1) {
        return cli_complain(CLI_USAGE,
                            "--prompt makes a random prompt, --tokens reads one, --text is one: "
                            "give one of them");
    }
    if (path != NULL) {
        code = cli_read_tokens(path, plan->model.vocabulary, &plan->arena, &plan->prompt,
                               &plan->prompt_count);
    } else if (has_text) {
        code = cli_text_tokens(arguments, plan->model.vocabulary, &plan->arena, &plan->prompt,
                               &plan->prompt_count);
    } else {
        const uint32_t usual =
            is_fixed(&plan->model) ? room : least(DEFAULT_PROMPT, room / 2 > 0 ? room / 2 : 1);
        plan->prompt_count = (uint32_t)cli_number(arguments, "--prompt", usual);
        plan->prompt =
            ets_arena_alloc_array(&plan->arena, plan->prompt_count, sizeof *plan->prompt);
        if (plan->prompt == NULL) return cli_complain(CLI_INTERNAL, "no memory for the prompt");
        cli_random_tokens(plan->seed, plan->model.vocabulary, plan->prompt, plan->prompt_count);
    }
    if (code != CLI_OK) return code;
    const uint32_t left = plan->prompt_count < room ? room - plan->prompt_count : 0;
    const uint32_t usual = is_fixed(&plan->model) ? 0 : least(DEFAULT_NEW, left);
    plan->new_count = (uint32_t)cli_number(arguments, "--new", usual);
    if (is_fixed(&plan->model) && plan->new_count == 0) {
        cli_note(
            "no new tokens: %s takes exactly %u tokens; --map filler=TOKEN fills up the length, if "
            "later positions do not influence earlier ones",
            plan->model.prefill.name, plan->model.prefill.width);
    }
    return CLI_OK;
}

static int check_lengths(const struct cli_generate_plan *plan)
{
    struct ets_error error;
    for (uint32_t i = 0; i < plan->depths.count; i++) {
        if (ets_generation_check(&plan->model, plan->depths.items[i], plan->prompt_count,
                                 plan->new_count, &error) != ETS_OK) {
            return cli_fail(plan->session.path, &error);
        }
    }
    if (plan->depths.count > 1 && cli_has(plan->arguments, "--output")) {
        return cli_complain(CLI_USAGE, "a trace is of one generation: -o takes one --depth");
    }
    return CLI_OK;
}

static int recognize(struct cli_generate_plan *plan)
{
    const int code = cli_recognize_tokens(&plan->session, "recognized", &plan->model);
    if (code != CLI_OK) return code;
    const bool has_feeders = cli_tokens_need_inputs(&plan->model);
    if (!has_feeders && cli_has(plan->arguments, "--input")) {
        return cli_complain(CLI_USAGE,
                            "--input is for a method that runs once before the tokens: it "
                            "needs --feed");
    }
    if (has_feeders && !cli_has(plan->arguments, "--input")) {
        cli_note("inputs of methods that feed others are random, from 0 to 1");
    }
    return CLI_OK;
}

static uint64_t file_bytes(const struct cli_generate_plan *plan)
{
    uint64_t bytes = ets_file_bytes(plan->session.model.file).size;
    const char *path;
    for (unsigned i = 0; (path = cli_value_at(plan->arguments, "--data", i)) != NULL; i++) {
        struct ets_file *file;
        if (ets_file_open(path, &file, NULL) != ETS_OK) continue; /* opening it again reports it */
        bytes += ets_file_bytes(file).size;
        ets_file_close(file);
    }
    return bytes;
}

/* A prompt can run twice where a cache has a place for each position, and nothing else is kept. */
static int choose_warm_up(struct cli_generate_plan *plan, bool can_warm_up)
{
    const bool is_wanted = !cli_has(plan->arguments, "--no-warmup");
    plan->warms_up = is_wanted && can_warm_up;
    if (is_wanted && !can_warm_up) {
        cli_note(
            "no warm-up: the model may keep a state that is no cache by position, so the first "
            "calls are cold; --depth 8 shows a warm prompt");
    }
    return CLI_OK;
}

static int describe(struct cli_generate_plan *plan)
{
    struct ets_generation_report *report = &plan->report;
    const time_t now = time(NULL);
    struct tm utc;
    struct ets_error error;
    if (gmtime_r(&now, &utc) != NULL) {
        strftime(plan->time, sizeof plan->time, "%Y-%m-%dT%H:%M:%SZ", &utc);
    }
    ets_processor_read(&plan->processor);
    *report = (struct ets_generation_report){.is_traced = cli_has(plan->arguments, "--output"),
                                             .copied_bytes = -1,
                                             .mapped_bytes = -1,
                                             .peak_bytes = -1,
                                             .has_cache = plan->model.has_cache,
                                             .context = plan->model.context,
                                             .vocabulary = plan->model.vocabulary,
                                             .model_path = plan->session.path,
                                             .processor = plan->processor.name,
                                             .governor = plan->processor.governor,
                                             .time = plan->time,
                                             .model_bytes = file_bytes(plan)};
    struct ets_kv_inputs inputs;
    if (!plan->model.has_cache) return choose_warm_up(plan, true);
    ets_token_handed_on(&plan->model, &inputs);
    struct ets_kv_cache of_prefill;
    if (ets_kv_cache_find(&plan->model.decode.method, &inputs, plan->model.context, &report->cache,
                          &error) != ETS_OK ||
        ets_kv_cache_find(&plan->model.prefill.method, NULL, plan->model.context, &of_prefill,
                          &error) != ETS_OK) {
        return cli_fail(plan->session.path, &error);
    }
    return choose_warm_up(plan, report->cache.tensor_count > 0 && report->cache.is_by_position &&
                                    (plan->model.is_one || of_prefill.is_by_position));
}

static int open(const struct cli_arguments *arguments, struct cli_generate_plan *plan)
{
    *plan = (struct cli_generate_plan){
        .arguments = arguments,
        .seed = (uint64_t)cli_number(arguments, "--seed", 0),
        .session = {.arguments = arguments, .wants_trace = cli_has(arguments, "--output")}};
    ets_arena_init(&plan->arena, NULL, 0);
    if (arguments->word_count != 1) {
        return cli_complain(CLI_USAGE, "generate needs one program: etscope generate model.pte");
    }
    plan->session.path = arguments->words[0];
    int code = cli_depths(arguments, &plan->depths);
    if (code == CLI_OK) code = cli_check_stdin(arguments);
    if (code == CLI_OK) code = cli_program_open(plan->session.path, &plan->session.model);
    if (code == CLI_OK) code = recognize(plan);
    if (code == CLI_OK) code = cli_check_token_data(&plan->session, &plan->model);
    if (code == CLI_OK) code = make_prompt(plan);
    if (code == CLI_OK) code = check_lengths(plan);
    return code == CLI_OK ? describe(plan) : code;
}

/* The new tokens of each test as text, where there is a tokenizer. */
static int read_texts(struct cli_generate_plan *plan)
{
    struct ets_generation_report *report = &plan->report;
    if (!cli_has(plan->arguments, "--tokenizer")) return CLI_OK;
    struct cli_token_list *lists =
        ets_arena_alloc_array(&plan->arena, report->test_count, sizeof *lists);
    uint32_t count = 0;
    if (lists == NULL) return cli_complain(CLI_INTERNAL, "no memory for the text");
    for (uint32_t i = 0; i < report->test_count; i++) {
        const struct ets_generation_test *test = &report->tests[i];
        if (test->new_count == 0) continue;
        lists[count++] = (struct cli_token_list){test->new_tokens, test->new_count, NULL};
    }
    const int code = cli_tokens_text(plan->arguments, &plan->arena, lists, count);
    for (uint32_t i = 0, k = 0; i < report->test_count && code == CLI_OK; i++) {
        if (report->tests[i].new_count > 0) report->tests[i].new_text = lists[k++].text;
    }
    return code;
}

static int keep_trace(struct cli_generate_plan *plan)
{
    const char *path = cli_value(plan->arguments, "--output");
    if (path == NULL) return CLI_OK;
    int code = cli_session_finish(&plan->session);
    if (code == CLI_OK) code = cli_session_keep(&plan->session, path, &plan->session.trace, 1);
    if (code == CLI_OK) code = cli_session_commit(&plan->session);
    if (code == CLI_OK) cli_note("the calls were traced, which makes them slower");
    return code;
}

/* What a call of decode reads; where that is not known exactly, nothing. */
static int find_reads(struct cli_generate_plan *plan)
{
    struct ets_generation_report *report = &plan->report;
    for (uint32_t i = 0; report->has_cache && i < report->test_count; i++) {
        struct ets_generation_test *test = &report->tests[i];
        struct ets_cost cost;
        struct ets_error error;
        if (test->phase != ETS_PHASE_DECODE || test->tokens == 0) continue;
        test->read_position = test->depth + test->prompt + test->tokens / 2;
        const struct ets_token_sizes sizes = {
            .tokens = 1, .has_position = true, .position = test->read_position};
        if (ets_call_cost_find(&plan->arena, &plan->session.model.program, plan->model.decode.name,
                               &sizes, &cost, &error) != ETS_OK) {
            return cli_fail(plan->session.path, &error);
        }
        test->has_reads = ets_cost_state(&cost) == ETS_COST_KNOWN && !cost.at_most;
        test->weight_bytes = cost.weight_bytes;
        test->cache_bytes = cost.state_bytes;
    }
    return CLI_OK;
}

/* All sentences as those of the document. */
static void put_headline(const struct ets_generation_report *report)
{
    char all[4096];
    struct ets_text_builder text = {all, sizeof all, 0};
    char room[ETS_GENERATION_HEADLINE];
    for (uint32_t i = 0;; i++) {
        struct ets_text_builder sentence = {room, sizeof room, 0};
        if (!ets_generation_headline(report, INTERVAL_HINT, i, &sentence)) break;
        ets_add_text(&text, "%s%s", i > 0 ? ". " : "", room);
    }
    cli_headline("%s", all);
}

static int show(const struct cli_generate_plan *plan)
{
    const char *format = cli_value(plan->arguments, "--format");
    struct ets_error error;
    if (format != NULL && strcmp(format, "table") != 0) {
        struct ets_json_writer *json;
        put_headline(&plan->report);
        const int code = cli_document_rows("-", &json);
        if (code == CLI_OK) ets_generation_put_rows(&plan->report, json);
        return code;
    }
    struct ets_output *output;
    if (ets_output_open("-", &output, &error) != ETS_OK) return cli_fail_output("-", &error);
    ets_generation_print(&plan->report, INTERVAL_HINT, output);
    return ets_output_commit(output, &error) == ETS_OK ? CLI_OK : cli_fail_output("-", &error);
}

static int cmd_generate(const struct cli_arguments *arguments)
{
    struct cli_generate_plan plan;
    if (cli_has(arguments, "--target")) return cli_target_run(arguments);
    int code = open(arguments, &plan);
    if (code == CLI_OK && cli_has(arguments, "--recordings")) {
        code = cli_generate_recordings(&plan, (uint32_t)cli_number(arguments, "--recordings", 1));
    } else {
        if (code == CLI_OK) code = cli_generate_once(&plan);
        if (code == CLI_OK) code = keep_trace(&plan);
    }
    if (code == CLI_OK) code = find_reads(&plan);
    if (code == CLI_OK) code = read_texts(&plan);
    if (code == CLI_OK) code = show(&plan);
    cli_session_close(&plan.session);
    ets_arena_reset(&plan.arena);
    return code == CLI_OK && cli_interrupted() != 0 ? CLI_SIGNAL + cli_interrupted() : code;
}

const struct cli_command cli_generate_command = {
    .name = "generate",
    .task = CLI_TASK_MEASURE,
    .summary = "run a language model from a prompt on, and show its tokens per second",
    .arguments = "MODEL",
    .description =
        "Recognizes how MODEL (a .pte or .bpte) takes tokens, says so, runs a prompt through it, "
        "and decodes new tokens, each the most likely one. Shows tokens per second of prefill and "
        "decode, the time to the first token, what each further position costs, and the KV cache. "
        "Times are those of the runtime's calls alone; without -o nothing is traced. What is not "
        "recognized is an error that says what to give.",
    .options = option_list,
    .examples =
        "etscope generate llm.pte\n"
        "etscope generate llm.pte --tokens prompt.txt --new 12 --recordings 5\n"
        "etscope generate llm.pte --prompt 4 --new 8 --depth 0,16",
    .guide = "language-models.md",
    .run = cmd_generate,
};
