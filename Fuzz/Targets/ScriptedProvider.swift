@testable import ANCS
@testable import ANCSProvider

/// The actions of a Notification Provider's owner.
enum ScriptedProvider {
    static func notification(_ input: inout FuzzInput) -> ProviderNotification {
        var notification = ProviderNotification(
            appIdentifier: ScriptedAnswer.app(&input) ?? unknownApp,
            categoryID: CategoryID(rawValue: UInt8(input.choice(13))))
        notification.title = input.text()
        notification.message = input.flag() ? input.text() : input.octets()
        if input.flag() { notification.positiveActionLabel = input.text() }
        if input.flag() { notification.negativeActionLabel = input.text() }
        notification.additionalFlags = EventFlags(rawValue: input.octet())
        notification.date = NotificationDate(input.octets())
        return notification
    }

    private static var unknownApp: AppIdentifier {
        guard let app = try? AppIdentifier("unknown") else { fatalError("the name is valid") }
        return app
    }

    static func behavior(_ input: inout FuzzInput) -> ProviderBehavior {
        var behavior = ProviderBehavior()
        behavior.announcedExisting = input.element(of: [.all, .none, .newest(2), .newest(-1)])
        behavior.existingFlags = EventFlags(rawValue: input.octet())
        behavior.announcesWithoutConsent = input.flag()
        behavior.firstUID = NotificationUID(rawValue: input.element(of: [0, 1, .max, .max - 1]))
        behavior.restartsUIDs = input.flag()
        behavior.truncation = input.element(of: [.characters, .octets, .ellipsisBeyond])
        behavior.messageSizeUnit = input.element(of: [.octets, .scalars, .utf16])
        behavior.dates = input.element(of: [.all, .allButIncomingCalls, .none])
        behavior.attributeOrder = order(&input)
        behavior.reservedAttribute = input.element(
            of: [.emptyValue, .omitted, .refused(.invalidParameter)])
        behavior.zeroMaximum = input.element(of: [.answered, .refused(.invalidCommand)])
        behavior.noAttributes = input.element(of: [.answered, .refused(.invalidCommand)])
        behavior.unknownApp = input.element(
            of: [.headerOnly, .emptyValues, .refused(.invalidParameter)])
        behavior.fragmentSizes = sizes(&input)
        behavior.joinsAnswers = input.choice(4) == 0
        behavior.responsiveness = input.element(
            of: [.normal, .normal, .normal, .responsesOnly, .none])
        return behavior
    }

    private static func order(_ input: inout FuzzInput) -> ProviderBehavior.AttributeOrder {
        input.element(of: [.asRequested, .ascending, .reversed, .shuffled(seed: 7)])
    }

    private static func sizes(_ input: inout FuzzInput) -> FragmentSizes {
        switch input.choice(4) {
        case 0: .full
        case 1: .every(Int(Int8(bitPattern: input.octet())))
        case 2: .list(input.take(input.choice(8)).map { Int(Int8(bitPattern: $0)) })
        default: .random(seed: UInt64(input.octet()), atMost: Int(Int8(bitPattern: input.octet())))
        }
    }

    static func fault(_ input: inout FuzzInput) -> AnswerFault {
        let effect: AnswerFault.Effect
        switch input.choice(10) {
        case 0: effect = .refuse(ControlPointError(rawValue: input.octet()))
        case 1: effect = .ignoreWrite
        case 2: effect = .delay(input.duration())
        case 3: effect = .lose
        case 4: effect = .duplicate
        case 5: effect = .joinWithNext
        case 6: effect = .reorder(order(&input))
        case 7: effect = .fragment(sizes(&input))
        case 8: effect = .headerOnly
        default: effect = .dropLink(afterOctets: Int(Int8(bitPattern: input.octet())))
        }
        let commandID = input.element(of: [nil, CommandID.getNotificationAttributes])
        return AnswerFault(effect, of: commandID, count: input.element(of: [1, 2, 0, nil]))
    }
}
