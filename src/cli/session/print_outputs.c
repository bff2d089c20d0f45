/* The option --print-outputs: prints the outputs of a run, shortened or in full. */
#include "cli/session/print_outputs.h"
#include "host/output.h"

#include <string.h>

#include "cli/core/cli_text.h"
#include "cli/files/raw_files.h"
#include "etscope/file.h"
#include "output/text/tensor_text.h"

enum { CHOICE_NONE, CHOICE_SUMMARY, CHOICE_ALL };

static int choice(const struct cli_arguments *arguments)
{
    return cli_choice(arguments, "--print-outputs", CHOICE_NONE);
}

bool cli_wants_outputs_printed(const struct cli_arguments *arguments)
{
    return choice(arguments) != CHOICE_NONE;
}

/* "float32 [2, 4]", "int 5" into `text`. */
static void describe(const struct ets_value *value, char *text, size_t room)
{
    switch (value->kind) {
    case ETS_VALUE_TENSOR: cli_describe_tensor(text, room, &value->as.tensor); break;
    case ETS_VALUE_INT: snprintf(text, room, "int %lld", (long long)value->as.int_value); break;
    case ETS_VALUE_BOOL:
        snprintf(text, room, "bool %s", value->as.bool_value ? "true" : "false");
        break;
    case ETS_VALUE_DOUBLE: snprintf(text, room, "double %.17g", value->as.double_value); break;
    case ETS_VALUE_NONE: snprintf(text, room, "none"); break;
    default: snprintf(text, room, "neither a tensor nor a number");
    }
}

int cli_print_output(const struct cli_arguments *arguments, const char *method, long long test_case,
                     size_t index, const struct ets_value *value)
{
    char text[512], number[40] = "";
    struct ets_output *output;
    struct ets_error error;
    const struct ets_tensor_text_options options = {
        .threshold = choice(arguments) == CHOICE_ALL ? UINT64_MAX : 1000, .precision = -1};
    describe(value, text, sizeof text);
    if (test_case >= 0) snprintf(number, sizeof number, ", case %lld", test_case);
    cli_print_text(stdout, method);
    printf("%s, output %zu: %s\n", number, index, text);
    if (value->kind != ETS_VALUE_TENSOR) return CLI_OK;
    if (ets_output_open("-", &output, &error) != ETS_OK) return cli_fail_output("-", &error);
    if (ets_tensor_text_write(&value->as.tensor, &options, output, &error) != ETS_OK) {
        ets_output_discard(output);
        return cli_fail(NULL, &error);
    }
    return ets_output_commit(output, &error) == ETS_OK ? CLI_OK : cli_fail_output("-", &error);
}
