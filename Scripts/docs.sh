#!/usr/bin/env bash
# Documentation of the libraries as static pages in .build/docs; a broken link is an error.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh build
graphs=.build/symbol-graphs
mkdir -p .build/docs
swift package dump-symbol-graph --minimum-access-level public --skip-synthesized-members >/dev/null
source=$(dirname "$(find .build -name 'ANCS.symbols.json' -path '*symbolgraph*' | head -n 1)")
for module in ANCS BluetoothLE VirtualBluetooth ANCSKit ANCSTestKit; do
    rm -rf "$graphs/$module" && mkdir -p "$graphs/$module"
    cp "$source/$module".symbols.json "$graphs/$module/"
    catalog=()
    [ -d "Sources/$module/$module.docc" ] && catalog=("Sources/$module/$module.docc")
    docc convert "${catalog[@]}" --additional-symbol-graph-dir "$graphs/$module" \
        --fallback-display-name "$module" --fallback-bundle-identifier "swift-ancs.$module" \
        --output-path ".build/docs/$module" --transform-for-static-hosting \
        --hosting-base-path "$module" --warnings-as-errors
done
echo "Documentation in .build/docs"
