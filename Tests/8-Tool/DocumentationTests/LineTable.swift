import AccessoryConformance
import ANCSCapture
import ANCSKit
import EventLines
import Kinds

@testable import ANCSCommands
@testable import CommandKit

/// A table of lines of JSON in a page, made of their descriptions. It stands between two comments.
struct LineTable: Sendable {
    /// The rows.
    enum Form {
        /// The event, when it is printed, and its members.
        case lines
        /// The event, and when it is printed.
        case events
        /// A row for each member.
        case members
    }

    let name: String
    let page: String
    let form: Form
    let kinds: [LineKind]

    init(_ name: String, in page: String, as form: Form = .lines, _ kinds: [LineKind]) {
        (self.name, self.page, self.form, self.kinds) = (name, page, form, kinds)
    }

    static let all: [LineTable] = [
        .init("place", in: "Receive", as: .members, [ReceiveReport.place]),
        .init("notifications", in: "Receive", as: .events, NotificationReport.kinds),
        .init("members", in: "Receive", as: .members, [NotificationReport.kinds[1]]),
        .init("peers", in: "Receive", PeerEvent.kinds),
        .init("session", in: "Receive", ConsumerEvent.SessionEvent.kinds),
        .init("device", in: "Receive", DeviceEvent.kinds),
        .init("answers", in: "Receive", ReceiveReport.answers),
        .init(
            "accessories", in: "Accessory",
            ProviderEvent.ofAccessories + [ProviderEvent.notification]),
        .init("prompt", in: "Accessory", PhoneReport.ofPrompt),
        .init("scenario", in: "Accessory", ScenarioReport.kinds),
        .init("capture", in: "Captures", CaptureEvent.events),
        .init("values", in: "Captures", CaptureEvent.values),
    ]

    var path: String { "Documentation/\(page).md" }

    private var opening: String {
        "<!-- Lines: \(name). Generated from their descriptions: see CONTRIBUTING.md before you edit it. -->"
    }
    private static let closing = "<!-- End of lines -->"

    private var text: String {
        switch form {
        case .lines: table([key, "when", "members"], kinds.map { $0.title + $0.details })
        case .events: table([key, "when"], kinds.map(\.title))
        case .members: table(["member", ""], kinds.flatMap(\.rows))
        }
    }

    /// The member that says the kind, which is the first.
    private var key: String { kinds.first?.members.first?.name ?? "" }

    private func table(_ head: [String], _ rows: [String]) -> String {
        let head = "| \(head.joined(separator: " | ")) |".replacing("|  |", with: "| |")
        return
            ([head, "|" + String(repeating: "---|", count: head.count { $0 == "|" } - 1)] + rows)
            .joined(separator: "\n")
    }

    /// The page with this table; `nil` if the page does not have the two comments once.
    func page(in text: String) -> String? {
        let parts = text.split(separator: opening + "\n", omittingEmptySubsequences: false)
        guard parts.count == 2, let end = parts[1].firstRange(of: Self.closing) else { return nil }
        return parts[0] + opening + "\n" + self.text + "\n" + parts[1][end.lowerBound...]
    }
}
