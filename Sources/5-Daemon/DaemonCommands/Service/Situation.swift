internal import ANCSService
internal import DBus
internal import Glibc
package import LinuxIO
internal import Printing

/// `ancs` alone: what is the case, and the next step.
package struct Situation: Equatable, Sendable {
    /// What is the case, in a sentence.
    var text: String
    /// The command to run now.
    var step: String

    /// Prints it.
    package static func show(on loop: EventLoop) async {
        let now = await current(on: loop)
        StandardStreams.writeLine(TerminalText.visible("\(now.text): \(now.step)"))
        StandardStreams.writeLine("'ancs --help' lists the commands.")
    }

    private static func current(on loop: EventLoop) async -> Situation {
        guard let client = try? await ServiceClient.connect(usesSystemBus: nil, on: loop) else {
            let names = SystemFile.names(in: "/sys/class/bluetooth")
            return Situation(
                hasAdapter: names.contains { $0.hasPrefix("hci") },
                hasUserUnits: getenv("XDG_RUNTIME_DIR").map {
                    access(String(cString: $0) + "/systemd", F_OK) == 0
                } ?? false)
        }
        let daemon = try? await client.properties()
        let phones = try? await client.phones()
        await client.close()
        guard let daemon, let phones else {
            return Situation(text: "'ancs serve' runs, but does not answer", step: "ancs doctor")
        }
        return Situation(
            isOnAir: daemon["State"]?.string == ServiceState.Phase.onAir.rawValue,
            message: daemon["Message"]?.string ?? "", phones)
    }

}

extension Situation {
    /// The daemon is not running.
    init(hasAdapter: Bool, hasUserUnits: Bool) {
        guard hasAdapter else {
            let text =
                "no Bluetooth adapter here ('ancs doctor' examines it); to see how it works without"
            self.init(text: text, step: "ancs demo")
            return
        }
        self.init(
            text: "the daemon is not running",
            step: hasUserUnits ? "systemctl --user enable --now ancs" : "ancs serve")
    }

    /// The daemon is running; `message` says what it does.
    init(isOnAir: Bool, message: String, _ phones: [PhoneStatus]) {
        let served = phones.filter { $0.state == .subscribed }
        if !served.isEmpty {
            let names = served.map { "'\($0.phone.name ?? $0.phone.digest)'" }
            self.init(text: "receiving from \(names.joined(separator: ", "))", step: "ancs list")
        } else if let phone = phones.first {
            self.init(
                text: "'\(phone.phone.name ?? phone.phone.digest)' is \(phone.state.text)",
                step: phone.state == .away ? "ancs doctor" : "ancs status")
        } else if isOnAir {
            self.init(text: "no phone is paired", step: "ancs pair")
        } else {
            self.init(text: message, step: "ancs doctor")
        }
    }
}
