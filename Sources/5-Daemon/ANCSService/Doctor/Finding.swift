package import Kinds

/// The result of examining one part of the path from an iPhone to this machine.
package struct Finding: Equatable, Sendable {
    /// How important it is.
    package enum Severity: String, Equatable, Sendable, CaseIterable {
        /// As it should be.
        case fine
        /// Worth knowing; notifications still arrive, or none are expected.
        case note
        /// It could not be examined.
        case unseen
        /// It prevents notifications.
        case fault
    }

    /// The examined part: a stable identifier for programs.
    package enum ID: String, Hashable, Sendable, CaseIterable {
        case configuration
        case adapter
        case knownAdapter = "known-adapter"
        case radioSwitch = "radio-switch"
        case systemBus = "system-bus"
        case bluetoothd
        case permission
        case power
        case lowEnergy = "low-energy"
        case discoverable
        case version
        case bluetoothdSettings = "bluetoothd-settings"
        case selinux
        case socket
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
    /// The examined adapter, phone and so on, if there may be several; empty otherwise. Untrusted, because it
    /// may be the name of another device.
    package var subject: String
    package var severity: Severity
    /// What was found.
    package var seen: String
    /// Why it matters; empty if it is fine.
    package var why: String
    /// What to do: one sentence with the command, or the setting on the iPhone; empty if nothing has to be
    /// done.
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

    /// Something prevents notifications from arriving.
    package static func fault(
        _ id: ID, of subject: String = "", _ seen: String, why: String, remedy: String
    ) -> Finding {
        Finding(id: id, subject: subject, severity: .fault, seen: seen, why: why, remedy: remedy)
    }

    /// It could not be examined.
    package static func unseen(
        _ id: ID, of subject: String = "", because reason: String, remedy: String = ""
    ) -> Finding {
        Finding(
            id: id, subject: subject, severity: .unseen, seen: reason,
            why: "this could not be checked", remedy: remedy)
    }

    /// The object that programs read.
    package static let form = ObjectForm<Finding>(
        .word("id", \.id), .text("subject", \.subject), .word("severity", \.severity),
        .text("seen", \.seen), .text("why", \.why), .text("remedy", \.remedy))
}

// An examination has no finding, one or several.
extension [Finding] {
    static func fine(_ id: Finding.ID, of subject: String = "", _ seen: String) -> Self {
        [Finding.fine(id, of: subject, seen)]
    }

    static func note(
        _ id: Finding.ID, of subject: String = "", _ seen: String, why: String, remedy: String = ""
    ) -> Self { [Finding.note(id, of: subject, seen, why: why, remedy: remedy)] }

    static func fault(
        _ id: Finding.ID, of subject: String = "", _ seen: String, why: String, remedy: String
    ) -> Self { [Finding.fault(id, of: subject, seen, why: why, remedy: remedy)] }

    static func unseen(_ id: Finding.ID, because reason: String, remedy: String = "") -> Self {
        [Finding.unseen(id, because: reason, remedy: remedy)]
    }
}

/// All findings, in order from the controller to the screen: the first fault is often the cause of later
/// ones.
package struct Diagnosis: Equatable, Sendable {
    package var findings: [Finding]

    package init(_ findings: [Finding]) { self.findings = findings }

    /// The fault to fix first.
    package var firstFault: Finding? { findings.first { $0.severity == .fault } }

    /// The first part that could not be examined.
    package var firstUnseen: Finding? { findings.first { $0.severity == .unseen } }

    /// The worst severity.
    package var severity: Finding.Severity {
        if firstFault != nil { return .fault }
        if firstUnseen != nil { return .unseen }
        return findings.contains { $0.severity == .note } ? .note : .fine
    }

    /// The object that programs read.
    package static let form = ObjectForm<Diagnosis>(
        .word("severity", \.severity),
        .object("firstFault", Finding.form.defined(as: "finding"), \.firstFault).orNull,
        .objects("findings", Finding.form.defined(as: "finding"), \.findings))
}
