internal import ANCSReceiver

/// The controller and bluetoothd.
extension Examination {
    var bluetooth: [Finding] {
        guard facts.configuration.adapterOfBluetoothd != nil else {
            return .note(
                .bluetoothd, "the configuration gives ancs its own controller",
                why: "bluetoothd is not used, and was not checked")
        }
        guard !isDemo else {
            return .note(
                .adapter, "the daemon has a virtual one",
                why: "'ancs demo --desktop' runs it; the Bluetooth of this machine was not checked")
        }
        let before = controller + radioSwitches + [systemBus, service]
        guard bluetoothd?.answer == .answered else { return before + settings }
        return before + [permission] + [power, lowEnergy, discoverable, version].compactMap { $0 }
            + settings + [selinux] + socket + advertising
    }

    // MARK: The machine

    private var controller: [Finding] {
        let wanted = facts.configuration.adapterOfBluetoothd ?? "any"
        let names = facts.machine.interfaces
        let known = bluetoothd?.answer == .answered
        let why = "without a Bluetooth adapter no phone can be reached"
        guard let first = names.first else {
            return .fault(
                .adapter, "none", why: why,
                remedy: "plug one in; \"bluetoothctl list\" shows the adapters that bluetoothd has")
        }
        if known, adapter == nil {
            let isNamed = wanted != "any"
            let seen = names.joined(separator: ", ")
            return .fault(
                .adapter,
                isNamed ? "\(wanted) is not among \(seen)" : "\(seen), but bluetoothd has none",
                why: why,
                remedy: isNamed
                    ? BluetoothdFailure.noAdapter(wanted).message
                    : "stop the program that has \(first) to itself, such as 'ancs receive --hci', or "
                        + "\"sudo systemctl restart bluetooth\"")
        }
        let address = adapter.map { $0.address.isEmpty ? "" : " (\($0.address))" } ?? ""
        let name = adapter?.name ?? first
        guard adapter != nil || names.count == 1, let hardware = facts.machine.hardware[name] else {
            return .fine(.adapter, (adapter?.name ?? names.joined(separator: ", ")) + address)
        }
        let described = hardware.description
        let seen = name + address + (described.isEmpty ? "" : ": " + described)
        return [.fine(.adapter, seen)] + reports(on: hardware, of: name)
    }

    /// What other people report about the adapter.
    private func reports(on hardware: AdapterHardware, of name: String) -> [Finding] {
        guard let known = KnownAdapter.of(hardware.identifier) else { return [] }
        guard known.isTroubled else {
            return .fine(.knownAdapter, of: name, "\(known.name): \(known.report)")
        }
        return .note(
            .knownAdapter, of: name, "\(known.name): \(known.report)",
            why: "other people report this about such adapters; yours may differ",
            remedy: "if phones do not pair or do not stay connected, try another adapter: "
                + "the page Linux lists reports")
    }

    private var radioSwitches: [Finding] {
        guard let interface = adapter?.name ?? facts.machine.interfaces.first else { return [] }
        let blocking = facts.machine.switches.filter { $0.blocks(interface) }
        guard let first = blocking.first else { return .fine(.radioSwitch, "not blocked") }
        let isHard = blocking.contains(where: \.isHard)
        let how = isHard ? "by a key or the firmware" : "by software"
        return .fault(
            .radioSwitch, of: interface, "blocked \(how) (rfkill: \(first.name))",
            why: "a blocked radio neither sends nor receives",
            remedy: isHard
                ? "unblock it with the wireless switch, the airplane mode key or the firmware "
                    + "settings of this machine"
                : BluetoothdFailure.off(adapter: interface, isBlocked: true).message)
    }

    // MARK: bluetoothd

    private var systemBus: Finding {
        switch facts.systemBus {
        case .seen: .fine(.systemBus, "it answers")
        case .unseen(let reason):
            .fault(
                .systemBus, reason, why: "bluetoothd is reachable over the system bus only",
                remedy: "\"sudo systemctl start dbus\" starts it; in a container, "
                    + "/run/dbus/system_bus_socket of the host must be shared with it")
        }
    }

    private var service: Finding {
        let why = "bluetoothd has the controller, the bonds and the link to the phone"
        return switch bluetoothd?.answer {
        case nil: .unseen(.bluetoothd, because: "the system bus cannot be reached")
        case .answered: .fine(.bluetoothd, "it is running")
        case .notRunning:
            .fault(
                .bluetoothd, "it is not running", why: why,
                remedy: BluetoothdFailure.notRunning.message)
        case .denied:
            .fault(
                .permission,
                "refused; this user is \(facts.machine.isInBluetoothGroup ? "" : "not ")in the "
                    + "group bluetooth", why: why, remedy: BluetoothdFailure.denied.message)
        case .noAnswer:
            .fault(
                .bluetoothd, "it is running, but does not answer", why: why,
                remedy: BluetoothdFailure.noAnswer.message)
        case .refused(let reason):
            .fault(
                .bluetoothd, "it answers with an error", why: why,
                remedy: BluetoothdFailure.refused(reason).message)
        }
    }

    private var permission: Finding { .fine(.permission, "this user may call bluetoothd") }

    private var power: Finding? {
        guard let adapter else { return nil }
        guard !adapter.isPowered else { return .fine(.power, of: adapter.name, "on") }
        let isBlocked = facts.machine.switches.contains { $0.blocks(adapter.name) }
        return .fault(
            .power, of: adapter.name, "off", why: "without power the controller reaches no phone",
            remedy: BluetoothdFailure.off(adapter: adapter.name, isBlocked: isBlocked).message)
    }

    /// A controller that is off does not report what it supports.
    private var lowEnergy: Finding? {
        guard let adapter, adapter.isPowered else { return nil }
        let isCentralOnly =
            !adapter.roles.isEmpty && !adapter.roles.contains { $0.contains("peripheral") }
        guard !adapter.canAdvertise || isCentralOnly else {
            return .fine(.lowEnergy, of: adapter.name, "it can advertise")
        }
        return .fault(
            .lowEnergy, of: adapter.name,
            isCentralOnly ? "it can only be a central" : "it cannot advertise",
            why: "an iPhone connects only to peripherals that advertise over Low Energy",
            remedy: BluetoothdFailure.cannotAdvertise(adapter: adapter.name).message)
    }

    /// The oldest version that was tested.
    private static let tried = BlueZVersion(5, 66)

    private var version: Finding? {
        guard let version = adapter?.version else { return nil }
        guard version < Self.tried else { return .fine(.version, "BlueZ \(version.text)") }
        return .note(
            .version, "BlueZ \(version.text)",
            why:
                "ancs has not been tested with versions before \(Self.tried.text), which Debian 12 has",
            remedy: "if phones do not stay connected or subscriptions fail, use a distribution "
                + "with BlueZ \(Self.tried.text) or later")
    }

    // MARK: Advertising

    private var advertising: [Finding] {
        guard let adapter, adapter.isPowered, adapter.canAdvertise else { return [] }
        let count = adapter.activeAdvertisements
        let places = "\(count) on air, \(adapter.freeAdvertisements) more possible"
        let isOurs = facts.daemon.value??.phase == .onAir
        if isOurs, count == 0 {
            return .fault(
                .advertising, of: adapter.name, "the daemon's advertisement is not on air",
                why: "a phone finds this machine only by its advertisement",
                remedy: "\"\(restartDaemon)\" puts it on air again")
        }
        if !isOurs, adapter.freeAdvertisements == 0, !isPhoneConnected {
            return .fault(
                .advertising, of: adapter.name,
                "other programs use all \(count) advertising slots",
                why: "without an advertisement no phone finds this machine",
                remedy: "stop a program that advertises, such as \"bluetoothctl advertise on\", or "
                    + "\"sudo systemctl restart bluetooth\"")
        }
        return .fine(.advertising, of: adapter.name, isOurs ? "ours is on air; \(places)" : places)
    }

    var isPhoneConnected: Bool {
        bluetoothd?.devices.contains { $0.isPhone && $0.isConnected } == true
    }
}
