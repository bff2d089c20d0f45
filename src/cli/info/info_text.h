/* Facts for people: aligned lines of 80 columns. */
#ifndef ETSCOPE_CLI_INFO_INFO_TEXT_H
#define ETSCOPE_CLI_INFO_INFO_TEXT_H

#include <stdbool.h>

#include "etscope/base.h"
#include "etscope/file.h"
#include "etscope/tensor.h"
#include "host/output.h"

enum { INFO_WIDTH = 80, INFO_LABEL = 15, INFO_CHARS = 512 };

/* A bounded text being composed; what is too long is cut. */
struct info_line {
    char data[INFO_CHARS];
    size_t size;
};

void info_add(struct info_line *line, const char *format, ...) ETS_PRINTF(2, 3);
/* Text from a file: control bytes and what is no UTF-8 are shown as \x1b, as they must not reach a
 * terminal. */
void info_add_text(struct info_line *line, struct ets_text text);
/* "1.5 KiB" */
void info_add_bytes(struct info_line *line, uint64_t bytes);
/* "1 run", "2 runs" */
void info_add_count(struct info_line *line, uint64_t count, const char *noun);
/* "float32 [2, 16]"; is_bound: "float32 [<=8, <=16]", as sizes are upper bounds. */
void info_add_tensor(struct info_line *line, const struct ets_tensor *tensor, bool is_bound);
/* A bundled or recorded value: a tensor's type or a number. */
void info_add_value(struct info_line *line, const struct ets_value *value);

/* Writes the composed line, and empties it. */
void info_end_line(struct ets_output *output, struct info_line *line);
/* "  label          ", then what follows is composed onto the line. */
void info_label(struct info_line *line, const char *label);
/* A line of its own. */
void info_print(struct ets_output *output, const char *format, ...) ETS_PRINTF(2, 3);
/* "  label          text" */
void info_fact(struct ets_output *output, const char *label, const char *format, ...)
    ETS_PRINTF(3, 4);

/* A paragraph, broken into lines at spaces; further lines are indented. */
void info_paragraph(struct ets_output *output, const char *text);

/*
 * A list behind a label, wrapped at the width: "a, b, c".
 */
struct info_list {
    struct ets_output *output;
    struct info_line line;
    bool has_item;
};
void info_list_begin(struct info_list *list, struct ets_output *output, const char *label);
void info_list_add(struct info_list *list, const struct info_line *item);
void info_list_end(struct info_list *list);

#endif
