import ANCS
import ANCSKit
import BluetoothLE
import LinuxIO
import Octets
import VirtualBluetooth

// Waits until everything must be correct.
extension World {
    /// The silence of a phone after which an accessory subscribes again; hours in real life.
    static let silence = Duration.seconds(180)

    /// Waits until every accessory shows what the phones hold, and the outcome of every action is known.
    /// Fails when an accessory makes no progress, or when the radio would have transferred everything pending
    /// by now.
    ///
    /// The time without progress is shorter than that after which a session is renewed, because renewing
    /// would hide losses, unless only renewing can help; then everything may have to be fetched twice.
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

    /// A phone and an accessory that does not show what the phone holds.
    private struct UnsettledPair {
        /// The difference.
        let evidence: String
        /// When the accessory last showed something of the phone, or of any phone while it knows none of
        /// them.
        let lastShown: MonotonicInstant?
        /// The time that transferring everything the phone holds takes.
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

    /// The time to fetch notifications one by one over the slowest link: PDUs of 27 octets, in each
    /// connection event as many as the eight buffers of the phone's controller allow per link, and five
    /// connection events until an answer begins.
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
    /// The approximate length of an answer with all attributes, in octets.
    fileprivate var attributeOctets: Int {
        // The identifiers and lengths, the date, the message size, and the headers of PDUs.
        let rest = 80
        return appIdentifier.octets.count + title.count + subtitle.count + message.count
            + (positiveActionLabel?.count ?? 0) + (negativeActionLabel?.count ?? 0) + rest
    }
}
