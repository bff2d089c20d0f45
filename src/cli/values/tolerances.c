/* Parses the rules of tolerances from options and files. */
#include "cli/values/tolerances.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The origin of a rule, for messages. */
struct place {
    const char *name; /* "--tolerance", or the file */
    unsigned line;    /* 0: none */
};

static int complain(const struct place *place, const char *what, const char *word)
{
    if (place->line == 0) return cli_complain(CLI_USAGE, "%s: %s \"%s\"", place->name, what, word);
    return cli_complain(CLI_INPUT, "%s: line %u: %s \"%s\"", place->name, place->line, what, word);
}

static int no_memory(void)
{
    return cli_complain(CLI_INTERNAL, "no memory for the tolerances");
}

static int find_scalar_type(const char *name)
{
    static const struct {
        const char *name;
        int type;
    } types[] = {
#define TYPE(constant, number, bytes, text) {text, number},
        ETS_SCALAR_TYPE_LIST(TYPE)
#undef TYPE
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(types[i].name, name) == 0) return types[i].type;
    }
    return -1;
}

static bool parse_index(const char *text, int64_t *out)
{
    char *end;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    *out = number;
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && number <= UINT32_MAX;
}

static bool parse_amount(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && *out >= 0 && isfinite(*out);
}

/* "rtol=1e-3"; ends the name in place. */
static int parse_field(const struct place *place, char *field, struct ets_tolerance_rule *rule)
{
    char *value = strchr(field, '=');
    bool ok;
    if (value == NULL) return complain(place, "expected NAME=VALUE, found", field);
    *value++ = '\0';
    if (strcmp(field, "method") == 0) {
        rule->method = value;
        ok = *value != '\0';
    } else if (strcmp(field, "case") == 0) ok = parse_index(value, &rule->test_case);
    else if (strcmp(field, "output") == 0) ok = parse_index(value, &rule->output);
    else if (strcmp(field, "dtype") == 0) ok = (rule->scalar_type = find_scalar_type(value)) >= 0;
    else if (strcmp(field, "rtol") == 0) ok = parse_amount(value, &rule->relative);
    else if (strcmp(field, "atol") == 0) ok = parse_amount(value, &rule->absolute);
    else if (strcmp(field, "rms") == 0) ok = parse_amount(value, &rule->of_rms);
    else {
        return complain(place,
                        "expected the field method, case, output, dtype, rtol, atol or rms, found",
                        field);
    }
    return ok ? CLI_OK : complain(place, field, value);
}

/* Parses fields separated by spaces or commas; ignores a rule without fields. */
static int parse_rule(const struct place *place, char *text, struct cli_tolerances *out)
{
    static const char between[] = " \t\r,";
    struct ets_tolerance_rule rule = {.test_case = -1,
                                      .output = -1,
                                      .scalar_type = -1,
                                      .relative = -1,
                                      .absolute = -1,
                                      .of_rms = -1};
    bool has_fields = false;
    for (text += strspn(text, between); *text != '\0'; text += strspn(text, between)) {
        char *end = text + strcspn(text, between);
        const bool is_last = *end == '\0';
        *end = '\0';
        const int code = parse_field(place, text, &rule);
        if (code != CLI_OK) return code;
        has_fields = true;
        text = is_last ? end : end + 1;
    }
    if (!has_fields) return CLI_OK;
    const bool is_by_elements = rule.relative >= 0 || rule.absolute >= 0;
    if (!is_by_elements && rule.of_rms < 0) {
        return complain(place, "a rule needs rtol, atol or rms, such as", "rtol=1e-3 atol=1e-5");
    }
    if (is_by_elements && rule.of_rms < 0) rule.of_rms = 0; /* without a tolerance by rms */
    struct ets_tolerance_rule *grown = realloc(out->rules, (out->count + 1) * sizeof *grown);
    if (grown == NULL) return no_memory();
    out->rules = grown;
    out->rules[out->count++] = rule;
    return CLI_OK;
}

/* A terminated copy that lives as long as the rules. */
static char *copy_text(struct cli_tolerances *out, const void *data, size_t size)
{
    char **grown = realloc(out->texts, (out->text_count + 1) * sizeof *grown);
    char *text = malloc(size + 1);
    if (grown != NULL) out->texts = grown;
    if (grown == NULL || text == NULL) {
        free(text);
        return NULL;
    }
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    out->texts[out->text_count++] = text;
    return text;
}

/* Reads a rule from each line; # starts a comment. */
static int parse_lines(const char *path, char *text, struct cli_tolerances *out)
{
    struct place place = {path, 1};
    for (char *line = text; line != NULL; place.line++) {
        char *end = strchr(line, '\n');
        if (end != NULL) *end++ = '\0';
        line[strcspn(line, "#")] = '\0';
        const int code = parse_rule(&place, line, out);
        if (code != CLI_OK) return code;
        line = end;
    }
    return CLI_OK;
}

static int read_file(const char *path, struct cli_tolerances *out)
{
    struct ets_file *file;
    struct ets_error error;
    if (cli_file_open(path, &file, &error) != ETS_OK) return cli_fail(path, &error);
    const struct ets_bytes bytes = ets_file_bytes(file);
    int code;
    if (bytes.size > 0 && memchr(bytes.data, '\0', bytes.size) != NULL) {
        code = cli_complain(CLI_INPUT, "%s: expected a text with one tolerance per line", path);
    } else {
        char *text = copy_text(out, bytes.data, bytes.size);
        code = text == NULL ? no_memory() : parse_lines(path, text, out);
    }
    ets_file_close(file);
    return code;
}

/* Adds --rtol, --atol and --rms as rules for all outputs, before those for some. */
static int parse_general(const struct cli_arguments *arguments, struct cli_tolerances *out)
{
    static const char *const names[] = {"--rtol", "--atol", "--rms"};
    for (int i = 0; i < 3; i++) {
        const char *value = cli_value(arguments, names[i]);
        char text[64];
        double amount;
        if (value == NULL) continue;
        if (!parse_amount(value, &amount)) {
            return cli_complain(CLI_USAGE, "%s takes a number from 0, not \"%s\"", names[i], value);
        }
        snprintf(text, sizeof text, "%s=%.17g", names[i] + 2, amount);
        const int code = parse_rule(&(struct place){names[i], 0}, text, out);
        if (code != CLI_OK) return code;
    }
    return CLI_OK;
}

static int parse_word(const char *value, struct cli_tolerances *out)
{
    char *text = copy_text(out, value, strlen(value));
    if (text == NULL) return no_memory();
    return parse_rule(&(struct place){"--tolerance", 0}, text, out);
}

int cli_tolerances_open(const struct cli_arguments *arguments, struct cli_tolerances *out)
{
    *out = (struct cli_tolerances){.rules = NULL};
    int code = parse_general(arguments, out);
    const char *value;
    for (unsigned i = 0; code == CLI_OK; i++) {
        if ((value = cli_value_at(arguments, "--tolerances", i)) == NULL) break;
        code = read_file(value, out);
    }
    for (unsigned i = 0; code == CLI_OK; i++) {
        if ((value = cli_value_at(arguments, "--tolerance", i)) == NULL) break;
        if (*value == '@') code = read_file(value + 1, out);
        else code = parse_word(value, out);
    }
    return code;
}

void cli_tolerances_close(struct cli_tolerances *tolerances)
{
    for (size_t i = 0; i < tolerances->text_count; i++) free(tolerances->texts[i]);
    free(tolerances->texts);
    free(tolerances->rules);
}
