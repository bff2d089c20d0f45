"""Dataclasses of file formats as JSON and back, in the form that upstream and flatc use.

A field that may be one of several classes has its class's name beside it: "val_type" for "val".
Bytes are lists of numbers; enumerations are numbers, and read by name, too.
"""

import dataclasses
import enum
import json
import typing

from etscope._errors import Error


def to_json(value, indent=None):
    """The text of an object of a dataclass."""
    return json.dumps(_plain(value), indent=indent)


def from_json(text, cls):
    """The object of `cls` that a text (str or bytes) holds. Raises Error (MALFORMED)."""
    try:
        return _built(json.loads(text), cls, cls.__name__)
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as reason:
        raise Error(f"no JSON: {reason}", status="MALFORMED") from reason


def _plain(value):
    if dataclasses.is_dataclass(value):
        found = {}
        types = typing.get_type_hints(type(value))
        for field in dataclasses.fields(value):
            part = getattr(value, field.name)
            found[field.name] = _plain(part)
            if _classes_of(types[field.name]):
                found[field.name + "_type"] = type(part).__name__
        return found
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, (bytes, bytearray, memoryview)):
        return list(bytes(value))
    return value


def _classes_of(kind):
    """The classes of a union of several; () for all else, as for what may be None."""
    if typing.get_origin(kind) is not typing.Union:
        return ()
    classes = [each for each in typing.get_args(kind) if each is not type(None)]
    return tuple(classes) if len(classes) > 1 else ()


def _built(value, kind, where):
    classes = _classes_of(kind)
    if classes:
        raise Error(f"{where}: its class is unknown", status="MALFORMED")
    if typing.get_origin(kind) is typing.Union:
        if value is None:
            return None
        kind = next(each for each in typing.get_args(kind) if each is not type(None))
    if typing.get_origin(kind) is list:
        if not isinstance(value, list):
            raise Error(f"{where}: a list is expected", status="MALFORMED")
        (item,) = typing.get_args(kind)
        return [_built(each, item, f"{where}[{i}]") for i, each in enumerate(value)]
    if dataclasses.is_dataclass(kind):
        return _object(value, kind, where)
    try:
        if isinstance(kind, enum.EnumMeta):
            return kind[value] if isinstance(value, str) else kind(value)
        if kind is float and isinstance(value, str):
            return float(value)
        if kind is str and not isinstance(value, str):
            raise ValueError(f"{value!r} is no text")
        if isinstance(value, str) and kind is not str:
            raise ValueError(f"{value!r} is a text")
        return kind(value)
    except (KeyError, TypeError, ValueError, OverflowError) as reason:
        raise Error(f"{where}: {reason}", status="MALFORMED") from reason


def _object(value, cls, where):
    if not isinstance(value, dict):
        raise Error(f"{where}: an object is expected", status="MALFORMED")
    types, parts = typing.get_type_hints(cls), {}
    for field in dataclasses.fields(cls):
        name, kind = field.name, types[field.name]
        place = f"{where}.{name}"
        by_name = {each.__name__: each for each in _classes_of(kind)}
        if by_name:
            told = value.get(name + "_type")
            if told not in by_name:
                raise Error(f"{place}_type: {told!r} is none of {', '.join(by_name)}",
                            status="MALFORMED")  # fmt: skip
            kind = by_name[told]
        is_optional = type(None) in typing.get_args(kind)
        if name not in value and not is_optional:
            raise Error(f"{place} is missing", status="MALFORMED")
        parts[name] = _built(value.get(name), kind, place)
    return cls(**parts)
