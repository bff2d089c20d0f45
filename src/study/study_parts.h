/* What the files of this folder share. */
#ifndef ETSCOPE_STUDY_STUDY_PARTS_H
#define ETSCOPE_STUDY_STUDY_PARTS_H

#include "study/study.h"

/* Numbers of events and of their tensors share 63 bits. */
enum { ETS_STUDY_MOST = INT32_MAX };
#define ETS_STUDY_MEMORY "what is known of the files"

/* study_programs.c: finds methods, chains and delegate calls. Status: NO_MEMORY. */
enum ets_status ets_study_add_programs(struct ets_study *study, struct ets_error *error);
/* Closes what was opened of the programs. */
void ets_study_close_programs(struct ets_study *study);

#endif
