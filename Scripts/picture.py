#!/usr/bin/env python3
"""The picture of the README: a run of `ancs demo` in a terminal, as an SVG.

  Scripts/picture.py            writes Documentation/demo.svg
  Scripts/picture.py --check    fails when a run looks different from the picture

Both need a debug build. The demo runs in virtual time, so that every run gives the same picture.
"""

import fcntl
import os
import pty
import re
import struct
import sys
import termios
import unicodedata
from xml.sax.saxutils import escape

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PICTURE = os.path.join(ROOT, "Documentation", "demo.svg")
TOOL = os.path.join(ROOT, ".build", "debug", "ancs")

COLUMNS = 88
# The parts of the demo that are shown, by their captions.
PARTS = ["First pairing", "A call, declined on the accessory"]
# In pixels: a cell of the terminal, and the margin around all of them.
WIDTH, HEIGHT, MARGIN = 8.4, 19, 18

# How a caption of the demo begins, and the rule below the heading of its columns.
CAPTION, RULE = "\x1b[1;38;5;133m", "\x1b[38;5;243m──"
# What `TerminalPaint` uses.
STYLES = {
    "1": 'font-weight="bold" fill="#ffffff"',
    "38;5;243": 'fill="#8b949e"',
    "38;5;28": 'fill="#7ee787"',
    "38;5;161": 'fill="#ff7b72"',
    "38;5;31": 'fill="#79c0ff"',
    "1;38;5;133": 'font-weight="bold" fill="#d2a8ff"',
}


def run():
    """What the demo writes on a terminal of 88 columns."""
    process, terminal = pty.fork()
    if process == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 60, COLUMNS, 0, 0))
        arguments = ["ancs", "demo", "--speed", "1000000"]
        os.execve(TOOL, arguments, {"TERM": "xterm-256color", "PATH": os.environ["PATH"]})
    output = b""
    while True:
        try:
            octets = os.read(terminal, 65536)
        except OSError:  # A terminal without a program at its other end.
            break
        if not octets:
            break
        output += octets
    _, status = os.waitpid(process, 0)
    if status != 0:
        sys.exit("picture.py: 'ancs demo' failed")
    return output.decode().replace("\r\n", "\n").rstrip("\n").split("\n")


def chosen(lines):
    """The heading of the columns and the parts that are shown."""
    captions = [index for index, line in enumerate(lines) if line.startswith(CAPTION)]
    if not captions:
        sys.exit("picture.py: the demo has no captions")
    rule = next(index for index, line in enumerate(lines) if line.startswith(RULE))
    picture = lines[rule - 1 : rule + 1]
    for part in PARTS:
        begin = next((c for c in captions if lines[c] == f"{CAPTION}{part}\x1b[0m"), None)
        if begin is None:
            sys.exit(f"picture.py: the demo has no part {part!r}")
        end = min([c for c in captions if c > begin], default=len(lines))
        picture += lines[begin:end]
    while not picture[-1]:
        picture.pop()
    return picture


def cells(character):
    """How many columns a character takes."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def texts(line, y):
    """One line: every word where its column is, however wide the font."""
    column, style = 0, ""
    for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
        if piece.startswith("\x1b["):
            code = piece[2:-1]
            style = "" if code == "0" else STYLES[code]
            continue
        for word in re.findall(r" +|[^ ]+", piece):
            length = sum(cells(character) for character in word)
            if not word.isspace():
                yield (
                    f'<text x="{MARGIN + column * WIDTH:.1f}" y="{y}" {style}'
                    f' textLength="{length * WIDTH:.1f}">{escape(word)}</text>'
                ).replace("  ", " ")
            column += length


def svg(lines):
    width = 2 * MARGIN + COLUMNS * WIDTH
    height = 2 * MARGIN + len(lines) * HEIGHT
    rows = [
        text
        for number, line in enumerate(lines)
        for text in texts(line, MARGIN + number * HEIGHT + 14)
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}">',
            "<!-- Made by Scripts/picture.py from a run of `ancs demo`. -->",
            f'<rect width="{width:.0f}" height="{height}" rx="8" fill="#0d1117"/>',
            '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono,'
            ' monospace" font-size="14" fill="#e6edf3">',
            *rows,
            "</g>",
            "</svg>",
            "",
        ]
    )


def main():
    if not os.path.exists(TOOL):
        sys.exit("picture.py: there is no debug build; run 'swift build --product ancs' first")
    picture = svg(chosen(run()))
    if sys.argv[1:] == ["--check"]:
        with open(PICTURE, encoding="utf-8") as file:
            if file.read() != picture:
                sys.exit("picture.py: Documentation/demo.svg is outdated; run Scripts/picture.py")
    elif not sys.argv[1:]:
        with open(PICTURE, "w", encoding="utf-8") as file:
            file.write(picture)
    else:
        sys.exit("usage: Scripts/picture.py [--check]")


main()
