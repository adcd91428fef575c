import DBus
import Octets

@testable import BlueZ

/// What must always be so about sockets, without SELinux: where bluetoothd has ended twice while it was asked for one,
/// it is not asked for a while, nothing is stopped of which it has given no socket, and no texts are broadcast
/// unless the user allows it.
struct SocketWatch {
    /// Whether the user allows texts on the bus.
    let allowsTextsOnBus: Bool
    /// The calls that are not answered, and of what.
    private var asked: [CallID: String] = [:]
    private var last: CallID?
    /// The characteristics of this bluetoothd that it has refused a socket of.
    private var refused: Set<String> = []
    /// How often it has ended while it was asked, since it last gave a socket.
    private var ends = 0
    private var endedAt = MonotonicInstant.zero

    init(allowsTextsOnBus: Bool) { self.allowsTextsOnBus = allowsTextsOnBus }

    /// What is wrong with a call.
    func fault(of text: String, at now: MonotonicInstant) -> String? {
        let words = text.split(separator: " ").map(String.init)
        switch (words.first, words.last) {
        case ("AcquireNotify", _) where ends >= 2 && now < endedAt + DaemonEnds.pause:
            return "\(text) after \(ends) ends"
        case ("StopNotify", let characteristic?)
        where refused.contains(characteristic) || asked.values.contains(characteristic):
            return "\(text), which bluetoothd has given no socket of"
        case ("StartNotify", let characteristic?)
        where !allowsTextsOnBus
            && (characteristic.hasSuffix("/service0010/char0016")
                || characteristic.contains("/service0030/")):
            return "\(text), which the user has not allowed"
        case ("ReadValue", let characteristic?)
        where !allowsTextsOnBus && characteristic.contains("/service0030/"):
            return "\(text), which would be broadcast"
        case _: return nil
        }
    }

    /// These calls wait for answers, the newest last.
    mutating func note(_ pending: [PendingCall]) {
        for call in pending.reversed() {
            if let last, call.id.rawValue <= last.rawValue { break }
            if call.call.member == "AcquireNotify" { asked[call.id] = Self.characteristic(call) }
        }
        last = pending.last?.id ?? last
    }

    mutating func answered(_ call: PendingCall, isGiven: Bool) {
        guard asked.removeValue(forKey: call.id) != nil else { return }
        if isGiven { ends = 0 } else { refused.insert(Self.characteristic(call)) }
    }

    /// bluetoothd ends, if it was there.
    mutating func daemonEnded(at now: MonotonicInstant) {
        if !asked.isEmpty { (ends, endedAt) = (ends + 1, now) }
        (asked, refused) = ([:], [])
    }

    private static func characteristic(_ call: PendingCall) -> String {
        String(call.text.split(separator: " ").last ?? "")
    }
}
