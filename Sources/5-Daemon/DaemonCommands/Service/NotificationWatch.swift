internal import ANCSService
internal import CommandKit
internal import DBus

/// `ancs watch`: prints the daemon's notifications as they arrive.
///
/// Signals carry no text, so it is read from the daemon. A notification that is removed before it could be
/// read is not shown, and neither is its removal. Of the notifications that exist at the start, it knows the
/// newest: as many as fit into a reply to `List`, 1 MiB.
struct NotificationWatch: Sendable {
    private let client: ServiceClient
    private let isJSON: Bool
    private var removals = RemovalRecords()
    /// What the known phones are called, by their digests.
    private var labels: [String: String] = [:]

    init(_ client: ServiceClient, isJSON: Bool) {
        self.client = client
        self.isJSON = isJSON
    }

    /// Runs until the daemon ends.
    mutating func run() async throws(ServiceClient.Failure) {
        let signals = await client.signals(BusNames.manager)
        for line in try await client.call("List", [.uint32(0)]).first?.strings ?? [] {
            removals.note(line)
        }
        for await signal in signals {
            guard let signal else { throw .init(status: .failure, message: ServiceClient.ended) }
            for line in await lines(of: signal) {
                await know(line)
                ServiceCommands.show(line, labels, isJSON: isJSON)
            }
        }
    }

    /// Asks for the phones when one is new: from the second on, texts say whose they are.
    private mutating func know(_ line: String) async {
        guard !isJSON, let phone = try? JSONValue(parsing: line)["phone"]?.string,
            labels[phone] == nil, let phones = try? await client.phones()
        else { return }
        labels = phones.map(\.phone).labels
    }

    private mutating func lines(of signal: BusSignal) async -> [String] {
        if signal.member == "Call" { return removals.call(signal, at: .now).map { [$0] } ?? [] }
        guard signal.member == "Notification", signal.arguments.count == 3,
            let event = signal.arguments[0].string, let path = signal.arguments[1].objectPath
        else { return [] }
        guard event != "removed" else {
            let id = signal.arguments[2].properties?["Id"]?.string ?? ""
            return removals.take(id, at: .now).map { [$0] } ?? []
        }
        do throws(ServiceClient.Failure) {
            let values = try await client.call(
                "JSON", [.string(event)], of: BusNames.notification, at: path)
            guard let line = values.first?.string else { return [] }
            return [line] + (removals.note(line).map { [$0] } ?? [])
        } catch { return [] }
    }
}

/// The records to print when notifications are removed: with the app and the title, as `ancs receive --json`
/// prints them.
struct RemovalRecords: Sendable {
    private static let members: Set<String> = [
        "event", "uid", "flags", "category", "categoryID", "categoryCount", "app", "title", "time",
        "phone", "session", "id", "sameAs", "rule",
    ]

    private var records: [String: JSONValue] = [:]
    /// The records with which calls began that are not over.
    private var calls: [String: JSONValue] = [:]
    /// The calls that were active before their record arrived.
    private var unread: Set<String> = []

    /// The record of a call that was answered or has ended; `nil` for one that rings, whose record says so.
    mutating func call(_ signal: BusSignal, at time: CaptureTime) -> String? {
        guard signal.arguments.count == 4, let event = signal.arguments[0].string,
            let outcome = signal.arguments[1].string,
            let id = signal.arguments[3].properties?["Id"]?.string
        else { return nil }
        let begun = calls[id] ?? records[id]
        calls[id] = event == "ended" ? nil : begun
        if event == "answered", begun == nil { unread.insert(id) } else { unread.remove(id) }
        return event == "incoming" ? nil : Self.told(event, outcome, of: begun, at: time)
    }

    /// The record of a notification with what has happened to it. `time` is when; `nil` if it is in the record.
    private static func told(
        _ event: String, _ outcome: String = "", of begun: JSONValue?, at time: CaptureTime?
    ) -> String? {
        guard case .object(let members)? = begun else { return nil }
        var told = members.map { member -> JSONValue.Member in
            switch (member.name, time) {
            case ("event", _): .init("event", .string(event))
            case ("time", let time?): .init("time", .string(time.text(fractionDigits: 3)))
            case _: member
            }
        }
        if !outcome.isEmpty {
            // Where a record has it.
            let place = told.firstIndex { $0.name == "time" } ?? told.endIndex
            told.insert(JSONValue.Member("outcome", .string(outcome)), at: place)
        }
        return JSONValue.object(told).text
    }

    /// Stores the record of a notification that has arrived or changed. Returns what follows it: that the call which
    /// begins with it is active.
    @discardableResult mutating func note(_ line: String) -> String? {
        guard let record = try? JSONValue(parsing: line), case .object(let all) = record,
            let id = record["id"]?.string
        else { return nil }
        let kept = JSONValue.object(all.filter { Self.members.contains($0.name) })
        records[id] = kept
        let begins = unread.remove(id) != nil
        if begins || calls[id] != nil { calls[id] = kept }
        return begins ? Self.told("answered", of: kept, at: nil) : nil
    }

    /// Removes and returns the record of a removed notification; `nil` if it is not known.
    mutating func take(_ id: String, at time: CaptureTime) -> String? {
        Self.told("removed", of: records.removeValue(forKey: id), at: time)
    }
}
