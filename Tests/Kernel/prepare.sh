#!/usr/bin/env bash
# Makes what a guest is started from, unless it is there: the kernel, its first file system, and a root with
# bluetoothd, all of them from one of Debian's suites.
#     prepare.sh DIRECTORY SUITE
# "bullseye" is Debian 11's bluetoothd with Debian 12's kernel and libraries, because the program needs those.
# Packages are downloaded (170 MB a suite) and unpacked; nothing is installed on this machine, and no privileges are
# needed.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
suite=$2
base=$suite
[ "$suite" != bullseye ] || base=bookworm
mkdir -p "$1/$suite"
cache=$(readlink -f "$1/$suite")
PATH=$PATH:/usr/sbin:/sbin

give_up() {
    echo "Tests/Kernel: $*" >&2
    exit 1
}

for tool in qemu-system-x86_64 apt-get dpkg-deb depmod modprobe cpio xz; do
    command -v "$tool" >/dev/null || give_up "$tool is missing: run Scripts/setup.sh peers"
done
# A stack that is neither BlueZ's nor ours, for the devices of the Central's cases.
peers=$(echo "$here"/../../.venv/lib/python3*/site-packages)
[ -d "$peers/bumble" ] || give_up "Bumble is missing: run Scripts/setup.sh peers"
# The stamp is what the files are made by.
stamp=$(cat "$here/init" "$here/prepare.sh" "$here/../Interop/requirements.txt" | sha256sum)
[ "$(cat "$cache/stamp" 2>/dev/null)" != "$stamp" ] || exit 0

# Several runs may find it missing at once; each makes its own, and the last one stays.
work=$(mktemp -d "$cache/new.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/kernel "$work"/initrd.d/{bin,proc,sys,dev,machine,layer} "$work"/apt/{state/lists/partial,cache/archives/partial}

# Debian's packages come from where this machine's own do. What apt knows of them is kept here.
archive=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' | head -n 1)
# Without lists of packages, apt knows only what its sources say.
[ -n "$archive" ] || archive=$(grep -rhoE '[a-z+]+://[^ ]+/debian/?( |$)' /etc/apt/sources.list /etc/apt/sources.list.d \
    2>/dev/null | grep -v snapshot | head -n 1 || true)
keys=$(dpkg -L debian-archive-keyring 2>/dev/null | grep '/debian-archive-keyring\.gpg$' | head -n 1)
[ -n "$archive" ] && [ -n "$keys" ] || give_up "this machine's apt knows no archive of Debian"
source_of() { echo "deb [signed-by=$keys] $archive $1 main" >"$work/apt/sources.list"; }
source_of "$base"
: >"$work/apt/status"
apt() {
    apt-get -qq -o Dir::State="$work/apt/state" -o Dir::State::status="$work/apt/status" \
        -o Dir::Cache="$work/apt/cache" -o Dir::Etc::SourceList="$work/apt/sources.list" \
        -o Dir::Etc::SourceParts=/dev/null -o APT::Architecture=amd64 -o APT::Architectures=amd64 \
        -o APT::Sandbox::User= -o Debug::NoLocking=true "$@"
}
echo "Downloading the kernel and bluetoothd of Debian's $suite" >&2
apt update >/dev/null 2>&1 || give_up "apt-get cannot update its list of packages of $suite"
# What the program loads, what the cases run, and the kernel.
apt install --download-only --yes --no-install-recommends \
    base-files bash coreutils dbus-bin dbus-daemon grep kmod libc-bin mawk mount procps sed util-linux bsdutils \
    bluez bluez-test-tools busybox-static \
    libmosquitto1 libpcre2-8-0 libsqlite3-0 libssl3 libstdc++6 libsystemd0 python3 \
    linux-image-amd64 >/dev/null 2>"$work/apt/said" || give_up "apt-get cannot download what the guest needs: $(tail -n 3 "$work/apt/said")"
if [ "$base" != "$suite" ]; then
    source_of "$suite"
    rm "$work"/apt/cache/archives/bluez_*.deb
    apt update >/dev/null 2>&1 && (cd "$work/apt/cache/archives" && apt download bluez) >/dev/null 2>"$work/apt/said" \
        || give_up "apt-get cannot download bluetoothd of $suite: $(tail -n 3 "$work/apt/said")"
fi

# Debian's directories beside /usr are links into it.
mkdir -p "$work"/root/usr/{bin,sbin,lib,lib64}
for directory in bin sbin lib lib64; do ln -s "usr/$directory" "$work/root/$directory"; done
for package in "$work"/apt/cache/archives/*.deb; do
    case ${package##*/} in
        linux-image-[0-9]* | linux-modules-[0-9]* | linux-binary-[0-9]* | linux-base-[0-9]*)
            dpkg-deb --fsys-tarfile "$package" | tar -x -C "$work/kernel" --keep-directory-symlink ;;
        initramfs-tools* | linux-*) ;;
        *) dpkg-deb --fsys-tarfile "$package" | tar -x -C "$work/root" --keep-directory-symlink \
            --no-same-owner --exclude './usr/share/doc/*' --exclude './usr/share/locale/*' ;;
    esac
done
# What the packages' own scripts would have made.
mkdir -p "$work"/root/{proc,sys,dev,run,tmp,root,machine,var/lib/bluetooth,etc/bluetooth,etc/dbus-1/system.d}
ln -sf mawk "$work/root/usr/bin/awk"
ln -sf bash "$work/root/usr/bin/sh"
cat >"$work/root/etc/passwd" <<'EOF'
root:x:0:0::/root:/bin/bash
messagebus:x:100:100::/:/bin/false
nobody:x:65534:65534::/:/bin/false
EOF
printf '%s\n' root:x:0: messagebus:x:100: bluetooth:x:101: nogroup:x:65534: >"$work/root/etc/group"

# Bumble, with what its host needs of its dependencies, which are Python alone. The guest would take long to compile it.
cp -r "$peers"/{bumble,pyee,typing_extensions.py} "$work/root/usr/lib/python3/dist-packages"
find "$work/root/usr/lib/python3/dist-packages" -name __pycache__ -type d -prune -exec rm -rf {} +
PYTHONHOME=$work/root/usr "$work"/root/lib64/ld-linux-x86-64.so.2 \
    --library-path "$work/root/lib/x86_64-linux-gnu" "$work/root/usr/bin/python3" -m compileall -q -x '/(apps|test|idlelib|lib2to3|ensurepip)/' \
    -s "$work/root" "$work/root/usr/lib/python3/dist-packages" "$work"/root/usr/lib/python3.* >"$work/apt/said" 2>&1 \
    || give_up "Bumble cannot be compiled by the Python of $suite: $(tail -n 3 "$work/apt/said")"

modules=$(cd "$work/kernel" && find . -path '*/modules/*/kernel' -type d -printf '%P\n' -prune)
modules=${modules%/kernel}
version=${modules##*/}
[ -n "$version" ] || give_up "the kernel of $suite has no modules"
# Where depmod and modprobe look for them.
if [ "${modules%%/*}" = usr ]; then
    mkdir -p "$work/kernel/lib"
    mv "$work/kernel/$modules" "$work/kernel/lib/modules.new" && rm -rf "$work/kernel/lib/modules"
    mkdir "$work/kernel/lib/modules" && mv "$work/kernel/lib/modules.new" "$work/kernel/lib/modules/$version"
fi
modules=lib/modules/$version

# The guest would take seconds to unpack its kernel, this machine takes none.
image=$(find "$work/kernel" -name "vmlinuz*" -type f | head -n 1)
[ -n "$image" ] || give_up "there is no kernel in the packages of $suite"
offset=$(LC_ALL=C grep -aobm1 $'\xfd7zXZ\x00' "$image" | head -n 1 | cut -d: -f1) || true
if [ -n "$offset" ]; then
    tail -c +$((offset + 1)) "$image" | xz -dc --single-stream >"$work/vmlinux" 2>/dev/null || true
fi
[ "$(head -c 4 "$work/vmlinux" 2>/dev/null | tail -c 3)" = ELF ] || cp "$image" "$work/vmlinux"

# What mounts the files, what controllers in software need, and the ciphers of pairing. Busybox reads no module
# that is compressed.
find "$work/kernel/$modules" -name '*.ko.xz' -exec xz -d {} +
find "$work/kernel/$modules" -name '*.ko.zst' -exec zstd -qd --rm {} +
depmod -b "$work/kernel" "$version" 2>/dev/null
needed=(virtio_pci 9p 9pnet_virtio overlay bluetooth hci_vhci uhid hid_generic rfcomm bnep
    drbg jitterentropy_rng hmac sha256_generic sha512_generic ctr ecb cmac ccm ecdh_generic
    algif_skcipher algif_hash)
for module in "${needed[@]}"; do
    modprobe -d "$work/kernel" -S "$version" --show-depends "$module" 2>/dev/null \
        | sed -n 's/^insmod \([^ ]*\).*/\1/p' || true
done | sort -u | while read -r file; do
    install -D "$file" "$work/initrd.d${file#"$work/kernel"}"
done
for list in order builtin builtin.modinfo; do
    install -D "$work/kernel/$modules/modules.$list" "$work/initrd.d/$modules/modules.$list"
done
depmod -b "$work/initrd.d" "$version"
install "$work/root/bin/busybox" "$work/initrd.d/bin/busybox"
ln -s busybox "$work/initrd.d/bin/sh"
install "$here/init" "$work/initrd.d/init"
(cd "$work/initrd.d" && find . | cpio -o -H newc --quiet) | gzip -1 >"$work/initrd"

rm -rf "$cache/root" "$cache/stamp"
mv "$work/vmlinux" "$work/initrd" "$work/root" "$cache"
# Last: it says that the rest is complete.
echo "$stamp" >"$cache/stamp"
