internal import ANCS
internal import ANCSKit

extension PromptCommands {
    static let valueCommands: [any PromptCommand.Type] = [Battery.self, Clock.self]

    struct Battery: PromptCommand {
        /// `nil` to show it.
        var level: Int?

        static let words = ["battery"]
        static let operands: [PromptOperand] = [.optional("[PERCENT]")]
        static let help = "show or set the battery level, 0 to 100"

        init(reading operands: [String]) throws(PromptFault) {
            guard let word = operands.first else { return }
            guard let level = Int(word), (0...100).contains(level) else {
                throw PromptFault(message: "the battery level is 0 to 100 percent, not '\(word)'")
            }
            self.level = level
        }

        func carryOut(on phone: PromptPhone) async {
            guard let level else {
                return await phone.show(["\(await phone.provider.batteryLevel) %"])
            }
            await phone.provider.setBatteryLevel(level)
        }
    }

    struct Clock: PromptCommand {
        /// `nil` to show it.
        var change: ClockChange?

        static let words = ["clock"]
        static let operands: [PromptOperand] = [
            .optional("[set|zone|dst]", .words(["set", "zone", "dst"])), .optional("[VALUE]"),
        ]
        static let help =
            "show or adjust the clock: set 2026-03-29T01:59:50 or network, zone +01:00, dst "
            + "off, half, on or double"

        init(reading operands: [String]) throws(PromptFault) {
            guard let word = operands.first else { return }
            guard operands.count == 2 else { throw Self.usage }
            let value = operands[1]
            switch word {
            case "set" where value == "network": change = ClockChange(source: .network)
            case "set":
                guard let date = NotificationDate(scenarioText: value), date.isOnClocks else {
                    throw PromptFault(
                        message: "'\(value)' is neither 'network' nor a date such as "
                            + "2026-03-29T01:59:50")
                }
                change = ClockChange(source: .user(date))
            case "zone":
                guard let offset = ClockWords.offset(value) else {
                    throw PromptFault(message: "'\(value)' is not a zone such as +01:00")
                }
                change = ClockChange(offset: offset)
            case "dst":
                guard let saving = ClockWords.savings.first(where: { $0.0 == value })?.1 else {
                    throw PromptFault(
                        message: "daylight saving time is off, half, on or double, not '\(value)'")
                }
                change = ClockChange(daylightSaving: saving)
            default: throw Self.usage
            }
        }

        func carryOut(on phone: PromptPhone) async {
            guard let change else {
                let (date, zone) = (await phone.provider.localTime, await phone.provider.timeZone)
                let words = [
                    date.description,
                    zone.offset.map { "UTC" + ClockWords.zone($0) } ?? "unknown zone",
                    zone.daylightSaving.map { "daylight saving time \(ClockWords.saving($0))" },
                ]
                return await phone.show([words.compactMap(\.self).joined(separator: ", ")])
            }
            await phone.provider.adjustClock(change)
        }
    }
}
