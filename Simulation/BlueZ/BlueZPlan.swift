import ANCS
import Octets

/// The plan of a run at the double of bluetoothd: the phones, how badly bluetoothd answers, and the steps with
/// their times. All of it is derived from the seed.
struct BlueZPlan {
    /// Something that a phone, its user, bluetoothd or the user of the accessory does.
    enum Step {
        case post(phone: Int, count: Int)
        case modify(phone: Int, pick: UInt64)
        case remove(phone: Int, pick: UInt64)
        case perform(pick: UInt64, ActionID)
        /// The link ends, and the phone is out of range for a time.
        case leave(phone: Int, Duration)
        /// The phone withdraws ANCS for a time.
        case withdraw(phone: Int, Duration)
        /// bluetoothd closes its end of the sockets.
        case hangUp
        /// Another program's command is being written for a time.
        case occupy(phone: Int, Duration)
        /// bluetoothd ends and begins again.
        case restart
        /// Bluetooth is off for a time.
        case turnOff(Duration)
        /// The machine was suspended.
        case resume
    }

    struct Entry {
        var time: Duration
        var step: Step
    }

    /// How badly bluetoothd answers until the calm: probabilities, and the limits of random times.
    struct Temper {
        var ignoresCall: Double
        var losesReply: Double
        var doublesReply: Double
        var isLate: Double
        var lateness: Duration
        /// How long what was sent may be on its way.
        var delay: Duration
        /// How long a command may be on its way to the phone.
        var writeDelay: Duration
    }

    let seed: UInt64
    let phones: Int
    /// Whether the last phone has no bond and pairs.
    let hasNewPhone: Bool
    let temper: Temper
    /// In the order of their times.
    let entries: [Entry]

    /// The time before which all steps take place, and after which bluetoothd answers well.
    static let length = Duration.seconds(90)

    init(seed: UInt64) {
        self.seed = seed
        var random = SeededGenerator(seed: seed).branch(3)
        phones = random.chance(0.3) ? 2 : 1
        hasNewPhone = random.chance(0.3)
        temper = Temper(
            ignoresCall: Self.pick([0, 0, 0.01, 0.05], &random),
            losesReply: Self.pick([0, 0, 0.01, 0.05], &random),
            doublesReply: Self.pick([0, 0.1, 0.5], &random),
            isLate: Self.pick([0, 0.05, 0.3], &random),
            lateness: .seconds(Self.pick([1, 8, 40], &random)),
            delay: .milliseconds(Self.pick([5, 50, 500], &random)),
            writeDelay: .milliseconds(Self.pick([100, 1_000, 28_000], &random)))
        let phones = phones
        let steps =
            (0..<Int.random(in: 4...20, using: &random)).map { _ in
                Self.everydayStep(phones, &random)
            } + (0..<Int.random(in: 0...6, using: &random)).map { _ in Self.fault(phones, &random) }
        entries = steps.map { Entry(time: random.duration(below: Self.length), step: $0) }
            .sorted { $0.time < $1.time }
    }

    private static func pick<Value>(_ values: [Value], _ random: inout SeededGenerator) -> Value {
        values[Int.random(in: values.indices, using: &random)]
    }

    private static func everydayStep(_ phones: Int, _ random: inout SeededGenerator) -> Step {
        let phone = Int.random(in: 0..<phones, using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<4: return .post(phone: phone, count: Int.random(in: 1...3, using: &random))
        case 4: return .post(phone: phone, count: Int.random(in: 4...12, using: &random))
        case 5, 6: return .modify(phone: phone, pick: random.next())
        case 7: return .remove(phone: phone, pick: random.next())
        case _: return .perform(pick: random.next(), random.chance(0.5) ? .positive : .negative)
        }
    }

    private static func fault(_ phones: Int, _ random: inout SeededGenerator) -> Step {
        let phone = Int.random(in: 0..<phones, using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<3: return .leave(phone: phone, random.duration(below: .seconds(20)))
        case 3, 4: return .withdraw(phone: phone, random.duration(below: .seconds(10)))
        case 5, 6: return .hangUp
        case 7, 8: return .occupy(phone: phone, random.duration(below: .seconds(3)))
        case 9: return .restart
        case 10: return .turnOff(random.duration(below: .seconds(10)))
        case _: return .resume
        }
    }
}
