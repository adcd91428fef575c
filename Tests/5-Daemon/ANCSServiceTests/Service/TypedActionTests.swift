import ANCS
import Testing

@testable import ANCSService

@Suite("Actions by their names")
struct TypedActionTests {
    private static func record(
        _ category: CategoryID, positive: String? = nil, negative: String? = nil
    ) -> Record {
        var attributes = SampleRecord.attributes()
        if let positive { attributes.append(AttributeValue(.positiveActionLabel, positive)) }
        if let negative { attributes.append(AttributeValue(.negativeActionLabel, negative)) }
        return SampleRecord.make(
            category: category, flags: [.positiveAction, .negativeAction], attributes: attributes)
    }

    static let understood: [(String, CategoryID, ActionID)] = [
        ("positive", .social, .positive), ("Negative", .incomingCall, .negative),
        ("decline", .incomingCall, .negative), ("reject", .incomingCall, .negative),
        ("Answer", .incomingCall, .positive), ("hang up", .activeCall, .negative),
        ("clear", .email, .negative), ("dismiss", .social, .negative),
        // The labels of the phone.
        ("ablehnen", .incomingCall, .negative), ("Annehmen", .incomingCall, .positive),
    ]

    @Test("an action has several names", arguments: understood)
    func named(text: String, category: CategoryID, action: ActionID) throws {
        let record = Self.record(category, positive: "Annehmen", negative: "Ablehnen")
        #expect(try TypedAction(text).action(of: record) == action)
    }

    @Test("a ringing call is declined by the word before its labels have arrived")
    func ringing() throws {
        #expect(try TypedAction("decline").action(of: Self.record(.incomingCall)) == .negative)
    }

    @Test("a label counts before a word, and positive and negative before a label")
    func order() throws {
        let record = Self.record(.incomingCall, positive: "Decline", negative: "positive")
        #expect(try TypedAction("decline").action(of: record) == .positive)
        #expect(try TypedAction("positive").action(of: record) == .positive)
    }

    @Test(
        "an action that clears notifications does not decline calls, and the reverse",
        arguments: [
            ("clear", CategoryID.incomingCall), ("dismiss", .activeCall), ("decline", .social),
            ("answer", .activeCall), ("", .social), ("yes", .social),
        ])
    func refused(text: String, category: CategoryID) {
        let record = Self.record(category, positive: "Open", negative: "Remove")
        #expect {
            try TypedAction(text).action(of: record)
        } throws: { error in
            let error = error as? ServiceError
            return error?.code == .invalidArguments
                && error?.message.contains("positive ('Open') or negative ('Remove')") == true
        }
    }

    @Test("two actions with the same label are distinguished by number")
    func sameLabel() throws {
        let record = Self.record(.social, positive: "OK", negative: "ok")
        #expect(throws: ServiceError.self) { try TypedAction("OK").action(of: record) }
        #expect(try TypedAction("negative").action(of: record) == .negative)
    }
}
