// central-app bluez|CONTROLLER --state DIRECTORY [--bind SERVICE] [--display] <COMMANDS
import ANCSKit
import Glibc

/// The value of an option.
func value(of option: String) -> String? {
    let arguments = CommandLine.arguments
    guard let index = arguments.firstIndex(of: option) else { return nil }
    return arguments[(index + 1)...].first
}

guard let controller = CommandLine.arguments.dropFirst().first, let state = value(of: "--state")
else {
    print("usage: central-app bluez|CONTROLLER --state DIRECTORY [--bind SERVICE] [--display]")
    exit(2)
}

let ability: PairingAbility =
    CommandLine.arguments.contains("--display") ? .display : .noInputNoOutput
do {
    let app = try App(
        at: controller == "bluez"
            ? .bluez("hci0", ability: ability, state: state)
            : .hci(
                controller, store: BondStore(directory: state),
                pairing: PairingOptions(ability: ability)),
        state: state, binds: value(of: "--bind").flatMap { BluetoothUUID(text: $0) })
    await app.run()
} catch {
    print("central-app: \(error)")
    exit(1)
}
