"""What the firmware is put through. A case is a function that plays it in a lab and raises where it fails."""

from __future__ import annotations

import contextlib
import random
import signal
import threading
import time
from collections.abc import Callable

from hostile import Hostile
from lab import FIRMWARE, PAGE, ROOT, Failure, Lab, Relay

Case = Callable[[Lab], None]


def presses(key: str, label: str, times: int = 1) -> Callable[[Lab], None]:
    """Somebody who presses a button each time that the display shows something new with what it does. What was shown
    already is shown again when the name of its app comes late: that is no other thing to act on."""

    def watch(lab: Lab) -> None:
        def press() -> None:
            for time in range(1, times + 1):
                # A case that has failed shows nothing more.
                with contextlib.suppress(Failure):
                    lab.board.expect(label, time, beginning="> ")
                    lab.board.type(key)

        threading.Thread(target=press, daemon=True).start()

    return watch


def scenario(path: str, user: Callable[[Lab], None] | None = None) -> Case:
    """A scenario, and a board that can still say how much memory it took."""

    def case(lab: Lab) -> None:
        lab.start_controllers()
        lab.start_board()
        if user is not None:
            user(lab)
        lab.play(path)
        lab.check_board()

    return case


def clock(lab: Lab) -> None:
    """The display follows the phone's clock and its zones; the scenario looks at what is asked of the phone."""
    lab.start_controllers()
    lab.start_board()
    lab.play("Scenarios/clock.json")
    lab.board.expect("the phone's clock: 2026-03-29 01:59:5")
    lab.board.expect("UTC+01:00 and daylight saving")
    lab.board.expect("UTC-03:30 and daylight saving")
    lab.check_board()


def media(lab: Lab) -> None:
    """The display shows what is playing; the scenario grades how the phone was asked."""
    lab.start_controllers()
    lab.start_board()
    lab.play("Scenarios/media-conformance.json")
    lab.board.expect("playing: A title that is longer")
    lab.board.expect("nothing is playing")
    lab.check_board()


def texts(lab: Lab) -> None:
    """The display shows texts as the tool does: without the marks that belong to them."""
    lab.start_controllers()
    lab.start_board()
    lab.play("Tests/Firmware/texts.json")
    lab.board.expect("| +1\u00a0(555)\u00a0010-0100 |")
    lab.board.expect("| Ann | invoice\ufffdfdp.exe 1\ufe0f\u20e3")
    lab.check_board()


def restart(lab: Lab) -> None:
    """The bond outlives the board: no second pairing."""
    lab.start_controllers()
    lab.start_board()
    lab.play("Scenarios/first-pairing.json")
    lab.board.end()
    lab.start_board()
    lab.play("Tests/Firmware/comes-back.json")


def bench(lab: Lab) -> None:
    """The command line of Documentation/Accessory.md: the bench starts the emulator itself, and ends it."""
    page = (ROOT / "Documentation/Accessory.md").read_text()
    (row,) = (line for line in page.splitlines() if line.startswith("| our firmware"))
    command = row.split("`")[1].replace("firmware.elf", FIRMWARE).split()
    run = lab.start_bench("Scenarios/first-pairing.json", "Scenarios/reconnect.json", *command)
    if run.wait(600) != 0 or not run.says("2 of 2 runs passed"):
        raise Failure("the bench is not content")


def paired_flash(lab: Lab) -> None:
    """Leaves a flash that was written by pairing, and a board that is off."""
    lab.start_controllers()
    lab.start_board()
    lab.play("Scenarios/first-pairing.json")
    lab.board.end()


def newest_page(lab: Lab) -> int:
    """Which page was written last."""
    numbers = [int.from_bytes(lab.page(page)[4:8], "little") for page in (0, 1)]
    if b"ANCS" not in (lab.page(0)[:4], lab.page(1)[:4]):
        raise Failure("nothing is in the flash")
    marked = [n if lab.page(page)[:4] == b"ANCS" else -1 for page, n in enumerate(numbers)]
    return marked.index(max(marked))


def flash_half_written(lab: Lab) -> None:
    """The power failed while the next copy was written: the one before is taken."""
    paired_flash(lab)
    other = 1 - newest_page(lab)
    lab.write_flash(other * PAGE, b"\xff" * PAGE)
    lab.write_flash(other * PAGE + 16, lab.page(1 - other)[16:60])
    board = lab.start_board()
    board.expect("a copy in the flash is damaged")
    lab.play("Tests/Firmware/comes-back.json")


def flash_damaged(lab: Lab) -> None:
    """Both copies are of no use: the board says so, and pairs again."""
    paired_flash(lab)
    for page in (0, 1):
        lab.write_flash(page * PAGE + 20, bytes(octet ^ 0x10 for octet in lab.page(page)[20:24]))
    board = lab.start_board()
    board.expect("the bonds are lost")
    lab.play("Scenarios/first-pairing.json", "--pair-again")


def flash_refuses(lab: Lab) -> None:
    """The flash cannot be written: the accessory works, and says what will be missing."""
    lab.write_flash(2 * PAGE, b"LOCK")
    lab.start_controllers()
    board = lab.start_board()
    lab.play("Scenarios/first-pairing.json")
    board.expect("the flash cannot be written")
    lab.play("Scenarios/reconnect.json")


def garbage(lab: Lab) -> None:
    """Octets that are no H4 come over the UART, before a link and on one."""
    lab.start_controllers()
    relay = Relay(f"{lab.directory}/line", f"{lab.directory}/board")
    board = lab.start_board("line")
    board.expect("waiting for a phone")
    noise = random.Random(17)
    for count in (1, 2):
        relay.disturb(bytes([0xFF]) + noise.randbytes(600))
        board.expect("makes no sense", count)
        board.expect("the controller is ready", count + 1)
    phone = lab.start_phone("Tests/Firmware/link-breaks.json")
    board.expect("| Before")
    relay.disturb(b"\x00" + noise.randbytes(3000))
    board.expect("makes no sense", 3)
    if phone.wait(600) != 0:
        raise Failure("the phone is not content")
    lab.check_board()
    relay.close()


def hostile(seed: int) -> Case:
    """A peer that sends whatever it likes: the board refuses work, and serves the next phone."""

    def case(lab: Lab) -> None:
        lab.start_controllers()
        relay = Relay(f"{lab.directory}/line", f"{lab.directory}/board")
        board = lab.start_board("line")
        enemy = Hostile(seed, relay)
        for round in range(1, 4):
            phone = lab.start_phone("Tests/Firmware/comes-and-goes.json", "--pair-again")
            board.expect("subscribed", round)
            for packet in enemy.packets(400):
                relay.disturb(packet)
                # Time to answer, so that it is not only the amount that ends the link.
                time.sleep(0.002)
            lab.check_board()
            phone.end()
        lab.play("Tests/Firmware/alive.json", "--pair-again")
        lab.check_board()
        relay.close()

    return case


def controller_restarts(lab: Lab) -> None:
    """The controller loses its power, which nobody tells the board."""
    lab.start_controllers()
    board = lab.start_board(reconnect=True)
    board.expect("waiting for a phone")
    lab.controllers.end(signal.SIGKILL)
    lab.start_controllers()
    lab.play("Tests/Firmware/patient.json")
    lab.check_board()


def stranger(lab: Lab) -> None:
    """Somebody holds a link and does not pair: the phone that is wanted gets in beside it."""
    lab.start_controllers()
    board = lab.start_board()
    lab.start_stranger()
    board.expect("connected with a phone that is not bonded")
    lab.play("Scenarios/first-pairing.json")
    if "links 0" in lab.check_board():
        raise Failure("the stranger was to stay")


def too_many(lab: Lab) -> None:
    """More notifications than there is room for: old ones are left out, what is new is shown."""
    lab.start_controllers()
    board = lab.start_board()
    lab.play("Tests/Firmware/too-many.json")
    board.expect("too many notifications")
    lab.check_board()


def killed(seed: int) -> Case:
    """The board loses its power at random moments of pairing; each time it starts and finds the phone."""

    def case(lab: Lab) -> None:
        moments = random.Random(seed)
        lab.start_controllers()
        for _ in range(6):
            lab.start_board()
            phone = lab.start_phone("Tests/Firmware/comes-and-goes.json", "--pair-again")
            time.sleep(moments.uniform(0.1, 2.5))
            lab.board.end(signal.SIGKILL)
            phone.end()
        lab.start_board()
        lab.play("Tests/Firmware/alive.json", "--pair-again")
        lab.check_board()

    return case


def scenarios(folder: str, leaving_out: tuple[str, ...] = ()) -> dict[str, Case]:
    """Every scenario of a folder."""
    paths = sorted((ROOT / "Scenarios" / folder).glob("*.json"))
    return {
        f"{folder}/{path.stem}": scenario(str(path)) for path in paths if path.stem not in leaving_out
    }


# One is about two accessories, one announces more than the board has room for, and three take hours, until
# the session doubts a phone that is silent: virtual time is for these.
LEFT_OUT = (
    "two-accessories", "flood-of-500", "notification-source-dropped", "service-hidden", "service-moved",
)

# What belongs to `make test`.
quick: dict[str, Case] = {
    "conformance": scenario("Scenarios/conformance.json"),
    "first-pairing": scenario("Scenarios/first-pairing.json"),
    "reconnect": scenario("Scenarios/reconnect.json"),
    "call-answered-on-accessory": scenario(
        "Scenarios/call-answered-on-accessory.json", presses("+", "[+ Answer]")
    ),
    "call-declined-on-accessory": scenario(
        "Scenarios/call-declined-on-accessory.json", presses("-", "[- Decline]")
    ),
    "bench": bench,
    "clock": clock,
    "media-conformance": media,
    "texts": texts,
    "restart": restart,
    "flash-half-written": flash_half_written,
    "flash-damaged": flash_damaged,
    "flash-refuses": flash_refuses,
    "garbage": garbage,
    "stranger": stranger,
    "hostile-1": hostile(1),
    "killed-1": killed(1),
}

# What `make check` adds.
slow: dict[str, Case] = {
    "flood": scenario("Scenarios/flood.json"),
    "call-missed": scenario("Scenarios/call-missed.json"),
    "controller-restarts": controller_restarts,
    **scenarios("faults"),
    **scenarios("trouble", leaving_out=LEFT_OUT),
    "trouble/actions-refused": scenario(
        "Scenarios/trouble/actions-refused.json", presses("-", "[- Decline]", times=3)
    ),
    "too-many": too_many,
    **{f"hostile-{seed}": hostile(seed) for seed in range(2, 8)},
    **{f"killed-{seed}": killed(seed) for seed in range(2, 6)},
}
