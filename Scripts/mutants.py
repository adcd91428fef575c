"""The faults that `Scripts/mutate.py` plants: one change of one line of Swift each.

No parser of Swift: comments and strings are blanked, and what is left is searched by regular expressions. A change that
does not compile is not counted, so that the search may find too much.
"""

import re
from dataclasses import dataclass

RELATIONS = {"==": ["!="], "!=": ["=="], "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"]}
OPERATORS = RELATIONS | {"&&": ["||"], "||": ["&&"], "+": ["-"], "-": ["+"]}
# `swift format` puts a space on both sides of every binary operator, and on neither side of `<` in a type.
OPERATOR = re.compile(r"(?<!func )(?<= )(==|!=|<=|>=|<|>|&&|\|\||\+|-)(?= )")
NUMBER = re.compile(r"(?<![\w.$])(0x[0-9A-Fa-f_]+|[0-9][0-9_]*)(?![\w]|\.[0-9])")
EXTREME = re.compile(r"(?<![\w.])(min|max)(?=\()")
TRUTH = re.compile(r"\b(true|false)\b")
ASSIGNMENT = re.compile(r"^\s*(?!let |var |if |guard |while |for |return |case )[\w.?!\[\]()]+(?:\[.*\])?(?:\.[\w?!]+)* [-+|&]?= \S")
CALL = re.compile(r"^\s*(?:try[?!]? )?(?:await )?(?!return\b|if\b|guard\b|case\b|func\b|init\b|while\b|for\b|switch\b)[\w.?!\[\]]+\(.*\)(?: \{ .* \})?$")
# A condition in which a value gets a name cannot be negated.
NAMES_A_VALUE = re.compile(r"\b(let|var|case|#available)\b")
# A broken promise of the caller traps, and a test cannot show that.
PROMISE = re.compile(r"\b(precondition|preconditionFailure|assert|assertionFailure|fatalError)\(")


@dataclass(frozen=True)
class Mutant:
    """One change of one line."""

    path: str
    line: int  # from 1
    old: str  # the line, without its end
    new: str
    change: str  # in words of Swift, such as "`<` → `<=`"

    @property
    def place(self):
        return f"{self.path}:{self.line}"

    def __str__(self):
        return f"{self.place}  {self.change}\n    {self.old.strip()}"


def blanked(source):
    """The source, with spaces for comments and for the contents of strings, as long as before."""
    out, at = list(source), 0
    # What surrounds the place: a string with its ends, or the parentheses of an interpolation in one.
    around = []

    def blank(begin, end):
        for index in range(begin, min(end, len(out))):
            if out[index] != "\n":
                out[index] = " "

    while at < len(source):
        string = around[-1] if around and isinstance(around[-1], str) else None
        if string:
            escape = "\\" + string.strip('"')
            if source.startswith(string, at):
                around.pop()
                blank(at, at + len(string))
                at += len(string)
            elif source.startswith(escape + "(", at):
                around.append(0)
                blank(at, at + len(escape) + 1)
                at += len(escape) + 1
            else:
                width = len(escape) + 1 if source.startswith(escape, at) else 1
                blank(at, at + width)
                at += width
            continue
        begin = re.compile(r'(#*)("""|")').match(source, at)
        if source.startswith("//", at):
            end = source.find("\n", at)
            end = len(source) if end < 0 else end
            blank(at, end)
            at = end
        elif source.startswith("/*", at):
            depth, end = 0, at
            while end < len(source):
                if source.startswith("/*", end):
                    depth, end = depth + 1, end + 2
                elif source.startswith("*/", end):
                    depth, end = depth - 1, end + 2
                    if depth == 0:
                        break
                else:
                    end += 1
            blank(at, end)
            at = end
        elif begin:
            around.append(begin[2] + begin[1])
            blank(at, begin.end())
            at = begin.end()
        else:
            if around:  # in an interpolation, which is text too
                around[-1] += {"(": 1, ")": -1}.get(source[at], 0)
                if around[-1] < 0:
                    around.pop()
                blank(at, at + 1)
            at += 1
    return "".join(out)


def clauses(text):
    """The clauses of a condition, as ranges of the text: what the commas outside of all brackets separate."""
    depth, begin = 0, 0
    for index, character in enumerate(text):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            yield begin, index
            begin = index + 1
    yield begin, len(text)


def balance(text):
    """How many round and square brackets are open at the end of a text."""
    return sum({"(": 1, "[": 1, ")": -1, "]": -1}.get(character, 0) for character in text)


def conditions(code):
    """The conditions on a line, as ranges."""
    for keyword in re.finditer(r"(?:^\s*|\} else )(if|guard|while) ", code):
        begin = keyword.end()
        end = re.search(r" else \{| \{|,$|$", code[begin:]).start() + begin
        for first, last in clauses(code[begin:end]):
            text = code[begin + first : begin + last]
            if text.strip() and not NAMES_A_VALUE.search(text) and balance(text) == 0:
                # A single comparison is turned round by its operator.
                if not (re.search(r" ([=!<>]=|[<>]) ", text) and not re.search(r"&&|\|\|", text)):
                    yield begin + first + (len(text) - len(text.lstrip())), begin + last


def is_statement(before, code, after):
    """Whether a line is a statement of its own, or the only one after a `case`."""
    before, after = before.rstrip(), after.lstrip()
    ends = not before or before.endswith(("{", "}", ":", ")")) or re.search(r"[\w\]?!]$", before)
    return bool(ends) and balance(code) == 0 and not after.startswith((".", "?", ":", "&&", "||", "+ ", "- ", "= "))


def mutants(path, source):
    """Every fault that can be planted in a file, in the order of its lines."""
    lines, code = source.split("\n"), blanked(source).split("\n")
    open_brackets = 0
    for number, text in enumerate(code):
        line = lines[number]
        found = []

        def replace(begin, end, new, shown=None):
            found.append((shown or f"`{line[begin:end]}` → `{new}`", line[:begin] + new + line[end:]))

        if PROMISE.search(text) or re.match(r"\s*(@|import|internal import|public import|package import)", text):
            open_brackets += balance(text)
            continue
        for match in OPERATOR.finditer(text):
            for new in OPERATORS[match[1]]:
                replace(*match.span(1), new)
        for match in NUMBER.finditer(text):
            value = int(match[1].replace("_", ""), 0)
            for new in [value + 1] + ([value - 1] if value > 0 else []):
                replace(*match.span(1), hex(new) if match[1].startswith("0x") else str(new))
        for match in TRUTH.finditer(text):
            replace(*match.span(1), "false" if match[1] == "true" else "true")
        for match in EXTREME.finditer(text):
            replace(*match.span(1), "max" if match[1] == "min" else "min")
        for begin, end in conditions(text):
            replace(begin, end, f"!({line[begin:end]})", f"`{line[begin:end]}` negated")
        if open_brackets == 0:
            before = next((code[index] for index in range(number - 1, -1, -1) if code[index].strip()), "")
            after = code[number + 1] if number + 1 < len(code) else ""
            label = re.match(r"\s*(?:case .*|default):\s+(?=\S)", text)
            begin = label.end() if label else len(text) - len(text.lstrip())
            rest = (" " * begin) + text[begin:].rstrip()
            if is_statement(before if not label else "{", rest, after):
                if ASSIGNMENT.match(rest):
                    replace(begin, len(line), "()", f"`{line[begin:].strip()}` removed")
                elif CALL.match(rest):
                    replace(begin, len(line), "()", f"`{line[begin:].strip()}` removed")
            leave = re.search(r"\bif .* \{ (return|continue|break) \}$", text)
            if leave:
                replace(*leave.span(1), "()", f"`{leave[1]}` removed")
        open_brackets += balance(text)
        seen = {line}
        for change, new in found:
            if new not in seen:
                seen.add(new)
                yield Mutant(path, number + 1, line, new, change)
