#!/usr/bin/env bash
# Fails when a target imports what its layer may not see: a module of the package that it does not
# declare as a dependency, or, in the core, anything of the system.
set -euo pipefail
cd "$(dirname "$0")/.."

swift package describe --type json | /usr/bin/env python3 -c '
import json, pathlib, re, sys

targets = {target["name"]: target for target in json.load(sys.stdin)["targets"]}
core = {"Octets", "ANCS", "BluetoothLE", "VirtualBluetooth"}
# Inside the LE host a lower folder never names a type of a higher one; imports cannot tell, so the
# order is checked by the names of the types that each folder declares.
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
            if name in core and module not in targets:
                faults.append(f"{path}:{line}: the core imports {module}")

folders = ["Types", "HCI", "L2CAP", "ATT", "GATT", "SMP", "GAP", "Host"]
# ATT, GATT, SMP and GAP stand on L2CAP beside each other, but for GATT, which stands on ATT.
above = {
    "Types": folders[1:], "HCI": folders[2:], "L2CAP": folders[3:],
    "ATT": ["SMP", "GAP", "Host"], "GATT": ["SMP", "GAP", "Host"],
    "SMP": ["ATT", "GATT", "GAP", "Host"], "GAP": ["ATT", "GATT", "SMP", "Host"], "Host": [],
}
root = pathlib.Path("Sources/BluetoothLE")
declared = {}
for folder in folders:
    for path in (root / folder).rglob("*.swift"):
        for match in re.finditer(r"^public (?:struct|enum|protocol|final class|class) (\w+)", path.read_text(), re.M):
            declared[match.group(1)] = folder
for folder in folders:
    upper = {name for name, home in declared.items() if home in above[folder]}
    for path in (root / folder).rglob("*.swift"):
        for line, text in enumerate(path.read_text().splitlines(), 1):
            code = text.split("//")[0]
            for word in set(re.findall(r"\b[A-Z]\w+", code)) & upper:
                faults.append(f"{path}:{line}: {folder} names {word} of {declared[word]}")

print("\n".join(faults), end="\n" if faults else "")
sys.exit(1 if faults else 0)
'
