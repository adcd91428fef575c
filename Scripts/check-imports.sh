#!/usr/bin/env bash
# Fails when a target imports what its layer may not see: a module of the package that it does not
# declare as a dependency, or, in the core, anything of the system; or when a room of the host or of the
# kit names a type of a room above it.
set -euo pipefail
cd "$(dirname "$0")/.."
export ANCS_ONLY=all

swift package describe --type json | /usr/bin/env python3 -c '
import json, pathlib, re, sys

targets = {target["name"]: target for target in json.load(sys.stdin)["targets"]}
core = {"Octets", "ANCS", "BluetoothLE", "VirtualBluetooth"}
# A message bus knows no Bluetooth, and a client of a broker neither.
bluetooth = {"ANCS", "BluetoothLE", "VirtualBluetooth"}
strangers = {"DBus": bluetooth, "MQTT": bluetooth}
faults = []
for name, target in targets.items():
    if target["type"] == "test":
        continue
    allowed = set(target.get("target_dependencies", []))
    for path in pathlib.Path(target["path"]).rglob("*.swift"):
        for line, text in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r"\s*(?:@\w+\s+)?(?:public |package |internal |private |fileprivate )?import (?:struct |enum |class |func )?(\w+)", text)
            if not found:
                continue
            module = found.group(1)
            if module in targets and module not in allowed:
                faults.append(f"{path}:{line}: {name} does not declare {module}")
            if module in strangers.get(name, ()):
                faults.append(f"{path}:{line}: {name} imports {module}")
            if name in core and module not in targets:
                faults.append(f"{path}:{line}: the core imports {module}")

def check_rooms(root, above):
    """A folder names no type of a folder above it, which imports cannot tell inside one module."""
    root = pathlib.Path(root)
    for path in root.rglob("*.swift"):
        if path.relative_to(root).parts[0] not in above:
            faults.append(f"{path}: is in no room of {root}")
    declared = {}
    for folder in above:
        for path in (root / folder).rglob("*.swift"):
            for match in re.finditer(declaration, path.read_text(), re.M):
                declared[match.group(1)] = folder
    for folder, higher in above.items():
        upper = {name for name, home in declared.items() if home in higher}
        for path in (root / folder).rglob("*.swift"):
            for line, text in enumerate(path.read_text().splitlines(), 1):
                code = re.sub(r"\"[^\"]*\"", "", text.split("//")[0])
                for word in sorted(set(re.findall(r"(?<![.\w])[A-Z]\w+", code)) & upper):
                    faults.append(f"{path}:{line}: {folder} names {word} of {declared[word]}")

declaration = r"^(?:public |package |internal )?(?:struct|enum|protocol|final class|class|actor) (\w+)"
# ATT, GATT, SMP and GAP stand on L2CAP beside each other, but for GATT, which stands on ATT.
check_rooms("Sources/BluetoothLE", {
    "Types": ["HCI", "L2CAP", "ATT", "GATT", "SMP", "GAP", "Host"],
    "HCI": ["L2CAP", "ATT", "GATT", "SMP", "GAP", "Host"],
    "L2CAP": ["ATT", "GATT", "SMP", "GAP", "Host"],
    "ATT": ["GATT", "SMP", "GAP", "Host"], "GATT": ["SMP", "GAP", "Host"],
    "SMP": ["ATT", "GATT", "GAP", "Host"], "GAP": ["ATT", "GATT", "SMP", "Host"], "Host": [],
})
# Binding, Consumer and Provider stand on the managers beside each other.
check_rooms("Sources/ANCSKit", {
    "Events": ["Storage", "Adapter", "Managers", "Binding", "Consumer", "Provider"],
    "Storage": ["Adapter", "Managers", "Binding", "Consumer", "Provider"],
    "Adapter": ["Managers", "Binding", "Consumer", "Provider"],
    "Managers": ["Binding", "Consumer", "Provider"],
    "Binding": ["Consumer", "Provider"], "Consumer": ["Binding", "Provider"],
    "Provider": ["Binding", "Consumer"],
})

print("\n".join(faults), end="\n" if faults else "")
sys.exit(1 if faults else 0)
'
