#!/usr/bin/env bash
# Installs the tool that Scripts/release.sh has built, with its units, pages and completions, or removes it.
#   PREFIX=/usr/local DESTDIR= install.sh [install|uninstall]
# With a PREFIX in the user's home it is for that user alone, without the gateway's parts, which belong to the whole
# machine. PREFIX/share/ancs/installed lists the installed files; 'uninstall' removes exactly these.
set -euo pipefail
cd "$(dirname "$0")/.."

prefix=${PREFIX:-/usr/local} root=${DESTDIR:-}
ancs=${ANCS:-.build/ancs}
list=$prefix/share/ancs/installed
case $prefix in
    /*) ;;
    *) echo "PREFIX is $prefix: it has to begin with /" >&2 && exit 2 ;;
esac

if [ "${1:-install}" = uninstall ]; then
    [ -f "$root$list" ] || { echo "nothing of ancs is installed in $root$prefix: there is no $list" >&2 && exit 1; }
    mapfile -t installed <"$root$list"
    for file in "${installed[@]}"; do rm -f "$root$file"; done
    # The folders that belong to ancs alone.
    for folder in doc/ancs ancs; do find "$root$prefix/share/$folder" -depth -type d -empty -delete; done
    exit 0
fi

[ -x "$ancs" ] || { echo "there is no $ancs: 'make release' builds it" >&2 && exit 1; }

installed=()
# Installs the output of a command: put MODE FILE COMMAND…
put() {
    local mode=$1 file=$2
    shift 2
    mkdir -p "$(dirname "$root$file")"
    "$@" >"$root$file.new"
    chmod "$mode" "$root$file.new"
    mv "$root$file.new" "$root$file"
    installed+=("$file")
}

# The folders of the parts. Debian's package has its completions in the folder for packages; systemd and D-Bus do not
# search every prefix for the files of the machine.
completions=site-functions policy=/etc/dbus-1/system.d units=$prefix/lib/systemd isUser=
case $prefix in
    /usr) completions=vendor-completions policy=/usr/share/dbus-1/system.d ;;
    "${HOME:-/nonexistent}"/*) isUser=1 units=$prefix/share/systemd ;;
esac

put 755 "$prefix/bin/ancs" cat "$ancs"

# A unit with the path of the program.
unit() { sed "s#/usr/bin/ancs#$prefix/bin/ancs#" "Packaging/systemd/$1"; }
bus=$prefix/share/dbus-1 service=org.swift_ancs.ANCS1
put 644 "$units/user/ancs.service" unit user/ancs.service
put 644 "$bus/services/$service.service" cat "Packaging/dbus-1/services/$service.service"
put 644 "$prefix/share/applications/ancs.desktop" cat Packaging/desktop/ancs.desktop
put 644 "$prefix/share/icons/hicolor/scalable/apps/ancs.svg" cat Packaging/desktop/ancs.svg
put 644 "$bus/interfaces/$service.xml" cat Documentation/Schemas/org.swift_ancs.xml
if [ -z "$isUser" ]; then
    put 644 "$units/system/ancs.service" unit system/ancs.service
    put 644 "$bus/system-services/$service.service" cat "Packaging/dbus-1/system-services/$service.service"
    put 644 "$policy/$service.conf" cat "Packaging/dbus-1/$service.conf"
    put 644 "$prefix/lib/sysusers.d/ancs.conf" cat Packaging/sysusers.d/ancs.conf
fi

put 644 "$prefix/share/bash-completion/completions/ancs" "$ancs" generate bash
put 644 "$prefix/share/zsh/$completions/_ancs" "$ancs" generate zsh
put 644 "$prefix/share/fish/vendor_completions.d/ancs.fish" "$ancs" generate fish

# Without a history, or with that of another user, the date is today's.
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
date=$(date -u -d "@$epoch" +%Y-%m-%d)
# A manual page, compressed without the time of it.
page() { "$ancs" generate man "$1" --date "$date" | gzip -9n; }
for page in $("$ancs" generate pages); do
    put 644 "$prefix/share/man/man${page##*.}/$page.gz" page "$page"
done

# The pages for users of the tool. Links to pages that are not installed, such as decisions, become plain text.
documentation=$prefix/share/doc/ancs
topics=(Accessory Advertising Captures Configuration Differs Doctor FromAMac Grades HomeAssistant Installing
    LinkRequirements Linux MQTT Receive Report Rules Scenarios Serve Tools UserChannel)
kept="($(IFS='|' && echo "${topics[*]}"))\.md|Schemas/|examples/|https?:|#"
topic() {
    sed -E -e 's:\]\(\.\./Scenarios/:](examples/scenarios/:g' -e "s~\]\((($kept)[^)]*)\)~]\x01\1\x02~g" \
        -e 's~\[(`[^`]*`|[^]]*)\]\([^)]*\)~\1~g' -e 's~\x01([^\x02]*)\x02~(\1)~g' "Documentation/$1.md"
}
for topic in "${topics[@]}"; do put 644 "$documentation/$topic.md" topic "$topic"; done
for schema in Documentation/Schemas/*; do
    put 644 "$documentation/Schemas/${schema##*/}" cat "$schema"
done
put 644 "$documentation/examples/config.toml" cat Packaging/config.toml
for example in system/dongle system/lasting-link user/sandbox; do
    put 644 "$documentation/examples/${example#*/}.conf" cat "Packaging/systemd/$example.conf"
done
for scenario in Scenarios/*.json Scenarios/*/*.json Scenarios/seen/README.md; do
    put 644 "$documentation/examples/scenarios/${scenario#Scenarios/}" cat "$scenario"
done

# A package lists its own files.
if [ -z "${PACKAGE:-}" ]; then put 644 "$list" printf '%s\n' "${installed[@]}" "$list"; fi
