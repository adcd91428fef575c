"""`protocol-pipe`: its frames, and the Notification Provider and Consumer behind it."""

from __future__ import annotations

import json
import pathlib
import struct
import subprocess
import unittest
from typing import Any

from harness import BINARY, DEADLINE

PIPE = str(pathlib.Path(BINARY[0]).with_name("protocol-pipe"))
UID0 = bytes(4)
ADA = {
    "app": "com.example.mail",
    "category": "email",
    "title": "Ada",
    "message": "At noon?",
    "date": "2026-11-21T09:30:00",
    "actions": {"negative": "Clear"},
}


def control(value: Any) -> bytes:
    """A control frame."""
    text = json.dumps(value).encode()
    return b"\xff\xff" + struct.pack("<I", len(text)) + text


def pdu(octets: bytes) -> bytes:
    """A frame with a PDU."""
    return struct.pack("<H", len(octets)) + octets


def phone(*notifications: Any, mtu: int = 23, **members: Any) -> bytes:
    """The control frame that starts a provider with notifications."""
    apps = {"com.example.mail": "Mail"}
    return control({"phone": {"apps": apps, "notifications": notifications, **members}, "mtu": mtu})


def run(role: str, *frames: bytes) -> tuple[int, str, list[Any]]:
    """Exit status, standard error and frames of a run: octets, or what is in a control frame."""
    done = subprocess.run(
        [PIPE, role], input=b"".join(frames), capture_output=True, timeout=DEADLINE, check=False
    )
    rest, answer = done.stdout, []
    while rest:
        (length,) = struct.unpack_from("<H", rest)
        if length == 0xFFFF:
            (length,) = struct.unpack_from("<I", rest, 2)
            answer.append(json.loads(rest[6 : 6 + length]))
            rest = rest[6 + length :]
        else:
            answer.append(rest[2 : 2 + length])
            rest = rest[2 + length :]
    return done.returncode, done.stderr.decode(), answer


def exchange(*frames: bytes) -> list[Any]:
    """The octets and the responses that a provider gives."""
    status, error, answer = run("ancs-provider", *frames)
    assert status == 0, error
    return [frame for frame in answer if isinstance(frame, bytes) or "att" in frame]


class Provider(unittest.TestCase):
    """The Notification Provider behind the pipe."""

    def test_a_notification_is_announced_and_answered(self) -> None:
        answer = exchange(phone(ADA, mtu=64), pdu(b"C\x00" + UID0 + b"\x01\x10\x00\x05\x07"))
        data = b"\x01\x03\x00Ada\x05\x0f\x0020261121T093000\x07\x05\x00Clear"
        expected = [b"N\x00\x14\x06\x01" + UID0, {"att": 0}, b"D\x00" + UID0 + data]
        self.assertEqual(answer, expected)

    def test_an_answer_is_cut_to_the_att_mtu(self) -> None:
        answer = exchange(phone(ADA), pdu(b"C\x01com.example.mail\x00\x00"))
        self.assertEqual(answer[2:], [b"D\x01com.example.mail\x00\x00\x04", b"D\x00Mail"])

    def test_what_is_wrong_is_refused_without_data(self) -> None:
        writes = [b"", b"\x03", b"\x00" + UID0 + b"\x01", b"\x00\x01\x00\x00\x00\x05"]
        answer = exchange(phone(ADA), *(pdu(b"C" + write) for write in writes))
        self.assertEqual(answer[1:], [{"att": 0xA1}, {"att": 0xA0}, {"att": 0xA1}, {"att": 0xA2}])

    def test_notifications_come_change_and_go(self) -> None:
        answer = exchange(
            phone(),
            control({"post": ADA}),
            control({"modify": 0, "notification": {"category": 12, "flags": ["important"]}}),
            control({"remove": 0}),
        )
        expected = [b"N\x00\x10\x06\x01", b"N\x01\x12\x0c\x01", b"N\x02\x12\x0c\x00"]
        self.assertEqual(answer, [value + UID0 for value in expected])

    def test_an_action_succeeds_fails_or_does_not_exist(self) -> None:
        clear = pdu(b"C\x02" + UID0 + b"\x01")
        answer = exchange(
            phone(ADA),
            clear,
            control({"actions_succeed": False}),
            clear,
            pdu(b"C\x02" + UID0 + b"\x00"),
            pdu(b"C\x02" + UID0 + b"\x02"),
        )
        self.assertEqual(answer[1:], [{"att": 0}, {"att": 0xA3}, {"att": 0xA3}, {"att": 0xA2}])

    def test_nothing_comes_before_consent(self) -> None:
        command = pdu(b"C\x00" + UID0 + b"\x05")
        answer = exchange(phone(ADA, consent=False), command, control({"consent": True}))
        self.assertEqual(answer, [{"att": 3}, b"N\x00\x14\x06\x01" + UID0])

    def test_one_process_serves_one_case_after_another(self) -> None:
        answer = exchange(phone(ADA), phone(ADA, first_uid=7), control({"remove": 7}))
        uid = b"\x07\x00\x00\x00"
        expected = [UID0, uid, uid]
        self.assertEqual([value[5:] for value in answer], expected)

    def test_what_does_not_exist_is_said_and_the_run_goes_on(self) -> None:
        status, _, answer = run("ancs-provider", phone(), control({"remove": 5}), phone(ADA))
        self.assertEqual(status, 0)
        self.assertIn({"error": "there is no notification 5"}, answer)
        self.assertIn(b"N\x00\x14\x06\x01" + UID0, answer)


class Pairing(unittest.TestCase):
    """The Security Manager behind the pipe."""

    def test_a_number_that_no_octets_hold_is_refused(self) -> None:
        sides = {side: {"address": "C0:11:22:33:44:55", "random": True} for side in ("own", "peer")}
        for name in ("rand", "irk", "ltk", "csrk"):
            for number in (-1, -(2**63), "00", True):
                start = {"smp": {"role": "responder", **sides, name: number}}
                status, error, answer = run("smp", control(start))
                self.assertEqual(status, 2)
                self.assertIn(f'"{name}" must be', error)
                self.assertEqual(answer, [])


class Frames(unittest.TestCase):
    """What the pipe does with frames that it cannot read."""

    def test_no_input_is_a_good_run(self) -> None:
        self.assertEqual(run("ancs-provider"), (0, "", []))

    def test_a_malformed_frame_ends_the_run(self) -> None:
        longest = b"\xff\xff" + struct.pack("<I", 0xFFFF_FFFF)
        cases = [b"\x05", b"\x05\x00C", b"\xff\xff\x01", b"\xff\xff\x03\x00\x00\x00{}", longest]
        cases += [control([]), b"\xff\xff\x01\x00\x00\x00{"]
        cases += [control({"phone": {"notifications": [{}]}}), control({"tick_ms": "x"})]
        for frame in cases:
            with self.subTest(frame=frame):
                status, error, _ = run("ancs-provider", phone(), frame)
                self.assertEqual(status, 2)
                self.assertRegex(error, r"^protocol-pipe: .+\n$")

    def test_a_role_is_needed(self) -> None:
        self.assertEqual(run("nothing")[0], 2)


class Consumer(unittest.TestCase):
    """A session whose phone loses a response."""

    @staticmethod
    def accept(uid: int) -> bytes:
        """The response to a command, and its answer, 50 ms later each."""
        answer = b"D\x00" + struct.pack("<I", uid) + b"\x01\x03\x00Ada"
        return (
            control({"tick_ms": 50})
            + control({"write_result": 0})
            + control({"tick_ms": 50})
            + pdu(answer)
        )

    def test_one_lost_response_costs_itself_alone(self) -> None:
        frames = [control({"session": {}}), control({"subscribed": "ds"})]
        frames += [control({"subscribed": "ns"})]
        frames += [control({"fetch": uid, "attributes": [[1, 64]]}) for uid in range(8)]
        frames += [control({"perform": [7, 0]})]
        # No response to the first; the action comes before the others.
        frames += [control({"tick_ms": 10_000}), control({"write_result": 0})]
        frames += [self.accept(uid) for uid in range(1, 8)]
        status, error, answer = run("ancs-consumer", *frames)
        self.assertEqual((status, error), (0, ""))
        ends = [event for event in answer if isinstance(event, dict) and "event" in event]
        ends = [event for event in ends if event["event"] in ("attributes", "performed")]
        self.assertEqual(
            ends[0], {"event": "attributes", "uid": 0, "failure": {"reason": "timedOut"}}
        )
        self.assertEqual(ends[1], {"event": "performed", "uid": 7, "action": "positive"})
        self.assertEqual([event["uid"] for event in ends[2:]], list(range(1, 8)))
        self.assertEqual({event.get("title") for event in ends[2:]}, {"Ada"})

    def test_a_late_refusal_is_that_of_its_own_command(self) -> None:
        frames = [control({"session": {}}), control({"subscribed": "ds"})]
        frames += [control({"subscribed": "ns"})]
        frames += [control({"fetch": uid, "attributes": [[1, 64]]}) for uid in range(2)]
        late = (b"\x00" + bytes(4) + b"\x01\x40\x00").hex()
        frames += [control({"tick_ms": 12_000}), control({"write_result": 0xA2, "command": late})]
        frames += [self.accept(1)]
        status, error, answer = run("ancs-consumer", *frames)
        self.assertEqual((status, error), (0, ""))
        self.assertEqual(answer[-1]["title"], "Ada")


if __name__ == "__main__":
    unittest.main()
