"""The second way to pair: any app on the phone connects, and the phone keeps the bond."""

from __future__ import annotations

from harness import InteropTest, Peer

ONLY_CONNECTS = ("--mtu", "23", "--no-discovery", "--pair", "request")
"""An app such as nRF Connect or LightBlue before its user has tapped anything but *Connect*: no
request, no pairing of its own."""


class OtherApp(InteropTest):
    """An iPhone that does not list the accessory in its settings."""

    async def connect_an_app(self, *arguments: str) -> tuple[Peer, Peer]:
        """An app connects and does nothing; the accessory begins."""
        phone, accessory = await self.connect(*ONLY_CONNECTS, *arguments)
        await phone.expect("connected", bonded=False)
        await phone.expect("securityRequest")
        # It came of its own accord: nothing that the app could have asked for was refused.
        self.assertEqual(phone.all("insecure"), [])
        await phone.expect("paired")
        await self.subscribe(phone)
        await self.exchange(phone, accessory, "While the app is open")
        return phone, accessory

    async def test_an_app_that_only_connects_is_asked_to_pair(self) -> None:
        await self.connect_an_app()
        await self.finish()

    async def test_after_the_app_the_phone_comes_back_by_itself(self) -> None:
        phone, accessory = await self.connect_an_app("--rpa")
        self.assertEqual(await phone.terminate(), 0)
        await accessory.expect("disconnected")
        # The same phone without the app: other address, its own MTU and discovery.
        phone = await self.lab.start_phone("--rpa")
        await phone.expect("encrypted", bonded=True)
        await self.subscribe(phone)
        await self.exchange(phone, accessory, "After the app")
        self.assertEqual(phone.all("paired", "securityRequest"), [])
        await self.finish()

    async def test_an_app_that_connects_while_pairing_is_closed_pairs_once_it_is_opened(self) -> None:
        phone, accessory = await self.connect_an_app()
        await accessory.expect("pairing", window="closed")
        phone.tell("forget")
        phone.tell("disconnect")
        await phone.expect("disconnected")
        phone.forget()
        await phone.expect("connected", bonded=False)
        # Its user can open the window while the app is still connected.
        accessory.write("pair")
        await accessory.expect("pairing", window="open")
        await phone.expect("paired")
        await self.subscribe(phone)
        await self.exchange(phone, accessory, "Let in")
        await self.finish()
