import Foundation
import JSONText
import Octets
import Testing

@testable import ANCS

/// A vector of `Vectors/*.json`: octets, and what they mean.
struct Vector: Sendable, CustomTestStringConvertible {
    let name: String
    let kind: String
    let octets: [UInt8]
    let request: JSONValue?
    let expect: JSONValue

    var testDescription: String { name }

    init?(_ json: JSONValue) {
        guard let name = json["name"]?.string, let kind = json["kind"]?.string,
            let expect = json["expect"]
        else { return nil }
        let fragments = json["fragments"]?.array?.compactMap(\.string)
        guard let hex = json["hex"]?.string ?? fragments?.joined(),
            let octets = Hexadecimal.octets(hex)
        else { return nil }
        self.name = name
        self.kind = kind
        self.octets = octets
        request = json["request"]
        self.expect = expect
    }

    static let all: [Vector] = ["captures", "gatt_layout", "ncs", "negative"].flatMap(load)

    static func ofKind(_ kind: String) -> [Vector] { all.filter { $0.kind == kind } }

    private static func load(_ file: String) -> [Vector] {
        let url = Bundle.module.url(
            forResource: file, withExtension: "json", subdirectory: "Vectors")
        guard let url, let data = try? Data(contentsOf: url),
            let list = try? JSONValue(parsing: Array(data)).array
        else {
            Issue.record("no vectors in \(file).json")
            return []
        }
        return list.compactMap(Vector.init)
    }

    /// The command that asks for what `request` says.
    func command() throws -> ControlPointCommand {
        let request = try #require(request)
        let ids = (request["attributes"]?.array ?? []).compactMap(\.integer)
        if let app = request["app_id"]?.string {
            return .getAppAttributes(
                try GetAppAttributes(
                    appIdentifier: AppIdentifier(app),
                    attributes: ids.map { AppAttributeID(rawValue: UInt8($0)) }))
        }
        let uid = try #require(request["uid"]?.integer)
        return .getNotificationAttributes(
            try GetNotificationAttributes(
                notificationUID: NotificationUID(rawValue: UInt32(uid)),
                attributes: ids.map { id in
                    let id = NotificationAttributeID(rawValue: UInt8(id))
                    return try NotificationAttributeRequest(
                        id, maxLength: id.takesMaximumLength ? 512 : nil)
                }))
    }
}

extension SeededGenerator {
    mutating func octets(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
    }
}
