/* Detects the kind of a file from its first bytes. */
#include "base/load.h"
#include "base/summary_layout.h"
#include "base/utf8.h"
#include "format/wrong_kind.h"

const char *ets_kind_name(enum ets_kind kind)
{
    switch (kind) {
    case ETS_KIND_EMPTY: return "an empty file";
    case ETS_KIND_ETDUMP: return "an ETDump";
    case ETS_KIND_PROGRAM: return "an ExecuTorch program (.pte)";
    case ETS_KIND_BUNDLE: return "a bundled program (.bpte)";
    case ETS_KIND_DATA_FILE: return "a tensor data file (.ptd)";
    case ETS_KIND_ETRECORD: return "an ETRecord";
    case ETS_KIND_ZIP: return "a zip file that is not an ETRecord";
    case ETS_KIND_NPY: return "a NumPy array file (.npy)";
    case ETS_KIND_JSON: return "a JSON text";
    case ETS_KIND_TEXT: return "a text file";
    case ETS_KIND_DEVICE_LOG: return "a capture of a stream";
    case ETS_KIND_SUMMARY: return "a device's summary";
    case ETS_KIND_UNKNOWN: break;
    }
    return "a file of unknown kind";
}

static bool has(struct ets_bytes bytes, size_t at, const char *magic)
{
    /* Compares bytes, because devices have no C library. */
    for (size_t i = 0; magic[i] != '\0'; i++) {
        if (!ets_range_fits(at, i + 1, bytes.size)) return false;
        if (bytes.data[at + i] != (uint8_t)magic[i]) return false;
    }
    return true;
}

/* Visits the local headers of stored entries; ExecuTorch writes the marker first. */
static bool holds_etrecord_marker(struct ets_bytes bytes)
{
    static const char marker[] = "ETRECORD_V0";
    size_t at = 0;
    for (int entries = 0; entries < 64 && has(bytes, at, "PK\3\4"); entries++) {
        if (!ets_range_fits(at, 30, bytes.size)) return false;
        const uint32_t stored = ets_load_u32(bytes.data + at + 18);
        const uint16_t name = ets_load_u16(bytes.data + at + 26);
        const uint16_t extra = ets_load_u16(bytes.data + at + 28);
        if (name == sizeof marker - 1 && has(bytes, at + 30, marker)) return true;
        at += (size_t)30 + name + extra + stored;
    }
    return false;
}

/* Printable ASCII, UTF-8 bytes and white space in the first bytes. */
static bool looks_like_text(struct ets_bytes bytes)
{
    const size_t size = bytes.size < 512 ? bytes.size : 512;
    size_t malformed = 0; /* some texts have a few such bytes */
    for (size_t i = 0, length; i < size; i += length) {
        const uint8_t byte = bytes.data[i];
        if (byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t' && byte != 0x1b) {
            return false;
        }
        length = ets_utf8_length((const char *)bytes.data + i, bytes.size - i);
        if (length > 0) continue;
        malformed++;
        length = 1;
    }
    return malformed * 8 <= size;
}

/* Whether the first bytes hold a frame's header, or a line of a frame; other text may precede it.
 */
static bool looks_like_capture(struct ets_bytes bytes)
{
    static const char *const marks[] = {"\xabTSF\1", "etsf:", "etsd:"};
    const size_t size = bytes.size < 4096 ? bytes.size : 4096;
    for (size_t i = 0; i < size; i++) {
        if (bytes.data[i] != 0xab && bytes.data[i] != 'e') continue;
        for (size_t k = 0; k < sizeof marks / sizeof marks[0]; k++) {
            if (has(bytes, i, marks[k])) return true;
        }
    }
    return false;
}

enum ets_kind ets_kind_sniff(struct ets_bytes bytes)
{
    if (bytes.size == 0) return ETS_KIND_EMPTY;
    if (has(bytes, 8, "ED00") || has(bytes, 4, "ED00")) return ETS_KIND_ETDUMP;
    if (has(bytes, 4, "BP08")) return ETS_KIND_BUNDLE;
    if (has(bytes, 4, "ET12")) return ETS_KIND_PROGRAM;
    if (has(bytes, 4, "FT01")) return ETS_KIND_DATA_FILE;
    if (has(bytes, 0, "PK\3\4")) {
        return holds_etrecord_marker(bytes) ? ETS_KIND_ETRECORD : ETS_KIND_ZIP;
    }
    if (has(bytes, 0, "\x93NUMPY")) return ETS_KIND_NPY;
    if (has(bytes, 0, ETS_SUMMARY_MAGIC) && bytes.size > 6 && bytes.data[6] == 0) {
        return ETS_KIND_SUMMARY;
    }
    if (looks_like_capture(bytes)) return ETS_KIND_DEVICE_LOG;
    if (looks_like_text(bytes)) {
        return bytes.data[0] == '{' || bytes.data[0] == '[' ? ETS_KIND_JSON : ETS_KIND_TEXT;
    }
    return ETS_KIND_UNKNOWN;
}

enum ets_status ets_fail_kind(struct ets_error *error, const char *wanted, struct ets_bytes bytes,
                              size_t least)
{
    const enum ets_kind kind = ets_kind_sniff(bytes);
    const bool is_cut = bytes.size < least && kind == ETS_KIND_UNKNOWN;
    return ets_fail_advising(
        error, kind == ETS_KIND_DEVICE_LOG ? ETS_ADVICE_RECOVER : ETS_ADVICE_NONE,
        is_cut ? ETS_TRUNCATED : ETS_WRONG_KIND, 0, "not %s but %s", wanted, ets_kind_name(kind));
}
