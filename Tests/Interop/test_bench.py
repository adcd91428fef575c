"""`ancs bench`: an accessory that is a program, from its start to the end of what it has started."""

from __future__ import annotations

import asyncio
import json
import os
import pathlib
import random
import signal
import sys
import xml.etree.ElementTree

from harness import BINARY, HERE, InteropTest, Peer, eventually

TEXT = "Scenarios/text.json"
LUNCH = "Scenarios/faults/no-consent.json"
KILLS = int(os.environ.get("ANCS_INTEROP_KILLS", "20"))
"""How often a bench is killed at a random moment."""
OURS = [*BINARY, "receive", "--state", "{dir}", "--name", "Watch"]


def lives(process: int) -> bool:
    """Whether a process runs, and is no zombie."""
    try:
        return "State:\tZ" not in pathlib.Path(f"/proc/{process}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def living_with(variable: str) -> list[str]:
    """The processes that have a variable in their environment; one that has ended has none."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            if variable.encode() in path.read_bytes().split(b"\0"):
                found.append(path.parent.name)
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
    return found


class Bench(InteropTest):
    """What a bench says and leaves behind."""

    async def bench(self, options: list[str], *command: str) -> Peer:
        """Starts a bench with JSON."""
        return await self.lab.start("bench", *BINARY, "bench", "--json", *options, "--", *command)

    async def verdict(self, bench: Peer, status: int) -> dict[str, object]:
        """Waits for the end, and checks what it printed."""
        self.assertEqual(await bench.status(), status, bench.report())
        await self.finish()
        return bench.all("verdict")[-1] if bench.all("verdict") else {}

    async def test_each_place_of_a_controller(self) -> None:
        for place in ("tcp-client:{tcp}", "tcp-client:{host}:{port}", "unix:{unix}", "serial:{pty}"):
            with self.subTest(place=place):
                bench = await self.bench([TEXT], *OURS, "--hci", place)
                verdict = await self.verdict(bench, 0)
                self.assertEqual((verdict["passed"], verdict["runs"]), (1, 1))

    async def test_a_place_that_the_program_has_built_in(self) -> None:
        place = self.lab.directory / "built-in"
        options = ["--listen", f"unix-server:{place}", TEXT]
        await self.verdict(await self.bench(options, *OURS, "--hci", f"unix:{place}"), 0)

    async def test_an_accessory_of_another_stack(self) -> None:
        bumble = [sys.executable, str(HERE / "accessory.py"), "--hci", "tcp-client:{tcp}"]
        bench = await self.bench(["--order", "usb", TEXT], *bumble)
        await self.verdict(bench, 0)

    async def test_a_wrong_accessory_is_told_by_the_requirement(self) -> None:
        wrong = [sys.executable, str(HERE / "bad_accessory.py"), "--hci", "tcp-client:{tcp}"]
        bench = await self.bench(["--limit", "60", "Scenarios/conformance.json"], *wrong)
        await self.verdict(bench, 1)
        broken = {requirement["requirement"] for requirement in bench.all("requirement") if requirement["result"] == "failed"}
        self.assertLessEqual({"R24", "R25"}, broken, bench.report())

    async def test_an_accessory_that_solicits_nothing_is_connected_if_it_is_named(self) -> None:
        silent = [sys.executable, str(HERE / "watch.py"), "--hci", "tcp-client:{tcp}", "--silent"]
        named = self.lab.directory / "named.json"
        scenario = json.loads(pathlib.Path(TEXT).read_text())
        named.write_text(json.dumps(scenario | {"accessories": {"watch": {"name": "Watch"}}}))
        bench = await self.bench([str(named), TEXT], *silent)
        self.assertEqual(await bench.status(), 1, bench.report())
        self.assertEqual([result["result"] for result in bench.all("result")], ["passed", "failed"], bench.report())
        missed = [step for step in bench.all("step") if step["result"] == "failed"]
        self.assertEqual([step["outcome"] for step in missed], ["failed"])
        self.assertEqual(missed[0]["because"], ["Watch, connectable, solicits nothing: name it"])
        await self.finish()

    async def test_several_scenarios_in_one_report(self) -> None:
        report = self.lab.directory / "report.xml"
        options = ["--repeat", "2", "--keep", "--seed", "7", "--junit", str(report)]
        scenarios = [TEXT, "Scenarios/call-answered.json"]
        bench = await self.bench([*options, *scenarios], *OURS, "--hci", "unix:{unix}")
        verdict = await self.verdict(bench, 0)
        self.assertEqual((verdict["passed"], verdict["runs"]), (4, 4))
        suites = xml.etree.ElementTree.parse(report).getroot()
        self.assertEqual(len(suites.findall("testsuite")), 4)
        self.assertEqual(suites.get("failures"), "0")
        cases = suites.findall("testsuite/testcase")
        self.assertEqual(suites.get("tests"), str(len(cases)))

    async def test_each_run_has_its_own_captures(self) -> None:
        for options, kept in (([], False), (["--keep"], True)):
            folder = self.lab.directory / f"captures-{kept}"
            scenarios = [TEXT, "Scenarios/call-declined.json"]
            bench = await self.bench(["--snoop", str(folder), *options, *scenarios], *OURS, "--hci", "unix:{unix}")
            await self.verdict(bench, 0)
            names = {"run-1-accessory", "run-1-phone", "run-2-phone"} | (set() if kept else {"run-2-accessory"})
            self.assertEqual({path.stem for path in folder.iterdir()}, names)
            first = (folder / "run-1-accessory.btsnoop").read_bytes()
            self.assertIn(b"+49 151 2345678", first)
            self.assertEqual(b"Grace Hopper" in first, kept)

    async def test_a_report_as_a_page(self) -> None:
        page = self.lab.directory / "report.html"
        cases = (([], True, 0o644), (["--no-content"], False, 0o644), (["--content"], True, 0o600))
        for options, has_content, mode in cases:
            bench = await self.bench(["--report", str(page), *options, LUNCH, TEXT], *OURS, "--hci", "unix:{unix}")
            await self.verdict(bench, 0)
            self.assertEqual("the report shows texts" in "\n".join(bench.errors), not options, bench.report())
            self.assertEqual(page.stat().st_mode & 0o777, mode)
            text = page.read_text()
            self.assertLessEqual(len(text.encode()), 300_000)
            root = xml.etree.ElementTree.fromstring(text)
            self.assertEqual("Lunch at one?" in "".join(root.itertext()), has_content)
            ids = [element.get("id") for element in root.iter() if element.get("id")]
            self.assertEqual(len(ids), len(set(ids)))
            links = {element.get("href") for element in root.iter() if element.get("href")}
            self.assertLessEqual({link[1:] for link in links}, set(ids))
            self.assertLessEqual({"r1", "r2"}, set(ids))
        self.assertEqual([path.name for path in page.parent.glob("report.html*")], ["report.html"])

    async def test_what_a_program_prints_is_in_the_results_unless_it_is_left_out(self) -> None:
        results = self.lab.directory / "results.xml"
        for options, is_there in (([], True), (["--no-content"], False)):
            bench = await self.bench(["--junit", str(results), *options, TEXT], "sh", "-c", "echo Lunch at; echo one; exit 3 {unix}")
            await self.verdict(bench, 1)
            self.assertEqual("Lunch at\none" in results.read_text(), is_there)

    async def started(self, *options: str) -> tuple[Peer, int]:
        """A bench whose program only waits, and the port of its controller."""
        port = self.lab.directory / "port"
        port.unlink(missing_ok=True)
        bench = await self.bench([*options, TEXT], "sh", "-c", f"echo {{port}} > {port}.new; mv {port}.new {port}; sleep 1000")
        await eventually(port.exists, "the port")
        return bench, int(port.read_text())

    async def stranger(self, port: int) -> asyncio.subprocess.Process:
        """A process of another user that connects to a port; it prints what it received when the connection ends."""
        if os.getuid() != 0:
            self.skipTest("only root can be another user")
        code = f"import socket; s = socket.create_connection(('127.0.0.1', {port})); print('in', flush=True); print(len(s.recv(9)))"
        process = await asyncio.create_subprocess_exec(
            "/usr/bin/python3", "-c", code, stdout=asyncio.subprocess.PIPE, user=65534
        )
        assert process.stdout is not None
        self.assertEqual(await process.stdout.readline(), b"in\n")
        return process

    async def test_another_user_is_refused_and_a_second_connection_ends_the_run(self) -> None:
        bench, port = await self.started()
        for _ in range(2):
            output, _ = await (await self.stranger(port)).communicate()
            self.assertEqual(output, b"0\n")
        refusals = [line for line in bench.errors if "user 65534 connected to the controller and was refused" in line]
        self.assertEqual(len(refusals), 1, bench.report())
        first = await asyncio.open_connection("127.0.0.1", port)
        second = await asyncio.open_connection("127.0.0.1", port)
        await self.verdict(bench, 1)
        self.assertIn("a second process connected", bench.all("result")[0]["cause"])
        first[1].close()
        second[1].close()

    async def test_another_user_may_connect_where_that_is_wanted(self) -> None:
        bench, port = await self.started("--any-user")
        stranger = await self.stranger(port)
        self.assertEqual(await bench.terminate(), 1)
        await stranger.communicate()
        self.assertFalse([line for line in bench.errors if "refused" in line], bench.report())

    async def test_a_program_of_another_user_is_the_accessory(self) -> None:
        if os.getuid() != 0:
            self.skipTest("only root can be another user")
        script = (
            "import os, socket, sys; os.setuid(65534); s = socket.create_connection(('127.0.0.1', int(sys.argv[1]))); "
            "s.send(bytes([1, 3, 12, 0])); print(s.recv(9).hex(), flush=True)"
        )
        bench = await self.bench(["--wait", "30", TEXT], "/usr/bin/python3", "-c", script, "{port}")
        await self.verdict(bench, 1)
        self.assertEqual(bench.all("output")[0]["lines"], ["040e0401030c00"])

    async def test_a_program_that_stops_its_guard(self) -> None:
        bench = await self.bench(["--wait", "1", TEXT], "sh", "-c", "kill -STOP $PPID; sleep 1000 # {tcp}")
        await self.verdict(bench, 1)

    async def test_a_directory_that_is_deep_or_moved(self) -> None:
        place = self.lab.directory / "moved"
        deep = "cd {dir}; for i in $(seq 200); do mkdir d; cd d; done"
        for script in (deep, f"mv {{dir}} {place}"):
            bench = await self.bench([TEXT], "sh", "-c", f"echo {{dir}}; {script}; exit 3 # {{tcp}}")
            await self.verdict(bench, 1)
            directory = pathlib.Path(bench.all("output")[0]["lines"][0])
            self.assertFalse(directory.parent.exists())
            said = [line for line in bench.errors if "was moved to" in line]
            self.assertEqual(len(said), 0 if script == deep else 1, bench.report())
        self.assertTrue(place.is_dir())

    async def test_a_report_of_a_bench_that_is_killed_says_so(self) -> None:
        page = self.lab.directory / "report.html"
        bench = await self.bench(["--report", str(page), TEXT], "sh", "-c", "sleep 1000 # {tcp}")
        await eventually(page.exists, "the report")
        os.kill(bench.process.pid, signal.SIGKILL)
        await bench.status()
        self.assertIn("no run has ended", page.read_text())

    async def test_a_program_that_ends_at_once(self) -> None:
        bench = await self.bench(
            ["--repeat", "2", TEXT], "sh", "-c", "echo first; printf 'a\\033[31mb' >&2; exit 3 {unix}"
        )
        await self.verdict(bench, 1)
        for result in bench.all("result"):
            self.assertEqual(result["interruption"], "accessoryMissing")
        for output in bench.all("output"):
            self.assertEqual(output["lines"], ["first", "a\x1b[31mb"])
        self.assertEqual(len(bench.all("output")), 2)

    async def test_a_program_that_ends_within_a_run(self) -> None:
        script = f"{' '.join(BINARY)} receive --count 1 --state {{dir}} --hci unix:{{unix}}; exit 4"
        bench = await self.bench(["Scenarios/flood.json"], "sh", "-c", script)
        await self.verdict(bench, 1)
        self.assertEqual(bench.all("result")[0]["interruption"], "accessoryMissing")

    async def test_a_program_that_never_opens_its_controller(self) -> None:
        bench = await self.bench(["--wait", "1", TEXT], "sh", "-c", "sleep 1000 # {tcp}")
        await self.verdict(bench, 1)
        self.assertEqual(bench.all("result")[0]["interruption"], "accessoryMissing")

    async def test_a_program_that_prints_without_end(self) -> None:
        bench = await self.bench(["--wait", "2", TEXT], "sh", "-c", "yes {unix}")
        await self.verdict(bench, 1)
        self.assertLess(len(bench.all("output")[0]["lines"]), 30)

    async def test_a_program_that_is_not_there(self) -> None:
        for place in ("{tcp}", "{unix}", "{pty}"):
            bench = await self.bench([TEXT], "/nonexistent/program", place)
            await self.verdict(bench, 2)
            self.assertIn("cannot run /nonexistent/program", bench.errors[0])

    async def test_nothing_is_left_of_a_program_that_leaves_others_behind(self) -> None:
        marks = self.lab.directory / "processes"
        script = (
            f": > {marks}; setsid sh -c 'echo $$ >> {marks}; sleep 1000' & "
            f"setsid sh -c 'trap : TERM; echo $$ >> {marks}; sleep 1000; sleep 1000' & "
            f"until [ $(wc -l < {marks}) = 2 ]; do sleep 0.1; done; exit 0 {{pty}}"
        )
        bench = await self.bench([TEXT], "sh", "-c", script)
        await self.verdict(bench, 1)
        for process in map(int, marks.read_text().split()):
            self.assertFalse(lives(process))

    async def test_nothing_is_left_when_the_bench_is_killed(self) -> None:
        mark = self.lab.directory / "process"
        other = f"echo $$ > {mark}.new; mv {mark}.new {mark}; sleep 1000"
        bench = await self.bench([TEXT], "sh", "-c", f"setsid sh -c '{other}' & wait # {{tcp}}")
        await eventually(mark.exists, "the program")
        process = int(mark.read_text())
        self.assertTrue(lives(process))
        os.kill(bench.process.pid, signal.SIGKILL)
        await bench.status()
        await eventually(lambda: not lives(process), "end of the program")

    async def test_nothing_is_left_of_benches_that_are_killed_at_any_moment(self) -> None:
        moments = random.Random(49)
        restless = (
            "setsid sh -c 'trap : TERM; while :; do mkdir -p {dir}/more; : >{dir}/more/file; "
            "sleep 0.01; done' & wait # {pty}"
        )
        programs = ([*OURS, "--hci", "unix:{unix}"], ["sh", "-c", restless])
        few = asyncio.Semaphore(4)

        async def kill(number: int, moment: float) -> None:
            async with few:
                directory = self.lab.directory / f"kill-{number}"
                directory.mkdir()
                variable = f"TMPDIR={directory}"
                bench = await self.lab.start(
                    f"bench {number}, killed after {moment:.3f} s",
                    *("env", variable, *BINARY, "bench", "--json", TEXT, "--"),
                    *programs[number % len(programs)],
                )
                await asyncio.sleep(moment)
                bench.process.kill()
                await bench.process.wait()
                await eventually(lambda: not living_with(variable), "end of every process")
                self.assertEqual(list(directory.iterdir()), [], bench.report())

        await asyncio.gather(
            *(kill(number, moments.uniform(0, 1.5)) for number in range(KILLS))
        )

    async def test_an_interrupt_before_the_program_has_opened_its_controller(self) -> None:
        mark = self.lab.directory / "running"
        bench = await self.bench([TEXT], "sh", "-c", f": > {mark}; sleep 1000 # {{tcp}}")
        await eventually(mark.exists, "the program")
        self.assertEqual(await bench.terminate(), 1)
        self.assertEqual(bench.all("result")[0]["interruption"], "interrupted")
        await self.finish()

    async def test_a_scenario_that_the_phone_refuses_is_told_with_the_reason(self) -> None:
        path = self.lab.directory / "refused.json"
        # A phone holds 4096 notifications.
        notifications = [{"as": str(number), "title": "Ada"} for number in range(4097)]
        steps = [{"wait": "connected"}]
        path.write_text(
            json.dumps({"title": "Full", "notifications": notifications, "steps": steps})
        )
        report = self.lab.directory / "report.xml"
        reason = ""
        for options in (["--json"], []):
            bench = await self.lab.start(
                "bench", *BINARY, "bench", *options, "--junit", str(report), str(path), "--",
                *OURS, "--hci", "tcp-client:{tcp}",
            )
            self.assertEqual(await bench.status(), 1, bench.report())
            if options:
                result = bench.all("result")[0]
                self.assertEqual(result["interruption"], "notStarted")
                reason = result["cause"]
                self.assertTrue(reason)
            else:
                self.assertIn(reason, "\n".join(bench.garbage))
        self.assertIn(reason, report.read_text())

    async def test_an_interrupted_bench_ends_its_program(self) -> None:
        bench = await self.bench(
            ["--repeat", "9", "Scenarios/trouble/" + self.long()], *OURS, "--hci", "tcp-client:{tcp}"
        )
        await bench.expect("step", number=1)
        self.assertEqual(await bench.terminate(), 1)
        self.assertEqual(len(bench.all("run")), 1)
        await self.finish()

    def long(self) -> str:
        """The name of a scenario that waits long."""
        names = sorted(path.name for path in pathlib.Path("Scenarios/trouble").glob("*.json"))
        self.assertTrue(names)
        return names[0]

    async def test_wrong_usage(self) -> None:
        report, pipe = (str(self.lab.directory / name) for name in ("report", "pipe"))
        os.mkfifo(pipe)
        for options, command in (
            ([TEXT], ["true"]),
            ([TEXT], ["true", "{tcp}", "{pty}"]),
            (["/nonexistent.json"], ["true", "{tcp}"]),
            (["--loss", "2", TEXT], ["true", "{tcp}"]),
            ([TEXT, "--junit", "/nonexistent/report.xml"], ["true", "{tcp}"]),
            ([TEXT, "--report", "/nonexistent/report.html"], ["true", "{tcp}"]),
            ([TEXT, "--report", "/dev/null"], ["true", "{tcp}"]),
            ([TEXT, "--content"], ["true", "{tcp}"]),
            ([TEXT, "--no-content"], ["true", "{tcp}"]),
            ([TEXT, "--content", "--no-content", "--junit", report], ["true", "{tcp}"]),
            ([TEXT, "--junit", report, "--report", report], ["true", "{tcp}"]),
            ([TEXT, "--junit", pipe], ["true", "{tcp}"]),
        ):
            bench = await self.bench(options, *command)
            await self.verdict(bench, 2)
            self.assertEqual(bench.records, [])
