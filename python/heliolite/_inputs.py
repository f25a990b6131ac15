"""Machines, workloads, networks and mappings from whatever describes them."""
from __future__ import annotations

import json
import os
from typing import Any, Callable, List, Mapping as Dictionary, Optional, Sequence, TypeVar, Union

from . import _core
from ._core import Architecture, Mapping, Network, Workload
from ._errors import Diagnostic, Error, refuse, warn_of

Source = Union[str, "os.PathLike[str]", Dictionary[str, Any]]
MachineSource = Union[Architecture, Source]
WorkloadSource = Union[Workload, Source]
NetworkSource = Union[Network, Workload, Sequence[Workload], Source]
WordBits = Union[float, str, Dictionary[str, Union[float, str]]]
MappingSource = Union[Mapping, Sequence[Dictionary[str, Any]], Source]

_T = TypeVar("_T")
DICT = "<dict>"  # stands for the file in complaints about what was built in Python
TEXT = "<text>"  # and about YAML that was given as a text


def is_text(source: str) -> bool:
    """Whether a string is the content of a file rather than its name."""
    return "\n" in source or source.lstrip().startswith(("{", "["))


def _plain(value: Any) -> Any:
    """Numbers of numpy and the like as numbers of Python."""
    if hasattr(value, "item"):
        return value.item()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"{value!r} of type {type(value).__name__} cannot stand in a file")


def as_yaml(value: Any) -> str:
    """The text of a file with this content; JSON is YAML."""
    return json.dumps(value, default=_plain)


def _of_dict(parse: Callable[[str], _T], value: Any) -> _T:
    """What is parsed from a value of Python; complaints have no line, for there is no text that anyone has written."""
    try:
        return parse(as_yaml(value))
    except Error as error:
        places = [Diagnostic(None if d.file == DICT else d.file, d.line if d.file != DICT else None, d.field, d.message)
                  for d in error.diagnostics]
        raise Error(places) from None


def _from(source: Any, load: Callable[[str], _T], parse: Callable[[str, str], _T], what: str) -> _T:
    if isinstance(source, os.PathLike):
        return load(os.fspath(source))
    if isinstance(source, str):
        return parse(source, TEXT) if is_text(source) else load(source)
    if isinstance(source, (dict, list, tuple)):
        return _of_dict(lambda text: parse(text, DICT), source)
    raise refuse(what, f"{what} = {type(source).__name__}, must be a name, a path, YAML text or a dict")


def architecture(source: MachineSource) -> Architecture:
    """A machine: a preset's name ("eyeriss"), a file of ours or of Timeloop, YAML text, or a dict like such a file
    (docs/formats_architecture.md). The energies that are not given follow from the machine's table."""
    if isinstance(source, Architecture):
        return source
    found = _from(source, _core.load_architecture, _core.parse_architecture, "architecture")
    warn_of(found.notes)
    return found


def _sizes(word_bits: Optional[WordBits]) -> Optional[str]:
    """Sizes of words as the command line has them."""
    if isinstance(word_bits, dict):
        return ",".join(f"{tensors}={bits}" for tensors, bits in word_bits.items())
    return None if word_bits is None else str(word_bits)


# Arguments of network() about ONNX models, which every function that takes a model hands on.
MODEL = ("dim", "value", "merge", "elementwise", "skip_unknown")


def model_options(dim: Optional[Dictionary[str, int]] = None, value: Optional[Dictionary[str, int]] = None,
                  merge: Optional[str] = None, elementwise: Union[str, Sequence[str]] = (),
                  skip_unknown: bool = False) -> List[str]:
    """Options of an ONNX model as they stand behind the name of its file."""
    pairs = [f"{name}={size}" for name, size in (dim or {}).items()]
    pairs += [f"value:{name}={number}" for name, number in (value or {}).items()]
    pairs += [f"elementwise={name}" for name in ([elementwise] if isinstance(elementwise, str) else elementwise)]
    return pairs + ([f"merge={merge}"] if merge else []) + (["skip-unknown"] if skip_unknown else [])


def network(source: NetworkSource, word_bits: Optional[WordBits] = None, *, edges: bool = False,
            **model: Any) -> Network:
    """A network: a preset's name ("resnet18", "resnet18/conv1", "resnet18@batch=4"), a file of ours, of Timeloop or of
    ONNX, text ("gemm:512x512x512", "o[i,j] += a[i,k]*b[k,j]; i=64,j=64,k=128"), YAML text, a dict like such a file
    (docs/formats_workload.md), or workloads. A single workload is a network of one layer.

    word_bits  bits of the words of its tensors: a number, or a dict by name, by role or for all ({"weights": 4,
               "inputs": 8, "outputs": 32}), which replace what the source says; "types", those of an ONNX model;
               "none", words of each level. Without it: as the source says.
    edges      of an ONNX model: a layer for each product with the edges between them, in place of each shape once with
               a count; fuse() and bound() of a network need them, and read files so themselves
    model      of ONNX models (docs/formats_onnx.md): dim={"batch": 1, "x:0": 4}, sizes that it leaves open;
               value={"sr": 16000}, what a small integer input holds; elementwise=["my.domain::Op"], operators that are
               not known and pass the shape of their first input on; merge="none", "blocks" or "shapes";
               skip_unknown=True"""
    sizes, options = _sizes(word_bits), model_options(**model)
    if isinstance(source, str) and not is_text(source) or isinstance(source, os.PathLike):
        found = _core.load_network(os.fspath(source), sizes, options, edges)
    else:
        if options:
            raise refuse(next(iter(model)), f"{next(iter(model))} is of an ONNX model's file, and this is none")
        found = _built(source)
        if sizes is not None:
            found = _core.with_word_bits(found, sizes)
    if not isinstance(source, Network):
        warn_of(found.notes)
    return found


def _built(source: Any) -> Network:
    """The network of what is no file's or preset's name."""
    if isinstance(source, Network):
        return source
    if isinstance(source, Workload):
        return _core.network_of([source])
    if isinstance(source, (list, tuple)) and source and all(isinstance(w, Workload) for w in source):
        return _core.network_of(list(source))
    return _from(source, lambda name: _core.load_network(name, None, [], False), _core.parse_network, "network")


def workload(source: WorkloadSource, layer: Optional[str] = None, word_bits: Optional[WordBits] = None,
             **model: Any) -> Workload:
    """One layer: what network() takes, with the layer's name if the network has several."""
    if isinstance(source, Workload) and word_bits is None and not model:
        return source
    return pick(network(source, word_bits, **model), layer)


def pick(of: Network, layer: Optional[str]) -> Workload:
    """The layer of this name, or the only one."""
    names = [w.name for w in of.workloads]
    if layer is None and len(names) != 1:
        raise refuse("layer", f"{of.name} has {len(names)} layers, name one: {', '.join(names)}")
    if layer is not None and layer not in names:
        raise refuse("layer", f"unknown layer '{layer}', must be one of {', '.join(names)}")
    return of.workloads[0 if layer is None else names.index(layer)]


def mapping(source: MappingSource, workload: WorkloadSource, machine: MachineSource,
            word_bits: Optional[WordBits] = None, **model: Any) -> Mapping:
    """A mapping that is legal on the machine: a file of ours or of Timeloop or an answer of `map --json`, YAML text, or
    the list of levels, outermost first, that such a file holds (docs/formats_mapping.md):

        [{"level": "DRAM", "temporal": [{"K": 4}]}, {"level": "GLB", "spatial": {"x": [{"M": 8}]}}, ..]

    A Mapping stays what it is, of its own workload and machine.

    word_bits, model  of the workload, as network() takes them

    Raises Error with every reason why it is not one."""
    if isinstance(source, Mapping):
        return source if word_bits is None else mapping(source.levels, source.workload, source.machine, word_bits)
    of, on = _one(workload, word_bits, model), architecture(machine)
    load = lambda path: _core.load_mapping(path, of, on)
    return _from(source, load, lambda text, name: _core.parse_mapping(text, name, of, on), "mapping")


def _one(source: WorkloadSource, word_bits: Optional[WordBits], model: Dictionary[str, Any]) -> Workload:
    return workload(source, None, word_bits, **model)


def presets() -> List[str]:
    """Names that architecture() knows."""
    return _core.architecture_preset_names()


def network_presets() -> List[str]:
    """Names that network() knows."""
    return _core.workload_preset_names()
