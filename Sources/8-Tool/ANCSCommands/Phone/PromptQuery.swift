internal import AccessoryConformance
internal import Printing

/// A command of the prompt that shows something, or ends the run. It has no operands.
struct PromptQuery: Sendable {
    /// All names; completion offers only the first.
    let names: [String]
    let summary: String
    /// Returns the lines to show.
    let answer: @Sendable (OperatedPhone, PhoneReport) async -> Printed

    var name: String { names[0] }

    /// The entry of the help text.
    var help: [String] { ["  \(name)", "      \(summary)"] }

    private init(
        _ names: String..., summary: String,
        answer: @escaping @Sendable (OperatedPhone, PhoneReport) async -> [String]
    ) {
        self.names = names
        self.summary = summary
        self.answer = { phone, report in
            Printed(output: await answer(phone, report))
        }
    }

    static func named(_ name: String) -> Self? { all.first { $0.names.contains(name) } }

    static let all = [
        Self("notifications", summary: "List the notifications.") { phone, report in
            var list: [(id: NotificationID, posted: PostedNotification)] = []
            for id in await phone.provider.notifications {
                if let posted = await phone.provider.posted(id) { list.append((id, posted)) }
            }
            return report.lines(of: list)
        },
        Self("apps", summary: "List the installed apps.") { phone, report in
            var apps: [(identifier: AppIdentifier, name: String)] = []
            for app in await phone.provider.apps {
                apps.append((app, await phone.provider.displayName(of: app) ?? ""))
            }
            apps = apps.sorted(byText: \.identifier.description)
            return report.lines(ofApps: apps)
        },
        Self("accessories", summary: "List the accessories.") { phone, report in
            report.lines(of: await phone.provider.accessories)
        },
        Self("bindings", summary: "List the apps and what they are bound to.") { phone, report in
            report.lines(of: await phone.apps.entries)
        },
        Self("battery", summary: "Show the battery level.") { phone, _ in
            ["\(await phone.provider.batteryLevel) %"]
        },
        Self("clock", summary: "Show the clock.") { phone, _ in
            let (date, zone) = (await phone.provider.localTime, await phone.provider.timeZone)
            let words = [
                date.description, zone.offset.map { "UTC" + ClockWords.zone($0) } ?? "unknown zone",
                zone.daylightSaving.map { "daylight saving time \(ClockWords.saving($0))" },
            ]
            return [words.compactMap(\.self).joined(separator: ", ")]
        },
        Self("help", "?", summary: "Show this text.") { _, _ in PromptCommands.help },
        Self("quit", "exit", summary: "Exit.") { phone, _ in
            await phone.provider.stop()
            return []
        },
    ]
}
