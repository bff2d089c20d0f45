#define _DEFAULT_SOURCE
#include "save_tensors.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "etscope/npy.h"

enum { PATH_BYTES = 4096, NAME_BYTES = 80 };

/* An operator's name as a part of a file name: "(output)" becomes "output". */
static void make_name(struct ets_text name, char out[NAME_BYTES])
{
    size_t used = 0;
    for (size_t i = 0; i < name.size && used < NAME_BYTES - 1; i++) {
        const char c = name.data[i];
        const bool is_plain = isalnum((unsigned char)c) || c == '.' || c == '_';
        if (is_plain) out[used++] = c;
        else if (used > 0 && out[used - 1] != '-') out[used++] = '-';
    }
    while (used > 0 && out[used - 1] == '-') used--;
    if (used == 0) out[used++] = 'x';
    out[used] = '\0';
}

/* The elements in row-major order, to be freed; NULL where memory ran out. */
static uint8_t *gather(const struct ets_tensor *tensor)
{
    const size_t element_bytes = ets_scalar_type_bytes(tensor->scalar_type);
    const size_t count = (size_t)ets_tensor_count(tensor);
    uint8_t *bytes = malloc(count * element_bytes + 1);
    int64_t position[ETS_TENSOR_MAX_RANK] = {0};
    size_t at = 0;
    for (size_t i = 0; bytes != NULL && i < count; i++) {
        memcpy(bytes + i * element_bytes, (const uint8_t *)tensor->data + at * element_bytes,
               element_bytes);
        for (uint32_t k = tensor->rank; k-- > 0;) {
            at += (size_t)tensor->strides[k];
            if (++position[k] < tensor->sizes[k]) break;
            at -= (size_t)tensor->strides[k] * (size_t)tensor->sizes[k];
            position[k] = 0;
        }
    }
    return bytes;
}

static int write_npy(const char *path, struct ets_tensor tensor)
{
    uint8_t header[ETS_NPY_HEADER_BYTES];
    size_t size;
    struct ets_output *output;
    struct ets_error error;
    uint8_t *gathered = NULL;
    if (!ets_tensor_is_contiguous(&tensor)) {
        gathered = gather(&tensor);
        if (gathered == NULL) return cli_complain(CLI_INTERNAL, "no memory for %s", path);
        tensor.data = gathered;
        ets_tensor_set_contiguous(&tensor);
    }
    const uint64_t bytes = ets_tensor_extent(&tensor);
    int code = CLI_OK;
    if (ets_npy_write_header(&tensor, header, sizeof header, &size, &error) != ETS_OK) {
        cli_note("%s is left out: %s", path, error.message);
    } else if (ets_output_open(path, &output, &error) != ETS_OK) {
        code = cli_fail_output(path, &error);
    } else {
        ets_output_write(output, header, size);
        if (bytes > 0) ets_output_write(output, tensor.data, (size_t)bytes);
        if (ets_output_commit(output, &error) != ETS_OK) code = cli_fail_output(path, &error);
    }
    free(gathered);
    return code;
}

static int save_value(const char *folder, const struct ets_inspection *inspection,
                      const struct ets_captured_value *value)
{
    char path[PATH_BYTES], name[NAME_BYTES], item[24] = "";
    make_name(ets_captured_value_operator(inspection, value), name);
    if (value->item_count > 0) snprintf(item, sizeof item, "-item%u", value->item);
    const int size = snprintf(path, sizeof path, "%s/run%u-event%05u-%s%s.npy", folder, value->run,
                              value->event, name, item);
    if (size < 0 || (size_t)size >= sizeof path) {
        return cli_complain(CLI_USAGE, "--save: the folder's name is too long");
    }
    return write_npy(path, value->tensor);
}

int cli_save_tensors(const char *folder, const struct ets_inspection *inspection,
                     struct ets_bytes debug_buffer, const struct ets_captured_filter *filter)
{
    struct ets_captured_values values;
    struct ets_captured_value value;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        return cli_complain(CLI_INTERNAL, "%s: %s", folder, strerror(errno));
    }
    ets_captured_values_init(&values, inspection, debug_buffer, filter);
    while (ets_captured_values_next(&values, &value)) {
        if (value.status != ETS_OK) continue;
        const int code = save_value(folder, inspection, &value);
        if (code != CLI_OK) return code;
    }
    return CLI_OK;
}
