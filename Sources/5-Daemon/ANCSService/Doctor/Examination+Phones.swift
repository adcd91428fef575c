internal import ANCSReceiver
internal import EventLines

/// The phones: their bonds, their links, and their notifications.
extension Examination {
    /// The phones as the daemon reports them or, without the daemon, as bluetoothd's objects show them.
    var phones: [Finding] {
        let devices = usedDevices
        let bonds = devices.flatMap { bond(of: $0) }
        if let daemon = facts.daemon.value ?? nil {
            let states = daemon.phones.flatMap { self.states(of: $0) }
            return bonds + (daemon.phones.isEmpty && devices.isEmpty ? [noPhone] : states)
        }
        guard facts.configuration.adapterOfBluetoothd != nil, bluetoothd?.answer == .answered else {
            return []
        }
        guard !devices.isEmpty else { return [noPhone] }
        return bonds + devices.flatMap { links(of: $0) }
    }

    private var noPhone: Finding {
        .note(
            .phone, "no iPhone is paired with this machine",
            why: "only a paired phone sends notifications",
            remedy:
                "to pair one: 'ancs pair', then choose '\(ownName)' in Settings > Bluetooth on the "
                + "iPhone; " + PairingAdvice.otherApp(for: ownName))
    }

    /// The phones of the adapter in use.
    private var usedDevices: [Facts.Device] {
        guard facts.configuration.adapterOfBluetoothd != nil, let adapter else { return [] }
        return (bluetoothd?.devices ?? []).filter {
            $0.isPhone && $0.adapter == adapter.name
                && ($0.isPaired || $0.isConnected || $0.isBlocked)
        }
    }

    // MARK: Bonds

    private func bond(of device: Facts.Device) -> [Finding] {
        func fault(_ seen: String, why: String, remedy: String) -> [Finding] {
            .fault(.bond, of: device.subject, seen, why: why, remedy: remedy)
        }
        if device.isBlocked {
            return fault(
                "blocked", why: "bluetoothd refuses its connections",
                remedy: "\"bluetoothctl unblock \(device.address)\" lets it in")
        }
        guard device.isPaired else {
            return .note(
                .bond, of: device.subject, "connected, not paired",
                why: "an iPhone sends its notifications only to paired devices",
                remedy:
                    "'ancs pair', then choose '\(ownName)' in Settings > Bluetooth on the iPhone"
            )
        }
        if device.isBonded == false {
            return fault(
                "paired, but the keys were not stored",
                why: "the phone has to be paired again each time",
                remedy: pairAgain(device))
        }
        if device.seemsPairedWithoutLowEnergy { return [withoutLowEnergy(device)] }
        guard device.isTrusted else {
            return .note(
                .bond, of: device.subject, "paired, not trusted",
                why: "bluetoothd asks the desktop's user about some of the phone's connections",
                remedy: "\"bluetoothctl trust \(device.address)\" ends the questions")
        }
        return .fine(.bond, of: device.subject, "paired and trusted")
    }

    func pairAgain(_ device: Facts.Device) -> String {
        "\"bluetoothctl remove \(device.address)\", forget '\(ownName)' in Settings > Bluetooth on the "
            + "iPhone, then 'ancs pair', and choose '\(ownName)' there"
    }

    // MARK: Links, as the daemon has them

    private func states(of phone: PhoneStatus) -> [Finding] {
        let subject = phone.phone.name?.shortened ?? "a phone"
        func remedy(_ standard: String) -> String { phone.advice ?? standard }
        let linked = connected(subject, phone.link)
        switch phone.state {
        case .away:
            if let advice = phone.advice {
                return [keysAreMissing(of: phone, subject, "not connected", advice)]
            }
            return [away(subject)]
        case .connected:
            if let advice = phone.advice {
                return [keysAreMissing(of: phone, subject, "connected, not encrypted", advice)]
            }
            return .note(
                .link, of: subject, "connected, no session yet",
                why: "a session begins some seconds after the connection",
                remedy: "look again in ten seconds; if nothing has changed, \(PairingAdvice.toggle)"
            )
        case .pairing:
            return .note(
                .bond, of: subject, "pairing is under way", why: "it waits for an answer",
                remedy: "answer the question on the iPhone and, with 'ancs pair', the one here")
        case .waitingForService: return [linked, noService(subject, remedy(missingService()))]
        case .unauthorized:
            return [
                linked, subscribed(subject),
                refused(subject, remedy(PairingAdvice.sharing(ownName).sentence)),
            ]
        case .silent:
            return [
                linked, subscribed(subject),
                .fault(
                    .answers, of: subject, "it no longer answers",
                    why: "iOS sometimes ends a session silently",
                    remedy: remedy(PairingAdvice.toggle)),
            ]
        case .unaccepted, .noPlace:
            return [
                .fault(
                    .link, of: subject, phone.state == .noPlace ? "no place" : "not accepted",
                    why: "nothing is received from it", remedy: remedy(phone.advice ?? ""))
            ]
        case .subscribed:
            return [linked, subscribed(subject)]
                + (phone.counts.isEmpty ? [iPhoneSettings(subject)] : [])
        }
    }

    /// A link that ends whenever nothing is heard for less than a second is told; nobody here can change it.
    private func connected(_ subject: String, _ link: LinkParameters?) -> Finding {
        guard let link else { return .fine(.link, of: subject, "connected") }
        let seen = "connected: \(link.message)"
        guard link.isKept, link.supervisionTimeout < .seconds(2) else {
            return .fine(.link, of: subject, seen)
        }
        return .note(
            .link, of: subject, seen,
            why: "the phone was asked for a longer timeout and keeps its own, so that the link "
                + "ends when nothing is heard for that long",
            remedy: "keep the iPhone near; the link is made again whenever it is heard")
    }

    private func away(_ subject: String) -> Finding {
        .note(
            .link, of: subject, "not connected",
            why: "notifications arrive while the phone is near",
            remedy: "bring the iPhone near, and check that Bluetooth is on in its Settings > "
                + "Bluetooth (Control Center only pauses it)")
    }

    /// What advice about keys means: a fault only once it advises to remove the bond.
    private func keysAreMissing(
        of phone: PhoneStatus, _ subject: String, _ seen: String, _ advice: String
    ) -> Finding {
        // Any phone in range may try to pair, so this is not a fault of this machine.
        guard phone.isPaired else {
            return .note(
                .bond, of: subject, "tried to pair, and was refused",
                why: "phones may pair only while 'ancs pair' runs, or until the first has paired",
                remedy: advice)
        }
        guard phone.keys == .lost else {
            return .note(
                .bond, of: subject, seen + ": securing the link failed",
                why: "without shared keys the phone sends nothing, but this may pass by itself",
                remedy: advice)
        }
        return .fault(
            .bond, of: subject, seen, why: "without shared keys the phone sends nothing",
            remedy: advice)
    }

    private func missingService(removal: String = "'ancs forget'") -> String {
        let isBluetoothd = facts.configuration.values.bluetooth.isAtBluetoothd
        return PairingAdvice.missingService(
            ownName, at: .init(isBluetoothd: isBluetoothd), removal: removal
        ).sentence
    }

    private func noService(_ subject: String, _ remedy: String) -> Finding {
        .fault(
            .service, of: subject, "it does not offer its notifications (ANCS)",
            why: "the iPhone hides the service from accessories without permission",
            remedy: remedy)
    }

    private func refused(_ subject: String, _ remedy: String) -> Finding {
        .fault(
            .authorization, of: subject, "it does not let this machine read notifications",
            why: "its user has not allowed it", remedy: remedy)
    }

    private func subscribed(_ subject: String) -> Finding {
        .fine(.subscription, of: subject, "subscribed")
    }

    /// The phone is connected, but there are no notifications: lists the iPhone settings that hide them.
    private func iPhoneSettings(_ subject: String) -> Finding {
        .note(
            .iPhoneSettings, of: subject, "connected, but it has no notifications",
            why: "the iPhone sends what is in its Notification Center; without previews, texts are "
                + "missing, and a Focus may hide notifications",
            remedy: "on the iPhone: Settings > Notifications, the app, Notification Center on (not "
                + "only Lock Screen), Show Previews Always; and no Focus that silences the app")
    }

    // MARK: Links, as bluetoothd has them

    private func links(of device: Facts.Device) -> [Finding] {
        guard device.isPaired, !device.isBlocked else { return [] }
        guard device.isConnected else { return [away(device.subject)] }
        // What such a phone does not show or answer is not for its settings to mend.
        guard device.isEncrypted != false else {
            return .fault(
                .bond, of: device.subject, "connected, not encrypted",
                why: "a phone that has forgotten this machine has no keys for it",
                remedy: "look again in ten seconds; if nothing has changed: "
                    + pairAgain(device))
        }
        let linked = Finding.fine(.link, of: device.subject, "connected")
        guard device.hasResolvedServices else {
            return [
                linked,
                .note(
                    .service, of: device.subject, "bluetoothd is finding out which services it has",
                    why: "that takes some seconds after each connection",
                    remedy: "look again in ten seconds; if nothing has changed, "
                        + PairingAdvice.toggle),
            ]
        }
        guard device.hasANCS else {
            return device.knowsANCS || device.isApplePhone
                ? [
                    linked,
                    noService(
                        device.subject,
                        missingService(removal: "'bluetoothctl remove \(device.address)'")),
                ] : [linked]
        }
        let found = [
            linked, .fine(.service, of: device.subject, "it offers its notifications (ANCS)"),
        ]
        guard !device.isNotifying else { return found + [subscribed(device.subject)] }
        guard isReceiving else { return found }
        return found + [
            .fault(
                .subscription, of: device.subject,
                "not subscribed, although a program here is receiving",
                why: "a phone that has forgotten this machine refuses subscriptions",
                remedy: pairAgain(device))
        ]
    }
}

extension Facts.Device {
    /// The phone in a finding.
    var subject: String { name.isEmpty ? address : "\(name.shortened) (\(address))" }
}
