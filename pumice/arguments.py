"""What a bare Python error inside a public function becomes: an error about one argument.

Stage: below all but the error classes.  Takes: an error and a call.  Gives: which argument of it
is none that the function's annotations allow.

Nothing is checked before a function runs, so a call that works costs nothing. Where one ended in
an error that names nothing of the user's (``'str' object has no attribute 'node'``), the
arguments are compared with the annotations: the first that does not fit is to blame. An error
that no argument explains, or that code of the user raised on the way, stays what it is.
"""

import inspect
import operator
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import wraps
from types import CodeType, FrameType, NoneType, TracebackType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from pumice.errors import DTypeError, PumiceError, called, describe

Function = TypeVar("Function", bound=Callable[..., Any])

BARE = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)
"""What Python raises where an object is used as what it is not."""

named: dict[str, Any] = {}
"""Classes that annotations name and that the modules of the functions do not import."""

OURS = frozenset(("pumice", "numpy")) | sys.stdlib_module_names
"""Packages whose frames are none of the user's."""


def refuse(error: Exception) -> None:
    """Raise what an error that the calling function caught stands for, if an argument is to blame.

    The arguments are found under the names of the parameters, so these must not be reassigned.
    """
    trace = error.__traceback__
    assert trace is not None
    if _may_be_blamed(error):
        function = _function_of(trace.tb_frame)
        if function is not None:
            blame(error, function, trace.tb_frame.f_locals)


def refuse_call(
    error: Exception,
    function: Callable[..., Any],
    arguments: Sequence[Any],
    keywords: Mapping[str, Any],
    name: str = "",
) -> None:
    """Do the same for a call of a function with some arguments, under another name if given."""
    if not _may_be_blamed(error) or not function.__module__.startswith("pumice."):
        return
    try:
        bound = inspect.signature(function).bind(*arguments, **keywords)
    except TypeError:
        return  # Python's own text says which argument is missing, or one too many
    blame(error, function, bound.arguments, name)


def guarded(function: Function) -> Function:
    """Return a function whose bare errors are refusals; for those that are not called often."""

    @wraps(function)
    def guarding(*arguments: Any, **keywords: Any) -> Any:
        try:
            return function(*arguments, **keywords)
        except Exception as error:
            name = type(arguments[0]).__name__ if function.__name__ == "__init__" else ""
            refuse_call(error, function, arguments, keywords, name)
            raise

    return guarding  # type: ignore[return-value]


class Guarded:
    """Base of classes whose constructors refuse wrong arguments, those of users left alone."""

    __slots__ = ()

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        own = vars(cls).get("__init__")
        if own is not None and cls.__module__.startswith("pumice."):
            cls.__init__ = guarded(own)  # type: ignore[method-assign]


def _may_be_blamed(error: Exception) -> bool:
    """Tell whether an error is a bare one of ours, or blames an argument of an inner function."""
    bare = isinstance(error, BARE) and not isinstance(error, PumiceError)
    if not bare and not hasattr(error, "blames_an_argument"):
        return False
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__", "").partition(".")[0] not in OURS:
            return False
        trace = trace.tb_next
    return True


def _function_of(frame: FrameType) -> Callable[..., Any] | None:
    """Return the function that a frame runs, found under the name it is defined by."""
    code: CodeType = frame.f_code
    found: Any = None
    names = code.co_qualname.split(".")
    for place, name in enumerate(names):
        found = getattr(found, name, None) if place else frame.f_globals.get(name)
    found = inspect.unwrap(found) if callable(found) else None
    return found if getattr(found, "__code__", None) is code else None


def blame(
    error: Exception, function: Callable[..., Any], values: Mapping[str, Any], name: str = ""
) -> None:
    """Raise an error about the first argument that is not as its parameter is annotated."""
    function = inspect.unwrap(function)
    annotations = inspect.get_annotations(function)
    for parameter in inspect.signature(function).parameters.values():
        hint = _meant(annotations.get(parameter.name, Any), function)
        if parameter.name not in values or parameter.kind is parameter.VAR_KEYWORD:
            continue
        value = values[parameter.name]
        if value is parameter.default:
            continue
        several = parameter.kind is parameter.VAR_POSITIONAL
        for each in value if several else (value,):
            if fits(each, hint):
                continue
            problem = describe(
                name or function.__name__,
                f"argument '{parameter.name}' is {shown(each, hint)}",
                f"allowed {'are' if ',' in text(hint) or ' or ' in text(hint) else 'is'} "
                f"{text(hint)}",
            )
            raise _blaming(problem) from (error.__cause__ or error)


def _blaming(problem: str) -> DTypeError:
    """Return an error in whose place an outer function names an argument of its own."""
    refusal = DTypeError(problem)
    vars(refusal)["blames_an_argument"] = True
    return refusal


def refusal(what: str, value: Any, allowed: str) -> DTypeError:
    """Return the error for a value that turned out wrong where no name of an argument is known."""
    return _blaming(describe(called() or what, f"{what} is {shown(value)}", allowed))


def truth(value: Any) -> None:
    """Refuse what is no bool."""
    if not _is_truth(value):
        raise refusal("a flag", value, "allowed are True and False")


def integer(value: Any) -> None:
    """Refuse what is no integer, not even one of another kind such as NumPy's."""
    if not _is_integer(value):
        raise refusal("a count", value, "allowed is int")


def lenient_truth(value: Any) -> None:
    """Refuse what is no bool, and neither None nor an int, which layers of PyTorch take as well."""
    if value is not None and not isinstance(value, int):
        truth(value)


def _meant(annotation: Any, function: Callable[..., Any]) -> Any:
    """Return what an annotation stands for; anything where that cannot be told."""
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, {**named, **function.__globals__})
    except (NameError, AttributeError, TypeError):
        return Any


# -- values and annotations -----------------------------------------------------------------------


def fits(value: Any, hint: Any) -> bool:
    """Tell whether a value is one that an annotation allows, or converts to one by itself."""
    origin = get_origin(hint)
    if isinstance(hint, TypeVar):
        return fits(value, hint.__bound__ or Any)
    if origin in (Union, UnionType):
        return any(fits(value, part) for part in get_args(hint))
    if origin is Literal:
        return value in get_args(hint)
    if hint in (None, NoneType):
        return value is None
    if hint is Callable or origin is Callable:
        return callable(value)
    if hint in _CONVERSIONS:
        return _CONVERSIONS[hint](value)
    kind = origin or hint
    if not inspect.isclass(kind) or kind is object:
        return True
    if not issubclass(kind, Iterable) or issubclass(kind, Mapping) or not get_args(hint):
        return not _is_checkable(kind) or isinstance(value, kind)
    return _holds(value, kind, get_args(hint))


def _is_checkable(kind: type) -> bool:
    return not getattr(kind, "_is_protocol", False) or bool(
        getattr(kind, "_is_runtime_protocol", False)
    )


def _holds(value: Any, kind: type, parts: tuple[Any, ...]) -> bool:
    """Tell whether a value is a series of what a hint says; iterators are not used up."""
    if isinstance(value, (str, bytes, Mapping)):
        return False
    tensor = named.get("Tensor")
    if tensor is not None and isinstance(value, tensor):
        return kind is Iterable and bool(value.shape) and parts[0] is Any
    plain = isinstance(value, Collection) and hasattr(value, "__getitem__")
    if not plain or (kind in (list, tuple) and not isinstance(value, (list, tuple))):
        return isinstance(value, kind)
    try:
        elements = list(value)
    except TypeError:  # an array without axes
        return False
    if kind is tuple and parts[-1] is not Ellipsis:
        return len(elements) == len(parts) and all(map(fits, elements, parts))
    return all(fits(each, parts[0]) for each in elements)


def _is_integer(value: Any) -> bool:
    try:
        operator.index(value)
    except Exception:  # whatever its type raises
        return False
    return True


def _is_number(value: Any) -> bool:
    if isinstance(value, (str, bytes, complex)):
        return False
    try:
        float(value)
    except Exception:
        return False
    return True


def _is_truth(value: Any) -> bool:
    return type(value).__name__ in ("bool", "bool_")  # NumPy has one too


_CONVERSIONS: dict[Any, Callable[[Any], bool]] = {
    int: _is_integer,
    float: _is_number,
    bool: _is_truth,
    Any: lambda value: True,
}
"""What is taken for a number: NumPy's are, and tensors of one element."""


def shown(value: Any, hint: Any = Any) -> str:
    """Return what a value is, in words: short ones as they are written."""
    kind = type(value).__name__
    if value is None:
        return "None"
    if isinstance(value, (bool, int, float, str)) and len(repr(value)) <= 40:
        return f"{kind} {value!r}"
    if isinstance(value, (list, tuple)) and value:
        wrong = next((each for each in value if not _is_an_element(each, hint)), value[0])
        return f"a {kind} with {shown(wrong)}" if len(value) < 1000 else kind
    return kind if kind != "ndarray" else f"a NumPy array of shape {list(value.shape)}"


def _is_an_element(value: Any, hint: Any) -> bool:
    """Tell whether a value may stand in some series that a hint allows."""
    if get_origin(hint) in (Union, UnionType):
        return any(_is_an_element(value, part) for part in get_args(hint))
    inner = get_args(hint) if get_origin(hint) is not Callable else ()
    return bool(inner) and any(part is not Ellipsis and fits(value, part) for part in inner)


def text(hint: Any) -> str:
    """Return an annotation in words, as docstrings write types."""
    origin, parts = get_origin(hint), get_args(hint)
    if isinstance(hint, TypeVar):
        return text(hint.__bound__ or Any)
    if origin in (Union, UnionType):
        words = list(dict.fromkeys(text(part) for part in parts))
        words.sort(key="None".__eq__)
        return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
    if origin is Literal:
        return " or ".join(map(repr, parts))
    if hint in (None, NoneType):
        return "None"
    if hint is Callable or origin is Callable:
        return "callable"
    kind = origin or hint
    if inspect.isclass(kind) and issubclass(kind, Iterable) and parts:
        if kind is tuple and parts[-1] is not Ellipsis:
            return f"tuple of {len(parts)} ({', '.join(map(text, parts))})"
        word = kind.__name__.lower() if not issubclass(kind, Mapping) else "dict"
        inner = text(parts[0])
        if parts[0] is Any:
            return word
        return f"{word} of {inner}" if " or " not in inner else f"{word} of ({inner})"
    name = getattr(kind, "__name__", str(hint))
    return {"Handle": "Tensor", "ndarray": "NumPy array", "Any": "anything"}.get(name, name)
