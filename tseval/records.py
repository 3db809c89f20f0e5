"""Records: dataclasses that nobody changes, made with little work.

A command loads a hundred of them and more. For each, `dataclass(frozen=True)` writes six methods as
text and compiles them, which was half of what commands took to start. Here `dataclass` writes
`__init__` alone; the other methods are the same for all records.
"""

from __future__ import annotations

from dataclasses import Field, FrozenInstanceError, dataclass, field
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, ClassVar, dataclass_transform


@dataclass_transform(frozen_default=True, field_specifiers=(field, Field))
def frozen(cls: Any = None, *, eq: bool = True, kw_only: bool = False) -> Any:
    """A class of records, which is what `dataclass(frozen=True)` makes of it.

    A field is set once, by `__init__`; `__post_init__` changes one by `object.__setattr__`. What
    derives from records is to be one too, by this and not by `dataclass`.
    """
    methods = (*OF_ALL, *(COMPARED if eq else ()))

    def made(cls: type) -> type:
        whole: Any = dataclass(eq=False, repr=False, kw_only=kw_only)(cls)
        for name in methods:
            if whole.__dict__.get(name) is None:  # Python itself puts None for __hash__
                setattr(whole, name, _Record.__dict__[name])
        if eq:
            told = [name for name, each in whole.__dataclass_fields__.items() if each.compare]
            whole.__compared__ = attrgetter("__class__", *told)
        return whole  # type: ignore[no-any-return]

    return made if cls is None else made(cls)


OF_ALL = ("__setattr__", "__delattr__", "__repr__")
COMPARED = ("__eq__", "__hash__")


class _Record:
    """The methods that all records have, of which each class takes its own."""

    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
        __compared__: ClassVar[attrgetter[Any]]

    def __setattr__(self, name: str, value: object) -> None:
        if name in self.__dict__ or name not in self.__dataclass_fields__:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        self.__dict__[name] = value

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    @recursive_repr()
    def __repr__(self) -> str:
        shown = (name for name, each in self.__dataclass_fields__.items() if each.repr)
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
        return f"{type(self).__qualname__}({fields})"

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        equal: bool = self.__compared__(self) == self.__compared__(other)
        return equal

    def __hash__(self) -> int:
        return hash(self.__compared__(self))
