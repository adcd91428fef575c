internal import Printing
package import JSONText
package import LinuxIO

/// An app that the user has muted with `ancs mute`.
package struct Mute: Equatable, Sendable {
    /// The identifier of the app.
    package var app: String
    /// When the mute ends; `nil` for never.
    package var until: CaptureTime?

    func holds(at time: CaptureTime) -> Bool { until.map { time < $0 } ?? true }
}

/// The muted apps. Expired mutes are dropped.
package struct MuteList: Equatable, Sendable {
    /// The maximum number of muted apps, which is more than a phone has installed.
    package static let maximumCount = 1000

    /// By the identifier in lower case: two apps never differ in case only, but people type it as they like.
    private var mutes: [String: Mute] = [:]

    package init() {}

    /// The active mutes at a time, sorted by app.
    package func entries(at time: CaptureTime) -> [Mute] {
        mutes.values.filter { $0.holds(at: time) }.sorted(byText: \.app)
    }

    /// Whether an app is muted at a time.
    package func contains(_ app: String, at time: CaptureTime) -> Bool {
        mutes[app.lowercased()]?.holds(at: time) ?? false
    }

    /// Whether no app is muted at a time.
    package func isEmpty(at time: CaptureTime) -> Bool {
        !mutes.values.contains { $0.holds(at: time) }
    }

    /// Mutes an app, or changes the end of its mute. Returns `false` if there are too many.
    package mutating func insert(_ mute: Mute, at time: CaptureTime) -> Bool {
        removeExpired(at: time)
        let key = mute.app.lowercased()
        guard mutes[key] != nil || mutes.count < Self.maximumCount else { return false }
        mutes[key] = mute
        return true
    }

    /// Unmutes an app. Returns whether it was muted.
    package mutating func remove(_ app: String, at time: CaptureTime) -> Bool {
        removeExpired(at: time)
        return mutes.removeValue(forKey: app.lowercased()) != nil
    }

    private mutating func removeExpired(at time: CaptureTime) {
        mutes = mutes.filter { $0.value.holds(at: time) }
    }
}

extension MuteList {
    /// `{"mutes": [{"app": …, "until": SECONDS}]}`, with seconds since 1970, absent for mutes without an end.
    package var json: JSONValue {
        let entries = mutes.values.sorted(byText: \.app).map { mute in
            JSONValue.object(present: [
                "app": .string(mute.app),
                "until": mute.until.map { .integer(Int($0.microsecondsSince1970 / 1_000_000)) },
            ])
        }
        return ["mutes": .array(entries)]
    }

    /// Parses ``json``; `nil` for any other value.
    package init?(json: JSONValue) {
        guard let entries = json["mutes"]?.array, entries.count <= Self.maximumCount else {
            return nil
        }
        for entry in entries {
            guard let app = entry["app"]?.string else { return nil }
            var mute = Mute(app: app, until: nil)
            if let until = entry["until"] {
                guard let seconds = until.integer, seconds.magnitude < 1 << 40 else { return nil }
                mute.until = CaptureTime(microsecondsSince1970: Int64(seconds) * 1_000_000)
            }
            mutes[app.lowercased()] = mute
        }
    }
}

/// How long `ancs mute` mutes an app.
package enum MuteTerm: Equatable, Sendable {
    /// For a time of at most a year.
    case lasting(Duration)
    /// Until midnight.
    case today
    /// Without an end.
    case always
    /// Unmutes the app.
    case off

    /// The valid forms, for messages.
    package static let forms = "a time such as 30m, 1h or 7d, today, always or off"

    /// Parses `1h`, `today`, `always` or `off`; `nil` for any other text.
    package init?(_ text: String) {
        switch text {
        case "today": self = .today
        case "always": self = .always
        case "off": self = .off
        default:
            guard let duration = DurationWord.duration(text), duration > .zero,
                duration <= .seconds(366 * 86_400)
            else { return nil }
            self = .lasting(duration)
        }
    }
}
