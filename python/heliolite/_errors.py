"""What is wrong with an input, as exceptions."""
from __future__ import annotations

import re
import sys
import warnings
from dataclasses import dataclass
from typing import Any, Iterable, Optional

# How complaints are worded: "entries = -3, must be an integer from 1 to 9", "'x' must be a number",
# "unknown key 'a', must be one of b or c", "unknown level 'a'; levels: b, c",
# "'a' is neither a preset nor a file. Presets: b, c".
_HINT = r"(?:, did you mean '[^']*'\?)?"
_WORDINGS = [
    re.compile(rf"^[\w. -]+ = (?P<value>.*?), must be (?P<allowed>.*?){_HINT}$", re.DOTALL),
    re.compile(rf"^'(?P<value>.*?)' must be (?P<allowed>.*?){_HINT}$", re.DOTALL),
    re.compile(rf"^unknown [\w ]+ '(?P<value>.*?)'{_HINT}[,;] (?:must be (?:one of )?|\w+: )(?P<allowed>.*?){_HINT}$",
               re.DOTALL),
    re.compile(rf"^unknown [\w ]+ '(?P<value>.*?)'(?P<allowed>){_HINT}$", re.DOTALL),
    re.compile(rf"^'(?P<value>.*?)' is neither .*?{_HINT}\.? Presets: (?P<allowed>.*)$", re.DOTALL),
]


@dataclass(frozen=True)
class Diagnostic:
    """One complaint about an input: where, and what is wrong. Parts that do not apply are None."""

    file: Optional[str]
    line: Optional[int]
    field: Optional[str]
    message: str

    @property
    def value(self) -> Optional[str]:
        """The value that is wrong, as it was written; None where the complaint is not about one value."""
        return self._part("value")

    @property
    def allowed(self) -> Optional[str]:
        """What the value must be: "an integer from 1 to 9", "a, b or c"; None where the message is all there is."""
        return self._part("allowed")

    def _part(self, name: str) -> Optional[str]:
        for wording in _WORDINGS:
            found = wording.match(self.message)
            if found:
                return found.group(name) or None
        return None

    def __str__(self) -> str:
        place = ""
        if self.file:
            place = f"{self.file}:{self.line}: " if self.line else f"{self.file}: "
        return place + (f"{self.field}: " if self.field else "") + self.message


class Error(ValueError):
    """An input that cannot be used. `diagnostics` has all complaints; `file`, `line`, `field`, `value`, `allowed` and
    `message` are those of the first one."""

    def __init__(self, complaints: Iterable[Any]):
        self.diagnostics = [
            c if isinstance(c, Diagnostic) else Diagnostic(c[0] or None, c[1] or None, c[2] or None, c[3])
            for c in complaints
        ]
        super().__init__("\n".join(str(d) for d in self.diagnostics))

    @property
    def file(self) -> Optional[str]:
        return self.diagnostics[0].file

    @property
    def line(self) -> Optional[int]:
        return self.diagnostics[0].line

    @property
    def field(self) -> Optional[str]:
        return self.diagnostics[0].field

    @property
    def message(self) -> str:
        return self.diagnostics[0].message

    @property
    def value(self) -> Optional[str]:
        return self.diagnostics[0].value

    @property
    def allowed(self) -> Optional[str]:
        return self.diagnostics[0].allowed


class Note(UserWarning):
    """What of an input was read otherwise than it is written, or is not as the user may think. The same texts stand in
    `notes` of machines, networks and answers."""


def warn_of(notes: Iterable[str]) -> None:
    """A warning for each note, at the line of the first caller that is not this package."""
    level = 2
    while sys._getframe(level - 1).f_globals.get("__name__", "").startswith("heliolite"):
        level += 1
    for note in notes:
        warnings.warn(note, Note, stacklevel=level)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a search or a sweep. `answer` is what was found until then, with what is proven of it."""

    def __init__(self, answer: Any):
        self.answer = answer
        super().__init__("interrupted; .answer has what was found until then")


def refuse(field: str, message: str) -> Error:
    """An Error with one complaint about an argument."""
    return Error([Diagnostic(None, None, field, message)])
