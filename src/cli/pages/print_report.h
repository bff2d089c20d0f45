/* Writes the report of open traces and models, for `report` and `profile`. */
#ifndef ETSCOPE_CLI_PAGES_PRINT_REPORT_H
#define ETSCOPE_CLI_PAGES_PRINT_REPORT_H

#include "cli/core/command.h"
#include "output/page/page.h"

struct cli_report {
    const struct ets_study_sources *sources;
    const struct ets_page_input *inputs; /* the first names the report */
    uint32_t input_count;
    uint32_t before_count; /* the last of the traces, that the others are compared with */
    const struct ets_difference *const *differences; /* [before_count] */
    bool is_json;
    uint32_t live;                      /* number of a page that is replaced; 0: a file */
    bool is_last;                       /* of such pages */
    bool has_no_source, has_no_tensors; /* the texts of source lines, what tensors hold */
    size_t max_size;                    /* of the written report; 0: any */
};

/* An input of a report by its contents, and by its file. */
struct ets_page_input cli_report_input(const char *role, const char *path, struct ets_bytes bytes);
struct ets_page_input cli_report_input_file(const char *role, const char *path);

/*
 * Compares captured values as far as the arguments allow, and writes the report. What does not fit
 * into its size is left out (docs/report.md). Returns an exit
 * code; the caller commits the output.
 */
int cli_report_print(const struct cli_arguments *arguments, const struct cli_report *report,
                     struct ets_output *output);

#endif
