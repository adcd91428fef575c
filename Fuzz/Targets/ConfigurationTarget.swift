@testable import Printing
import ANCS
@testable import ANCSService
import JSONText

/// Configuration files of the daemon, and texts from strangers that its rules and its search for codes
/// process. The input is used as both.
enum ConfigurationTarget {
    static func run(_ octets: [UInt8]) throws {
        try configuration(octets)
        try code(String(decoding: octets, as: UTF8.self))
    }

    /// A file must either be parsed, or all of its errors be reported, each with a valid position.
    private static func configuration(_ text: [UInt8]) throws {
        let configuration: ServiceConfiguration
        do throws(ConfigurationFaults) {
            configuration = try ServiceConfiguration(reading: text, path: "config.toml")
        } catch {
            try check(!error.faults.isEmpty, "a file without a fault is refused")
            let lines = text.count { $0 == UInt8(ascii: "\n") } + 1
            for fault in error.faults {
                try TextRules.checkLine(fault.line)
                if let place = fault.place {
                    try check(
                        (1...lines + 1).contains(place.line) && place.column >= 1,
                        "a fault in line \(place.line) of \(lines)")
                }
            }
            return
        }
        try rules(RuleSet(configuration.rules), String(decoding: text, as: UTF8.self))
    }

    /// Rules must decide once everything is known, and must not revise an earlier decision.
    private static func rules(_ rules: RuleSet, _ text: String) throws {
        var subject = RuleSubject(
            phone: PhoneName(digest: "3f9ac1d20b7e4456"), category: .incomingCall,
            time: LocalTime(weekday: .monday, minute: 720))
        let first = rules.evaluate(subject)
        subject.app = "com.example.chat"
        let second = rules.evaluate(subject)
        subject.appName = "Chat"
        subject.texts = RuleSubject.Texts(title: text, message: text)
        let last = rules.evaluate(subject)
        try check(last.isDecided, "everything is known, and it is not decided")
        for earlier in [first, second] where earlier.isDecided {
            try check(
                earlier.verdict.isMuted == last.verdict.isMuted
                    && earlier.verdict.action == last.verdict.action,
                "what was decided is taken back")
        }
        for explanation in rules.explain(subject, quotingTexts: true) {
            try TextRules.checkLine(TerminalText.visible(explanation.message))
        }
    }

    /// A code must be short and possible to type.
    private static func code(_ text: String) throws {
        let code = OneTimeCode.find(title: text, subtitle: "", message: text, category: .other)
        guard let code else { return }
        let isPlain = code.utf8.allSatisfy { octet in
            octet == UInt8(ascii: "-")
                || Character(UnicodeScalar(octet)).isLetter
                || Character(UnicodeScalar(octet)).isNumber
        }
        try check((4...11).contains(code.utf8.count) && isPlain, "\(code) is no code")
    }
}
