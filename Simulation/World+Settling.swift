import ANCS
import ANCSKit
import BluetoothLE
import LinuxIO
import Octets
import VirtualBluetooth

// When everything has to be as it should be.
extension World {
    /// After what time without a word from a phone an accessory subscribes again; hours in real life.
    static let silence = Duration.seconds(180)

    /// Waits until every accessory shows what the phones hold, and every user knows what became of an action.
    /// It is too late when an accessory stands still, or when the air would have carried everything that
    /// waits by now.
    ///
    /// An accessory may show nothing new for less time than until a session is renewed, which would hide what
    /// was lost in it, unless only that can help; then everything may have to be fetched a second time.
    func waitUntilSettled(isSilenceNeeded: Bool) async {
        let standstill = isSilenceNeeded ? Self.silence * 2 : Self.silence * 0.9
        let patience = isSilenceNeeded ? Duration.seconds(600) : standstill
        let rounds = isSilenceNeeded ? 2 : 1
        let start = loop.now
        while true {
            let unsettled = await unsettledPairs()
            let isOver = loop.now - start > patience
            if unsettled.isEmpty, referee.openActions == 0 || isOver { return }
            var violations: [(rule: String, evidence: String)] = []
            for pair in unsettled {
                let quiet = loop.now - max(start, pair.lastShown ?? start)
                let limit = patience + pair.airTime * rounds
                if quiet > standstill {
                    violations.append(("nothing new for \(standstill)", pair.evidence))
                } else if loop.now - start > limit {
                    violations.append(("not the same again in \(limit)", pair.evidence))
                }
            }
            for violation in violations { referee.violate(violation.rule, violation.evidence) }
            if !violations.isEmpty { return }
            try? await loop.sleep(for: .seconds(1))
        }
    }

    /// A phone, and an accessory that shows something else than it holds.
    private struct UnsettledPair {
        /// What the accessory shows that is wrong, or does not.
        let evidence: String
        /// When the accessory showed something of the phone, or of any as long as it knows none of them.
        let lastShown: MonotonicInstant?
        /// How long the air takes for all that the phone holds.
        let airTime: Duration
    }

    private func unsettledPairs() async -> [UnsettledPair] {
        var pairs: [UnsettledPair] = []
        for (index, box) in phones.enumerated() {
            guard let phone = box.device else { continue }
            var held: [NotificationID: ProviderNotification] = [:]
            for id in await phone.notifications { held[id] = await phone.notification(id) }
            for accessory in accessories.indices {
                guard let text = referee.difference(between: accessory, and: index, holding: held)
                else { continue }
                pairs.append(
                    UnsettledPair(
                        evidence: "phone \(index), accessory \(accessory): \(text)",
                        lastShown: lastShown(by: accessory, of: index),
                        airTime: airTime(of: Array(held.values))))
            }
        }
        return pairs
    }

    private func lastShown(by accessory: Int, of phone: Int) -> MonotonicInstant? {
        let times = lastShown[accessory] ?? [:]
        let known = times.filter { referee.shown[accessory]?[$0.key]?.phone == phone }
        return (known.isEmpty ? times : known).values.max()
    }

    /// How long it takes to fetch notifications one after the other over the slowest of the links: PDUs of
    /// 27 octets, as many in a connection event as the eight buffers of the phone's controller allow for
    /// each of its links; and five connection events until an answer begins.
    private func airTime(of notifications: [ProviderNotification]) -> Duration {
        let event = Duration.milliseconds(30)
        let pdus = max(1, min(plan.radio.maximumPDUsPerEvent, 8 / accessories.count))
        let events = notifications.reduce(0) { sum, notification in
            sum + 5 + (notification.attributeOctets / 27 + pdus) / pdus
        }
        return event * events
    }
}

extension ProviderNotification {
    /// How long the answer with all attributes is, about.
    fileprivate var attributeOctets: Int {
        // The identifiers and lengths, the date, the size of the message and what PDUs are wrapped in.
        let rest = 80
        return appIdentifier.octets.count + title.count + subtitle.count + message.count
            + (positiveActionLabel?.count ?? 0) + (negativeActionLabel?.count ?? 0) + rest
    }
}
