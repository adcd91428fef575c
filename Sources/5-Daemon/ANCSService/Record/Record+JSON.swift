internal import ANCSReceiver
internal import EventLines
package import JSONText

extension Record {
    /// What happened to a record: the `event` of its JSON object.
    package enum Event: String, Equatable, Sendable, CaseIterable, CustomStringConvertible {
        /// A call is ringing; only its header is known.
        case announced
        case added
        case modified
        case removed
        /// The call that began with it is active. It may be removed already.
        case answered
        /// The call that began with it is over.
        case ended

        package var description: String { rawValue }

        /// Whether it is about the whole call that began with the record.
        var isOfCall: Bool { self == .answered || self == .ended }
    }

    /// An object with the members of `ancs receive --json`, followed by `time`, `phone`, `session` and `id`,
    /// and, if there are any, `sameAs`, `rule`, `muted`, `code` and `outcome`.
    ///
    /// It contains the texts. An announced call has only its header, and a removed notification or what became of a
    /// call only its app and title.
    package func json(event: Event) -> JSONValue {
        .object(notificationMembers(event) + origin + marks(event))
    }

    private func notificationMembers(_ event: Event) -> [JSONValue.Member] {
        let delivery = notification.delivery
        return [JSONValue.Member](describedBy: { object in
            object.add("event", .string(event.description))
            delivery.source.describeNotification(to: &object)
            switch event {
            case .announced: break
            case .added, .modified: delivery.describeAttributes(to: &object)
            case .removed, .answered, .ended: delivery.describeNames(to: &object)
            }
        })
    }

    private var origin: [JSONValue.Member] {
        [JSONValue.Member](present: [
            "outcome": outcome.map { .string($0.rawValue) },
            "time": .string(time.text(fractionDigits: 3)), "phone": .string(phone.digest),
            "session": .integer(Int(notification.session.number)),
        ])
    }

    private func marks(_ event: Event) -> [JSONValue.Member] {
        // A code is part of the text.
        let code = event == .added || event == .modified ? code : nil
        return [JSONValue.Member](present: [
            "id": .string(id.description), "sameAs": sameAs.map { .string($0.description) },
            "rule": verdict.rule.map { .string($0) }, "muted": verdict.isMuted ? true : nil,
            "code": code.map { .string($0) },
        ])
    }
}
