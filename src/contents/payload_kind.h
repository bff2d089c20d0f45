/* What a payload that no reader here understands begins like. */
#ifndef ETSCOPE_CONTENTS_PAYLOAD_KIND_H
#define ETSCOPE_CONTENTS_PAYLOAD_KIND_H

#include "etscope/base.h"
#include "host/arena.h"

/*
 * "FlatBuffer VK00", "zip", "ExecuTorch program", "ELF"; "unknown" where the first bytes say
 * nothing. The text lies in the arena or is static.
 */
const char *ets_payload_kind(struct ets_bytes payload, struct ets_arena *arena);

#endif
