"""First pairing in every way, and what becomes of the bond later."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from harness import InteropTest, Peer


class FirstPairing(InteropTest):
    """A phone and an accessory that never met."""

    async def pair_just_works(self, *arguments: str) -> Peer:
        """Pairs without anybody being asked; gives the phone."""
        phone, accessory = await self.connect(*arguments)
        await phone.expect("paired", authenticated=False)
        await self.subscribe(phone)
        await self.exchange(phone, accessory, "First")
        await self.finish()
        return phone

    async def pair_by_comparison(self, *arguments: str) -> None:
        """Both sides show the same number and both confirm it."""
        phone, accessory = await self.connect("--io", "yesno", *arguments, io="yesno")
        shown = await phone.expect("pairing", ask="confirm")
        asked = await accessory.expect("pairing", ask="confirm")
        self.assertEqual(asked["value"], shown["value"])
        accessory.write("yes")
        phone.tell("confirm", yes=True)
        await phone.expect("paired", authenticated=True, secureConnections=True)
        await self.subscribe(phone)
        await self.exchange(phone, accessory, "First")
        await self.finish()

    async def enter_on_phone(self, *arguments: str) -> None:
        """The accessory shows a passkey and the phone enters it."""
        phone, accessory = await self.connect("--io", "keyboard", *arguments, io="display")
        shown = await accessory.expect("pairing", display=lambda value: 0 <= value <= 999_999)
        await phone.expect("pairing", ask="enterPasskey")
        phone.tell("passkey", value=shown["display"])
        await phone.expect("paired", authenticated=True)
        await self.subscribe(phone)
        await self.exchange(phone, accessory, "First")
        await self.finish()

    async def enter_on_accessory(self, *arguments: str) -> None:
        """The phone shows a passkey and the accessory enters it, leading zeros and all."""
        phone, accessory = await self.connect(
            "--io", "display", "--shown-passkey", "4711", *arguments, io="keyboard"
        )
        await phone.expect("pairing", display=4711)
        await accessory.expect("pairing", ask="enterPasskey")
        accessory.write("004711")
        await phone.expect("paired", authenticated=True)
        await self.subscribe(phone)
        await self.exchange(phone, accessory, "First")
        await self.finish()

    async def test_just_works_with_secure_connections(self) -> None:
        phone = await self.pair_just_works()
        self.assertTrue(phone.all("paired")[0]["secureConnections"])

    async def test_just_works_with_legacy_pairing(self) -> None:
        phone = await self.pair_just_works("--legacy-pairing")
        self.assertFalse(phone.all("paired")[0]["secureConnections"])

    async def test_just_works_with_an_iphones_capabilities(self) -> None:
        await self.pair_just_works("--io", "keyboard-display")

    async def test_just_works_when_the_phone_begins(self) -> None:
        await self.pair_just_works("--pair", "connect")

    async def test_numeric_comparison(self) -> None:
        await self.pair_by_comparison()

    async def test_passkey_entered_on_phone_with_secure_connections(self) -> None:
        await self.enter_on_phone()

    async def test_passkey_entered_on_phone_with_legacy_pairing(self) -> None:
        await self.enter_on_phone("--legacy-pairing")

    async def test_passkey_entered_on_accessory_with_secure_connections(self) -> None:
        await self.enter_on_accessory()

    async def test_passkey_entered_on_accessory_with_legacy_pairing(self) -> None:
        await self.enter_on_accessory("--legacy-pairing")

    async def test_two_yes_no_devices_fall_back_to_just_works_in_legacy_pairing(self) -> None:
        await self.pair_just_works("--io", "yesno", "--legacy-pairing")

    async def test_a_comparison_that_the_accessory_denies_fails(self) -> None:
        phone, accessory = await self.connect("--io", "yesno", "--confirm", "yes", io="yesno")
        await accessory.expect("pairing", ask="confirm")
        accessory.write("no")
        failure = await phone.expect("pairingFailed")
        self.assertEqual(failure["reason"], 0x0C)  # Numeric Comparison Failed
        self.assertEqual(phone.all("paired"), [])
        await self.finish()

    async def test_a_comparison_that_the_phone_denies_fails(self) -> None:
        phone, accessory = await self.connect("--io", "yesno", "--confirm", "no", io="yesno")
        await accessory.expect("pairing", ask="confirm")
        await phone.expect("pairingFailed")
        self.assertEqual(accessory.all("added"), [])
        await self.finish()

    async def test_a_wrong_passkey_fails(self) -> None:
        phone, accessory = await self.connect(
            "--io", "display", "--shown-passkey", "123456", io="keyboard"
        )
        await accessory.expect("pairing", ask="enterPasskey")
        accessory.write("654321")
        failure = await phone.expect("pairingFailed")
        self.assertEqual(failure["reason"], 0x04)  # Confirm Value Failed
        await self.finish()

    async def refuse(self, *arguments: str, require: str, io: str, reason: int) -> None:
        """The phone cannot give what the accessory requires."""
        phone, accessory = await self.connect(*arguments, accessory=["--require", require], io=io)
        failure = await phone.expect("pairingFailed")
        self.assertEqual(failure["reason"], reason)
        self.assertEqual(accessory.all("added"), [])
        await self.finish()

    async def test_a_phone_that_cannot_be_authenticated_is_refused_where_that_is_required(
        self,
    ) -> None:
        # Authentication Requirements
        await self.refuse("--io", "none", require="authentication", io="yesno", reason=0x03)

    async def test_legacy_pairing_is_refused_where_secure_connections_are_required(self) -> None:
        await self.refuse("--legacy-pairing", require="secure-connections", io="none", reason=0x03)


class Bond(InteropTest):
    """A phone and an accessory that have met."""

    async def reconnect(self, *arguments: str) -> tuple[Peer, Peer]:
        """Pairs, and lets the phone come back."""
        phone, accessory = await self.connect(*arguments)
        await phone.expect("paired")
        await self.subscribe(phone)
        await self.exchange(phone, accessory, "Before")
        phone.tell("disconnect")
        await phone.expect("disconnected")
        return phone, accessory

    async def check_reconnection(self, *arguments: str) -> Peer:
        """Reconnects with the bond, without pairing."""
        phone, accessory = await self.reconnect(*arguments)
        await phone.expect("encrypted", bonded=True)
        await self.subscribe(phone)
        await self.exchange(phone, accessory, "After")
        self.assertEqual(len(phone.all("paired")), 1)
        await self.finish()
        return phone

    async def test_reconnection_needs_no_pairing(self) -> None:
        await self.check_reconnection()

    async def test_reconnection_needs_no_pairing_after_legacy_pairing(self) -> None:
        await self.check_reconnection("--legacy-pairing")

    async def test_a_phone_with_a_private_address_is_known_again(self) -> None:
        phone = await self.check_reconnection("--rpa")
        first, second = phone.all("connected")
        self.assertNotEqual(first["own"], second["own"])

    async def test_a_phone_with_a_private_address_is_known_again_after_legacy_pairing(self) -> None:
        await self.check_reconnection("--rpa", "--legacy-pairing")

    async def test_both_programs_remember_the_bond_when_restarted(self) -> None:
        phone, accessory = await self.connect("--rpa")
        await phone.expect("paired")
        await self.subscribe(phone)
        self.assertEqual(await accessory.terminate(), 0)
        await phone.expect("disconnected")
        self.assertEqual(await phone.terminate(), 0)
        phone = await self.lab.start_phone("--rpa")
        accessory = await self.lab.start_accessory()
        await phone.expect("encrypted", bonded=True)
        await self.subscribe(phone)
        await self.exchange(phone, accessory, "After")
        self.assertEqual(phone.all("paired"), [])
        await self.finish()

    async def test_a_phone_that_forgot_the_bond_is_refused_until_the_user_lets_it_pair(
        self,
    ) -> None:
        phone, accessory = await self.connect()
        await accessory.expect("pairing", window="open")
        await phone.expect("paired")
        await self.subscribe(phone)
        await accessory.expect("pairing", window="closed")
        phone.tell("forget")
        phone.tell("disconnect")
        await phone.expect("disconnected")
        refusal = await accessory.expect("keyTrouble", keys="missing")
        self.assertIn("type 'pair' here", refusal["text"])
        failure = await phone.expect("pairingFailed")
        self.assertEqual(failure["reason"], 0x05)  # Pairing Not Supported
        accessory.write("pair")
        await accessory.expect("pairing", window="open")
        await phone.expect("paired")
        await self.subscribe(phone)
        await self.exchange(phone, accessory, "After")
        await self.finish()

    async def test_a_phone_that_forgot_the_bond_pairs_again_while_pairing_is_open(self) -> None:
        phone, accessory = await self.connect(accessory=["--pair"])
        await phone.expect("paired")
        await self.subscribe(phone)
        phone.tell("forget")
        phone.tell("disconnect")
        await phone.expect("disconnected")
        await phone.expect("paired")
        await self.subscribe(phone)
        await self.exchange(phone, accessory, "After")
        self.assertEqual(accessory.all("pairing", "keyTrouble"), [])
        await self.finish()

    async def check_key_trouble(self, trouble: str, change: Callable[[dict[str, Any]], None]) -> None:
        """Changes the keys of a phone that is bonded: that is told once, and the bond stays."""
        phone, accessory = await self.connect()
        await phone.expect("paired")
        await self.subscribe(phone)
        self.assertEqual(await phone.terminate(), 0)
        await accessory.expect("disconnected")
        keys = self.lab.directory / "phone.json"
        bonds = self.lab.directory / "accessory" / "bonds.json"
        good, stored = keys.read_text(), json.loads(bonds.read_text())["bonds"]
        content = json.loads(good)
        ((_, bond),) = content["bonds"].items()
        change(bond)
        for _ in range(3):
            keys.write_text(json.dumps(content))
            phone = await self.lab.start_phone()
            await phone.expect("connected")
            await accessory.expect("connected")
            await accessory.expect("disconnected")
            await phone.kill()
        told = accessory.all("keyTrouble")
        self.assertEqual([record["keys"] for record in told], [trouble])
        self.assertNotIn("forget", told[0]["text"])
        self.assertEqual(json.loads(bonds.read_text())["bonds"], stored)
        keys.write_text(good)
        phone = await self.lab.start_phone()
        await phone.expect("encrypted", bonded=True)
        await self.subscribe(phone)
        await self.exchange(phone, accessory, "After")
        await self.finish()

    async def test_a_phone_with_another_key_is_told_once_and_its_bond_stays(self) -> None:
        def change(bond: dict[str, Any]) -> None:
            key = bytearray.fromhex(bond["ltk"]["value"])
            key[0] ^= 1
            bond["ltk"]["value"] = key.hex()

        await self.check_key_trouble("different", change)

    async def test_a_phone_that_uses_the_key_of_another_bond_is_refused_this_time(self) -> None:
        def change(bond: dict[str, Any]) -> None:
            bond["ltk_central"] = bond.pop("ltk") | {"ediv": 0x1234, "rand": "1122334455667788"}

        await self.check_key_trouble("unknown", change)

    async def test_a_bond_that_is_less_than_is_required_is_not_used(self) -> None:
        phone, accessory = await self.connect("--legacy-pairing")
        await phone.expect("paired", secureConnections=False)
        await self.subscribe(phone)
        self.assertEqual(await accessory.terminate(), 0)
        await phone.expect("disconnected")
        accessory = await self.lab.start_accessory("--require", "secure-connections")
        refusal = await accessory.expect("securityFailed", text=lambda text: "required" in text)
        self.assertIn("remove it on both devices", refusal["text"])
        await accessory.expect("disconnected")
        self.assertEqual(accessory.all("secured"), [])
        await self.finish()

    async def test_an_accessory_that_lost_the_bond_can_be_paired_again(self) -> None:
        phone, accessory = await self.connect("--rebond")
        await phone.expect("paired")
        await self.subscribe(phone)
        self.assertEqual(await accessory.terminate(), 0)
        await phone.expect("disconnected")
        (self.lab.directory / "accessory").rename(self.lab.directory / "lost")
        accessory = await self.lab.start_accessory()
        # An accessory without its old identity is a stranger, and one with it has lost the key.
        await phone.expect("paired")
        await self.subscribe(phone)
        await self.exchange(phone, accessory, "After")
        await self.finish()
