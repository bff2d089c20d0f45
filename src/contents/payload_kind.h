/* What a payload that no reader here understands begins like. */
#ifndef ETSCOPE_CONTENTS_PAYLOAD_KIND_H
#define ETSCOPE_CONTENTS_PAYLOAD_KIND_H

#include "etscope/base.h"

enum { ETS_PAYLOAD_KIND_CHARS = 32 };

/*
 * "FlatBuffer VK00", "zip", "ExecuTorch program", "ELF"; "unknown" where the first bytes say
 * nothing. The answer is static, or `text`.
 */
const char *ets_payload_kind(struct ets_bytes payload, char text[ETS_PAYLOAD_KIND_CHARS]);

#endif
