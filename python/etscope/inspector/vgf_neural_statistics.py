"""What Arm's VGF backend attaches to its events: statistics of the neural accelerator, as JSON."""

import base64
import binascii
import json

SCHEMA = "executorch.vgf.neural_statistics"
SCHEMA_VERSION = 1
_BLOBS = ("debug_database", "statistics_info", "statistics_memory")


def parse_vgf_neural_statistics_metadata(metadata):
    """The record in one event's metadata (bytes or str), as a dict.

    Each blob of a segment gets `raw_data`, its decoded bytes (empty if it is not available).
    Raises ValueError if it is no such record, of another version, or damaged.
    """
    record = _loaded(metadata)
    if not isinstance(record, dict) or record.get("schema") != SCHEMA:
        raise ValueError("no VGF neural statistics")
    version = record.get("schema_version")
    if version != SCHEMA_VERSION:
        raise ValueError(f"Unsupported VGF neural statistics metadata schema version: {version}, "
                         f"not {SCHEMA_VERSION}")  # fmt: skip
    try:
        segments = [_decoded(segment) for segment in record.get("segments", [])]
    except binascii.Error as reason:
        raise ValueError(
            f"Malformed base64 data in VGF neural statistics blob: {reason}"
        ) from reason
    except (AttributeError, TypeError) as reason:
        raise _malformed(reason) from reason
    return {**record, "segments": segments}


def parse_vgf_neural_statistics_delegate_metadata(delegate_metadata_list):
    """The records among the metadata of an event's runs; skips metadata of other backends.

    Raises ValueError for a record that is damaged.
    """
    found = []
    for metadata in delegate_metadata_list:
        if isinstance(metadata, str):
            metadata = metadata.encode()
        if isinstance(metadata, (bytes, bytearray)) and SCHEMA.encode() in metadata:
            found.append(parse_vgf_neural_statistics_metadata(metadata))
    return found


def _loaded(metadata):
    try:
        return json.loads(metadata)
    except (ValueError, RecursionError) as reason:
        raise _malformed(reason) from reason


def _malformed(reason):
    return ValueError(f"Malformed VGF neural statistics delegate metadata: {reason}")


def _decoded(segment):
    return {
        name: _with_bytes(value) if name in _BLOBS and isinstance(value, dict) else value
        for name, value in segment.items()
    }


def _with_bytes(blob):
    if not blob.get("available", False):
        return {**blob, "raw_data": b""}
    if blob.get("encoding") != "base64":
        raise ValueError(f"VGF neural statistics in the encoding {blob.get('encoding')!r}")
    return {**blob, "raw_data": base64.b64decode(blob.get("data", ""), validate=True)}
