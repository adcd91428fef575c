package import ANCSEvents
package import Kinds

extension DeviceEvent {
    /// What is said about the event.
    package func line(for reporter: Reporter) -> Line {
        switch self {
        case .listening(let place):
            Line("listening", ["at": .string(place)], "waiting for a controller at \(place)")
        case .ready: reporter.ready
        case .resetting(let failure):
            // Of both controllers of the demo, that of the phone is of interest.
            Line("resetting", ["reason": .string(failure.message)], failure.message, .alarm)
                .viewed(reporter.side == .accessory ? nil : .note([failure.message]))
        case .advertising(let isOnAir): reporter.advertising(isOnAir)
        case .scanning(let isScanning):
            Line(
                "scanning", ["on": .boolean(isScanning)],
                detail: (isScanning ? "looking" : "not looking") + " for accessories")
        case .resumed: Line("resumed", detail: "the machine was suspended; probing its peers")
        case .pairingWindow(let isOpen): reporter.pairingWindow(isOpen)
        case .warning(let warning):
            Line("warning", ["text": .string(warning.message)], warning.message, .problem)
                .viewed(.note([warning.message]))
        case .missed(let count):
            Line("missed", ["count": .integer(count)], droppedText(count) + ": too slow")
                .viewed(.note([droppedText(count)]))
        }
    }
}

extension Reporter {
    fileprivate var ready: Line {
        let sentence: String? =
            switch side {
            case .accessory: isPairingOpen ? "pairing is open (--pair)" : nil
            case .phone: "\(name) looks for accessories"
            case .adapter: nil
            }
        return Line("ready", [:], sentence, detail: "the controller is ready")
    }

    fileprivate func advertising(_ isOnAir: Bool) -> Line {
        Line(
            "advertising", ["on": .boolean(isOnAir)], "waiting as \(name)",
            below: [.hint("on the iPhone: Settings > Bluetooth")],
            detail: (isOnAir ? "advertising" : "not advertising")
                + (isOnAir && side == .accessory ? " as '\(name)' with a solicitation of ANCS" : "")
        ).said(if: isOnAir && side == .accessory)
    }

    fileprivate func pairingWindow(_ isOpen: Bool) -> Line {
        guard !isOpen else {
            return Line(
                "pairing", ["window": "open"], "pairing is open",
                detail: "pairing is open" + (face?.mention ?? "")
            ).said(if: side != .phone)
        }
        let isAccessory = side == .accessory
        return Line(
            "pairing", ["window": "closed"],
            "pairing is closed" + (isAccessory ? ": only phones that are bonded can connect" : ""),
            below: isAccessory ? [.hint("to pair another phone, type 'pair'")] : [],
            detail: "pairing is closed"
        ).said(if: side != .phone)
    }
}

extension DeviceEvent {
    /// The kinds of lines of these events.
    package static let kinds = [
        LineKind("listening", "the transport waits for a controller at this place", ["at": .text]),
        LineKind("ready", "the Bluetooth stack is ready"),
        LineKind(
            "resetting", "the controller failed and is set up again; all links have ended",
            ["reason": .text]),
        LineKind("advertising", "this device advertises, or no longer does", ["on": .boolean]),
        LineKind(
            "scanning", "this device looks for accessories, or no longer does", ["on": .boolean]),
        LineKind("resumed", "the machine was suspended and has resumed"),
        LineKind(
            "pairing", as: "pairingWindow", "devices that connect may pair from now on, or may not",
            ["window": .words(["open", "closed"])]),
        LineKind("warning", "there is a problem; the device continues", ["text": .text]),
        LineKind(
            "missed", "events were dropped because standard output was read too slowly",
            ["count": .ordinal]),
    ]
}
