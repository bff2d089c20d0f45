"""What a method takes and gives, before it is loaded."""

import functools

from etscope._library import call, ffi, lib, text
from etscope._program import program_of
from etscope._tensors import dtype_of

_KINDS = {
    lib.ETS_VALUE_NONE: "None", lib.ETS_VALUE_INT: "Int", lib.ETS_VALUE_BOOL: "Bool",
    lib.ETS_VALUE_DOUBLE: "Double", lib.ETS_VALUE_OTHER: "Other",
}  # fmt: skip

# What ExecuTorch prints of the scalar types, by their numbers.
_PRINTED = (
    "Byte", "Char", "Short", "Int", "Long", "Half", "Float", "Double", "ComplexHalf",
    "ComplexFloat", "ComplexDouble", "Bool", "QInt8", "QUInt8", "QInt32", "BFloat16", "QUInt4x2",
    "QUInt2x4", "Bits1x8", "Bits2x4", "Bits4x2", "Bits8", "Bits16", "Float8_e5m2", "Float8_e4m3fn",
    "Float8_e5m2fnuz", "Float8_e4m3fnuz", "UInt16", "UInt32", "UInt64",
)  # fmt: skip


class TensorInfo:
    """A tensor's shape and type, before anything ran."""

    def __init__(self, info):
        self._info = info  # struct ets_engine_value_info

    def sizes(self):
        """The shape; upper bounds where it is dynamic."""
        return tuple(self._info.tensor.sizes[0 : self._info.tensor.rank])

    def dtype(self):
        """The number of the scalar type, as ExecuTorch and torch count them (6: float32)."""
        return int(self._info.tensor.scalar_type)

    @property
    def numpy_dtype(self):
        """The dtype that arrays of it have (docs/python.md)."""
        return dtype_of(self._info.tensor.scalar_type)

    def is_memory_planned(self):
        """Whether the program has a place for its bytes, or the caller must bring one."""
        return bool(self._info.is_memory_planned)

    def nbytes(self):
        """Bytes of all elements, at the largest shape."""
        return self._info.tensor.data_bytes

    def __repr__(self):
        return (
            f"TensorInfo(sizes={list(self.sizes())}, dtype={_PRINTED[self.dtype()]}, "
            f"is_memory_planned={self.is_memory_planned()}, nbytes={self.nbytes()})"
        )


class MethodMeta:
    """What a method takes and gives: name, inputs and outputs in their order."""

    def __init__(self, engine, program, source, name):
        self._name = name
        self._source = source
        found = ffi.new("struct ets_engine_method_info *")
        encoded = name.encode()
        with program.lock:
            source.check()
            call(engine.method_info, program.pointer, encoded, found)
            self.inputs = _infos(engine.input_info, program, encoded, found.input_count)
            self.outputs = _infos(engine.output_info, program, encoded, found.output_count)
            self._backends = [
                text(engine.method_backend(program.pointer, encoded, i))
                for i in range(found.backend_count)
            ]
        self._instruction_count = found.instruction_count
        self._planned_bytes = found.planned_bytes

    def name(self):
        """As load_method takes it: "forward"."""
        return self._name

    def num_inputs(self):
        """Inputs of every kind, tensors or not."""
        return len(self.inputs)

    def num_outputs(self):
        """Outputs of every kind, tensors or not."""
        return len(self.outputs)

    def num_instructions(self):
        """Instructions of the method's code: calls of kernels and delegates, jumps, moves."""
        return self._instruction_count

    def planned_bytes(self):
        """Bytes of the memory that is planned for intermediate values."""
        return self._planned_bytes

    def backend_names(self):
        """The backends that parts of the method are delegated to, each once."""
        return list(dict.fromkeys(self._backends))

    def input_tensor_meta(self, index):
        """The TensorInfo of an input. Raises IndexError; ValueError if it is no tensor."""
        return _tensor_info(self.inputs, index, "input")

    def output_tensor_meta(self, index):
        """The TensorInfo of an output. Raises IndexError; ValueError if it is no tensor."""
        return _tensor_info(self.outputs, index, "output")

    def num_attributes(self):
        """Tensors of the method that have a name, as buffers do where the export kept it."""
        return len(self._attributes)

    def attribute_tensor_meta(self, index):
        """The TensorInfo of such a tensor. Raises IndexError."""
        return _tensor_info(self._attributes, index, "attribute")

    def attribute_name(self, index):
        """Its name: "cache.k". Raises IndexError. Beyond upstream's."""
        _tensor_info(self._attributes, index, "attribute")
        return self._attribute_names[index]

    @property
    def _attributes(self):
        return self._named_tensors[0]

    @property
    def _attribute_names(self):
        return self._named_tensors[1]

    @functools.cached_property
    def _named_tensors(self):
        """([struct ets_engine_value_info], [name]), from the file."""
        method, value = ffi.new("struct ets_method *"), ffi.new("struct ets_evalue *")
        self._source.check()
        program = program_of(self._source)
        call(lib.ets_program_find_method, program, self._name.encode(), method)
        infos, names = [], []
        for i in range(method.value_count):
            lib.ets_method_value(method, i, value)
            name = text(value.tensor.qualified_name)
            if value.kind != lib.ETS_EVALUE_TENSOR or not name:
                continue
            info = ffi.new("struct ets_engine_value_info *", {"kind": lib.ETS_VALUE_TENSOR})
            info.tensor = value.tensor.tensor
            info.tensor.data_bytes = value.tensor.tensor_bytes
            planned = value.tensor.memory_id > 0 or value.tensor.data_buffer_idx > 0
            info.is_memory_planned = int(planned)  # upstream counts constants of the file, too
            infos.append(info)
            names.append(name)
        return infos, names

    def __repr__(self):
        return (
            f"MethodMeta(name={self._name!r}, "
            f"num_inputs={self.num_inputs()}, input_tensor_meta={_texts(self.inputs)}, "
            f"num_outputs={self.num_outputs()}, output_tensor_meta={_texts(self.outputs)})"
        )


def _infos(function, program, name, count):
    infos = []
    for i in range(count):
        info = ffi.new("struct ets_engine_value_info *")
        call(function, program.pointer, name, i, info)
        infos.append(info)
    return infos


def _tensor_info(infos, index, role):
    if not 0 <= index < len(infos):
        raise IndexError(f"there is no {role} {index}: the method has {len(infos)}")
    if infos[index].kind != lib.ETS_VALUE_TENSOR:
        raise ValueError(f"{role} {index} is no tensor but {_KINDS[infos[index].kind]}")
    return TensorInfo(infos[index])


def _texts(infos):
    return [
        repr(TensorInfo(info)) if info.kind == lib.ETS_VALUE_TENSOR else _KINDS[info.kind]
        for info in infos
    ]
