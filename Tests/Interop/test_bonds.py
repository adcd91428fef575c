"""`ancs bonds`: what is stored is shown, removed and exported."""

from __future__ import annotations

import json
import pathlib

from harness import BINARY, InteropTest, Peer


class Bonds(InteropTest):
    """Bonds of an accessory that has been paired with a phone."""

    async def bonds(self, *arguments: str) -> Peer:
        """Runs the command to its end."""
        command = await self.lab.start("bonds", *BINARY, "bonds", *arguments)
        await command.status()
        return command

    async def paired(self) -> tuple[Peer, pathlib.Path]:
        """A phone that is bonded with an accessory which has ended, and where that keeps its bonds."""
        phone, accessory = await self.connect()
        await self.subscribe(phone)
        await accessory.expect("named", name="Testphone")
        self.assertEqual(await accessory.terminate(), 0)
        await phone.expect("disconnected")
        return phone, self.lab.directory / "accessory"

    def phone_bond(self) -> tuple[str, dict[str, object]]:
        """The phone's address and the bond that it keeps."""
        content = json.loads((self.lab.directory / "phone.json").read_text())
        ((_, bond),) = content["bonds"].items()
        return content["identity"], bond

    async def test_bonds_are_listed_and_exported_with_the_keys_that_the_phone_has(self) -> None:
        _, directory = await self.paired()
        address, bond = self.phone_bond()
        listed = await self.bonds("list", "--state", str(directory), "--json")
        (record,) = listed.records
        self.assertEqual(record["peer"], {"address": address, "kind": "static"})
        self.assertTrue(record["secureConnections"])
        self.assertFalse(record["authenticated"])
        self.assertEqual(record["name"], "Testphone")
        key = bond["ltk"]["value"]  # type: ignore[index]
        exported = await self.bonds(
            "export", address, "--state", str(directory), "--format", "bluez"
        )
        self.assertIn(f"Key={key.upper()}", exported.garbage)
        backwards = bytes.fromhex(key)[::-1].hex()
        for command in (listed, await self.bonds("show", address, "--state", str(directory))):
            for line in command.garbage + [json.dumps(record) for record in command.records]:
                self.assertNotIn(key, line.lower())
                self.assertNotIn(backwards, line.lower())

    async def test_a_bond_that_was_exported_lets_another_machine_be_the_accessory(self) -> None:
        phone, directory = await self.paired()
        address, _ = self.phone_bond()
        moved = self.lab.directory / "moved"
        exported = await self.bonds(
            "export", address, "--state", str(directory), "--output", str(moved / "bonds.json")
        )
        self.assertEqual(exported.process.returncode, 0)
        self.assertEqual((moved / "bonds.json").stat().st_mode & 0o777, 0o600)
        self.assertEqual(exported.garbage, [])
        phone.forget()
        await self.lab.start_accessory("--state", str(moved))
        await phone.expect("encrypted", bonded=True)
        await self.subscribe(phone)
        again = await self.bonds(
            "export", address, "--state", str(directory), "--output", str(moved / "bonds.json")
        )
        self.assertEqual(again.process.returncode, 2)

    async def test_who_is_removed_is_a_stranger_again(self) -> None:
        _, directory = await self.paired()
        address, _ = self.phone_bond()
        removed = await self.bonds("remove", address.lower(), "--state", str(directory))
        self.assertEqual(removed.process.returncode, 0)
        listed = await self.bonds("--state", str(directory), "--json")
        (known,) = listed.records
        self.assertEqual((known["event"], known["name"]), ("peer", "Testphone"))
        forgotten = await self.bonds("remove", "Testphone", "--state", str(directory))
        self.assertEqual(forgotten.process.returncode, 0)
        listed = await self.bonds("--state", str(directory), "--json")
        self.assertEqual(listed.records, [])
        again = await self.bonds("remove", address, "--state", str(directory))
        self.assertEqual(again.process.returncode, 1)

    async def test_bonds_in_use_are_not_changed(self) -> None:
        phone, _ = await self.connect()
        await self.subscribe(phone)
        address, _ = self.phone_bond()
        directory = self.lab.directory / "accessory"
        removed = await self.bonds("remove", address, "--state", str(directory))
        self.assertEqual(removed.process.returncode, 3)
        self.assertTrue(any("in use" in line for line in removed.errors), removed.errors)
        listed = await self.bonds("--state", str(directory), "--json")
        self.assertEqual(len(listed.records), 1)

    async def test_who_is_meant_has_to_be_clear(self) -> None:
        _, directory = await self.paired()
        address, _ = self.phone_bond()
        (directory / "phone.json").write_bytes((directory / "bonds.json").read_bytes())
        (directory / "phone.json").chmod(0o600)
        removed = await self.bonds("remove", address, "--state", str(directory))
        self.assertEqual(removed.process.returncode, 2)
        self.assertIn("or --device", removed.errors[0])
        self.assertEqual(len([line for line in removed.errors if address in line]), 3)
        removed = await self.bonds(
            "remove", address, "--device", "phone", "--json", "--state", str(directory)
        )
        self.assertEqual(
            removed.records,
            [
                {
                    "event": "removed",
                    "device": "phone",
                    "peer": {"address": address, "kind": "static"},
                }
            ],
        )
        listed = await self.bonds("--state", str(directory), "--json")
        self.assertEqual([record["device"] for record in listed.all("bond")], ["accessory"])

    async def test_nothing_is_made_where_nothing_is(self) -> None:
        directory = self.lab.directory / "nowhere"
        listed = await self.bonds("--state", str(directory), "--json")
        self.assertEqual(listed.process.returncode, 0)
        self.assertEqual(listed.records + listed.garbage, [])
        self.assertFalse(directory.exists())

    async def test_a_file_that_is_no_bond_store_ends_with_status_2(self) -> None:
        path = self.lab.directory / "bonds.json"
        path.write_text("{}")
        path.chmod(0o600)
        listed = await self.bonds("--state", str(self.lab.directory))
        self.assertEqual(listed.process.returncode, 2)
