/* An application that reads a trace by itself: each row's name and its median in nanoseconds. */
#include <stdio.h>

#include <etscope/file.h>
#include <etscope/inspect.h>

int main(int count, char **words)
{
    struct ets_file *file = NULL;
    struct ets_inspection *inspection = NULL;
    const struct ets_inspect_options options = {.record = NULL};
    struct ets_error error = {.status = ETS_OK};
    enum ets_status status = ets_file_open(count == 2 ? words[1] : "", &file, &error);
    if (status == ETS_OK) {
        status = ets_inspection_open(ets_file_bytes(file), &options, &inspection, &error);
    }
    for (uint32_t i = 0; status == ETS_OK && i < ets_inspection_row_count(inspection); i++) {
        const struct ets_row *row = ets_inspection_row(inspection, i);
        struct ets_statistics times;
        status = ets_inspection_row_statistics(inspection, i, ETS_NO_INDEX, &times, &error);
        printf("%.*s %.0f ns\n", (int)row->name.size, row->name.data, times.p50);
    }
    if (status != ETS_OK) fprintf(stderr, "%s\n", error.message);
    ets_inspection_close(inspection);
    ets_file_close(file);
    return status == ETS_OK ? 0 : 1;
}
