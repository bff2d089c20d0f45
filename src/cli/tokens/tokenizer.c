/* Asks a Python's pytorch-tokenizers; what is asked stands in a temporary file. */
#define _POSIX_C_SOURCE 200809L
#include "cli/tokens/tokenizer.h"

#include <stdlib.h>
#include <string.h>

#include "cli/session/ask_python.h"
#include "cli/session/child.h"
#include "cli/session/session.h"
#include "host/os/os_files.h"
#include "record/json.h"

#define MARK "etscope-tokenizer="

enum { MOST_TOKENS = 1 << 24 };

static const char question[] =
    "import sys\n"
    "sys.path = [path for path in sys.path if path]\n" /* not the working directory's modules */
    "import json, os\n"
    "path, task = sys.argv[1:]\n"
    "try:\n"
    "    from pytorch_tokenizers import get_tokenizer\n"
    "except ImportError:\n"
    "    sys.exit('pytorch-tokenizers is not installed in it: pip install pytorch-tokenizers')\n"
    "config = os.path.join(os.path.dirname(path), 'tokenizer_config.json')\n"
    "try:\n"
    "    tokenizer = get_tokenizer(path, config if os.path.exists(config) else None)\n"
    "except Exception as error:\n"
    "    sys.exit('%s cannot be read as a tokenizer: %s' % (path, ' '.join(str(error).split())))\n"
    "asked = sys.stdin.buffer.read().decode('utf-8')\n"
    "if task == 'encode':\n"
    "    answers = [tokenizer.encode(asked, bos=True, eos=False)]\n"
    "else:\n"
    "    answers = [tokenizer.decode(json.loads(line)) for line in asked.splitlines()]\n"
    "for answer in answers:\n"
    "    print('\\n" MARK "' + json.dumps(answer))\n";

/* Answers as they come; the arena of the caller keeps them. */
struct answers {
    struct ets_arena *arena;
    struct cli_token_list *lists; /* NULL: tokens are wanted */
    uint32_t list_count, taken;
    int64_t *tokens;
    uint32_t count;
};

static bool take_tokens(struct answers *answers, const struct ets_json_value *list)
{
    if (!ets_json_is(list, ETS_JSON_ARRAY) || list->size > MOST_TOKENS) return false;
    answers->count = list->size;
    answers->tokens =
        ets_arena_alloc_array(answers->arena, answers->count, sizeof *answers->tokens);
    if (answers->tokens == NULL) return false;
    const struct ets_json_value *item = ets_json_first(list);
    for (uint32_t i = 0; i < answers->count; i++, item = ets_json_next(item)) {
        if (!ets_json_is(item, ETS_JSON_INT)) return false;
        answers->tokens[i] = item->as.integer;
    }
    return true;
}

static bool take_text(struct answers *answers, const struct ets_json_value *value)
{
    const struct ets_text text = ets_json_text(value);
    if (text.data == NULL || answers->taken == answers->list_count) return false;
    const char *copy = ets_arena_copy_text(answers->arena, text.data, text.size);
    answers->lists[answers->taken].text = copy;
    return copy != NULL;
}

static bool take(void *context, const char *line)
{
    struct answers *answers = context;
    struct ets_json json;
    struct ets_json_failure failure;
    char *copy = strdup(line);
    ets_json_init(&json, &ets_libc_allocator);
    bool is_fine = copy != NULL && ets_json_parse(&json, copy, strlen(copy), &failure) == ETS_OK;
    if (is_fine) {
        is_fine = answers->lists == NULL ? take_tokens(answers, json.values)
                                         : take_text(answers, json.values);
    }
    answers->taken++;
    ets_json_reset(&json);
    free(copy);
    return is_fine;
}

static bool write_asked(const char *path, const char *text, const struct answers *answers)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) return false;
    if (text != NULL) fputs(text, file);
    for (uint32_t i = 0; i < answers->list_count; i++) {
        fputc('[', file);
        for (uint32_t k = 0; k < answers->lists[i].count; k++) {
            fprintf(file, "%s%lld", k > 0 ? ", " : "", (long long)answers->lists[i].tokens[k]);
        }
        fputs("]\n", file);
    }
    const bool is_whole = !ferror(file);
    return fclose(file) == 0 && is_whole;
}

/* Asks for the tokens of `text`, or for the texts of the lists. */
static int ask(const struct cli_arguments *arguments, const char *text, struct answers *answers)
{
    const char *python = cli_value(arguments, "--python");
    char folder[CLI_PATH_BYTES], path[CLI_PATH_BYTES + 16], blamed[CLI_PATH_BYTES];
    int code = cli_child_folder(folder, sizeof folder);
    if (code != CLI_OK) return code;
    snprintf(path, sizeof path, "%s/asked", folder);
    snprintf(blamed, sizeof blamed, "%s%.4000s", python != NULL ? "--python " : "",
             python != NULL ? python : "python3 (--python names another)");
    const struct cli_question asked = {
        .python = python != NULL ? python : "python3",
        .script = question,
        .words = {cli_value(arguments, "--tokenizer"), text != NULL ? "encode" : "decode"},
        .input = path,
        .mark = MARK,
        .take = take,
        .context = answers,
        .usual_reason = "it does not answer as pytorch-tokenizers does"};
    code = write_asked(path, text, answers)
               ? cli_ask_python(&asked, blamed)
               : cli_complain(CLI_INTERNAL, "%s cannot be written", path);
    ets_os_remove(path);
    ets_os_remove_folder(folder);
    const uint32_t wanted = text != NULL ? 1 : answers->list_count;
    if (code != CLI_OK || answers->taken == wanted) return code;
    return cli_complain(CLI_RUNTIME, "%s: %s", blamed, asked.usual_reason);
}

int cli_text_tokens(const struct cli_arguments *arguments, uint32_t vocabulary,
                    struct ets_arena *arena, int64_t **tokens_out, uint32_t *count_out)
{
    const char *tokenizer = cli_value(arguments, "--tokenizer");
    struct answers answers = {.arena = arena};
    if (tokenizer == NULL) {
        return cli_complain(CLI_USAGE, "--text needs --tokenizer FILE, a tokenizer.json or .model");
    }
    const int code = ask(arguments, cli_value(arguments, "--text"), &answers);
    if (code != CLI_OK) return code;
    if (answers.count == 0) return cli_complain(CLI_USAGE, "the text of --text has no tokens");
    for (uint32_t i = 0; i < answers.count; i++) {
        if (answers.tokens[i] >= 0 && answers.tokens[i] < vocabulary) continue;
        return cli_complain(CLI_MISMATCH,
                            "%s gives token %lld, but the vocabulary of the program has %u: it is "
                            "another model's",
                            tokenizer, (long long)answers.tokens[i], vocabulary);
    }
    *tokens_out = answers.tokens;
    *count_out = answers.count;
    return CLI_OK;
}

int cli_tokens_text(const struct cli_arguments *arguments, struct ets_arena *arena,
                    struct cli_token_list *lists, uint32_t list_count)
{
    struct answers answers = {.arena = arena, .lists = lists, .list_count = list_count};
    return list_count == 0 ? CLI_OK : ask(arguments, NULL, &answers);
}
