package import JSONText

/// What an examination says about one part of the way from an iPhone to this machine.
package struct Finding: Hashable, Sendable {
    /// How much it matters.
    package enum Severity: String, Hashable, Sendable {
        /// As it should be.
        case fine
        /// Worth knowing; notifications come all the same, or nothing is expected to come.
        case note
        /// It could not be looked at.
        case unseen
        /// It keeps notifications away.
        case fault
    }

    /// What was looked at: a word that programs can rely on.
    package enum ID: String, Hashable, Sendable, CaseIterable {
        case configuration
        case adapter
        case radioSwitch = "radio-switch"
        case systemBus = "system-bus"
        case bluetoothd
        case permission
        case power
        case lowEnergy = "low-energy"
        case version
        case bluetoothdSettings = "bluetoothd-settings"
        case daemon
        case sink
        case advertising
        case otherPrograms = "other-programs"
        case phone
        case bond
        case link
        case service
        case subscription
        case authorization
        case answers
        case iPhoneSettings = "iphone-settings"
        case audio
        case desktop
        case doNotDisturb = "do-not-disturb"
        case broker
        case history
        case clock
    }

    package var id: ID
    /// What of several it is about, such as an adapter or a phone; empty where there is one only. It may come
    /// from another device.
    package var subject: String
    package var severity: Severity
    /// What was seen.
    package var seen: String
    /// Why it matters; empty where it is fine.
    package var why: String
    /// What helps: one sentence with the command, or the place on the iPhone; empty where nothing has to be done.
    package var remedy: String

    /// It is as it should be.
    package static func fine(_ id: ID, of subject: String = "", _ seen: String) -> Finding {
        Finding(id: id, subject: subject, severity: .fine, seen: seen, why: "", remedy: "")
    }

    /// Something is worth knowing.
    package static func note(
        _ id: ID, of subject: String = "", _ seen: String, why: String, remedy: String = ""
    ) -> Finding {
        Finding(id: id, subject: subject, severity: .note, seen: seen, why: why, remedy: remedy)
    }

    /// Something keeps notifications away.
    package static func fault(
        _ id: ID, of subject: String = "", _ seen: String, why: String, remedy: String
    ) -> Finding {
        Finding(id: id, subject: subject, severity: .fault, seen: seen, why: why, remedy: remedy)
    }

    /// It could not be looked at.
    package static func unseen(
        _ id: ID, of subject: String = "", because reason: String, remedy: String = ""
    ) -> Finding {
        Finding(
            id: id, subject: subject, severity: .unseen, seen: reason,
            why: "this could not be looked at", remedy: remedy)
    }

    /// As a program reads it.
    package var json: JSONValue {
        .object([
            .init("id", .string(id.rawValue)), .init("subject", .string(subject)),
            .init("severity", .string(severity.rawValue)), .init("seen", .string(seen)),
            .init("why", .string(why)), .init("remedy", .string(remedy)),
        ])
    }
}

/// All that an examination says, in the order of the way from the controller to the screen: the first fault is
/// the cause of those after it more often than not.
package struct Diagnosis: Hashable, Sendable {
    package var findings: [Finding]

    package init(_ findings: [Finding]) { self.findings = findings }

    /// The fault to mend first.
    package var firstFault: Finding? { findings.first { $0.severity == .fault } }

    /// What could not be looked at first.
    package var firstUnseen: Finding? { findings.first { $0.severity == .unseen } }

    /// The worst of the findings.
    package var severity: Finding.Severity {
        if firstFault != nil { return .fault }
        if firstUnseen != nil { return .unseen }
        return findings.contains { $0.severity == .note } ? .note : .fine
    }

    /// As a program reads it.
    package var json: JSONValue {
        .object([
            .init("severity", .string(severity.rawValue)),
            .init("firstFault", firstFault?.json ?? .null),
            .init("findings", .array(findings.map(\.json))),
        ])
    }
}
