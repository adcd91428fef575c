#!/usr/bin/env bash
# Makes the kernel of the guest and its first file system in a directory, unless they are there.
#     prepare.sh DIRECTORY
# Debian's package is downloaded (70 MB) and unpacked; nothing is installed on this machine.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
mkdir -p "$1"
cache=$(readlink -f "$1")
PATH=$PATH:/usr/sbin:/sbin

give_up() {
    echo "$*" >&2
    exit 1
}

for tool in qemu-system-x86_64 btvirt bluetoothctl dbus-daemon dbus-monitor pgrep script setpriv busybox depmod modprobe cpio xz; do
    command -v "$tool" >/dev/null || give_up "$tool is missing: run Scripts/setup.sh peers"
done
# The stamp is what the files are made by.
stamp=$(cat "$here/init" "$here/prepare.sh" | sha256sum)
[ "$(cat "$cache/stamp" 2>/dev/null)" != "$stamp" ] || exit 0

# Several runs may find it missing at once; each makes its own, and the last one stays.
work=$(mktemp -d "$cache/new.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/package" "$work/root"/{bin,proc,sys,dev,machine,layer} "$work"/apt/{lists,cache}

# Downloads the package that linux-image-amd64 stands for.
apt_options=()
download() {
    package=$(apt-cache "${apt_options[@]}" depends linux-image-amd64 2>/dev/null \
        | sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1)
    [ -n "$package" ] && (cd "$work" && apt-get "${apt_options[@]}" download -qq "$package" >/dev/null 2>&1)
}
echo "Downloading Debian's kernel" >&2
if ! download; then
    # This machine's list of packages is missing or out of date; a list of our own needs no privileges.
    apt_options=(-o "Dir::State::lists=$work/apt/lists" -o "Dir::Cache=$work/apt/cache")
    apt-get "${apt_options[@]}" update -qq >/dev/null 2>&1 || give_up "apt-get cannot update its list of packages"
    download || give_up "apt-get cannot download linux-image-amd64"
fi
version=${package#linux-image-}
modules=lib/modules/$version
dpkg --fsys-tarfile "$work/$package"_*.deb | tar -x -C "$work/package" --wildcards \
    "./boot/vmlinuz-$version" "./$modules/modules.*" \
    "./$modules"/kernel/{net,fs,crypto,lib,arch/x86/crypto}'/*' \
    "./$modules"/kernel/drivers/{bluetooth,virtio,hid,char/hw_random}'/*'

# The guest would take seconds to unpack its kernel, this machine takes none.
image=$work/package/boot/vmlinuz-$version
offset=$(LC_ALL=C grep -aobm1 $'\xfd7zXZ\x00' "$image" | head -n 1 | cut -d: -f1)
tail -c +$((offset + 1)) "$image" | xz -dc --single-stream >"$work/vmlinux" 2>/dev/null || true
[ "$(head -c 4 "$work/vmlinux" | tail -c 3)" = ELF ] || cp "$image" "$work/vmlinux"

# What mounts this machine's files, what controllers in software need, and the ciphers of pairing.
depmod -b "$work/package" "$version" 2>/dev/null
needed=(virtio_pci 9p 9pnet_virtio overlay bluetooth hci_vhci uhid rfcomm bnep
    drbg jitterentropy_rng hmac sha256_generic sha512_generic ctr ecb cmac ccm ecdh_generic
    algif_skcipher algif_hash)
for module in "${needed[@]}"; do
    modprobe -d "$work/package" -S "$version" --show-depends "$module" 2>/dev/null \
        | sed -n 's/^insmod \([^ ]*\).*/\1/p' || true
done | sort -u | while read -r file; do
    install -D "$file" "$work/root${file#"$work/package"}"
done
for list in order builtin builtin.modinfo; do
    install -D "$work/package/$modules/modules.$list" "$work/root/$modules/modules.$list"
done
depmod -b "$work/root" "$version"
install "$(command -v busybox)" "$work/root/bin/busybox"
ln -s busybox "$work/root/bin/sh"
install "$here/init" "$work/root/init"
(cd "$work/root" && find . | cpio -o -H newc --quiet) | gzip -1 >"$work/initrd"

mv "$work/vmlinux" "$work/initrd" "$cache"
# Last: it says that the rest is complete.
echo "$stamp" >"$cache/stamp"
