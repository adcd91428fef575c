#!/usr/bin/env bash
# Installs the packages that a command needs and that are missing.
#   setup.sh build    the Debian packages for a build
#   setup.sh firmware the same, and a linker and an emulator for the Cortex-M4
#   setup.sh package  the same, and the tools that make a Debian package
#   setup.sh counts   the same, and the tools that count instructions and system calls
#   setup.sh report   the same, and the browser that looks at reports
#   setup.sh peers    the same, and the peers of the tests: a virtual environment with Bumble, BlueZ with
#                     controllers in software, an emulator to run them on a kernel with Bluetooth, a
#                     notification server with a screen in memory and an MQTT broker; shells and a bare system for
#                     the package; what `setup.sh counts` installs
set -euo pipefail
cd "$(dirname "$0")/.."

need=${1:-build}

if ! command -v swift >/dev/null; then
    echo "Swift 6.3 is not on the PATH: install it from swift.org, then run this again." >&2
    exit 3
fi

packages=(
    libmosquitto-dev libpcre2-dev libsqlite3-dev libssl-dev libsystemd-dev libtomlplusplus-dev zlib1g-dev)
case $need in firmware | peers) packages+=(gcc-arm-none-eabi qemu-system-arm) ;; esac
case $need in package | peers) packages+=(dpkg-dev) ;; esac
case $need in counts | peers) packages+=(python3 strace valgrind) ;; esac
[ "$need" = report ] && packages+=(chromium fonts-dejavu-core python3)
[ "$need" = peers ] && packages+=(
    python3-venv
    debootstrap fish lintian mandoc man-db zsh
    cpio dbus dunst kmod playerctl procps qemu-system-x86 xvfb xz-utils zstd
    desktop-file-utils jq mosquitto mosquitto-clients openssl)

missing=()
for package in "${packages[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' \
        || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
    echo "Installing ${missing[*]}" >&2
    if ! command -v apt-get >/dev/null; then
        echo "This machine has no apt-get; Documentation/Installing.md says how to build without." \
            "What is missing, by Debian's names: ${missing[*]}" >&2
        exit 3
    fi
    give_up() {
        echo "$1. What is missing: sudo apt-get install ${missing[*]}" >&2
        exit 3
    }
    as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    [ ${#as_root[@]} -eq 0 ] || command -v sudo >/dev/null || give_up "Only root can install packages"
    "${as_root[@]}" apt-get update -qq || give_up "apt-get update failed"
    DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends \
        "${missing[@]}" >/dev/null || give_up "apt-get failed"
fi

[ "$need" = peers ] || exit 0

# The stamp is the list of requirements, so a change of the list renews the environment.
requirements=Tests/Interop/requirements.txt
if ! cmp -s "$requirements" .venv/requirements.txt; then
    echo "Preparing Bumble in .venv" >&2
    rm -rf .venv
    /usr/bin/python3 -m venv .venv
    .venv/bin/pip install --quiet --disable-pip-version-check -r "$requirements"
    cp "$requirements" .venv/requirements.txt
fi
