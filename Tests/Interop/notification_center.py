"""What a phone knows about its notifications and how it answers the Control Point.

Nothing here knows Bluetooth: a command's octets come in, and an answer's octets or an ANCS error go
out. Requirement numbers (R12, S10 and so on) are those of Documentation/Development/Requirements.md.
"""

from __future__ import annotations

import dataclasses
import struct
from typing import Any

EVENTS = ("added", "modified", "removed")
CATEGORIES = (
    "other",
    "incomingCall",
    "missedCall",
    "voicemail",
    "social",
    "schedule",
    "email",
    "news",
    "healthAndFitness",
    "businessAndFinance",
    "location",
    "entertainment",
)
NOTIFICATION_ATTRIBUTES = (
    "appIdentifier",
    "title",
    "subtitle",
    "message",
    "messageSize",
    "date",
    "positiveActionLabel",
    "negativeActionLabel",
)
WITH_MAXIMUM = frozenset((1, 2, 3))
ACTIONS = ("positive", "negative")

FLAG_SILENT = 0x01
FLAG_IMPORTANT = 0x02
FLAG_PRE_EXISTING = 0x04
FLAG_POSITIVE_ACTION = 0x08
FLAG_NEGATIVE_ACTION = 0x10

UNKNOWN_COMMAND = 0xA0
INVALID_COMMAND = 0xA1
INVALID_PARAMETER = 0xA2
ACTION_FAILED = 0xA3

DEFAULT_APPS = {
    "com.apple.mobilephone": "Phone",
    "com.apple.MobileSMS": "Messages",
    "com.apple.mobilemail": "Mail",
    "com.apple.mobilecal": "Calendar",
    "com.apple.reminders": "Reminders",
    "com.apple.news": "News",
    "com.apple.Passbook": "",
    "jp.naver.line": "LINE",
    "org.example.chat": "Plauderecke 💬",
}


class AncsError(Exception):
    """A command that is refused with an ATT error code."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


@dataclasses.dataclass
class Notification:
    """One notification as the phone shows it."""

    app: str = "com.apple.MobileSMS"
    category: int = 4
    title: str = ""
    subtitle: str = ""
    message: str = ""
    date: str = "20261121T093000"
    positive: str | None = None
    negative: str | None = "Clear"
    silent: bool = False
    important: bool = False
    flags: int = 0
    """Further flag bits, as they are (iOS is known to set bit 5)."""
    failing: bool = False
    """Whether every action on it fails (R60)."""

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Notification:
        """Reads the fields of a `post` or `modify` command."""
        known = {field.name for field in dataclasses.fields(cls)}
        if unknown := set(fields) - known:
            raise ValueError(f"unknown fields of a notification: {sorted(unknown)}")
        values = dict(fields)
        if isinstance(values.get("category"), str):
            values["category"] = CATEGORIES.index(values["category"])
        return cls(**values)

    @property
    def event_flags(self) -> int:
        """The EventFlags octet (R14)."""
        return (
            self.flags
            | (FLAG_SILENT if self.silent else 0)
            | (FLAG_IMPORTANT if self.important else 0)
            | (FLAG_POSITIVE_ACTION if self.positive else 0)
            | (FLAG_NEGATIVE_ACTION if self.negative else 0)
        )

    def attribute(self, identifier: int) -> str:
        """The value of an attribute; empty if there is none (R29), or if it is unknown (S7)."""
        values = (
            self.app,
            self.title,
            self.subtitle,
            self.message,
            str(len(self.message.encode())),
            self.date,
            self.positive or "",
            self.negative or "",
        )
        return values[identifier] if identifier < len(values) else ""


@dataclasses.dataclass(frozen=True)
class Command:
    """A Control Point command, decoded."""

    kind: str
    uid: int | None = None
    app: str | None = None
    attributes: tuple[tuple[int, int | None], ...] = ()
    action: int | None = None

    @classmethod
    def decode(cls, value: bytes) -> Command:
        """Decodes the octets of a write; raises `AncsError` with A0 or A1."""
        if not value:
            raise AncsError(INVALID_COMMAND, "empty")
        match value[0]:
            case 0:
                return cls._decode_get_notification_attributes(value)
            case 1:
                return cls._decode_get_app_attributes(value)
            case 2:
                if len(value) != 6:
                    raise AncsError(INVALID_COMMAND, "an action takes 6 octets")
                return cls("performNotificationAction", uid=uid_at(value), action=value[5])
            case other:
                raise AncsError(UNKNOWN_COMMAND, f"command {other}")

    @classmethod
    def _decode_get_notification_attributes(cls, value: bytes) -> Command:
        if len(value) < 5:
            raise AncsError(INVALID_COMMAND, "no UID")
        attributes: list[tuple[int, int | None]] = []
        at = 5
        while at < len(value):
            identifier = value[at]
            at += 1
            maximum = None
            if identifier in WITH_MAXIMUM:
                if at + 2 > len(value):
                    raise AncsError(INVALID_COMMAND, f"no maximum for attribute {identifier}")
                (maximum,) = struct.unpack_from("<H", value, at)
                at += 2
            attributes.append((identifier, maximum))
        return cls("getNotificationAttributes", uid=uid_at(value), attributes=tuple(attributes))

    @classmethod
    def _decode_get_app_attributes(cls, value: bytes) -> Command:
        app, end, identifiers = value[1:].partition(b"\0")
        if not end:
            raise AncsError(INVALID_COMMAND, "the app identifier has no end")
        try:
            name = app.decode()
        except UnicodeDecodeError as error:
            raise AncsError(INVALID_COMMAND, "the app identifier is not UTF-8") from error
        return cls(
            "getAppAttributes", app=name, attributes=tuple((byte, None) for byte in identifiers)
        )

    def to_json(self) -> dict[str, Any]:
        """The command as it appears in an event."""
        fields: dict[str, Any] = {"command": self.kind}
        if self.uid is not None:
            fields["uid"] = self.uid
        if self.app is not None:
            fields["app"] = self.app
        if self.action is not None:
            fields["action"] = name_of(ACTIONS, self.action)
        else:
            fields["attributes"] = [list(pair) for pair in self.attributes]
        return fields


def uid_at(value: bytes) -> int:
    """The UID of a command."""
    return int.from_bytes(value[1:5], "little")


def name_of(names: tuple[str, ...], number: int) -> str | int:
    """The name of a number, or the number itself."""
    return names[number] if number < len(names) else number


def truncate(text: str, maximum: int, mode: str) -> bytes:
    """Cuts a value to at most `maximum` octets, in one of the ways that iOS is known for (S10).

    `safe` never cuts inside a code point; `hard` cuts at exactly the maximum; `ellipsis` is `safe`
    with U+2026 added beyond the maximum.
    """
    octets = text.encode()
    if len(octets) <= maximum:
        return octets
    if mode == "hard":
        return octets[:maximum]
    kept = octets[:maximum].decode(errors="ignore")
    return (kept + ("…" if mode == "ellipsis" else "")).encode()


@dataclasses.dataclass
class NotificationCenter:
    """The notifications of a phone, its apps, and the answers about both."""

    truncation: str = "safe"
    apps: dict[str, str] = dataclasses.field(default_factory=lambda: dict(DEFAULT_APPS))
    active: dict[int, Notification] = dataclasses.field(default_factory=dict)
    next_uid: int = 0

    def post(self, notification: Notification) -> int:
        """Adds a notification and gives it a UID (S18: they count up from 0)."""
        uid = self.next_uid
        self.next_uid = (self.next_uid + 1) & 0xFFFFFFFF
        self.active[uid] = notification
        return uid

    def modify(self, uid: int, fields: dict[str, Any]) -> None:
        """Changes fields of a notification."""
        changed = Notification.from_json(fields)
        for name in fields:
            setattr(self.active[uid], name, getattr(changed, name))

    def renumber(self) -> None:
        """Restarts the UIDs, as iOS does with each session (S18)."""
        self.active = dict(enumerate(self.active.values()))
        self.next_uid = len(self.active)

    def source_value(
        self, event: str, uid: int, notification: Notification, further_flags: int = 0
    ) -> bytes:
        """The 8 octets of a Notification Source value (R12)."""
        count = sum(1 for other in self.active.values() if other.category == notification.category)
        return struct.pack(
            "<BBBBI",
            EVENTS.index(event),
            notification.event_flags | further_flags,
            notification.category,
            min(count, 255),
            uid,
        )

    def answer(self, command: Command, order: str | None = None, with_tuples: bool = True) -> bytes:
        """The Data Source octets for a get-command; raises `AncsError` with A2."""
        attributes = list(command.attributes)
        if order == "reverse":
            attributes.reverse()
        elif order == "ascending":
            attributes.sort()
        if command.uid is not None:
            notification = self.active.get(command.uid)
            if notification is None:
                raise AncsError(INVALID_PARAMETER, f"no notification {command.uid}")
            octets = struct.pack("<BI", 0, command.uid)
            values = [
                truncate(
                    notification.attribute(identifier),
                    0xFFFF if maximum is None else maximum,
                    self.truncation,
                )
                for identifier, maximum in attributes
            ]
        else:
            assert command.app is not None
            name = self.apps.get(command.app)
            if name is None:
                raise AncsError(INVALID_PARAMETER, f"no app {command.app!r}")
            octets = b"\x01" + command.app.encode() + b"\0"
            values = [name.encode() if identifier == 0 else b"" for identifier, _ in attributes]
        if with_tuples:
            for (identifier, _), value in zip(attributes, values, strict=True):
                octets += struct.pack("<BH", identifier, len(value)) + value
        return octets

    def check_action(self, command: Command) -> Notification:
        """The notification that an action is for; raises `AncsError` with A2 or A3."""
        assert command.uid is not None and command.action is not None
        notification = self.active.get(command.uid)
        if notification is None:
            raise AncsError(INVALID_PARAMETER, f"no notification {command.uid}")
        if command.action >= len(ACTIONS):
            raise AncsError(INVALID_PARAMETER, f"no action {command.action}")
        label = (notification.positive, notification.negative)[command.action]
        if label is None or notification.failing:
            raise AncsError(ACTION_FAILED, "the action was not performed")
        return notification
