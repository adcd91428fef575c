"""A broker for tests: mosquitto with TLS, users and an access list, and an eye on everything that it has."""

from __future__ import annotations

import asyncio
import contextlib
import getpass
import json
import pathlib
import signal
import socket
import subprocess
from typing import Any

from harness import Lab, Peer

ACCESS_LIST = """\
user ancs
topic write ancs/#
topic write homeassistant/#
topic read ancs/+/+/perform
topic read homeassistant/status

user home
topic readwrite #
"""
"""What Documentation/HomeAssistant.md says is enough."""
PASSWORDS = {"ancs": "a password", "home": "another"}


def free_port() -> int:
    """A port that nobody listens on at present."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def openssl(*arguments: str) -> None:
    """Runs openssl quietly."""
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


def make_certificates(directory: pathlib.Path, name: str = "localhost") -> None:
    """An authority `ca`, and certificates of it for the broker and for a client, each with a key."""
    new_key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    openssl(
        "req", "-x509", *new_key, "-keyout", f"{directory}/ca.key", "-out", f"{directory}/ca.pem",
        "-subj", "/CN=Authority of a test", "-days", "2",
    )
    for role, subject in (("broker", name), ("client", "ancs")):
        request = f"{directory}/{role}.csr"
        openssl(
            "req", *new_key, "-keyout", f"{directory}/{role}.key", "-out", request,
            "-subj", f"/CN={subject}", "-addext", f"subjectAltName=DNS:{subject}",
        )
        openssl(
            "x509", "-req", "-in", request, "-CA", f"{directory}/ca.pem", "-CAkey",
            f"{directory}/ca.key", "-CAcreateserial", "-out", f"{directory}/{role}.pem",
            "-days", "2", "-copy_extensions", "copy",
        )
        pathlib.Path(f"{directory}/{role}.key").chmod(0o600)


class Broker:
    """A mosquitto of the test's own, which can be killed and started again."""

    def __init__(self, lab: Lab, *, secure: bool = True, name: str = "localhost") -> None:
        self.lab = lab
        self.secure = secure
        self.port = free_port()
        self.directory = lab.directory / f"broker-{self.port}"
        self.directory.mkdir()
        if secure:
            make_certificates(self.directory, name)
        self.password_file = self.directory / "password"
        self.password_file.touch(0o600)
        self.password_file.write_text(PASSWORDS["ancs"] + "\n")
        self.process: Peer | None = None
        self.eye: Peer | None = None
        self.write_configuration()

    def write_configuration(self, *further: str) -> None:
        """Writes what mosquitto reads; `further` are more lines of it."""
        users = self.directory / "users"
        users.touch(0o600)
        for user, password in PASSWORDS.items():
            subprocess.run(["mosquitto_passwd", "-b", str(users), user, password], check=True)
        access = self.directory / "access"
        access.write_text(ACCESS_LIST)
        access.chmod(0o600)
        lines = [
            f"user {getpass.getuser()}",
            f"listener {self.port} 127.0.0.1",
            "allow_anonymous false",
            f"password_file {users}",
            f"acl_file {access}",
            "persistence false",
            *further,
        ]
        if self.secure:
            lines += [
                f"cafile {self.directory}/ca.pem",
                f"certfile {self.directory}/broker.pem",
                f"keyfile {self.directory}/broker.key",
            ]
        (self.directory / "mosquitto.conf").write_text("\n".join(lines) + "\n")

    @property
    def section(self) -> str:
        """`[mqtt]` of a daemon that uses it."""
        lines = [
            "[mqtt]",
            'host = "localhost"',
            f"port = {self.port}",
            'username = "ancs"',
            f'password-file = "{self.password_file}"',
            'name = "desk"',
        ]
        if self.secure:
            lines += ["tls = true", f'ca-file = "{self.directory}/ca.pem"']
        return "\n".join(lines) + "\n"

    def client(self, program: str, *arguments: str) -> list[str]:
        """A command line of one of mosquitto's clients."""
        security = ["--cafile", f"{self.directory}/ca.pem"] if self.secure else []
        user = ["-u", "home", "-P", PASSWORDS["home"]]
        return [program, "-h", "localhost", "-p", str(self.port), *security, *user, *arguments]

    async def start(self) -> None:
        """Starts mosquitto, and an eye that sees every message."""
        self.process = await self.lab.start(
            "broker", "mosquitto", "-c", str(self.directory / "mosquitto.conf")
        )
        errors = self.process.errors
        await self.process.until(
            lambda: any("running" in line for line in errors), "a listener"
        )
        # The eye is open when it sees what is there already.
        await self.publish("probe", "seen", retain=True)
        self.eye = await self.lab.start(
            "eye", "stdbuf", "-oL", *self.client("mosquitto_sub", "-t", "#", "-q", "1", "-F", "%j")
        )
        await self.eye.until(lambda: self.last("probe"), "a subscription")

    async def kill(self) -> None:
        """Ends mosquitto without a word to anybody."""
        assert self.process is not None and self.eye is not None
        self.process.process.send_signal(signal.SIGKILL)
        await self.process.status()
        await self.eye.kill()

    async def publish(self, topic: str, payload: str, *, retain: bool = False) -> None:
        """Publishes a message as the home."""
        content = "-s" if payload else "-n"
        arguments = ["-t", topic, "-q", "1", content, *(["-r"] if retain else [])]
        process = await asyncio.create_subprocess_exec(
            *self.client("mosquitto_pub", *arguments), stdin=asyncio.subprocess.PIPE
        )
        await process.communicate(payload.encode())
        assert process.returncode == 0

    async def kept(self) -> str:
        """The topics with a value that the broker keeps, a line each."""
        process = await asyncio.create_subprocess_exec(
            *self.client("mosquitto_sub", "-t", "#", "--retained-only", "-F", "%t", "-W", "1"),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        output, _ = await process.communicate()
        return output.decode()

    # What came to the eye

    @property
    def messages(self) -> list[dict[str, Any]]:
        """Every message so far, with its payload as text."""
        assert self.eye is not None
        return [record for record in self.eye.records if "topic" in record]

    def last(self, topic: str) -> str | None:
        """The last value of a topic."""
        values = [record["payload"] for record in self.messages if record["topic"] == topic]
        return values[-1] if values else None

    def find(self, ending: str) -> str:
        """The topic of this machine that ends like this."""
        topics = {record["topic"] for record in self.messages}
        (topic,) = {t for t in topics if t.startswith("ancs/") and t.endswith(ending)}
        return str(topic)

    async def value(self, ending: str, wanted: Any) -> None:
        """Waits until the topic that ends like this has this value; a function is asked."""
        assert self.eye is not None

        def has_come() -> bool:
            values: dict[str, str] = {}
            for record in self.messages:
                if record["topic"].endswith(ending):
                    values[record["topic"]] = record["payload"]
            is_wanted = wanted if callable(wanted) else lambda value: value == wanted
            return any(is_wanted(value) for value in values.values())

        await self.eye.until(has_come, f"{ending} with {wanted}")

    def events(self, ending: str) -> list[dict[str, Any]]:
        """The events of a topic that ends like this."""
        return [
            json.loads(record["payload"])
            for record in self.messages
            if record["topic"].endswith(ending) and not record["retain"]
        ]

    async def event(self, ending: str, kind: str, **members: str) -> dict[str, Any]:
        """Waits for an event of this kind, and with these members."""
        wanted = {"event_type": kind, **members}
        assert self.eye is not None

        def look() -> dict[str, Any] | None:
            for event in self.events(ending):
                if wanted.items() <= event.items():
                    return event
            return None

        result: dict[str, Any] = await self.eye.until(look, f"{kind} at {ending}")
        return result


class BadBroker:
    """Something that is no good broker: a function says what it does with each connection."""

    CONNACK = b"\x20\x02\x00\x00"

    def __init__(self, behaviour: Any) -> None:
        self.behaviour = behaviour
        self.connections = 0

    async def __aenter__(self) -> BadBroker:
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        self.tasks: set[asyncio.Task[None]] = set()
        return self

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self.tasks.add(task)
        with contextlib.suppress(ConnectionError, asyncio.CancelledError):
            await self.behaviour(reader, writer)
        writer.close()

    async def __aexit__(self, *_: object) -> None:
        self.server.close()
        for task in self.tasks:
            task.cancel()

    @property
    def section(self) -> str:
        """`[mqtt]` of a daemon that uses it."""
        return (
            f'[mqtt]\nhost = "127.0.0.1"\nport = {self.port}\nname = "desk"\ncommands = true\n'
        )


def publication(topic: str, payload: bytes) -> bytes:
    """A PUBLISH packet with quality of service 0 (3.1.1, section 3.3)."""
    body = len(topic).to_bytes(2, "big") + topic.encode() + payload
    length, rest = b"", len(body)
    while True:
        rest, digit = rest >> 7, rest & 127
        length += bytes([digit | (128 if rest else 0)])
        if not rest:
            return b"\x30" + length + body
