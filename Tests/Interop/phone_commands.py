"""What a phone can be told: JSON objects `{"do": NAME, ...}`.

  post {"tag": T, app, category, title, subtitle, message, date, positive, negative, silent,
    important, flags, failing}; modify {"uid": N | "tag": T, fields}; remove {"uid" | "tag"};
  flood {"count": N}; ring {"tag": T, title, date}; consent {"given": bool};
  app {"identifier": I, "name": N | null}; truncation {"mode": "safe" | "hard" | "ellipsis"};
  disconnect {"reconnect": bool}; connect; forget (all bonds); hide and show (the ANCS service);
  unsubscribe {"characteristic": "notificationSource" | "dataSource"}: forgotten without a word;
  media {"entity": N, "attribute": N, "text": T}: a value of the Apple Media Service;
  confirm {"yes": bool}; passkey {"value": N}; quit;
  fault {"times": N, fragment, stop_after, disconnect_after, delay, drop, hold, duplicate, order,
    no_tuples, att_error, disconnect_on_write}: what goes wrong with the next N answers.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from notification_center import CATEGORIES, DEFAULT_APPS, Notification
from phone_session import Fault

if TYPE_CHECKING:
    from phone import Phone


class Commands:
    """Does with the phone what commands say."""

    def __init__(self, phone: Phone) -> None:
        self.phone = phone

    def uid_of(self, fields: dict[str, Any]) -> int:
        """The notification that a command names, by UID or by tag."""
        uid = fields.pop("uid", None)
        tag = fields.pop("tag", None)
        if uid is not None:
            return int(uid)
        for candidate, notification in self.phone.center.active.items():
            if notification is self.phone.tags.get(tag):
                return candidate
        raise ValueError(f"no notification with the tag {tag!r}")

    def flood(self, count: int) -> None:
        """Many notifications at once, each one different."""
        apps = list(DEFAULT_APPS)
        for number in range(count):
            self.phone.post(
                Notification(
                    app=apps[number % len(apps)],
                    category=number % len(CATEGORIES),
                    title=f"Title {number} 通知",
                    message=f"Message {number} 🙂 " + "." * (number % 100),
                )
            )

    def perform(self, command: dict[str, Any]) -> None:
        """Does what one command says; raises `ValueError` or `KeyError` if that makes no sense."""
        fields = dict(command)
        verb = fields.pop("do")
        match verb:
            case "post":
                tag = fields.pop("tag", None)
                notification = Notification.from_json(fields)
                if tag is not None:
                    self.phone.tags[tag] = notification
                self.phone.post(notification)
            case "modify":
                self.phone.modify(self.uid_of(fields), fields)
            case "remove":
                self.phone.remove(self.uid_of(fields))
            case "flood":
                self.flood(int(fields["count"]))
            case "ring":
                call = Notification(
                    app="com.apple.mobilephone",
                    category=CATEGORIES.index("incomingCall"),
                    title=fields.get("title", "Ada Lovelace"),
                    message="Incoming Call",
                    date=fields.get("date", ""),
                    positive="Answer",
                    negative="Decline",
                    important=True,
                )
                self.phone.tags[fields.get("tag", "call")] = call
                self.phone.post(call)
            case "consent":
                self.phone.give_consent(bool(fields["given"]))
            case "fault":
                times = int(fields.pop("times", 1))
                self.phone.faults += [Fault(**fields) for _ in range(times)]
            case "truncation":
                self.phone.center.truncation = fields["mode"]
            case "app":
                if fields["name"] is None:
                    self.phone.center.apps.pop(fields["identifier"], None)
                else:
                    self.phone.center.apps[fields["identifier"]] = fields["name"]
            case "passkey":
                self.phone.delegate.answers.put_nowait(int(fields["value"]))
            case "confirm":
                self.phone.delegate.answers.put_nowait(bool(fields["yes"]))
            case _:
                self.perform_on_link(verb, fields)

    def perform_on_link(self, verb: str, fields: dict[str, Any]) -> None:
        """Does what one command about the connection says."""
        match verb:
            case "disconnect":
                self.phone.is_connecting = bool(fields.get("reconnect", True))
                self.phone.changed.set()
                if self.phone.session is not None:
                    self.phone.session.start(self.phone.session.disconnect_after_sending())
            case "connect":
                self.phone.is_connecting = True
                self.phone.changed.set()
            case "forget":
                self.phone.emit("forgotten", bonds=self.phone.bonds.forget())
            case "hide":
                self.phone.show_ancs(False)
            case "show":
                self.phone.show_ancs(True)
            case "unsubscribe":
                if self.phone.session is not None:
                    self.phone.session.forget_subscription(fields["characteristic"])
            case "media":
                session = self.phone.session
                assert self.phone.media is not None
                self.phone.media.set(session.connection if session else None, **fields)
            case "quit":
                self.phone.end(0)
            case _:
                raise ValueError(f"unknown command {verb!r}")

    def perform_text(self, text: str) -> None:
        """Does what a line of standard input says."""
        try:
            self.perform(json.loads(text))
        except (ValueError, KeyError, TypeError) as error:
            self.phone.emit("failed", what=f"{text}: {error!r}")
