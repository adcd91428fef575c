internal import Kinds
internal import ANCSKit

extension PhoneVerbs {
    static let valueVerbs: [any PhoneVerb.Type] = [Battery.self, Clock.self]

    package struct Battery: PlainDeed {
        package var level: Int

        package static let name = "battery"
        package static let shape = Shape<Int>.integer(in: 0...100).map(Self.init)
        package static let placeholder = "PERCENT"

        package var title: String { "the battery is at \(level) %" }

        package func perform(on phone: OperatedPhone) async {
            await phone.provider.setBatteryLevel(level)
        }
    }

    struct Clock: PlainDeed {
        package var change: ClockChange

        package static let name = "clock"
        package static let shape = Shape<Self>.adjustment

        package var title: String {
            let words = [
                change.source.map { source in
                    switch source {
                    case .user(let date): "set to \(date)"
                    case .network: "set by the network"
                    }
                }, change.offset.map { "in zone \(ClockWords.zone($0))" },
                change.daylightSaving.map { "with daylight saving time \(ClockWords.saving($0))" },
            ]
            return "the clock is " + words.compactMap(\.self).joined(separator: ", ")
        }

        var effects: [ScenarioEffect] { [.clock] }

        package func perform(on phone: OperatedPhone) async {
            await phone.provider.adjustClock(change)
        }
    }
}

extension Shape where Value == PhoneVerbs.Clock {
    /// An object with at least one member.
    fileprivate static var adjustment: Self {
        let object = Shape<ClockChange>.object("an adjustment", fields, from: ClockChange())
            .described(adding: [.init("minProperties", 1)])
        return Self(object.schema) { cursor, reader throws(DocumentError) in
            let change = try object.read(cursor, &reader)
            guard change != ClockChange() else {
                throw cursor.error(expected: "one of set, zone and daylightSaving")
            }
            return Value(change: change)
        }
    }

    private static var fields: [Field<ClockChange>] {
        [
            Field("set", source, into: \.source, "A date, or network for the right time."),
            Field(
                "zone", zone, into: \.offset,
                "The offset of standard time from UTC, in quarters of an hour; east is positive."),
            Field(
                "daylightSaving", .word(of: ClockWords.savings, "a kind of daylight saving time"),
                into: \.daylightSaving),
        ]
    }

    private static var source: Shape<ClockChange.Source> {
        Shape<ClockChange.Source>(
            Kind(
                "\"network\" or a date such as \"2026-03-29T01:59:50\"",
                .oneOf([.words(["network"]), .date])
            ) { value -> ClockChange.Source? in
                if value == "network" { return .network }
                let date = value.string.flatMap(NotificationDate.init(scenarioText:))
                return date.flatMap { $0.isOnClocks ? .user($0) : nil }
            })
    }

    private static var zone: Shape<Int> {
        let schema: SchemaFragment = [
            "type": "string", "pattern": "^[+-](0[0-9]|1[0-4]):(00|15|30|45)$",
        ]
        return Shape<Int>(
            Kind("a zone such as \"+01:00\" or \"-03:30\"", schema) {
                $0.string.flatMap(ClockWords.offset)
            })
    }
}
