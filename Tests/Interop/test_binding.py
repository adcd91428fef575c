"""Apps of `ancs phone` that bind an accessory of Bumble: kills, restarts and new addresses."""

from __future__ import annotations

import asyncio
import json
import random
import stat

from harness import InteropTest, Peer, Record

HEART_RATE = "180D"


class BindingTest(InteropTest):
    """A phone, and accessories with a service for its apps."""

    async def start_both(self, *arguments: str) -> tuple[Peer, Peer]:
        """A phone with a session to an accessory, which therefore does not advertise."""
        await self.lab.start_controllers()
        phone = await self.lab.start_own_phone()
        accessory = await self.lab.start_bumble("--service", HEART_RATE, *arguments)
        await phone.expect("subscription", characteristic="dataSource", on=True)
        return phone, accessory

    async def bind(self, phone: Peer, app: str = "band") -> str:
        """An app binds an accessory; tells which."""
        phone.write(f"bind {HEART_RATE} {app}")
        bound = await phone.expect("binding", app=app, change="bound")
        await phone.expect("binding", app=app, state="connected", peripheral=bound["peripheral"])
        return str(bound["peripheral"])

    async def start_again(self, phone: Peer) -> Peer:
        """The phone is killed, wherever it is, and another one begins with what that one kept."""
        await phone.kill()
        await self.lab.until_free(self.lab.phone_moniker)
        phone = await self.lab.start_own_phone()
        await phone.expect("subscription", characteristic="dataSource", on=True)
        return phone

    async def bindings(self, phone: Peer) -> list[Record]:
        """What the phone lists; everything that it was told before has happened by then."""
        phone.forget()
        phone.write("bindings")
        listed = await phone.expect("bindings")
        return list(listed["list"])

    async def test_what_is_bound_is_connected_again_after_a_kill(self) -> None:
        phone, _ = await self.start_both()
        peripheral = await self.bind(phone)
        phone = await self.start_again(phone)
        await phone.expect("binding", app="band", state="connected", peripheral=peripheral)
        # The binding is the earlier one.
        self.assertEqual([r for r in phone.all("binding") if r.get("change") == "bound"], [])
        self.assertEqual(len(phone.all("connected")), 1)
        await self.finish()

    async def test_what_was_unbound_is_not_bound_again_until_it_is_asked_for(self) -> None:
        phone, _ = await self.start_both()
        peripheral = await self.bind(phone)
        phone.write("unbind band")
        await phone.expect("binding", app="band", change="unbound")
        (entry,) = await self.bindings(phone)
        self.assertEqual(entry["state"], "justUnbound")
        # The accessory stays the phone's.
        self.assertEqual(phone.all("disconnected"), [])
        phone = await self.start_again(phone)
        await phone.expect("binding", app="band", change="justUnbound")
        (entry,) = await self.bindings(phone)
        self.assertEqual(entry["state"], "justUnbound")
        self.assertEqual([r for r in phone.all("binding") if "peripheral" in r], [])
        # It does not advertise: it is found by its service, among those that are connected.
        self.assertEqual(await self.bind(phone), peripheral)
        phone = await self.start_again(phone)
        await phone.expect("binding", app="band", state="connected", peripheral=peripheral)
        await self.finish()

    async def test_an_accessory_is_the_same_one_behind_another_address(self) -> None:
        phone, accessory = await self.start_both("--rpa")
        peripheral = await self.bind(phone)
        for _ in range(2):
            phone = await self.start_again(phone)
            await phone.expect("binding", app="band", state="connected", peripheral=peripheral)
        addresses = {record["address"] for record in accessory.all("address")}
        self.assertGreaterEqual(len(addresses), 3)
        await self.finish()

    async def test_two_apps_bind_one_accessory_and_one_lets_it_go(self) -> None:
        phone, _ = await self.start_both()
        peripheral = await self.bind(phone, "band")
        self.assertEqual(await self.bind(phone, "health"), peripheral)
        phone.write("unbind band")
        await phone.expect("binding", app="band", change="unbound")
        band, health = await self.bindings(phone)
        self.assertEqual((band["state"], health["state"]), ("justUnbound", "connected"))
        phone = await self.start_again(phone)
        await phone.expect("binding", app="health", state="connected", peripheral=peripheral)
        band, health = await self.bindings(phone)
        self.assertEqual((band["state"], health["state"]), ("justUnbound", "connected"))
        phone.write("unbind")
        question = "which app? band, health"
        await phone.until(lambda: question in "\n".join(phone.errors), question)
        await self.finish()

    async def test_a_restart_ends_links_and_keeps_bindings(self) -> None:
        phone, _ = await self.start_both()
        peripheral = await self.bind(phone, "band")
        await self.bind(phone, "health")
        phone.write("unbind health")
        await phone.expect("binding", app="health", change="unbound")
        phone.forget()
        phone.write("restart")
        await phone.expect("disconnected")
        await phone.expect("ready")
        await phone.expect("binding", app="health", change="justUnbound")
        await phone.expect("binding", app="band", state="connected", peripheral=peripheral)
        await phone.expect("subscription", characteristic="dataSource", on=True)
        await self.finish()

    async def test_a_link_that_only_apps_use_falls_with_the_last_of_them(self) -> None:
        await self.lab.start_controllers()
        phone = await self.lab.start_own_phone()
        accessory = await self.lab.start_bumble("--service", HEART_RATE, "--plain")
        peripheral = await self.bind(phone, "band")
        self.assertEqual(await self.bind(phone, "health"), peripheral)
        self.assertEqual(len(accessory.all("connected", "disconnected")), 1)
        phone.write("unbind band")
        await phone.expect("binding", app="band", change="unbound")
        await self.bindings(phone)
        self.assertEqual(len(accessory.all("connected", "disconnected")), 1)
        phone.write("unbind health")
        await accessory.expect("disconnected")
        # It is on air again, and nobody connects to it but who asks for it.
        self.assertEqual(await self.bind(phone, "band"), peripheral)
        # A bound accessory that was away is connected when it is back.
        phone.forget()
        await accessory.terminate()
        await phone.expect("binding", app="band", state="connecting")
        await self.lab.start_bumble("--service", HEART_RATE, "--plain")
        await phone.expect("binding", app="band", state="connected", peripheral=peripheral)
        await self.finish()

    async def test_a_forgotten_device_is_paired_and_bound_again(self) -> None:
        phone, _ = await self.start_both()
        peripheral = await self.bind(phone)
        phone.forget()
        phone.write("forget 1")
        await phone.expect("disconnected")
        await phone.expect("paired")
        # Its address tells who it is, for it has only one.
        await phone.expect("binding", app="band", state="connected", peripheral=peripheral)
        await self.finish()

    async def test_the_store_is_private_and_whole_at_any_time(self) -> None:
        phone, _ = await self.start_both()
        peripheral = await self.bind(phone)
        directory = self.lab.directory / "phone"
        for name in ("apps.json", "bindings.json"):
            self.assertEqual(stat.S_IMODE((directory / name).stat().st_mode), 0o600)
        stored = json.loads((directory / "bindings.json").read_text())
        self.assertEqual(stored["bindings"][0]["peripheral"], peripheral)
        # Killed right after the command, whether or not it has got far.
        phone.write("unbind band")
        await phone.kill()
        (stored,) = json.loads((directory / "bindings.json").read_text())["bindings"]
        self.assertIn(set(stored) - {"app", "name"}, ({"peripheral"}, {"justUnbound"}))
        await self.finish()

    async def test_a_phone_that_is_killed_at_any_moment_can_go_on(self) -> None:
        phone, _ = await self.start_both()
        peripheral = await self.bind(phone)
        directory = self.lab.directory / "phone"
        chance = random.Random(6)
        for _ in range(6):
            for app in ("band", "health", "sleep"):
                phone.write(f"unbind {app}")
                phone.write(f"bind {HEART_RATE} {app}")
            # Not to wait for anything: to kill it somewhere on the way.
            await asyncio.sleep(chance.uniform(0, 0.03))
            await phone.kill()
            apps = json.loads((directory / "apps.json").read_text())["apps"]
            bindings = json.loads((directory / "bindings.json").read_text())["bindings"]
            self.assertEqual(apps[0], {"app": "band", "service": HEART_RATE})
            self.assertLessEqual({b["app"] for b in bindings}, {a["app"] for a in apps})
            for binding in bindings:
                self.assertNotEqual("peripheral" in binding, "justUnbound" in binding)
                self.assertEqual(binding.get("peripheral", peripheral), peripheral)
            phone = await self.lab.start_own_phone()
            await phone.expect("subscription", characteristic="dataSource", on=True)
            self.assertEqual(phone.errors, [])
        phone.write(f"bind {HEART_RATE} band")
        await phone.expect("binding", app="band", state="connected", peripheral=peripheral)
        await self.finish()

    async def test_what_cannot_be_is_said(self) -> None:
        await self.lab.start_controllers()
        phone = await self.lab.start_own_phone()
        for line, complaint in (
            ("bind", "usage: bind SERVICE [APP]"),
            ("bind 18", "bind.service: expected a UUID"),
            (f"bind {HEART_RATE} ../band", "bind.app: expected the name of an app"),
            ("unbind", "there is no app"),
            ("unbind nobody", "unknown app 'nobody'"),
        ):
            phone.write(line)
            await phone.until(lambda text=complaint: text in "\n".join(phone.errors), complaint)
        phone.write(f"bind {HEART_RATE}")
        await phone.expect("binding", app="app", state="searching")
        phone.write("bind 180F")
        await phone.until(lambda: "'app' already asks for 180D" in "\n".join(phone.errors), "a complaint")
        await self.finish()
