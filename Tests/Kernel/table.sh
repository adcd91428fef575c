#!/usr/bin/env bash
# The table of what ran where, in a page of the documentation.
#     table.sh PAGE SUITE KERNEL BLUETOOTHD <RESULTS
# prints the page with another column of this suite: its versions, and the mark of each case in RESULTS, which are all
# of them, each a line such as "✔ no_such_controller". "= no_such_controller" did not run: it keeps its mark, if that is
# of the same versions. The other columns stay; a case that a column does not have is "–" there.
set -euo pipefail
page=$1 suite=$2 versions="kernel $3, bluetoothd $4"
suites='bullseye bookworm trixie sid'
results=$(cat)
begin='<!-- What ran where: Tests/Kernel/table.sh -->'
end='<!-- The end of what ran where. -->'
[ "$(grep -cxF -- "$begin" "$page")" = 1 ] && [ "$(grep -cxF -- "$end" "$page")" = 1 ] || {
    echo "$page has no place for the table: '$begin', '$end'" >&2
    exit 1
}

RESULTS=$results awk -v suite="$suite" -v versions="$versions" -v suites="$suites" -v begin="$begin" -v end="$end" '
function cells(line) {
    sub(/^\| /, "", line)
    sub(/ \|$/, "", line)
    return split(line, cell, / \| /)
}
# Of the old table: header[suite], and mark[suite, case].
function read(line,    number, count, parts) {
    if (line ~ /^\|-/ || line !~ /^\|/) return
    count = cells(line)
    if (cell[1] == "case") {
        for (number = 2; number <= count; number++) {
            split(cell[number], parts, ":")
            column[number] = parts[1]
            header[parts[1]] = cell[number]
        }
        return
    }
    gsub(/`/, "", cell[1])
    for (number = 2; number <= count; number++) mark[column[number], cell[1]] = cell[number]
}
function write(    number, other, line, parts, is_same) {
    is_same = header[suite] == suite ": " versions
    header[suite] = suite ": " versions
    for (number = 1; number <= rows; number++) {
        split(row[number], parts, " ")
        if (parts[1] != "=") mark[suite, parts[2]] = parts[1]
        else if (!is_same) delete mark[suite, parts[2]]
    }
    line = "| case |"
    for (other = 1; other <= columns; other++) if (name[other] in header) line = line " " header[name[other]] " |"
    print line
    gsub(/[^|]+/, "---", line)
    print line
    for (number = 1; number <= rows; number++) {
        split(row[number], parts, " ")
        line = "| `" parts[2] "` |"
        for (other = 1; other <= columns; other++) {
            if (!(name[other] in header)) continue
            line = line " " ((name[other], parts[2]) in mark ? mark[name[other], parts[2]] : "–") " |"
        }
        print line
    }
}
BEGIN {
    columns = split(suites, name, " ")
    rows = split(ENVIRON["RESULTS"], row, "\n")
}
$0 == end { write(); inside = 0 }
inside { read($0); next }
{ print }
$0 == begin { inside = 1 }
' "$page"
