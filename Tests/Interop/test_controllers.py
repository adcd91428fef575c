"""`ancs controllers`: what it does when hosts come, go and misbehave."""

from __future__ import annotations

import asyncio

from harness import BINARY, DEADLINE, InteropTest, Peer

RESET = bytes.fromhex("01030c00")
RESET_COMPLETE = bytes.fromhex("040e0401030c00")
SET_RANDOM_ADDRESS = bytes.fromhex("010520060102030405c6")
ADVERTISING_PARAMETERS = bytes.fromhex("0106200fa000a000000100000000000000" + "0700")
ADVERTISE = bytes.fromhex("010a200101")
ADVERTISE_COMPLETE = bytes.fromhex("040e04010a2000")
INVALID = bytes.fromhex("040e04010a2012")


class Host:
    """A host that knows nothing but octets."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def exchange(self, octets: bytes, count: int = 7) -> bytes:
        """Sends octets and takes so many of the answer."""
        self.writer.write(octets)
        return await asyncio.wait_for(self.reader.readexactly(count), DEADLINE)

    async def has_been_closed(self) -> bool:
        """Waits for the end of the stream."""
        try:
            return await asyncio.wait_for(self.reader.read(), DEADLINE) == b""
        except ConnectionResetError:
            return True

    def close(self) -> None:
        """Goes away without a word."""
        self.writer.close()


class ControllersProgram(InteropTest):
    """The program alone, with hosts of a few octets."""

    async def serve(self, *arguments: str) -> tuple[Peer, list[str]]:
        """Starts it and waits until it is ready; says where the controllers are."""
        program = await self.lab.start("controllers", *BINARY, "controllers", "--json", *arguments)
        return program, (await program.expect("ready"))["controllers"]

    async def attach(self, program: Peer, place: str) -> Host:
        """Connects to a controller, which may have to notice first that the last host has gone."""
        scheme, _, address = place.partition(":")
        if scheme == "unix-server":
            streams = await asyncio.open_unix_connection(address)
        else:
            name, _, port = address.rpartition(":")
            streams = await asyncio.open_connection(name, int(port))
        await program.expect("attached")
        return Host(*streams)

    async def test_a_host_that_comes_back_finds_a_controller_that_forgot_it(self) -> None:
        path = self.lab.directory / "hci"
        for listen in ("tcp-server:127.0.0.1:0", f"unix-server:{path}"):
            program, (place,) = await self.serve("--listen", listen)
            host = await self.attach(program, place)
            await host.exchange(SET_RANDOM_ADDRESS)
            await host.exchange(ADVERTISING_PARAMETERS)
            self.assertEqual(await host.exchange(ADVERTISE), ADVERTISE_COMPLETE)
            host.close()
            await program.expect("detached")
            host = await self.attach(program, place)
            await host.exchange(ADVERTISING_PARAMETERS)
            self.assertEqual(await host.exchange(ADVERTISE), INVALID)
            host.close()
            self.assertEqual(await program.terminate(), 0)

    async def test_octets_out_of_step_end_that_host_alone(self) -> None:
        program, places = await self.serve(
            "--listen", "tcp-server:127.0.0.1:0", "--listen", "tcp-server:127.0.0.1:0"
        )
        bad = await self.attach(program, places[0])
        good = await self.attach(program, places[1])
        bad.writer.write(b"GET / HTTP/1.1\r\n\r\n")
        self.assertTrue(await bad.has_been_closed())
        self.assertEqual(await good.exchange(RESET), RESET_COMPLETE)
        await program.expect("detached", controller=0)
        again = await self.attach(program, places[0])
        self.assertEqual(await again.exchange(RESET), RESET_COMPLETE)
        self.assertEqual(await program.terminate(), 0)

    async def test_whoever_is_disconnected_is_told_of_without_being_asked(self) -> None:
        listen = f"unix-server:{self.lab.directory / 'hci'}"
        program = await self.lab.start("controllers", *BINARY, "controllers", "--listen", listen)
        await program.until(lambda: program.garbage, "that it is ready")
        bad = Host(*await asyncio.open_unix_connection(str(self.lab.directory / "hci")))
        bad.writer.write(b"GET / HTTP/1.1\r\n\r\n")
        self.assertTrue(await bad.has_been_closed())
        await program.until(
            lambda: any("disconnected its host" in line for line in program.errors), "why"
        )
        self.assertEqual(await program.terminate(), 0)
        said = [line for line in program.errors if line.startswith("controller ")]
        self.assertEqual(len(said), 1)
        self.assertIn("controller 0 disconnected its host: ", said[0])
        self.assertIn("does not send H4 packets", said[0])

    async def test_other_machines_come_in_only_where_that_is_asked_for_and_said(self) -> None:
        for host, bound, is_open in (
            ("", "127.0.0.1", False),
            ("localhost", "localhost", False),
            ("_", "_", True),
            ("0.0.0.0", "_", True),
        ):
            program, (place,) = await self.serve("--listen", f"tcp-server:{host}:0")
            scheme, _, port = place.rpartition(":")
            self.assertEqual(scheme, f"tcp-server:{bound}")
            host = await self.attach(program, f"tcp-server:127.0.0.1:{port}")
            self.assertEqual(await host.exchange(RESET), RESET_COMPLETE)
            self.assertEqual(await program.terminate(), 0)
            warning = f"ancs: {place} listens on every network interface"
            self.assertEqual(
                [line.startswith(warning) for line in program.errors], [True] if is_open else []
            )

    async def test_a_host_that_others_can_reach_says_so(self) -> None:
        for host, count in (("", 0), ("_", 1)):
            scan = await self.lab.start("scan", *BINARY, "scan", "--hci", f"tcp-server:{host}:0")
            await scan.until(lambda scan=scan: scan.errors, "place")
            self.assertEqual(await scan.terminate(), 0)
            warnings = [line for line in scan.errors if "every network interface" in line]
            self.assertEqual(len(warnings), count)

    async def test_a_capture_does_not_follow_a_link(self) -> None:
        precious = self.lab.directory / "precious"
        precious.write_text("precious")
        link = self.lab.directory / "controller-0.btsnoop"
        link.symlink_to(precious)
        listen = ("--listen", "tcp-server::0", "--snoop", str(self.lab.directory))
        program = await self.lab.start("controllers", *BINARY, "controllers", *listen)
        self.assertEqual(await program.status(), 2)
        self.assertIn("it is a symbolic link", program.errors[0])
        self.assertEqual(precious.read_text(), "precious")

    async def test_a_place_that_is_taken_ends_the_program(self) -> None:
        _, (place,) = await self.serve("--listen", "tcp-server:127.0.0.1:0")
        second = await self.lab.start("controllers", *BINARY, "controllers", "--listen", place)
        self.assertEqual(await second.status(), 3)
        self.assertIn("cannot listen", "\n".join(second.errors))

    async def test_wrong_usage_ends_with_status_2(self) -> None:
        for arguments in (
            (),
            ("--listen", "nowhere"),
            ("--listen", "hci-socket:0"),
            ("--listen", "virtual"),
            ("--listen", "tcp-server:127.0.0.1:0", "--preset", "6.0"),
            ("--listen", "tcp-server:127.0.0.1:0", "--loss", "2"),
            ("--listen", "tcp-server:127.0.0.1:0", "--order", "mixed"),
            ("--listen", "tcp-server:127.0.0.1:0", "--fade", "900"),
            ("--listen", "tcp-server:127.0.0.1:0", "--fade", "900,30"),
        ):
            program = await self.lab.start("controllers", *BINARY, "controllers", *arguments)
            self.assertEqual(await program.status(), 2, arguments)
