# Sourced by scripts that run a list of checks and end with a line that counts them: report_checks is their last
# command. $work is a directory of their own, $log the output of the last check.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
log=$work/log

# Runs a check, and shows its output if it failed: check NAME COMMAND…
check() {
    local name=$1
    shift
    if "$@" >"$log" 2>&1; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "failed: $name" && sed 's/^/    /' "$log"
    fi
}

report_checks() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
