#!/usr/bin/env bash
# Fails when a target imports what its floor may not see: a module of a higher floor, or of the package that it does
# not declare as a dependency, or, in the core, anything of the system; when it declares a module of which it imports
# nothing; when a file imports a module that another of its imports brings; or when a folder of a module names a type
# of a folder that the tables below do not list for it.
set -euo pipefail
cd "$(dirname "$0")/.."
export ANCS_ONLY=all

swift package describe --type json | /usr/bin/env python3 -c '
import json, pathlib, re, sys

targets = {target["name"]: target for target in json.load(sys.stdin)["targets"]}
core = {"Octets", "AMS", "ANCS", "ANCSProvider", "BluetoothTypes", "BluetoothLE", "VirtualBluetooth"}
# DBus and MQTT must not depend on Bluetooth. Transports carry packets for whichever host there is.
bluetooth = core - {"Octets"}
strangers = {"DBus": bluetooth, "MQTT": bluetooth, "HCIMonikers": {"BluetoothLE"}, "HCITransports": {"BluetoothLE"}}
# A floor names lower floors only, and its own. A receiver and the daemon know neither a host nor a phone of our own
# (decisions 0037 and 0039), although these are in the core.
floors = {name: pathlib.Path(target["path"]).parts[1] for name, target in targets.items()
    if re.match(r"(Sources|Tests)/\d-", target["path"])}
for name in targets:
    if floors.get(name, "")[:1] in ("4", "5") and targets[name]["path"].startswith("Sources"):
        strangers[name] = {"BluetoothLE", "ANCSProvider", "VirtualBluetooth"}
# What stands beside the longest chain of modules must not come to stand on it (decision 0039).
strangers["LaboratoryCommands"] = {"AccessoryConformance", "ANCSCapture"}
# Whoever asks canImport(CoreBluetooth) beside it has it: no other product may bring it along. The workshop and tests may.
for name in targets:
    if targets[name]["path"].startswith("Sources") and name != "CoreBluetooth":
        strangers[name] = strangers.get(name, set()) | {"CoreBluetooth"}
faults = []

# What a module brings: the modules of whose types its declarations consist, which it exports whole.
brings = {}
for name, target in targets.items():
    texts = [path.read_text() for path in pathlib.Path(target["path"]).rglob("Exports.swift")]
    brings[name] = {module for text in texts for module in re.findall(r"^@_exported public import (\w+)$", text, re.M)}
for _ in targets:
    for name in targets:
        brings[name] = brings[name].union(*(brings.get(module, ()) for module in brings[name]))
levels = ("internal ", "package ", "public ")

def check_imports(path, text):
    """A file imports no module that another import brings, for declarations that are seen as far."""
    found = re.findall(r"^(public |package |internal )?import (\w+)$", text, re.M)
    reach = {module: levels.index(level or "internal ") for level, module in found}
    for module in reach:
        for other in reach:
            if module in brings.get(other, ()) and reach[other] >= reach[module]:
                faults.append(f"{path}: imports {module}, which {other} brings")

for name, target in targets.items():
    if target["type"] == "test":
        continue
    allowed = set(target.get("target_dependencies", []))
    unused = {module for module in allowed if targets[module]["module_type"] == "SwiftTarget"}
    for path in pathlib.Path(target["path"]).rglob("*.swift"):
        whole = path.read_text()
        if target["path"].startswith("Sources"):
            check_imports(path, whole)
        for line, text in enumerate(whole.splitlines(), 1):
            found = re.match(r"\s*(?:@\w+\s+)?(?:public |package |internal |private |fileprivate )?import (?:struct |enum |class |func )?(\w+)", text)
            if not found:
                continue
            module = found.group(1)
            unused.discard(module)
            if module in targets and module not in allowed:
                faults.append(f"{path}:{line}: {name} does not declare {module}")
            if floors.get(module, "") > floors.get(name, "9"):
                faults.append(f"{path}:{line}: {name} of {floors[name]} imports {module} of {floors[module]}")
            if module in strangers.get(name, ()):
                faults.append(f"{path}:{line}: {name} imports {module}")
            if name in core and module not in targets:
                faults.append(f"{path}:{line}: the core imports {module}")
    if target["path"].startswith("Sources"):
        faults += [f"Package.swift: {name} declares {module} and imports nothing of it" for module in sorted(unused)]

declaration = r"^(?:public |open |package |internal )?(?:indirect )?(?:struct|enum|protocol|final class|class|actor|typealias) (\w+)"

def check_rooms(root, below):
    """A folder names only types of its own and of the folders listed for it, which imports cannot show inside
    one module. A folder can only list folders that stand before it, so there are no cycles."""
    root = pathlib.Path(root)
    rooms = list(below)
    for index, room in enumerate(rooms):
        for other in below[room].split():
            if other not in rooms[:index]:
                faults.append(f"{root}/{room}: {other} does not stand before it in the table")
    declared = {}
    files = [(path, path.relative_to(root).parts[0]) for path in sorted(root.rglob("*.swift"))]
    for path, room in files:
        if room not in below:
            faults.append(f"{path}: is in no folder of the table for {root}")
        for match in re.finditer(declaration, path.read_text(), re.M):
            declared[match.group(1)] = room
    for path, room in files:
        allowed = {room, *below.get(room, "").split()}
        for line, text in enumerate(path.read_text().splitlines(), 1):
            code = re.sub(r"\"[^\"]*\"", "", text.split("//")[0])
            for word in sorted(set(re.findall(r"(?<![.\w])[A-Z]\w+", code))):
                if declared.get(word, room) not in allowed:
                    faults.append(f"{path}:{line}: {room} names {word} of {declared[word]}")

check_rooms("Sources/1-Core/ANCS", {
    "Values": "", "Commands": "Values", "Responses": "Values Commands",
    "Consumer": "Values Commands Responses", "Feed": "Values Commands Responses Consumer",
})
check_rooms("Sources/1-Core/AMS", {"Values": "", "Remote": "Values", "Source": "Values Remote"})
check_rooms("Sources/1-Core/BluetoothTypes", {
    "HCI": "", "Values": "", "Security": "Values", "Links": "Values", "GAP": "Values",
    "GATT": "Values",
})
check_rooms("Sources/1-Core/BluetoothLE", {
    "HCI": "", "L2CAP": "HCI", "ATT": "HCI L2CAP", "GATT": "HCI L2CAP ATT", "SMP": "HCI L2CAP",
    "GAP": "HCI L2CAP", "Host": "HCI L2CAP ATT GATT SMP GAP",
})
check_rooms("Sources/1-Core/VirtualBluetooth", {
    "HCI": "", "Air": "", "Controller": "HCI Air", "Radio": "HCI Air Controller",
})
check_rooms("Sources/4-Receiver/BlueZ", {
    "Objects": "", "Events": "", "Machines": "Objects Events",
    "Accessory": "Objects Events Machines", "Port": "Objects Events Machines Accessory",
})
check_rooms("Sources/4-Receiver/ANCSReceiver", {
    "Storage": "", "Device": "Storage", "Consumer": "Storage Device",
    "BlueZ": "Storage Device Consumer",
})
check_rooms("Sources/6-Kit/ANCSKit", {
    "Events": "", "Storage": "Events", "Adapter": "Events Storage",
    "Managers": "Events Storage Adapter", "Binding": "Events Storage Adapter Managers",
    "Consumer": "Events Storage Adapter Managers", "Provider": "Events Storage Adapter Managers",
})
check_rooms("Sources/6-Kit/CoreBluetooth", {
    "System": "", "Values": "System", "Errors": "", "Central": "System Values Errors",
    "Server": "System Values Errors Central",
})
check_rooms("Sources/7-Laboratory/AccessoryConformance", {
    "Document": "", "Phone": "", "Verdicts": "", "Values": "Document Phone Verdicts", "Events": "Values", "Knowledge": "Values",
    "Verbs": "Document Phone Values", "Scenario": "Document Values Verbs",
    "Link": "Verdicts Values Knowledge Verbs Scenario",
    "Grading": "Verdicts Values Knowledge Link",
    "Run": "Verdicts Phone Values Events Knowledge Verbs Link Grading Scenario",
})
check_rooms("Sources/7-Laboratory/ANCSCapture", {
    "Events": "", "Attributes": "Events", "Links": "Events Attributes",
    "Capture": "Events Attributes Links",
})
check_rooms("Sources/5-Daemon/ANCSService", {
    "Record": "", "Codes": "Record", "Reading": "", "Calls": "Record",
    "Rules": "Codes Record Reading",
    "Configuration": "Record Reading Rules",
    "Pairing": "Record Configuration",
    "Control": "Record Rules Configuration Pairing",
    "Sinks": "Record Rules Configuration Pairing Control",
    "Service": "Codes Record Calls Rules Configuration Pairing Control",
    "Doctor": "Record Reading Rules Configuration Control Sinks",
})
check_rooms("Sources/5-Daemon/CommandKit", {
    "Syntax": "", "Values": "", "Events": "Values", "Run": "Syntax Events",
})
check_rooms("Sources/8-Tool/DeviceCommandKit", {
    "AssignedNumbers": "", "Prompt": "", "Options": "", "Values": "AssignedNumbers Prompt",
    "Run": "Prompt Options",
})
# The commands of a module know nothing of one another, but for what two of them have in common.
check_rooms("Sources/8-Tool/LaboratoryCommands", {
    "Advertise": "", "Bonds": "", "Controllers": "", "Scan": "", "GATT": "Bonds",
})
check_rooms("Sources/5-Daemon/DaemonCommands", {
    "Records": "", "Doctor": "", "History": "Records", "Rules": "", "Service": "Records",
    "Serve": "Rules",
})
check_rooms("Sources/8-Tool/ANCSCommands", {
    "Events": "", "PastedValues": "", "CaptureLines": "Events PastedValues",
    "Decode": "PastedValues CaptureLines", "Doctor": "Decode",
    "Receive": "Events", "Report": "Events", "Phone": "Events Report", "Scenario": "Events Phone Report",
    "Bench": "Events Phone Scenario Report", "Demo": "Events Phone Receive Scenario",
    "Tool": "Bench CaptureLines Decode Doctor Demo Phone Receive Scenario",
})

print("\n".join(faults), end="\n" if faults else "")
sys.exit(1 if faults else 0)
'
