#!/usr/bin/env bash
# Runs the steps of Packaging/ci/bench.yml in a bare Debian 12: those that install as root, and the bench as an ordinary
# user, without a bus, a device or a terminal. The step that builds the package is Scripts/deb.sh, on this machine. What
# GitHub itself does (the cache, the artifacts, the container of Swift) and the Dockerfile are not run here. Ends with a
# line that counts the checks; needs root, for debootstrap.
set -euo pipefail
cd "$(dirname "$0")/.."

. Scripts/checks.bash
. Scripts/bare.bash

# The commands of a step: step NAME
step() {
    awk -v name="$1" '
        $1 == "-" { inside = 0 }
        $0 ~ "- name: " name "$" { found = 1 }
        found && $1 == "run:" && $2 != "|" { sub(/^ *run: /, ""); print; exit }
        found && $1 == "run:" { match($0, /^ */); indent = RLENGTH; inside = 1; next }
        inside { match($0, /^ */); if (NF && RLENGTH <= indent) exit; print substr($0, indent + 3) }
    ' Packaging/ci/bench.yml
}

package=$(Scripts/deb.sh 2>"$log") || { cat "$log" && exit 1; }
root=$work/bookworm
copy_of bookworm "$root"
mkdir -p "$root/home/ada/work"
cp "$package" "$root/home/ada/work/ancs.deb"
mount -t proc proc "$root/proc"
trap 'umount "$root/proc"; rm -rf "$work"' EXIT
in_root() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/home/ada bash -euo pipefail -c "cd /home/ada/work; $1"; }
in_root 'useradd --uid 1000 ada; chown -R ada /home/ada' >/dev/null

install_step() { in_root "export DEBIAN_FRONTEND=noninteractive; $(step Install | sed 's/sudo //g')"; }
check "the step that installs" install_step
bench_step() { in_root "exec setpriv --reuid ada --regid 1000 --clear-groups bash -euo pipefail -c $(printf %q "$(step Bench)")" </dev/null; }
check "the bench as an ordinary user" bench_step
written() { grep -q '<testsuites' "$root/home/ada/work/report.xml" && grep -q '</html>' "$root/home/ada/work/report.html"; }
check "what the workflow publishes" written
fails() { ! in_root "exec setpriv --reuid ada --regid 1000 --clear-groups ancs bench --wait 1 text -- sh -c 'sleep 9 # {tcp}'" </dev/null; }
check "a bench that fails has a status that says so" fails

report_checks
