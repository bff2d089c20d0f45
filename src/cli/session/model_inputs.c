/*
 * Makes the inputs of a run from arrays, a test case, an ETRecord or raw files, or generates them.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/cli_text.h"
#include "cli/files/raw_files.h"
#include "cli/session/input_shapes.h"
#include "cli/session/session.h"
#include "etscope/numerics.h"
#include "numerics/element.h"

enum source { SOURCE_AUTO, SOURCE_CASE, SOURCE_ETRECORD, SOURCE_ZEROS, SOURCE_ONES, SOURCE_RANDOM };

/* Options for random inputs only. */
static const char *const random_options[] = {"--seed", "--range", "--int-range", "--shape", NULL};

/* How to generate values. */
struct generator {
    enum source source;
    uint64_t state;
    double low, high;
    long long int_low, int_high;
};

/* SplitMix64 (Steele, Lea, Flood 2014): the same numbers on every machine. */
static uint64_t next_random(struct generator *g)
{
    uint64_t z = g->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static double next_real(struct generator *g)
{
    if (g->source != SOURCE_RANDOM) return g->source == SOURCE_ONES ? 1 : 0;
    const double unit = (double)(next_random(g) >> 11) * 0x1p-53;
    return g->low + unit * (g->high - g->low);
}

static int64_t next_integer(struct generator *g)
{
    if (g->source != SOURCE_RANDOM) return g->source == SOURCE_ONES;
    const uint64_t span = (uint64_t)g->int_high - (uint64_t)g->int_low + 1;
    const uint64_t drawn = next_random(g);
    return (int64_t)((uint64_t)g->int_low + (span == 0 ? drawn : drawn % span));
}

/* The range of integers does not apply to bools, which are both. */
static bool next_truth(struct generator *g)
{
    if (g->source != SOURCE_RANDOM) return g->source == SOURCE_ONES;
    return (next_random(g) & 1) != 0;
}

/* Round to nearest even from float: half and bfloat16 keep the sign, exponents are clamped. */
static uint16_t half_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t sign = bits >> 16 & 0x8000;
    const int exponent = (int)(bits >> 23 & 0xff) - 127 + 15;
    uint32_t mantissa = bits & 0x7fffff;
    if (exponent >= 31) return (uint16_t)(sign | 0x7c00);
    if (exponent <= 0) {
        if (exponent < -10) return (uint16_t)sign;
        mantissa |= 0x800000;
        const unsigned shift = (unsigned)(14 - exponent);
        const uint32_t kept = mantissa >> shift, rest = mantissa & ((1u << shift) - 1);
        const uint32_t middle = 1u << (shift - 1);
        return (uint16_t)(sign | (kept + (rest > middle || (rest == middle && (kept & 1)))));
    }
    const uint32_t kept = (uint32_t)exponent << 10 | mantissa >> 13, rest = mantissa & 0x1fff;
    return (uint16_t)(sign | (kept + (rest > 0x1000 || (rest == 0x1000 && (kept & 1)))));
}

static uint16_t bfloat16_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

#define STORE(type, value)                  \
    do {                                    \
        const type stored = (type)(value);  \
        memcpy(at, &stored, sizeof stored); \
    } while (0)

/* Writes the next value of `type` to `at`; false for types that are never generated. */
static bool generate_element(struct generator *g, int type, unsigned char *at)
{
    switch (type) {
    case ETS_SCALAR_FLOAT: STORE(float, next_real(g)); return true;
    case ETS_SCALAR_DOUBLE: STORE(double, next_real(g)); return true;
    case ETS_SCALAR_HALF: STORE(uint16_t, half_bits((float)next_real(g))); return true;
    case ETS_SCALAR_BFLOAT16: STORE(uint16_t, bfloat16_bits((float)next_real(g))); return true;
    case ETS_SCALAR_BOOL: STORE(uint8_t, next_truth(g)); return true;
    case ETS_SCALAR_BYTE:
    case ETS_SCALAR_CHAR: STORE(int8_t, next_integer(g)); return true;
    case ETS_SCALAR_SHORT:
    case ETS_SCALAR_UINT16: STORE(int16_t, next_integer(g)); return true;
    case ETS_SCALAR_INT:
    case ETS_SCALAR_UINT32: STORE(int32_t, next_integer(g)); return true;
    case ETS_SCALAR_LONG:
    case ETS_SCALAR_UINT64: STORE(int64_t, next_integer(g)); return true;
    default: return false;
    }
}

static int no_memory(void)
{
    return cli_complain(CLI_INTERNAL, "no memory for the inputs");
}

static bool find_integer_limits(int type, long long *least_out, long long *most_out)
{
    static const struct {
        int type;
        long long least, most;
    } limits[] = {
        {ETS_SCALAR_BYTE, 0, UINT8_MAX},          {ETS_SCALAR_CHAR, INT8_MIN, INT8_MAX},
        {ETS_SCALAR_SHORT, INT16_MIN, INT16_MAX}, {ETS_SCALAR_UINT16, 0, UINT16_MAX},
        {ETS_SCALAR_INT, INT32_MIN, INT32_MAX},   {ETS_SCALAR_UINT32, 0, UINT32_MAX},
        {ETS_SCALAR_LONG, INT64_MIN, INT64_MAX},  {ETS_SCALAR_UINT64, 0, INT64_MAX},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        if (limits[i].type != type) continue;
        *least_out = limits[i].least;
        *most_out = limits[i].most;
        return true;
    }
    return false;
}

/* Refuses ranges that exceed the type, which would produce other numbers. */
static int check_ranges(const struct generator *g, size_t index, int type)
{
    const char *name = ets_scalar_type_name(type);
    const double most_real = type == ETS_SCALAR_HALF       ? 65504
                             : type == ETS_SCALAR_BFLOAT16 ? 0x1.fep127
                             : type == ETS_SCALAR_FLOAT    ? (double)FLT_MAX
                                                           : DBL_MAX;
    long long least, most;
    if (g->source != SOURCE_RANDOM) return CLI_OK;
    if (find_integer_limits(type, &least, &most) && (g->int_low < least || g->int_high > most)) {
        return cli_complain(
            CLI_USAGE, "input %zu is %s with the range %lld:%lld; --int-range %lld:%lld exceeds it",
            index, name, least, most, g->int_low, g->int_high);
    }
    if (g->low < -most_real || g->high > most_real) {
        return cli_complain(CLI_USAGE,
                            "input %zu is %s with the range %g:%g; --range %g:%g exceeds it", index,
                            name, -most_real, most_real, g->low, g->high);
    }
    return CLI_OK;
}

static int generate_tensor(struct generator *g, size_t index, const struct ets_tensor *shape,
                           struct cli_model_inputs *inputs)
{
    const int code = check_ranges(g, index, shape->scalar_type);
    if (code != CLI_OK) return code;
    const size_t element = ets_scalar_type_bytes(shape->scalar_type);
    const uint64_t count = ets_tensor_count(shape);
    if (count > SIZE_MAX / 16) return cli_complain(CLI_INPUT, "input %zu is too large", index);
    unsigned char *data = malloc(count * element + 1);
    if (data == NULL) return no_memory();
    inputs->buffers[inputs->buffer_count++] = data;
    for (uint64_t i = 0; i < count; i++) {
        if (!generate_element(g, shape->scalar_type, data + i * element)) {
            return cli_complain(CLI_USAGE,
                                "input %zu is %s, which cannot be generated; give it with --input",
                                index, ets_scalar_type_name(shape->scalar_type));
        }
    }
    inputs->values[index] = (struct ets_value){.kind = ETS_VALUE_TENSOR, .as.tensor = *shape};
    inputs->values[index].as.tensor.data = data;
    inputs->values[index].as.tensor.data_bytes = count * element;
    return CLI_OK;
}

/* The program contains its plain numbers: the runtime accepts only those of the export. */
static void take_baked_number(const struct cli_session *session, const char *method, size_t index,
                              struct ets_value *value)
{
    struct ets_method plan;
    struct ets_evalue baked;
    if (ets_program_find_method(&session->model.program, method, &plan, NULL) != ETS_OK ||
        index >= plan.input_count) {
        return;
    }
    ets_method_input(&plan, (uint32_t)index, &baked);
    if (value->kind == ETS_VALUE_INT) value->as.int_value = baked.int_value;
    if (value->kind == ETS_VALUE_BOOL) value->as.bool_value = baked.int_value != 0;
    if (value->kind == ETS_VALUE_DOUBLE) value->as.double_value = baked.double_value;
}

static int generate(const struct cli_session *session, const char *method, struct generator *g,
                    struct cli_model_inputs *inputs)
{
    struct ets_engine_method_info info;
    struct ets_error error;
    if (session->engine->method_info(session->program, method, &info, &error) != ETS_OK) {
        return cli_fail(session->path, &error);
    }
    inputs->values = calloc(info.input_count + 1, sizeof *inputs->values);
    inputs->buffers = calloc(info.input_count + 1, sizeof *inputs->buffers);
    if (inputs->values == NULL || inputs->buffers == NULL) return no_memory();
    int code = cli_input_shapes_check(session, method, info.input_count);
    for (size_t i = 0; code == CLI_OK && i < info.input_count; i++) {
        struct ets_engine_value_info value;
        if (session->engine->input_info(session->program, method, i, &value, &error) != ETS_OK) {
            return cli_fail(session->path, &error);
        }
        if (value.kind == ETS_VALUE_TENSOR) {
            code = cli_input_shape(session, method, i, &value.tensor);
            if (code == CLI_OK) code = generate_tensor(g, i, &value.tensor, inputs);
        } else {
            inputs->values[i].kind = value.kind;
            take_baked_number(session, method, i, &inputs->values[i]);
        }
        inputs->count++;
    }
    return code;
}

static int parse_range(const struct cli_arguments *arguments, const char *name, double *low,
                       double *high)
{
    const char *value = cli_value(arguments, name);
    if (value == NULL) return CLI_OK;
    char *end;
    *low = strtod(value, &end);
    if (end != value && *end == ':') {
        const char *second = end + 1;
        *high = strtod(second, &end);
        if (end != second && *end == '\0' && *low <= *high && isfinite(*high - *low)) return CLI_OK;
    }
    return cli_complain(CLI_USAGE, "%s takes LOW:HIGH, not \"%s\"", name, value);
}

static int parse_generator(const struct cli_arguments *arguments, struct generator *g)
{
    double int_low = 0, int_high = 1;
    g->low = 0;
    g->high = 1;
    g->state = (uint64_t)cli_number(arguments, "--seed", 0);
    int code = parse_range(arguments, "--range", &g->low, &g->high);
    if (code == CLI_OK) code = parse_range(arguments, "--int-range", &int_low, &int_high);
    if (code == CLI_OK && !(int_low >= -0x1p53 && int_high <= 0x1p53)) {
        code = cli_complain(CLI_USAGE, "--int-range is limited to 2^53");
    }
    if (code == CLI_OK && (int_low != rint(int_low) || int_high != rint(int_high))) {
        code = cli_complain(CLI_USAGE, "--int-range takes whole numbers");
    }
    if (code != CLI_OK) return code;
    g->int_low = (long long)int_low;
    g->int_high = (long long)int_high;
    return CLI_OK;
}

static bool load_integer(const struct ets_tensor *tensor, int64_t *value_out)
{
    if (tensor->scalar_type == ETS_SCALAR_LONG || tensor->scalar_type == ETS_SCALAR_UINT64) {
        memcpy(value_out, tensor->data, sizeof *value_out);
        return tensor->scalar_type == ETS_SCALAR_LONG || *value_out >= 0;
    }
    const double value = ets_element_load(tensor->data, tensor->scalar_type, 0);
    if (value != rint(value) || !(fabs(value) < 0x1p63)) return false;
    *value_out = (int64_t)value;
    return true;
}

/* Converts a tensor of one element to the plain number that the method takes. */
static int take_number(const char *path, size_t index, enum ets_value_kind kind,
                       struct ets_value *value)
{
    static const char *const names[] = {
        [ETS_VALUE_INT] = "an int", [ETS_VALUE_BOOL] = "a bool", [ETS_VALUE_DOUBLE] = "a double"};
    const struct ets_tensor tensor = value->as.tensor;
    int64_t integer = 0;
    char text[512];
    cli_describe_tensor(text, sizeof text, &tensor);
    if (ets_tensor_count(&tensor) != 1 || ets_scalar_component_count(tensor.scalar_type) != 1) {
        return cli_complain(CLI_USAGE, "%s: input %zu is %s, but the file has %s: give one number",
                            cli_path_name(path), index, names[kind], text);
    }
    if (kind != ETS_VALUE_DOUBLE && (!load_integer(&tensor, &integer) ||
                                     (kind == ETS_VALUE_BOOL && integer != 0 && integer != 1))) {
        return cli_complain(CLI_USAGE, "%s: input %zu is %s, but the file has %g",
                            cli_path_name(path), index, names[kind],
                            ets_element_load(tensor.data, tensor.scalar_type, 0));
    }
    *value = (struct ets_value){.kind = kind};
    if (kind == ETS_VALUE_INT) value->as.int_value = integer;
    else if (kind == ETS_VALUE_BOOL) value->as.bool_value = (int32_t)integer;
    else value->as.double_value = ets_element_load(tensor.data, tensor.scalar_type, 0);
    return CLI_OK;
}

/* Makes `value` input `index` of the method; the runtime reports what does not fit. */
static int fit_input(const struct cli_session *session, const char *method, const char *path,
                     size_t index, struct ets_value *value)
{
    struct ets_engine_value_info info;
    if (session->engine->input_info(session->program, method, index, &info, NULL) != ETS_OK) {
        return CLI_OK;
    }
    const bool is_number =
        info.kind == ETS_VALUE_INT || info.kind == ETS_VALUE_BOOL || info.kind == ETS_VALUE_DOUBLE;
    return is_number ? take_number(path, index, info.kind, value) : CLI_OK;
}

/* Appends an input; NULL: no memory. */
static struct ets_value *add_value(struct cli_model_inputs *inputs)
{
    struct ets_value *grown = realloc(inputs->values, (inputs->count + 1) * sizeof *grown);
    if (grown == NULL) return NULL;
    inputs->values = grown;
    grown[inputs->count] = (struct ets_value){.kind = ETS_VALUE_TENSOR};
    return &grown[inputs->count++];
}

/* Reads a file of raw bytes, whose type and shape the program declares. */
static int add_raw(const struct cli_session *session, const char *method, const char *path,
                   struct ets_bytes bytes, struct cli_model_inputs *inputs)
{
    struct ets_engine_value_info info;
    const size_t index = inputs->count;
    struct ets_value *value = add_value(inputs);
    if (value == NULL) return no_memory();
    if (session->engine->input_info(session->program, method, index, &info, NULL) != ETS_OK) {
        return cli_complain(CLI_USAGE, "%s: %s has no input %zu", cli_path_name(path), method,
                            index);
    }
    return cli_raw_read(path, bytes, method, index, &info, value);
}

/* Appends the arrays of one file as the next inputs. */
static int add_file(const struct cli_session *session, const char *method, const char *path,
                    struct cli_model_inputs *inputs)
{
    struct cli_arrays *arrays = &inputs->files[inputs->file_count++];
    int code = cli_arrays_open(path, arrays);
    if (code == CLI_OK && cli_is_raw(path, ets_file_bytes(arrays->file))) {
        return add_raw(session, method, path, ets_file_bytes(arrays->file), inputs);
    }
    for (size_t i = 0; code == CLI_OK && i < arrays->count; i++) {
        struct ets_value *value = add_value(inputs);
        if (value == NULL) return no_memory();
        code = cli_arrays_read(arrays, i, &value->as.tensor);
        if (code == CLI_OK) code = fit_input(session, method, path, inputs->count - 1, value);
    }
    return code;
}

static int from_files(const struct cli_session *session, const char *method,
                      struct cli_model_inputs *inputs)
{
    const struct cli_arguments *arguments = session->arguments;
    const unsigned count = cli_value_count(arguments, "--input");
    inputs->files = calloc((size_t)count + 1, sizeof *inputs->files);
    if (inputs->files == NULL) return no_memory();
    int code = CLI_OK;
    for (unsigned i = 0; code == CLI_OK && i < count; i++) {
        code = add_file(session, method, cli_value_at(arguments, "--input", i), inputs);
    }
    return code;
}

static int from_case(const struct cli_session *session, const char *method, long long test_case,
                     struct cli_model_inputs *inputs)
{
    struct ets_bundle_suite suite;
    struct ets_bundle_case bundled;
    struct ets_error error;
    if (!session->model.is_bundle) {
        return cli_complain(CLI_USAGE, "%s is not a bundled program (.bpte): it has no test cases",
                            session->path);
    }
    if (ets_bundle_find_suite(&session->model.bundle, method, &suite, &error) != ETS_OK) {
        return cli_fail(session->path, &error);
    }
    if (test_case >= suite.case_count) {
        return cli_complain(CLI_USAGE, "%s: %s has no test case %lld: it has %u, counted from 0",
                            session->path, method, test_case, suite.case_count);
    }
    ets_bundle_case(&suite, (uint32_t)test_case, &bundled);
    inputs->test_case = test_case;
    inputs->values = calloc((size_t)bundled.input_count + 1, sizeof *inputs->values);
    if (inputs->values == NULL) return no_memory();
    for (uint32_t i = 0; i < bundled.input_count; i++) {
        ets_bundle_input(&bundled, i, &inputs->values[inputs->count++]);
    }
    return CLI_OK;
}

int cli_check_record_inputs(const char *path, struct ets_etrecord *record)
{
    const struct ets_value *values;
    size_t count;
    if (ets_etrecord_representative_inputs(record, &values, &count, NULL) != ETS_OK) return CLI_OK;
    for (size_t i = 0; i < count; i++) {
        if (values[i].kind != ETS_VALUE_OTHER) continue;
        return cli_complain(CLI_INPUT,
                            "%s: representative input %zu is neither a tensor nor a number; give "
                            "inputs with --input or --case",
                            path, i);
    }
    return CLI_OK;
}

int cli_record_inputs_read(const char *path, struct ets_etrecord *record,
                           const struct ets_value **values_out, size_t *count_out)
{
    struct ets_error error;
    const enum ets_status status =
        ets_etrecord_representative_inputs(record, values_out, count_out, &error);
    if (status == ETS_NOT_FOUND) {
        return cli_complain(CLI_INPUT,
                            "%s: the record has no representative inputs: give inputs with "
                            "--input, or leave out --inputs etrecord for random ones",
                            path);
    }
    return status != ETS_OK ? cli_fail(path, &error) : cli_check_record_inputs(path, record);
}

/* The ETRecord may contain several cases in sequence: takes the first. */
static int from_record(const struct cli_session *session, const char *method,
                       struct cli_model_inputs *inputs)
{
    const struct ets_value *values;
    struct ets_engine_method_info info;
    struct ets_error error;
    size_t count;
    const char *given = cli_value(session->arguments, "--etrecord");
    const char *path = given != NULL ? given : session->record.path;
    if (session->record.record == NULL) {
        return cli_complain(
            CLI_USAGE, "--inputs etrecord needs --etrecord FILE; none lies beside the program");
    }
    const int code = cli_record_inputs_read(path, session->record.record, &values, &count);
    if (code != CLI_OK) return code;
    if (session->engine->method_info(session->program, method, &info, &error) != ETS_OK) {
        return cli_fail(session->path, &error);
    }
    if (count > info.input_count) count = info.input_count;
    inputs->values = calloc(count + 1, sizeof *inputs->values);
    if (inputs->values == NULL) return no_memory();
    if (count > 0) memcpy(inputs->values, values, count * sizeof *values);
    inputs->count = count;
    return CLI_OK;
}

static bool has_case(const struct cli_session *session, const char *method)
{
    struct ets_bundle_suite suite;
    return session->model.is_bundle &&
           ets_bundle_find_suite(&session->model.bundle, method, &suite, NULL) == ETS_OK &&
           suite.case_count > 0;
}

/* Representative inputs are those of the method "forward". */
static bool has_representative_inputs(const struct cli_session *session, const char *method)
{
    const struct ets_value *values;
    size_t count;
    return session->record.record != NULL && strcmp(method, "forward") == 0 &&
           ets_etrecord_representative_inputs(session->record.record, &values, &count, NULL) ==
               ETS_OK;
}

bool cli_wants_record_inputs(const struct cli_arguments *arguments)
{
    return cli_choice(arguments, "--inputs", SOURCE_AUTO) == SOURCE_ETRECORD;
}

int cli_model_inputs_check(const struct cli_arguments *arguments)
{
    static const char *const others[] = {"--inputs",    "--seed",  "--range",
                                         "--int-range", "--shape", NULL};
    const enum source source = (enum source)cli_choice(arguments, "--inputs", SOURCE_AUTO);
    const bool has_case = cli_has(arguments, "--case");
    const bool is_random = !has_case && (source == SOURCE_AUTO || source == SOURCE_RANDOM);
    const char *random_option = cli_first_given(arguments, random_options);
    const char *other = cli_first_given(arguments, others);
    struct generator g;
    if (cli_has(arguments, "--input") && has_case) {
        return cli_complain(CLI_USAGE, "--input and --case exclude each other");
    }
    if (cli_has(arguments, "--input") && other != NULL) {
        return cli_complain(CLI_USAGE, "--input and %s exclude each other", other);
    }
    if (has_case && source != SOURCE_AUTO && source != SOURCE_CASE) {
        return cli_complain(CLI_USAGE, "--case and --inputs %s exclude each other",
                            cli_value(arguments, "--inputs"));
    }
    if (random_option != NULL && !is_random) {
        return cli_complain(CLI_USAGE, "%s needs random inputs, but %s%s does not generate any",
                            random_option, has_case ? "--case" : "--inputs ",
                            has_case ? "" : cli_value(arguments, "--inputs"));
    }
    return parse_generator(arguments, &g);
}

/* Notes where the inputs of a method come from, if no option says it. */
static void note_source(const struct cli_arguments *arguments, const char *method, const char *what)
{
    const char *unused = cli_first_given(arguments, random_options);
    cli_note("%s: %s%s%s%s", method, what, unused != NULL ? "; without random inputs, " : "",
             unused != NULL ? unused : "", unused != NULL ? " has no effect" : "");
}

int cli_model_inputs_open(const struct cli_session *session, const char *method,
                          long long test_case, struct cli_model_inputs *inputs_out)
{
    *inputs_out = (struct cli_model_inputs){.test_case = -1};
    if (cli_has(session->arguments, "--input")) return from_files(session, method, inputs_out);
    struct generator g = {.source =
                              (enum source)cli_choice(session->arguments, "--inputs", SOURCE_AUTO)};
    if (test_case >= 0) g.source = SOURCE_CASE;
    const bool is_auto = g.source == SOURCE_AUTO, is_told = is_auto && !session->is_next_turn;
    if (is_auto) {
        g.source = has_case(session, method)                    ? SOURCE_CASE
                   : has_representative_inputs(session, method) ? SOURCE_ETRECORD
                                                                : SOURCE_RANDOM;
    }
    if (g.source == SOURCE_CASE) {
        if (is_told) note_source(session->arguments, method, "inputs of test case 0");
        return from_case(session, method, test_case < 0 ? 0 : test_case, inputs_out);
    }
    if (g.source == SOURCE_ETRECORD) {
        if (is_told) {
            note_source(session->arguments, method, "representative inputs of the ETRecord");
        }
        return from_record(session, method, inputs_out);
    }
    const int code = parse_generator(session->arguments, &g);
    if (code != CLI_OK) return code;
    if (is_told) {
        cli_note("%s: random inputs, floats in %g:%g, integers in %lld:%lld", method, g.low, g.high,
                 g.int_low, g.int_high);
    }
    return generate(session, method, &g, inputs_out);
}

void cli_model_inputs_close(struct cli_model_inputs *inputs)
{
    for (size_t i = 0; i < inputs->file_count; i++) cli_arrays_close(&inputs->files[i]);
    for (size_t i = 0; i < inputs->buffer_count; i++) free(inputs->buffers[i]);
    free(inputs->values);
    free(inputs->files);
    free(inputs->buffers);
}
