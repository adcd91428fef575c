internal import ANCS
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
        /// The link ends: the phone ends it, or waits for that.
        case end([JSONValue.Member])
        /// Something is expected of the accessory about a notification.
        case expect([JSONValue.Member], of: Int)
    }

    /// What goes wrong with the answer to a command.
    struct Fault {
        enum Kind: Equatable {
            /// It came so many seconds after the command.
            case late(Double)
            /// None came. The accessory asks again, and what it is told then is no fault.
            case lost
            /// The command was refused.
            case refused(ControlPointError)
        }

        var kind: Kind
        var command: CommandID
    }

    var time: CaptureTime
    var deed: Deed
    /// What goes wrong with the answers about it, injected before it: in the order of the commands.
    var faults: [Fault] = []
    /// Whether the user withdraws consent before it.
    var withdrawsConsent = false
    /// Whether the phone does it; the time before it is then part of what the phone does.
    var isOfPhone = true

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
