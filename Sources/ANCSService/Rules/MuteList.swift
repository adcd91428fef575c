package import JSONText
package import LinuxIO

/// An app that its user wants to hear nothing of, by hand: `ancs mute`.
package struct Mute: Hashable, Sendable {
    /// The identifier of the app.
    package var app: String
    /// When it ends; `nil` for never.
    package var until: CaptureTime?

    package init(app: String, until: CaptureTime?) {
        self.app = app
        self.until = until
    }

    func holds(at time: CaptureTime) -> Bool { until.map { time < $0 } ?? true }
}

/// The apps that are muted by hand. Those whose time is over are no longer there.
package struct MuteList: Hashable, Sendable {
    /// So many apps can be muted; more than a phone has.
    package static let maximumCount = 1000

    private var mutes: [String: Mute] = [:]

    package init() {}

    /// Those that hold at a time, in the order of their names.
    package func entries(at time: CaptureTime) -> [Mute] {
        mutes.values.filter { $0.holds(at: time) }.sorted { $0.app < $1.app }
    }

    /// Whether an app is muted at a time.
    package func contains(_ app: String, at time: CaptureTime) -> Bool {
        mutes[app]?.holds(at: time) ?? false
    }

    /// Whether any app is.
    package func isEmpty(at time: CaptureTime) -> Bool {
        !mutes.values.contains { $0.holds(at: time) }
    }

    /// Mutes an app, or changes until when it is muted. Returns `false` where there are too many.
    package mutating func insert(_ mute: Mute, at time: CaptureTime) -> Bool {
        removeExpired(at: time)
        guard mutes[mute.app] != nil || mutes.count < Self.maximumCount else { return false }
        mutes[mute.app] = mute
        return true
    }

    /// Unmutes an app. Returns whether it was muted.
    package mutating func remove(_ app: String, at time: CaptureTime) -> Bool {
        removeExpired(at: time)
        return mutes.removeValue(forKey: app) != nil
    }

    private mutating func removeExpired(at time: CaptureTime) {
        mutes = mutes.filter { $0.value.holds(at: time) }
    }
}

extension MuteList {
    /// `{"mutes": [{"app": …, "until": SECONDS}]}`, the seconds since 1970, absent for those that do not end.
    package var json: JSONValue {
        let entries = mutes.values.sorted { $0.app < $1.app }.map { mute in
            var members = [JSONValue.Member("app", .string(mute.app))]
            if let until = mute.until {
                members.append(
                    JSONValue.Member(
                        "until", .integer(Int(until.microsecondsSince1970 / 1_000_000))))
            }
            return JSONValue.object(members)
        }
        return ["mutes": .array(entries)]
    }

    /// Reads what ``json`` wrote; `nil` where it is something else.
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
            mutes[app] = mute
        }
    }
}

/// For how long `ancs mute` mutes an app.
package enum MuteTerm: Hashable, Sendable {
    /// For a time, at most a year.
    case lasting(Duration)
    /// Until midnight.
    case today
    /// For good.
    case always
    /// No longer.
    case off

    /// What can be written, for a message.
    package static let forms = "a time such as 30m, 1h or 7d, today, always or off"

    /// Reads `1h`, `today`, `always` or `off`; `nil` for another text.
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
