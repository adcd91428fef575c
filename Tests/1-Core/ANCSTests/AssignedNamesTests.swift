import Testing

@testable import ANCS

@Suite("Names of the values that the specification assigns")
struct AssignedNamesTests {
    @Test("each category has the name of its value, and reserved ones say so")
    func categories() {
        let names = (0...13 as ClosedRange<UInt8>).map { CategoryID(rawValue: $0).description }
        #expect(
            names == [
                "other", "incomingCall", "missedCall", "voicemail", "social", "schedule", "email",
                "news", "healthAndFitness", "businessAndFinance", "location", "entertainment",
                "activeCall", "reserved13",
            ])
    }

    @Test("each error has the name of its code, and others are numbers")
    func errors() {
        let codes: [UInt8] = [0x01, 0x02, 0x03, 0x05, 0x08, 0x0E, 0x0F, 0xA0, 0xA1, 0xA2, 0xA3]
        #expect(
            codes.map { ControlPointError(rawValue: $0).description } == [
                "invalidHandle", "error2", "writeNotPermitted", "insufficientAuthentication",
                "insufficientAuthorization", "error14", "insufficientEncryption", "unknownCommand",
                "invalidCommand", "invalidParameter", "actionFailed",
            ])
        let own = codes.compactMap { ControlPointError(rawValue: $0).specificationName }
        #expect(
            own == ["Unknown Command", "Invalid Command", "Invalid Parameter", "Action Failed"])
    }

    @Test("an error is of the service, of the access, or of neither")
    func kindsOfErrors() {
        let all = (0...255 as ClosedRange<UInt8>).map { ControlPointError(rawValue: $0) }
        #expect(all.filter(\.isFromService).map(\.rawValue) == [0xA0, 0xA1, 0xA2, 0xA3])
        #expect(all.filter(\.isAuthorization).map(\.rawValue) == [0x03, 0x05, 0x08, 0x0F])
    }

    @Test("each attribute has the name and the value of the specification (R26, R39)")
    func attributes() {
        let all: [NotificationAttributeID] = [
            .appIdentifier, .title, .subtitle, .message, .messageSize, .date, .positiveActionLabel,
            .negativeActionLabel, NotificationAttributeID(rawValue: 8),
        ]
        #expect(all.map(\.rawValue) == Array(0...8))
        #expect(
            all.map(\.description) == [
                "appIdentifier", "title", "subtitle", "message", "messageSize", "date",
                "positiveActionLabel", "negativeActionLabel", "reserved8",
            ])
        #expect(all.filter(\.takesMaximumLength) == [.title, .subtitle, .message])
        #expect(AppAttributeID.displayName.rawValue == 0)
        #expect(AppAttributeID.displayName.description == "displayName")
        #expect(AppAttributeID(rawValue: 1).description == "reserved1")
    }

    @Test("each command, action and event has the name and the value of the specification")
    func others() {
        let commands: [CommandID] = [
            .getNotificationAttributes, .getAppAttributes, .performNotificationAction,
            CommandID(rawValue: 3),
        ]
        #expect(commands.map(\.rawValue) == [0, 1, 2, 3])
        #expect(
            commands.map(\.description) == [
                "getNotificationAttributes", "getAppAttributes", "performNotificationAction",
                "reserved3",
            ])
        let actions: [ActionID] = [.positive, .negative, ActionID(rawValue: 2)]
        #expect(actions.map(\.rawValue) == [0, 1, 2])
        #expect(actions.map(\.description) == ["positive", "negative", "reserved2"])
        #expect(actions.map(\.flag) == [.positiveAction, .negativeAction, nil])
        let events: [EventID] = [.added, .modified, .removed, EventID(rawValue: 3)]
        #expect(events.map(\.rawValue) == [0, 1, 2, 3])
        #expect(events.map(\.description) == ["added", "modified", "removed", "reserved3"])
    }

    @Test("each flag has the name of its bit, and reserved bits say so (R14)")
    func flags() {
        let all: [EventFlags] = [
            .silent, .important, .preExisting, .positiveAction, .negativeAction, .observedBit5,
        ]
        #expect(all.map(\.rawValue) == [1, 2, 4, 8, 16, 32])
        #expect(
            EventFlags(rawValue: 0xFF).names == [
                "silent", "important", "preExisting", "positiveAction", "negativeAction",
                "reserved5", "reserved6", "reserved7",
            ])
        #expect(EventFlags(rawValue: 0x24).names == ["preExisting", "reserved5"])
    }
}
