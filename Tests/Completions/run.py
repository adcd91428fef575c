#!/usr/bin/env python3
"""Types command lines into bash, zsh and fish, presses TAB, and looks at what stands there: run.py ANCS.

ANCS is the program whose completions are tried. Ends with a line that counts the cases.
"""

import os
import pty
import re
import select
import subprocess
import sys
import tempfile
import time

# What is typed before TAB, and the words that stand there after it.
CASES = [
    ("ancs rec", "ancs receive"),
    ("ancs help dem", "ancs help demo"),
    ("ancs --ver", "ancs --version"),
    ("ancs receive --pre", "ancs receive --pre-existing"),
    ("ancs receive --pre-existing hea", "ancs receive --pre-existing headers"),
    ("ancs receive --io y", "ancs receive --io yesno"),
    ("ancs receive --io=y", "ancs receive --io=yesno"),
    ("ancs receive --json --verb", "ancs receive --json --verbose"),
    ("ancs receive --attributes title,sub", "ancs receive --attributes title,subtitle"),
    ("ancs receive --require authentication,sec", "ancs receive --require authentication,secure-connections"),
    ("ancs scan --hci hci-s", "ancs scan --hci hci-socket:"),
    ("ancs scan --hci unix:./so", "ancs scan --hci unix:./socket"),
    ("ancs scan --hci=unix:./so", "ancs scan --hci=unix:./socket"),
    ("ancs controllers --listen pt", "ancs controllers --listen pty"),
    ("ancs decode cap", "ancs decode capture.btsnoop"),
    ("ancs decode a\\ f", "ancs decode a\\ file"),
    ("ancs demo --snoop=cap", "ancs demo --snoop=capture.btsnoop"),
    ("ancs receive --state dir", "ancs receive --state directory/"),
    ("ancs bonds exp", "ancs bonds export"),
    ("ancs bonds --device pho", "ancs bonds --device phone"),
    ("ancs bonds --state directory exp", "ancs bonds --state directory export"),
    ("ancs perform 7 neg", "ancs perform 7 negative"),
    ("ancs mute com.example tod", "ancs mute com.example today"),
    ("ancs rules te", "ancs rules test"),
]


class Terminal:
    """A shell at a terminal of its own."""

    def __init__(self, command, directory, setup):
        environment = {
            "PATH": f"{directory}/bin:{os.environ['PATH']}", "HOME": directory, "TERM": "dumb", "LC_ALL": "C.UTF-8",
            "ZDOTDIR": directory, "HISTFILE": "", "COLUMNS": "300",
        }
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(directory + "/work")
            os.execvpe(command[0], command, environment)
        self.ready(setup)

    def send(self, text):
        os.write(self.terminal, text.encode())

    def read(self, pattern, seconds=20):
        text, end = "", time.monotonic() + seconds
        while not (match := re.search(pattern, text)):
            if not select.select([self.terminal], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError(f"no {pattern} in {text!r}")
            text += os.read(self.terminal, 65536).decode(errors="replace")
        return match

    def ready(self, setup):
        # The echo of what is typed does not match: it has the arithmetic, not its result.
        self.send(f"{setup}\necho ready$((40 + 2))\n")
        self.read("ready42")

    def completed(self, line):
        """The words after TAB: the line is made the arguments of a program that shows them."""
        self.send(f"{line}\t")
        # The shell takes what was typed early for keys of its own, so that no pause is needed.
        self.send("\x01show \x05\n")
        return self.read(r"shown:(.*?):end").group(1).split("\x1f")

    def close(self):
        os.kill(self.process, 9)
        os.waitpid(self.process, 0)
        os.close(self.terminal)


def words(line):
    return [word.replace("\0", " ") for word in line.replace("\\ ", "\0").split(" ")]


def fish(directory, line):
    """fish tells what it would put in place of the last word."""
    environment = dict(os.environ, HOME=directory, PATH=f"{directory}/bin:{os.environ['PATH']}")
    result = subprocess.run(
        ["fish", "--no-config", "-c", f"source {directory}/ancs.fish; complete -C $argv[1]", line],
        cwd=directory + "/work", env=environment, capture_output=True, text=True, timeout=60, check=True)
    offers = [offer.split("\t")[0].replace("\\ ", " ") for offer in result.stdout.splitlines()]
    return words(line)[:-1] + offers, result.stderr


def main():
    ancs = os.path.abspath(sys.argv[1])
    passed, failed = 0, 0

    def count(name, expected, found):
        nonlocal passed, failed
        if expected == found:
            passed += 1
        else:
            failed += 1
            print(f"failed: {name}\n    expected {expected}\n    found    {found}")

    with tempfile.TemporaryDirectory() as directory:
        for folder in ["bin", "functions", "work/directory"]:
            os.makedirs(f"{directory}/{folder}")
        for file in ["work/capture.btsnoop", "work/a file", "work/socket"]:
            open(f"{directory}/{file}", "w").close()
        os.symlink(ancs, directory + "/bin/ancs")
        with open(directory + "/bin/show", "w") as show:
            show.write("#!/bin/sh\nprintf 'shown:'\nfor w in \"$@\"; do printf '%s\\037' \"$w\"; done\nprintf ':end\\n'\n")
        os.chmod(directory + "/bin/show", 0o755)
        files = {"bash": "ancs.bash", "zsh": "functions/_ancs", "fish": "ancs.fish"}
        for shell, file in files.items():
            with open(f"{directory}/{file}", "w") as script:
                subprocess.run([ancs, "generate", shell], stdout=script, check=True)
            check = subprocess.run([shell, "-n", f"{directory}/{file}"], capture_output=True, text=True, check=False)
            count(f"{shell} reads it", (0, ""), (check.returncode, check.stderr))

        shells = {
            "bash": (["bash", "--norc", "--noprofile", "-i"],
                     f"bind 'set enable-bracketed-paste off'; source {directory}/ancs.bash"),
            "zsh": (["zsh", "-f", "-i"],
                    f"bindkey -e; unsetopt zle_bracketed_paste; fpath=({directory}/functions $fpath); "
                    "autoload -Uz compinit; compinit -u -D"),
        }
        for shell, (command, setup) in shells.items():
            for line, expected in CASES:
                terminal = Terminal(command, directory, setup)
                try:
                    # zsh takes the slash behind a folder away when the line ends there.
                    found = [word.rstrip("/") for word in terminal.completed(line) if word]
                except TimeoutError as error:
                    found = str(error)
                finally:
                    terminal.close()
                count(f"{shell}: {line}", [word.rstrip("/") for word in words(expected)], found)
        for line, expected in CASES:
            found, errors = fish(directory, line)
            count(f"fish: {line}", (words(expected), ""), (found, errors))

    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
