import ANCS
import Octets

/// The reports of a recorded session with a phone, and the commands that the program has to write between
/// them.
enum Recording {
    struct Step {
        /// The time of the report.
        var milliseconds: Int64
        /// The report; `nil` if only time passes, or the phone accepts the last command.
        var report: ConsumerSession.LinkReport?
        /// Whether the phone accepts the last command.
        var isAccepted = false
        /// The commands that the session has to write in response.
        var writes: [[UInt8]] = []
    }

    static let count = 19

    /// A message, a call that the user declines, and a notification about which the phone does not answer.
    static func step(_ number: Int) -> Step {
        switch number {
        case 0: Step(milliseconds: 20, report: .subscribed(.dataSource))
        case 1: Step(milliseconds: 60, report: .subscribed(.notificationSource))
        // A message from Ada: its app, title and text.
        case 2:
            Step(
                milliseconds: 100, report: .notificationSource([0, 0x10, 4, 1, 7, 0, 0, 0]),
                writes: [[0, 7, 0, 0, 0, 0, 1, 16, 0, 3, 32, 0]])
        case 3: Step(milliseconds: 130, isAccepted: true)
        case 4:
            Step(
                milliseconds: 160,
                report: .dataSource([
                    0, 7, 0, 0, 0, 0, 7, 0, 0x6E, 0x65, 0x74, 0x2E, 0x69, 0x6D, 0x73, 1, 3, 0, 0x41,
                    0x64,
                ]))
        case 5:
            Step(
                milliseconds: 190,
                report: .dataSource([
                    0x61, 3, 9, 0, 0x4F, 0x6E, 0x20, 0x6D, 0x79, 0x20, 0x77, 0x61, 0x79,
                ]), writes: [[1, 0x6E, 0x65, 0x74, 0x2E, 0x69, 0x6D, 0x73, 0, 0]])
        // The name of the app.
        case 6: Step(milliseconds: 220, isAccepted: true)
        case 7:
            Step(
                milliseconds: 250,
                report: .dataSource([
                    1, 0x6E, 0x65, 0x74, 0x2E, 0x69, 0x6D, 0x73, 0, 0, 4, 0, 0x43, 0x68, 0x61, 0x74,
                ]))
        // Bob calls.
        case 8:
            Step(
                milliseconds: 5_000, report: .notificationSource([0, 0x18, 1, 1, 8, 0, 0, 0]),
                writes: [[0, 8, 0, 0, 0, 0, 1, 16, 0, 3, 32, 0]])
        case 9: Step(milliseconds: 5_030, isAccepted: true)
        case 10:
            Step(
                milliseconds: 5_060,
                report: .dataSource([
                    0, 8, 0, 0, 0, 0, 3, 0, 0x74, 0x65, 0x6C, 1, 3, 0, 0x42, 0x6F, 0x62, 3, 0, 0,
                ]),
                writes: [[2, 8, 0, 0, 0, 1]])
        case 11:
            Step(
                milliseconds: 5_090, isAccepted: true,
                writes: [[1, 0x74, 0x65, 0x6C, 0, 0]])
        // The app has no name: the answer consists of the header alone.
        case 12: Step(milliseconds: 5_120, isAccepted: true)
        case 13: Step(milliseconds: 5_150, report: .dataSource([1, 0x74, 0x65, 0x6C, 0]))
        case 14:
            Step(milliseconds: 5_400, report: .notificationSource([2, 0x18, 1, 0, 8, 0, 0, 0]))
        // The phone does not answer.
        case 15:
            Step(
                milliseconds: 9_000, report: .notificationSource([0, 0, 4, 2, 9, 0, 0, 0]),
                writes: [[0, 9, 0, 0, 0, 0, 1, 16, 0, 3, 32, 0]])
        case 16: Step(milliseconds: 9_030, isAccepted: true)
        case 17: Step(milliseconds: 20_000, report: nil)
        // A value of the wrong length is ignored.
        case _: Step(milliseconds: 21_000, report: .notificationSource([1, 2, 3]))
        }
    }
}
