/// Draws conclusions from the facts; does no I/O.
package final class Examination: Sendable {
    let facts: Facts

    private init(facts: Facts) { self.facts = facts }

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
    var adapter: Facts.Adapter? { adapter(facts.configuration.adapterOfBluetoothd ?? "any") }

    /// The adapter of bluetoothd that a program uses which is given `any`, a name or an address.
    private func adapter(_ wanted: String) -> Facts.Adapter? {
        let adapters = (bluetoothd?.adapters ?? []).filter {
            wanted == "any" || $0.name == wanted || $0.address.lowercased() == wanted.lowercased()
        }
        return adapters.first { $0.isPowered && $0.canAdvertise } ?? adapters.first
    }

    /// Whether a program certainly uses the controller of the examined daemon.
    func sharesController(_ program: Facts.Program) -> Bool {
        switch (program.controller, facts.configuration.controller) {
        // Other projects use every adapter of bluetoothd.
        case (.bluetoothd, .bluetoothd) where program.kind == .other: return true
        case (.bluetoothd(let theirs), .bluetoothd(let ours)):
            return theirs == ours || adapter(theirs) != nil && adapter(theirs) == adapter(ours)
        case (.own(let theirs), .own(let ours)): return theirs == ours
        case (.bluetoothd, .own), (.own, .bluetoothd), (.unknown, _), (_, .unknown): return false
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
