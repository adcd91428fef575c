#!/usr/bin/env bash
# Fails when a text shows a value that has no description of its own: the cases of a Swift enum, the
# members of a struct. A string interpolation of such a value calls the generic function of the standard
# library, which the object files of a debug build name.
set -euo pipefail
cd "$(dirname "$0")/.."

# DefaultStringInterpolation.appendInterpolation<T>(_: T), String(describing:) and String(reflecting:)
anything='s26DefaultStringInterpolationV06appendC0yyxlF|sSS10describingSSx_tclufC|sSS10reflectingSSx_tclufC'
found=0
for target in Octets AMS ANCS ANCSProvider BluetoothTypes BluetoothLE VirtualBluetooth JSONText LinuxIO HCIMonikers HCITransports Printing AccessoryConformance ANCSCapture CaptureRedaction OpenSSLSecurity DBus MQTT ANCSEvents BlueZ ANCSReceiver ANCSMedia ANCSKit Kinds EventLines ANCSService CommandKit DeviceCommandKit LaboratoryCommands DaemonCommands ANCSCommands; do
    for object in .build/debug/"$target".build/*.o; do
        # `assumeIsolated` of the standard library is inlined, with the text of its trap.
        places=$(objdump -dr --no-show-raw-insn "$object" | awk -v pattern="$anything" '
            /^[0-9a-f]+ <.*>:$/ { function_ = substr($2, 2, length($2) - 3) }
            $0 ~ pattern && function_ !~ /14assumeIsolated/ && !seen[function_]++ { print function_ }')
        [ -z "$places" ] && continue
        found=1
        file=$(basename "$object" .o)
        swift demangle --simplified <<<"$places" | sed "s|^|$target/$file: |; s|\$| shows a value without a description|"
    done
done
exit "$found"
