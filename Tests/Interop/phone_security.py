"""Bonds of a phone, and the person who holds it while it pairs."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
import pathlib
import secrets
from collections.abc import Callable
from typing import Any

from bumble import hci, pairing, smp
from bumble.keys import KeyStore, PairingKeys

IO_CAPABILITIES = {
    "none": pairing.PairingDelegate.NO_OUTPUT_NO_INPUT,
    "display": pairing.PairingDelegate.DISPLAY_OUTPUT_ONLY,
    "keyboard": pairing.PairingDelegate.KEYBOARD_INPUT_ONLY,
    "yesno": pairing.PairingDelegate.DISPLAY_OUTPUT_AND_YES_NO_INPUT,
    "keyboard-display": pairing.PairingDelegate.DISPLAY_OUTPUT_AND_KEYBOARD_INPUT,
}


class BondStore(KeyStore):
    """The phone's own identity and its bonds, in a JSON file or in memory only.

    Bumble's store keeps neither the identity nor the key that private addresses are made with, and
    a phone needs the same ones at every start to be known again.
    """

    def __init__(self, path: str | None) -> None:
        self.path = pathlib.Path(path) if path else None
        content: dict[str, Any] = {}
        if self.path is not None and self.path.exists():
            content = json.loads(self.path.read_text())
        self.identity: str = content.get("identity") or str(hci.Address.generate_static_address())
        self.irk = bytes.fromhex(content["irk"]) if "irk" in content else secrets.token_bytes(16)
        self.bonds: dict[str, dict[str, Any]] = content.get("bonds", {})
        self.service_changed: set[str] = set(content.get("serviceChanged", []))
        self.save()

    def save(self) -> None:
        """Writes the file in one step."""
        if self.path is None:
            return
        temporary = self.path.with_suffix(".new")
        temporary.write_text(
            json.dumps(
                {
                    "identity": self.identity,
                    "irk": self.irk.hex(),
                    "bonds": self.bonds,
                    "serviceChanged": sorted(self.service_changed),
                },
                indent=1,
            )
        )
        os.replace(temporary, self.path)

    def has(self, address: hci.Address) -> bool:
        """Whether there is a bond with this identity."""
        return str(address) in self.bonds

    def forget(self) -> list[str]:
        """Deletes every bond."""
        forgotten = list(self.bonds)
        self.bonds.clear()
        self.service_changed.clear()
        self.save()
        return forgotten

    def remember_service_changed(self, address: hci.Address, subscribed: bool) -> None:
        """Keeps a bonded client's subscription to Service Changed (Vol 3 Part G 3.3.3.3)."""
        if subscribed:
            self.service_changed.add(str(address))
        else:
            self.service_changed.discard(str(address))
        self.save()

    async def delete(self, name: str) -> None:
        self.bonds.pop(name, None)
        self.save()

    async def update(self, name: str, keys: PairingKeys) -> None:
        self.bonds[name] = keys.to_dict()
        self.save()

    async def get(self, name: str) -> PairingKeys | None:
        bond = self.bonds.get(name)
        return None if bond is None else PairingKeys.from_dict(bond)

    async def get_all(self) -> list[tuple[str, PairingKeys]]:
        return [(name, PairingKeys.from_dict(bond)) for name, bond in self.bonds.items()]


class PairingSession(smp.Session):
    """Bumble's, with the reason that a denied comparison has (Vol 3 Part H 3.5.5)."""

    def prompt_user_for_numeric_comparison(self, code: int, next_steps: Callable[[], None]) -> None:
        """Asks, and goes on or fails."""

        async def ask() -> None:
            if await self.pairing_config.delegate.compare_numbers(code, digits=6):
                next_steps()
            else:
                self.send_pairing_failed(smp.ErrorCode.NUMERIC_COMPARISON_FAILED)

        self.connection.cancel_on_disconnection(ask())


@dataclasses.dataclass
class Person:
    """What the person at the phone does when it asks; `None` means that a command will tell."""

    confirm: bool | None = None
    passkey: int | None = None
    shown_passkey: int | None = None


class PhoneDelegate(pairing.PairingDelegate):
    """Asks the person, by way of events and commands."""

    def __init__(
        self, io: str, person: Person, emit: Callable[..., None], key_size: int = 16
    ) -> None:
        super().__init__(IO_CAPABILITIES[io], maximum_encryption_key_size=key_size)
        self.person = person
        self.emit_event = emit
        self.answers: asyncio.Queue[bool | int] = asyncio.Queue()

    async def compare_numbers(self, number: int, digits: int) -> bool:
        """Numeric comparison."""
        self.emit_event("pairing", ask="confirm", value=number)
        if self.person.confirm is not None:
            return self.person.confirm
        return bool(await self.answers.get())

    async def get_number(self) -> int | None:
        """Passkey entry, the phone being the keyboard."""
        self.emit_event("pairing", ask="enterPasskey")
        if self.person.passkey is not None:
            return self.person.passkey
        answer = await self.answers.get()
        return None if isinstance(answer, bool) else answer

    async def generate_passkey(self) -> int:
        """Passkey entry, the phone being the display (0 trips an assertion of Bumble's)."""
        if self.person.shown_passkey is not None:
            return self.person.shown_passkey
        return 1 + secrets.randbelow(999_999)

    async def display_number(self, number: int, digits: int) -> None:
        """Shows the passkey."""
        self.emit_event("pairing", display=number)
