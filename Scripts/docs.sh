#!/usr/bin/env bash
# Documentation of the libraries as static pages in .build/docs, with a front page; a broken link, or a
# type that the index of its library lacks, is an error.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh build
for target in ANCSTestKit CoreBluetooth AccessoryConformance ANCSCapture; do swift build --target "$target"; done
bin=$(swift build --show-bin-path)
work=.build/documentation
rm -rf "$work" && mkdir -p "$work"

# The clang modules that our interfaces may mention.
maps=()
for map in Sources/*/*/include/module.modulemap "$bin"/*.build/module.modulemap; do
    maps+=(-Xcc -fmodule-map-file="$PWD/${map#"$PWD"/}")
done

archives=()
for module in ANCSKit ANCSReceiver ANCSMedia ANCSEvents ANCSTestKit CoreBluetooth AccessoryConformance ANCSCapture AMS ANCS ANCSProvider BluetoothTypes BluetoothLE VirtualBluetooth LinuxIO HCIMonikers HCITransports VirtualTransports OpenSSLSecurity Octets; do
    mkdir "$work/$module"
    swift symbolgraph-extract -module-name "$module" -I "$bin/Modules" "${maps[@]}" \
        -target "$(uname -m)-unknown-linux-gnu" -minimum-access-level public \
        -skip-synthesized-members -output-dir "$work/$module"
    catalog=$(echo Sources/*/"$module/$module.docc")
    python3 - "$catalog/$module.md" "$work/$module/$module.symbols.json" <<'PYTHON'
"""Fails where the index of a library lacks one of its types."""
import json
import sys

page, graph = sys.argv[1:]
with open(graph, encoding="utf-8") as file:
    symbols = [symbol["pathComponents"] for symbol in json.load(file)["symbols"]]
with open(page, encoding="utf-8") as file:
    index = file.read()
missing = sorted({path[0] for path in symbols if f"- ``{path[0]}``\n" not in index})
if missing:
    sys.exit(f"{page} does not list {', '.join(missing)}")
PYTHON
    docc convert "$catalog" --additional-symbol-graph-dir "$work/$module" \
        --fallback-display-name "$module" --fallback-bundle-identifier "swift-ancs.$module" \
        --output-path "$work/$module.doccarchive" --transform-for-static-hosting --warnings-as-errors
    archives+=("$work/$module.doccarchive")
done
rm -rf .build/docs
docc merge "${archives[@]}" --synthesized-landing-page-name swift-ancs \
    --synthesized-landing-page-kind Package --output-path .build/docs
# The pages are below documentation/, the front page with them.
cat >.build/docs/index.html <<'HTML'
<!doctype html>
<meta charset="utf-8">
<title>swift-ancs</title>
<meta http-equiv="refresh" content="0; url=documentation/">
<a href="documentation/">The documentation of swift-ancs</a>
HTML
echo "Documentation in .build/docs. To read it: python3 -m http.server -d .build/docs 8000"
