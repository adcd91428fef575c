internal import Printing

extension Line {
    /// A record for users: an object in the form of `ancs receive --json`, with an `id`, and whose it is.
    init(record: JSONValue, of phone: String = "") {
        let (heading, texts) = Self.texts(of: record)
        func text(_ name: String) -> String { record[name]?.string ?? "" }
        let mark =
            switch text("event") {
            case "announced": "!"
            case "modified": "~"
            case "removed": "-"
            case "answered", "ended": "☎"
            default: "+"
            }
        let state = Self.state(of: record)
        let actions = ["positive", "negative"].compactMap { record["actions"]?[$0]?.string }
            .filter { !$0.isEmpty }.map { "[\($0)]" }
        let muted = record["muted"]?.boolean == true ? "muted" : ""
        let details = [text("id"), phone, muted, text("category"), text("date")] + actions
        self.init(
            told: "\(mark) \(heading)\(state)", .heading,
            below: (texts + [details.filter { !$0.isEmpty }.joined(separator: " · ")])
                .map { .text($0) })
    }

    /// What became of a call; empty for what happened to its notification.
    private static func state(of record: JSONValue) -> String {
        let end =
            switch record["outcome"]?.string {
            case "missed": "the call is over: missed"
            case "declined": "the call is over: declined here"
            case "answered": "the call is over: answered here"
            case "elsewhere": "the call is over: answered or declined elsewhere"
            case "unknown": "the phone no longer reports it: the call may go on there"
            case "hungUp", nil, _?: "the call is over"
            }
        return switch record["event"]?.string {
        case "answered": " · in a call"
        case "ended": " · " + end
        default: ""
        }
    }

    /// An entry of the history, which has the members of a record, posted at a time in words.
    init(stored entry: JSONValue, of phone: String = "", at time: String) {
        let (heading, texts) = Self.texts(of: entry)
        let isKept = entry["title"] != nil || entry["message"] != nil
        let details = [entry["id"]?.string, phone, entry["category"]?.string]
            .compactMap { $0 }.filter { !$0.isEmpty }
        self.init(
            told: heading, .heading,
            below: texts.map { .text($0) } + [
                .details(
                    (details + (isKept ? [] : ["its text was not kept"])).joined(separator: " · "))
            ])
        lead = time + "  "
    }

    /// The app and the title; the subtitle and the message.
    private static func texts(of record: JSONValue) -> (heading: String, texts: [String]) {
        func text(_ name: String) -> String { record[name]?.string ?? "" }
        let app = ["displayName", "identifier"].compactMap { record["app"]?[$0]?.string }
            .first { !$0.isEmpty }
        let heading = [app ?? text("category"), text("title")].filter { !$0.isEmpty }
        let texts = [text("subtitle"), text("message")].filter { !$0.isEmpty }
        return (heading.joined(separator: " · "), texts)
    }
}
