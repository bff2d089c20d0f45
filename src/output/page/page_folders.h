/*
 * Cuts the folders of the exporter's machine out of what a page says: source files are told from
 * the folder on that they have in common, those of installed packages from "site-packages/" on.
 *
 *     struct ets_page_folders folders = {.arena = &document->arena};
 *     ETS_TRY(ets_page_find_folders(&folders, &study, error));
 *     sentence = ets_page_cut_folders(&folders, sentence);
 *     if (sentence.data == NULL) return no_memory;
 */
#ifndef ETSCOPE_OUTPUT_PAGE_PAGE_FOLDERS_H
#define ETSCOPE_OUTPUT_PAGE_PAGE_FOLDERS_H

#include <stdbool.h>

#include "study/study.h"

struct ets_page_folder {
    struct ets_text path; /* with its slash */
    struct ets_text root; /* of model code: its first two folders, by which files are grouped */
    uint32_t number;      /* is written in its place; 0: nothing is */
};

/* More are found in no file that somebody made of a model. */
enum { ETS_PAGE_MOST_FOLDERS = 1024 };

struct ets_page_folders {
    struct ets_arena *arena; /* of cut texts */
    struct ets_page_folder items[ETS_PAGE_MOST_FOLDERS];
    uint32_t count;
};

/* Of the source files that records and traces name. Status: NO_MEMORY. */
enum ets_status ets_page_find_folders(struct ets_page_folders *folders,
                                      const struct ets_study *study, struct ets_error *error);

/* The text itself if it has none of the folders; data NULL: no memory, or the text has no data. */
struct ets_text ets_page_cut_folders(const struct ets_page_folders *folders, struct ets_text text);

#endif
