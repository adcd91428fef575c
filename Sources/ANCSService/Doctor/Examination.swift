internal import ANCSKit

/// Draws conclusions from the facts; does no I/O.
package struct Examination: Sendable {
    let facts: Facts

    /// All findings, in order from the controller to the screen.
    package static func diagnosis(of facts: Facts) -> Diagnosis {
        Diagnosis(Examination(facts: facts).findings)
    }

    private var findings: [Finding] {
        [
            configuration, bluetooth, otherPrograms, daemon, subscribers, phones, audio, desktop,
            broker, sinks, history, clock,
        ].flatMap { $0 }
    }

    // MARK: What several lines ask

    /// The state of bluetoothd, if it was read.
    var bluetoothd: Facts.Bluetoothd? { facts.systemBus.value }

    /// The adapter in use: the configured one, or the first usable one.
    var adapter: Facts.Adapter? {
        let adapters = wantedAdapters
        return adapters.first { $0.isPowered && $0.canAdvertise } ?? adapters.first
    }

    private var wantedAdapters: [Facts.Adapter] {
        let adapters = bluetoothd?.adapters ?? []
        let wanted = facts.configuration.adapterOfBluetoothd ?? "any"
        guard wanted != "any" else { return adapters }
        return adapters.filter {
            $0.name == wanted || $0.address.lowercased() == wanted.lowercased()
        }
    }

    /// The name of this machine on phones.
    var ownName: String {
        if let name = facts.daemon.value??.name, !name.isEmpty { return name }
        return facts.configuration.values.bluetooth.name
    }

    /// Starts the daemon.
    var startDaemon: String { systemctl("start") }

    /// Starts the daemon again.
    var restartDaemon: String { systemctl("restart") }

    private func systemctl(_ verb: String) -> String {
        facts.isSystem ? "sudo systemctl \(verb) ancs" : "systemctl --user \(verb) ancs"
    }
}
