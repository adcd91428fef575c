internal import JSONText
internal import LinuxIO

/// A step of the scenario, at the time at which it happened.
struct ScenarioStep {
    /// What is done, or waited for.
    enum Deed {
        /// The notification with this index appears.
        case post(Int)
        /// A call rings.
        case ring(Int)
        /// A notification changes to this version of its texts.
        case modify(Int, version: Int)
        /// Something happens to a notification: a verb that takes its name.
        case verb(String, of: Int)
        /// Another step, whose members are known.
        case other([JSONValue.Member])
        /// The accessory is waited for.
        case wait(String)
        /// Time passes, as the phone does not notice what the accessory does.
        case pass
        /// The link ends: the phone ends it, or waits for that.
        case end([JSONValue.Member])
        /// Something is expected of the accessory about a notification.
        case expect([JSONValue.Member], of: Int)
    }

    var time: CaptureTime
    var deed: Deed
    /// Steps that come right before it: what goes wrong with the commands that it leads to.
    var preceding: [[JSONValue.Member]] = []
    /// Whether it was there when the one before was announced: no time passes between them.
    var isTogether = false
    /// Whether the phone does it; the time before it is then part of what the phone does.
    var isOfPhone = true

    /// Whether it waits for the accessory.
    var isWait: Bool {
        switch deed {
        case .wait, .pass: true
        case .post, .ring, .modify, .verb, .other, .end, .expect: false
        }
    }

    /// Whether it ends the link.
    var isEnd: Bool { if case .end = deed { true } else { false } }

    /// Whether it posts a notification that was there when the one before was announced.
    func isPostTogether(_ notifications: [SeenNotification]) -> Bool {
        guard case .post(let index) = deed else { return false }
        return notifications[index].isTogether
    }

    init(_ time: CaptureTime, _ deed: Deed) { (self.time, self.deed) = (time, deed) }

    /// A step of the phone with one member.
    init(_ time: CaptureTime, _ verb: String, _ value: JSONValue, note: String? = nil) {
        let noted = note.map { [JSONValue.Member("note", .string($0))] } ?? []
        self.init(time, .other([.init(verb, value)] + noted))
    }

    /// A step that waits for the accessory.
    init(_ time: CaptureTime, waitingFor state: String) {
        self.init(time, .wait(state))
        isOfPhone = false
    }
}
