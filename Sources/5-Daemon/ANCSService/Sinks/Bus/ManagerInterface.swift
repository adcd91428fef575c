internal import ANCSReceiver
package import DBus
internal import JSONText

/// The daemon as an object on the bus.
struct BusManager: Sendable {
    var control: any ServiceManagement
    var version: String
}

extension BusInterface<BusManager> {
    static let manager = BusInterface(
        name: BusNames.manager,
        methods: [
            Method(name: "OpenPairingWindow", arguments: [Argument("seconds", "u")]) {
                object, values throws(ServiceError) in
                let seconds = values[0].integer ?? 0
                guard (1...3600).contains(seconds) else {
                    throw .invalid("seconds must be from 1 to 3600")
                }
                try object.control.openPairingWindow(for: .seconds(seconds))
                return []
            },
            Method(name: "ClosePairingWindow") { object, _ in
                object.control.closePairingWindow()
                return []
            },
            Method(
                name: "PairingSteps", arguments: [Argument("after", "u")],
                results: [Argument("lines", "as")]
            ) { object, values in
                let lines = object.control.pairingSteps(after: values[0].integer ?? 0)
                return [.strings(lines.map(\.fitForBus))]
            },
            Method(name: "Forget", arguments: [Argument("phone", "s")]) {
                object, values, reply throws(ServiceError) in
                let digest = values[0].string ?? ""
                guard PhoneName.isDigest(digest) else {
                    throw .invalid("the phone must be a Digest: 16 hexadecimal digits")
                }
                object.control.forget(digest) { reply($0.map { [] }) }
            },
            Method(
                name: "Mute", arguments: [Argument("app", "s"), Argument("term", "s")],
                results: [Argument("identifier", "s")]
            ) { object, values throws(ServiceError) in
                let app = values[0].string ?? ""
                guard (1...255).contains(app.utf8.count) else {
                    throw .invalid("the app must be an identifier or a name of 1 to 255 octets")
                }
                guard let term = values[1].string.flatMap({ MuteTerm($0) }) else {
                    throw .invalid("the term must be \(MuteTerm.forms)")
                }
                return [.string(try object.control.mute(app, term).fitForBus)]
            },
            Method(name: "Mutes", results: [Argument("mutes", "a(sx)")]) { object, _ in
                let mutes = object.control.mutes.map { mute in
                    BusValue.structure([
                        .string(mute.app.fitForBus),
                        .int64(mute.until?.microsecondsSince1970 ?? 0),
                    ])
                }
                return [.array(mutes, of: "(sx)")]
            },
            Method(name: "Apps", results: [Argument("apps", "a(ssu)")]) { object, _ in
                let apps = object.control.apps.map { app in
                    BusValue.structure([
                        .string(app.identifier.fitForBus), .string(app.displayName.fitForBus),
                        .uint32(UInt32(clamping: app.count)),
                    ])
                }
                return [.array(apps, of: "(ssu)")]
            },
            Method(name: "Sinks", results: [Argument("sinks", "a(sbsu)")]) { object, _ in
                let sinks = object.control.status.sinks.map { sink in
                    BusValue.structure([
                        .string(sink.name), .bool(sink.status.isWorking),
                        .string(sink.status.message.fitForBus),
                        .uint32(UInt32(clamping: sink.status.dropped)),
                    ])
                }
                return [.array(sinks, of: "(sbsu)")]
            },
            Method(
                name: "List", arguments: [Argument("limit", "u")],
                results: [Argument("lines", "as")]
            ) { object, values in
                let limit = values[0].integer ?? 0
                return [.strings(object.lines(limit: limit == 0 ? .max : limit))]
            },
            Method(
                name: "Perform", arguments: [Argument("id", "s"), Argument("action", "s")]
            ) { object, values, reply throws(ServiceError) in
                guard let id = values[0].string.flatMap({ RecordID($0) }) else {
                    throw .invalid("this is not the id of a notification")
                }
                try object.control.perform(values[1].string ?? "", on: id, reply)
            },
            Method(name: "Reload") { object, _, reply in
                object.control.reload { reply($0.map { [] }) }
            },
        ],
        properties: [
            Property(name: "Version", type: "s") { .string($0.version) },
            Property(name: "Name", type: "s") { .string($0.control.status.name.fitForBus) },
            Property(name: "State", type: "s") { .string($0.control.status.state.phase.rawValue) },
            Property(name: "Message", type: "s") {
                .string($0.control.status.state.message.fitForBus)
            },
            Property(name: "PairingWindow", type: "b") {
                .bool($0.control.status.isPairingWindowOpen)
            },
            Property(name: "Face", type: "s") { .string($0.control.status.face.rawValue) },
        ],
        signals: [
            Signal(
                name: "Notification",
                arguments: [
                    .init("event", "s"), .init("notification", "o"), .init("header", "a{sv}"),
                ]),
            Signal(
                name: "Call",
                arguments: [
                    .init("event", "s"), .init("outcome", "s"), .init("notification", "o"),
                    .init("header", "a{sv}"),
                ]),
            Signal(name: "PairingStep", arguments: [.init("number", "u"), .init("step", "s")]),
        ])
}

extension BusManager {
    /// The limit of one reply in octets: less than what a D-Bus message and its readers allow.
    private static let listLimit = 1_048_576

    /// The newest records, in order, in the format of `ancs receive --json`.
    fileprivate func lines(limit: Int) -> [String] {
        var lines: [String] = []
        var octets = 0
        for record in control.records.reversed().prefix(limit) {
            let event: Record.Event = record.isComplete ? .added : .announced
            let line = record.json(event: event).text.fitForBus
            octets += line.utf8.count
            guard octets <= Self.listLimit else { break }
            lines.append(line)
        }
        return lines.reversed()
    }

}

extension ServiceStatus.SinkEntry {
    /// An element of the reply to `Sinks`; `nil` for something else.
    package init?(_ value: BusValue) {
        guard case .structure(let fields) = value, fields.count > 2, let name = fields[0].string,
            let isWorking = fields[1].bool
        else { return nil }
        self.init(
            name: name,
            status: SinkStatus(
                isWorking: isWorking, message: fields[2].string ?? "",
                dropped: fields.count > 3 ? fields[3].integer ?? 0 : 0))
    }
}
