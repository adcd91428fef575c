#!/usr/bin/env bash
# Makes the Debian package of the tool that Scripts/release.sh has built, and prints its name. The package is
# reproducible: all its times are that of the last commit.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh package >&2
[ -x .build/ancs ] || Scripts/release.sh
# Without the history of the sources, the time is that of the changelog.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null \
    || dpkg-parsechangelog -l Packaging/debian/changelog -S Timestamp)
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 TZ=UTC DPKG_DEB_THREADS_MAX=1
umask 022

version=$(sed -nE '1s/.*\((.*)\).*/\1/p' Packaging/debian/changelog)
[ "ancs ${version%-*}" = "$(.build/ancs --version)" ] || {
    echo "Packaging/debian/changelog is of $version, the program of $(.build/ancs --version)" >&2
    exit 1
}
architecture=$(dpkg --print-architecture)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/debian/ancs
mkdir -p "$tree/DEBIAN"
PACKAGE=1 PREFIX=/usr DESTDIR=$tree Scripts/install.sh

documentation=$tree/usr/share/doc/ancs
cp Packaging/debian/copyright "$documentation/copyright"
gzip -9n <Packaging/debian/changelog >"$documentation/changelog.Debian.gz"

# The packages that provide the libraries, with the minimum versions that the program needs. The libraries that it
# loads at first use are not in its own list of dependencies: a library with the same undefined functions stands in.
sed -nE 's/^FUNCTION\([^(,]+, (\w+), .*/\1/p; s/^    [^(,]+, (\w+),$/\1/p' Sources/*/C*/functions.c \
    | sed 's/.*/extern char &[];/; p; s/extern char \(.*\)\[\];/void *const take_\1 = \1;/' >"$work/lazy.c"
clang -shared -fPIC -o "$work/lazy.so" "$work/lazy.c" -lsystemd -lsqlite3 -lpcre2-8 -lmosquitto -lcrypto -lz
: >"$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O -e debian/ancs/usr/bin/ancs -e lazy.so | sed -n 's/^shlibs:Depends=//p')
size=$(($(find "$tree/usr" -type f -printf '%s\n' | awk '{ total += int(($1 + 1023) / 1024) } END { print total }')))
sed -e "s/@VERSION@/$version/; s/@ARCHITECTURE@/$architecture/; s/@SIZE@/$size/; s/@DEPENDS@/$depends/" \
    Packaging/debian/control >"$tree/DEBIAN/control"
install -m 755 -t "$tree/DEBIAN" Packaging/debian/{postinst,prerm,postrm}
(cd "$tree" && find usr -type f | sort | xargs -d '\n' md5sum >DEBIAN/md5sums)
chmod 644 "$tree/DEBIAN/md5sums" "$tree/DEBIAN/control"
find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

package=.build/ancs_${version}_$architecture.deb
dpkg-deb --root-owner-group -Zxz --build "$tree" "$package" >&2
echo "$package"
