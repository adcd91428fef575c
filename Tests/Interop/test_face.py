"""What `ancs receive` shows while pairing is open, heard by a scanner and a phone of Bumble's."""

from __future__ import annotations

from harness import Peer
from test_advertise import ANYWHERE, AdvertiseTest

FLAGS = "020106"
NAME = "05094465736b"
HEART_RATE = "03030d18"
SOLICITATION = "1115d0002d121e4b0fa4994eceb531f40579"
AS_ACCESSORY = (FLAGS + SOLICITATION + NAME, "")
AS_HEART_RATE_MONITOR = (FLAGS + NAME + HEART_RATE, SOLICITATION)


class Face(AdvertiseTest):
    """A scanner beside the phone and the accessory."""

    async def start_scanner(self) -> Peer:
        """Starts a central that only scans, at a controller of its own."""
        return await self.start_central(moniker=self.lab.further_monikers[0])

    async def hears(self, scanner: Peer, packets: tuple[str, str]) -> None:
        """Waits until the scanner hears these two packets of one device; a scan tells each once."""
        await self.do(scanner, "scan", on=False)
        scanner.forget()
        await self.do(scanner, "scan", on=True)
        data, response = packets
        heard = await scanner.expect("advertisement", scanResponse=False, octets=data)
        if response:
            await scanner.expect(
                "advertisement", scanResponse=True, octets=response, address=heard["address"]
            )

    async def test_a_heart_rate_monitor_is_on_air_while_pairing_is_open(self) -> None:
        await self.lab.start_controllers(ANYWHERE, ANYWHERE, ANYWHERE)
        scanner = await self.start_scanner()
        accessory = await self.lab.start_accessory("--name", "Desk", "--face", "heart-rate")
        await self.hears(scanner, AS_HEART_RATE_MONITOR)
        # A phone finds it by the solicitation in the scan response, pairs, and closes the window.
        phone = await self.lab.start_phone()
        await phone.expect("found", name="Desk")
        await phone.expect("paired")
        await accessory.expect("pairing", window="closed")
        await self.subscribe(phone)
        await self.exchange(phone, accessory, "Paired")
        self.assertEqual(await phone.terminate(), 0)
        await accessory.expect("disconnected")
        await self.hears(scanner, AS_ACCESSORY)
        accessory.forget()
        accessory.write("pair")
        await accessory.expect("pairing", window="open")
        await self.hears(scanner, AS_HEART_RATE_MONITOR)
        await self.finish()

    async def test_without_the_option_it_is_never_on_air(self) -> None:
        await self.lab.start_controllers(ANYWHERE, ANYWHERE, ANYWHERE)
        scanner = await self.start_scanner()
        accessory = await self.lab.start_accessory("--name", "Desk", "--pair")
        await accessory.expect("advertising", on=True)
        await self.hears(scanner, AS_ACCESSORY)
        heard = [record["octets"] for record in scanner.all("advertisement")]
        self.assertFalse(any(HEART_RATE in octets for octets in heard), heard)
        await self.finish()
