#!/usr/bin/env bash
# Checks the Debian package of the tool. Ends with a line that counts what was checked.
#   check-package.sh                     checks without a bare system: contents, lintian, completions, manual pages
#   check-package.sh bookworm trixie …   the same, then installs, runs, removes and purges it in a bare system of
#                                        each of these releases; needs root, for debootstrap
set -euo pipefail
cd "$(dirname "$0")/.."

. Scripts/checks.bash
. Scripts/bare.bash

package=$(Scripts/deb.sh 2>"$log") || { cat "$log" && exit 1; }
# The same package results from another start, and at another time.
again() {
    cp "$package" "$work/first.deb"
    sleep 1
    (umask 077 && Scripts/deb.sh) && cmp "$package" "$work/first.deb"
}
check "made twice, it is the same" again

# Lintian's check for a bug number does not apply: the package is not uploaded to Debian.
lint() {
    lintian --tag-display-limit 0 --allow-root --suppress-tags initial-upload-closes-no-bugs \
        --fail-on error,warning "$package"
}
check "lintian" lint

dpkg-deb -x "$package" "$work/tree"
ancs=$work/tree/usr/bin/ancs

contents() {
    local missing=0 file
    for file in usr/bin/ancs usr/lib/systemd/{user,system}/ancs.service usr/lib/sysusers.d/ancs.conf \
        usr/share/dbus-1/{system.d/org.swift_ancs.ANCS1.conf,{services,system-services}/org.swift_ancs.ANCS1.service} \
        usr/share/bash-completion/completions/ancs usr/share/zsh/vendor-completions/_ancs \
        usr/share/fish/vendor_completions.d/ancs.fish usr/share/man/man1/ancs{,-receive,-serve}.1.gz \
        usr/share/man/man5/ancs-config.5.gz usr/share/doc/ancs/{copyright,changelog.Debian.gz,examples/config.toml}; do
        [ -s "$work/tree/$file" ] || { echo "$file is missing" && missing=1; }
    done
    return $missing
}
check "everything is in it" contents
runs() {
    [ "$("$ancs" --version)" = "ancs $(sed -nE 's/.*static let current = "([^"]*)".*/\1/p' Sources/5-Daemon/CommandKit/Syntax/ToolVersion.swift)" ]
}
check "the program runs" runs
check "the demo" "$ancs" demo --speed 1000
check "the example configuration" \
    "$ancs" serve --check --config "$work/tree/usr/share/doc/ancs/examples/config.toml"
# The program contains no path of this machine; it would differ from machine to machine.
paths() { ! strings "$ancs" | grep -F "$PWD"; }
check "no path of this machine" paths
# Swift's runtime needs only the C library, and a command loads no library that it does not use.
libraries() { ! readelf -d "$ancs" | grep NEEDED | grep -vE 'lib(c|m)\.so|ld-linux'; }
check "Swift's runtime is in it" libraries
# The package depends on those libraries all the same.
depends() {
    local library
    for library in libssl libsystemd libsqlite3 libpcre2 libmosquitto zlib1g; do
        dpkg-deb -f "$package" Depends | grep -q "$library" || { echo "no $library" && return 1; }
    done
}
check "it depends on the libraries that it loads" depends
check "completions" python3 Tests/Completions/run.py "$ancs"

pages() {
    local page said=0
    for page in "$work"/tree/usr/share/man/man*/*.gz; do
        LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l -E UTF-8 "$page" 2>&1 >/dev/null | grep . && said=1
        # The long line of options is not ours.
        mandoc -T lint -W warning "$page" | grep . && said=1
    done
    return $said
}
check "manual pages" pages

# Links in pages lead to installed files.
links() (
    cd "$work/tree/usr/share/doc/ancs" || exit
    said=0
    for page in *.md; do
        for link in $(sed 's/`[^`]*`//g' "$page" | grep -oE '\]\([^)#][^)]*\)' | tr -d '])(' | grep -v '^https:'); do
            [ -e "${link%%#*}" ] || { echo "$page links to $link" && said=1; }
        done
    done
    exit $said
)
check "links of the documentation" links

# The page names the version of glibc that the program needs.
glibc() {
    local needed
    needed=$(objdump -T "$ancs" | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -n 1)
    grep -F "glibc ${needed#GLIBC_} or later" Documentation/Installing.md || { echo "it needs $needed" && return 1; }
}
check "glibc as in Documentation/Installing.md" glibc

# 'make install' installs the same, 'make uninstall' leaves nothing; in a home, nothing is installed for the machine.
installed() {
    local root=$work/root home=$work/home prefix=/usr/local
    PREFIX=$prefix DESTDIR=$root Scripts/install.sh install || return
    grep "^ExecStart=$prefix/bin/ancs serve" "$root$prefix/lib/systemd/system/ancs.service" || return
    cmp "$root$prefix/bin/ancs" "$ancs" || return
    PREFIX=$prefix DESTDIR=$root Scripts/install.sh uninstall || return
    ! find "$root" -not -type d | grep . || return
    HOME=/home/ada PREFIX=/home/ada/.local DESTDIR=$home Scripts/install.sh install || return
    [ -e "$home/home/ada/.local/share/systemd/user/ancs.service" ] && [ ! -e "$home/etc" ]
}
check "install and uninstall" installed

# Installs the package in a bare system, runs it, removes and purges it: in_release RELEASE
in_release() {
    local release=$1 root=$work/$1 status=0
    copy_of "$release" "$root" || return 1
    cp "$package" "$root/ancs.deb"
    mount -t proc proc "$root/proc" || return 1
    chroot "$root" /bin/sh -c "$(inside)" || status=1
    umount "$root/proc"
    rm -rf "$root"
    return $status
}

# The commands for the bare system.
inside() {
    cat <<'EOF'
set -e
export DEBIAN_FRONTEND=noninteractive HOME=/root LC_ALL=C.UTF-8
apt-get update -qq
# Dependencies are installed first, so that the remains of the package alone can be listed.
apt-get install -y -qq --no-install-recommends /ancs.deb
apt-get remove -y -qq --purge ancs
find / -xdev \( -path /var/lib/apt -o -path /var/cache -o -path /var/log -o -path /tmp -o -path /proc \) -prune -o -print \
    | sort >/tmp/before
apt-get install -y -qq --no-install-recommends /ancs.deb
ancs --version
ancs demo --speed 1000
ancs serve --check --config /usr/share/doc/ancs/examples/config.toml
ancs doctor || [ $? -le 3 ]
getent passwd ancs
test ! -e /etc/systemd/system/multi-user.target.wants/ancs.service
# A second installation, as an upgrade does it.
apt-get install -y -qq --reinstall --no-install-recommends /ancs.deb
dpkg --verify ancs
systemctl enable ancs.service
mkdir -p /var/lib/ancs /etc/ancs
touch /var/lib/ancs/bonds.json
apt-get remove -y -qq ancs
! command -v ancs
test -e /var/lib/ancs/bonds.json
apt-get purge -y -qq ancs
find / -xdev \( -path /var/lib/apt -o -path /var/cache -o -path /var/log -o -path /tmp -o -path /proc \) -prune -o -print \
    | sort >/tmp/after
diff /tmp/before /tmp/after
EOF
}
for release in "$@"; do check "in a bare $release" in_release "$release"; done

report_checks
