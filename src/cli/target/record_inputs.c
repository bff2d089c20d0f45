/* Reads a record's representative inputs, and writes them as arrays. */
#include "cli/target/record_inputs.h"

#include <stdio.h>
#include <string.h>

#include "cli/files/inputs.h"
#include "cli/session/session.h"
#include "host/output.h"
#include "numerics/number_tensor.h"
#include "record/numpy.h"

/* The method's name; NULL: there are several, or none. */
static const char *chosen_method(const struct cli_arguments *arguments,
                                 const struct ets_program *program, struct ets_method *method_out)
{
    const char *name = cli_value(arguments, "--method");
    if (cli_value_at(arguments, "--method", 1) != NULL) return NULL;
    if (name == NULL) name = "forward";
    return ets_program_find_method(program, name, method_out, NULL) == ETS_OK ? name : NULL;
}

static bool has_case(const struct cli_program *program, const char *method)
{
    struct ets_bundle_suite suite;
    return program->is_bundle &&
           ets_bundle_find_suite(&program->bundle, method, &suite, NULL) == ETS_OK &&
           suite.case_count > 0;
}

/* False: a value is no array that NumPy holds, or cannot be written. */
static bool write_arrays(const char *path, const struct ets_value *values, size_t count)
{
    struct ets_output *output;
    struct ets_npz_writer *writer = NULL;
    if (ets_output_open(path, &output, NULL) != ETS_OK) return false;
    bool is_good = ets_npz_writer_open(output, NULL, &writer, NULL) == ETS_OK;
    for (size_t i = 0; i < count && is_good; i++) {
        struct ets_tensor tensor;
        uint8_t number[ETS_NUMBER_BYTES];
        char name[32];
        snprintf(name, sizeof name, "arr_%zu", i);
        is_good = ets_tensor_of_value(&values[i], ETS_SCALAR_LONG, number, &tensor) &&
                  ets_npz_writer_add(writer, name, &tensor, NULL) == ETS_OK;
    }
    is_good = is_good && ets_npz_writer_finish(writer, NULL) == ETS_OK;
    ets_npz_writer_close(writer);
    if (is_good) return ets_output_commit(output, NULL) == ETS_OK;
    ets_output_discard(output);
    return false;
}

static bool is_asked(const struct cli_arguments *arguments)
{
    const char *source = cli_value(arguments, "--inputs");
    return source != NULL && strcmp(source, "etrecord") == 0;
}

static int write_inputs(const struct cli_arguments *arguments, const struct cli_program *program,
                        const struct cli_record *record, const char *record_path, const char *path,
                        bool *is_written_out)
{
    const struct ets_value *values;
    struct ets_method method;
    size_t count;
    const char *name = chosen_method(arguments, &program->program, &method);
    if (is_asked(arguments)) {
        const int code = cli_record_inputs_read(record_path, record->record, &values, &count);
        if (code != CLI_OK || name == NULL) return code;
    } else if (name == NULL || strcmp(name, "forward") != 0 || has_case(program, name) ||
               ets_etrecord_representative_inputs(record->record, &values, &count, NULL) !=
                   ETS_OK) {
        return CLI_OK; /* others, as they are without a target */
    }
    if (count > method.input_count) count = method.input_count; /* the first of several cases */
    *is_written_out = count > 0 && write_arrays(path, values, count);
    if (*is_written_out && !is_asked(arguments)) {
        cli_note("%s: representative inputs of the ETRecord", name);
    }
    return CLI_OK;
}

int cli_record_inputs_write(const struct cli_arguments *arguments, const char *record_path,
                            const char *path, bool *is_written_out)
{
    const char *source = cli_value(arguments, "--inputs");
    const bool is_other = source != NULL && !is_asked(arguments) && strcmp(source, "auto") != 0;
    struct cli_record record;
    struct cli_program program;
    *is_written_out = false;
    if (is_other || cli_has(arguments, "--input") || cli_has(arguments, "--case")) return CLI_OK;
    int code = cli_record_open(record_path, &record);
    if (code == CLI_OK) {
        code = cli_program_open(arguments->words[0], &program);
        if (code == CLI_OK) {
            code = write_inputs(arguments, &program, &record, record_path, path, is_written_out);
        }
        cli_program_close(&program);
    }
    cli_record_close(&record);
    return code;
}
