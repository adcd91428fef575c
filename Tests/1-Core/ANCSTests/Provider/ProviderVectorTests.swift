import JSONText
import Octets
import Testing

@testable import ANCS
@testable import ANCSProvider

@Suite("A provider and captures from phones")
struct ProviderVectorTests {
    /// Announcements with a count that includes the notification itself (R17).
    static let announcements = Vector.ofKind("notification_source").filter {
        ($0.expect["category_count"]?.integer ?? 0) > 0 && $0.expect["event"]?.string == "added"
    }

    @Test("an announcement has the octets of the capture", arguments: announcements)
    func announcement(_ vector: Vector) throws {
        let expected = try NotificationSourceValue(decoding: vector.octets.span)
        var behavior = ProviderBehavior()
        behavior.firstUID = expected.notificationUID
        behavior.announcedExisting = .none
        var notification = ProviderNotification(
            appIdentifier: mail, categoryID: expected.categoryID)
        notification.additionalFlags = expected.eventFlags
        let others = Int(expected.categoryCount) - 1
        var provider = try TestProvider.subscribed(
            behavior, with: Array(repeating: notification, count: others))
        _ = try provider.post(notification)
        #expect(provider.drain().values(of: .notificationSource) == [vector.octets])
    }

    /// Whole answers about notifications and apps.
    static let answers = Vector.ofKind("data_source").filter {
        $0.expect["complete"]?.boolean == true && $0.expect["trailing"] == nil && $0.request != nil
    }

    @Test("an answer has the octets of the capture", arguments: answers)
    func answer(_ vector: Vector) throws {
        var table = ResponseTable()
        var provider: TestProvider
        let command: [UInt8]
        if let app = try vector.command().app {
            try table.fill(appAttributes: vector.octets.span)
            provider = try TestProvider.subscribed(attMTU: 517)
            let entry = table.entries[0]
            try provider.store.install(
                app, displayName: UTF8Text.repaired(Array(vector.octets[entry.range])))
            command = GetAppAttributes(displayNameOf: app).octets
        } else {
            try table.fill(notificationAttributes: vector.octets.span)
            var behavior = ProviderBehavior()
            behavior.firstUID = NotificationUID(
                rawValue: try vector.octets.span.extracting(1..<5).uid())
            let requests = (0..<table.count).map { index in
                let id = table.entries[index].id
                return NotificationAttributeRequest.any(id, (1...3).contains(id) ? .max : nil)
            }
            let notification = notification(of: vector, table)
            provider = try TestProvider.subscribed(behavior, with: [notification], attMTU: 517)
            command = get(behavior.firstUID, requests).octets
        }
        let outputs = provider.answer(command)
        #expect(outputs.responses == [0])
        #expect(outputs.data == vector.octets)
    }

    /// The notification that was asked about; where only the size of the message was, a message of that
    /// size.
    private func notification(of vector: Vector, _ table: ResponseTable) -> ProviderNotification {
        var notification = ProviderNotification(appIdentifier: mail)
        for index in 0..<table.count {
            let entry = table.entries[index]
            let value = Array(vector.octets[entry.range])
            switch NotificationAttributeID(rawValue: entry.id) {
            case .appIdentifier: notification.appIdentifier = AppIdentifier(received: value)
            case .title: notification.title = value
            case .subtitle: notification.subtitle = value
            case .message: notification.message = value
            case .messageSize where notification.message.isEmpty:
                let size = AttributeValue(.messageSize, octets: value).number ?? 0
                notification.message = Array(repeating: 0x78, count: size)
            case .date: notification.date = NotificationDate(value)
            case .positiveActionLabel: notification.positiveActionLabel = value
            case .negativeActionLabel: notification.negativeActionLabel = value
            case _: break
            }
        }
        return notification
    }

    /// Commands that accessories wrote, and commands that are wrong.
    static let commands = Vector.ofKind("control_point")

    @Test("a command is answered, or refused as it should be", arguments: commands)
    func command(_ vector: Vector) throws {
        var behavior = ProviderBehavior()
        behavior.firstUID = NotificationUID(
            rawValue: UInt32(vector.expect["uid"]?.integer ?? 1))
        var provider = try TestProvider.subscribed(behavior, with: [.mailFromAda])
        var outputs = provider.answer(vector.octets)
        for request in outputs.actions {
            provider.session.actionFinished(request, performed: true)
            outputs += provider.drain()
        }
        let error = vector.expect["att_error"]?.string.flatMap { UInt8($0.dropFirst(2), radix: 16) }
        #expect(outputs.responses == [error ?? 0])
        let isAction = vector.octets.first == CommandID.performNotificationAction.rawValue
        #expect(outputs.data.isEmpty == (error != nil || isAction))
    }
}

extension ControlPointCommand {
    /// The app that a command is about.
    fileprivate var app: AppIdentifier? {
        guard case .getAppAttributes(let command) = self else { return nil }
        return command.appIdentifier
    }
}

extension Span<UInt8> {
    fileprivate func uid() throws -> UInt32 {
        var rest = self
        return try rest.takeUInt32()
    }
}
