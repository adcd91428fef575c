import ANCS
import ANCSProvider
import LinuxIO
import Octets
import VirtualBluetooth

/// The plan of a run: the devices, the radio conditions, and the steps with their times. All of it is derived
/// from the seed.
struct Plan {
    /// A phone or an accessory.
    enum Device: Hashable {
        case phone(Int)
        case accessory(Int)
    }

    /// Something that happens to a device, or that its user does.
    enum Step {
        case post(phone: Int, count: Int)
        /// A notification is posted, changed while it is being fetched, and possibly removed in the end.
        case flicker(phone: Int, Duration, isRemoved: Bool)
        case modify(phone: Int, pick: UInt64)
        case remove(phone: Int, pick: UInt64)
        case ring(phone: Int)
        case endCall(phone: Int, pick: UInt64)
        case perform(accessory: Int, pick: UInt64, ActionID)
        case cut(phone: Int, accessory: Int)
        case leaveRange(phone: Int, accessory: Int, Duration)
        case noise(phone: Int, accessory: Int, loss: Double, Duration)
        /// Nothing is heard for a time, on one link or, without an accessory, on all.
        case fade(phone: Int, accessory: Int?, Duration)
        case failController(Device)
        case restart(Device, losingBonds: Bool, after: Duration)
        case forget(phone: Int, accessory: Int)
        case withholdConsent(phone: Int, accessory: Int, Duration)
        case unpublish(phone: Int, isAnnounced: Bool, Duration)
        case inject(phone: Int, AnswerFault)
        case behave(phone: Int, ProviderBehavior)
        case loseSubscription(phone: Int, NotifyingCharacteristic)
    }

    struct Entry {
        var time: Duration
        var step: Step
    }

    let seed: UInt64
    let phones: [VirtualControllerAbilities]
    let accessories: [VirtualControllerAbilities]
    let radio: RadioConfiguration
    /// The steps, in the order of their times.
    let entries: [Entry]
    /// By phone: whether it ends the link to an accessory that has lost its keys, as an iPhone does, until
    /// its user forgets the accessory. Other phones pair again.
    let refusesLostKeys: [Bool]
    /// What happens once everything has settled.
    let epilogue: Epilogue

    /// Whether a phone loses something without any sign other than its silence.
    var needsSilence: Bool {
        entries.contains { entry in
            switch entry.step {
            case .loseSubscription, .unpublish(_, isAnnounced: false, _): true
            default: false
            }
        }
    }

    /// The time before which all steps take place.
    static let length = Duration.seconds(300)

    init(seed: UInt64) {
        self.seed = seed
        var random = SeededGenerator(seed: seed)
        // From sources of their own, so that the other steps of the seed remain the same.
        var (other, air) = (random.branch(1), random.branch(2))
        phones = Self.controllers(
            1 + Int.random(in: 0...3, using: &random) / 3, &random, order: &air)
        accessories = Self.controllers(
            1 + Int.random(in: 0...4, using: &random) / 2, &random, order: &air)
        let loss = random.chance(0.3) ? Double.random(in: 0...0.1, using: &random) : 0
        radio = RadioConfiguration(
            seed: seed, latency: random.duration(below: .milliseconds(20)),
            path: RadioPath(loss: loss))
        var maker = StepMaker(phones: phones.count, accessories: accessories.count, random: random)
        entries = (maker.entries() + maker.fades(&air)).sorted { $0.time < $1.time }
        refusesLostKeys = phones.map { _ in other.chance(0.5) }
        epilogue = Epilogue(accessories: accessories.count, &other)
    }

    /// The behaviors of a phone during the run, apart from the usual one.
    func behaviors(of phone: Int) -> [ProviderBehavior] {
        entries.compactMap { entry in
            guard case .behave(phone, let behavior) = entry.step else { return nil }
            return behavior
        }
    }

    /// Controllers of any version; half of them are on USB.
    private static func controllers(
        _ count: Int, _ random: inout SeededGenerator, order: inout SeededGenerator
    ) -> [VirtualControllerAbilities] {
        let presets: [VirtualControllerAbilities] = [.bluetooth4_0, .bluetooth4_2, .bluetooth5_3]
        return (0..<count).map { _ in
            var controller = presets[Int.random(in: 0...2, using: &random)]
            if order.chance(0.5) { controller.packetOrder = .usb }
            return controller
        }
    }
}

extension Plan {
    /// What happens once everything has settled.
    struct Epilogue {
        /// For each accessory: which notification its user acts on, and whether the positive action is
        /// preferred if there is a choice.
        let actions: [(prefersPositive: Bool, pick: UInt64)]
        /// The accessory that loses its keys but keeps its identity.
        let keyLoser: Int?

        fileprivate init(accessories: Int, _ random: inout SeededGenerator) {
            actions = (0..<accessories).map { _ in (random.chance(0.5), random.next()) }
            keyLoser =
                random.chance(0.3) ? Int.random(in: 0..<accessories, using: &random) : nil
        }
    }
}

/// Generates the steps of a plan.
private struct StepMaker {
    let phones: Int
    let accessories: Int
    var random: SeededGenerator

    mutating func entries() -> [Plan.Entry] {
        let everyday = (0..<Int.random(in: 5...40, using: &random)).map { _ in everydayStep() }
        let faults = (0..<Int.random(in: 0...8, using: &random)).map { _ in fault() }
        let steps = everyday + faults
        return steps.map { Plan.Entry(time: random.duration(below: Plan.length), step: $0) }
            .sorted { $0.time < $1.time }
    }

    /// In half of the stories, up to six fades of 0.3 to 3 s.
    func fades(_ random: inout SeededGenerator) -> [Plan.Entry] {
        guard random.chance(0.5) else { return [] }
        return (0..<Int.random(in: 1...6, using: &random)).map { _ in
            let phone = Int.random(in: 0..<phones, using: &random)
            let accessory = Int.random(in: 0..<accessories, using: &random)
            let length = .milliseconds(300) + random.duration(below: .milliseconds(2700))
            let step = Plan.Step.fade(
                phone: phone, accessory: random.chance(0.5) ? accessory : nil, length)
            return Plan.Entry(time: random.duration(below: Plan.length), step: step)
        }
    }

    private mutating func everydayStep() -> Plan.Step {
        let phone = Int.random(in: 0..<phones, using: &random)
        switch Int.random(in: 0..<16, using: &random) {
        case 0..<6: return .post(phone: phone, count: Int.random(in: 1...3, using: &random))
        case 6: return .post(phone: phone, count: Int.random(in: 20...120, using: &random))
        case 7, 8: return .modify(phone: phone, pick: random.next())
        case 9: return .remove(phone: phone, pick: random.next())
        case 10: return .ring(phone: phone)
        case 11: return .endCall(phone: phone, pick: random.next())
        case 12, 13:
            let pause = random.duration(below: .milliseconds(300))
            return .flicker(phone: phone, pause, isRemoved: random.chance(0.4))
        default:
            let action = random.chance(0.5) ? ActionID.positive : .negative
            return .perform(accessory: accessory(), pick: random.next(), action)
        }
    }

    private mutating func fault() -> Plan.Step {
        let phone = Int.random(in: 0..<phones, using: &random)
        switch Int.random(in: 0..<13, using: &random) {
        case 0, 1: return .cut(phone: phone, accessory: accessory())
        case 2: return .leaveRange(phone: phone, accessory: accessory(), pause())
        case 3:
            let loss = Double.random(in: 0.1...0.6, using: &random)
            return .noise(phone: phone, accessory: accessory(), loss: loss, pause())
        case 4: return .failController(device())
        case 5: return .restart(device(), losingBonds: false, after: pause())
        case 6: return .restart(device(), losingBonds: true, after: pause())
        case 7: return .forget(phone: phone, accessory: accessory())
        case 8: return .withholdConsent(phone: phone, accessory: accessory(), pause())
        case 9: return .unpublish(phone: phone, isAnnounced: random.chance(0.7), pause())
        case 10: return .inject(phone: phone, answerFault())
        case 11: return .behave(phone: phone, behavior())
        default:
            let characteristic: NotifyingCharacteristic =
                random.chance(0.5) ? .notificationSource : .dataSource
            return .loseSubscription(phone: phone, characteristic)
        }
    }

    private mutating func accessory() -> Int { Int.random(in: 0..<accessories, using: &random) }

    private mutating func device() -> Plan.Device {
        random.chance(0.5)
            ? .accessory(accessory()) : .phone(Int.random(in: 0..<phones, using: &random))
    }

    private mutating func pause() -> Duration { random.duration(below: .seconds(60)) }

    private mutating func answerFault() -> AnswerFault {
        let effects: [AnswerFault.Effect] = [
            .refuse(.invalidParameter), .refuse(.invalidCommand), .refuse(.writeNotPermitted),
            .ignoreWrite, .delay(random.duration(below: .seconds(25))), .lose, .duplicate,
            .joinWithNext, .reorder(.shuffled(seed: random.next())),
            .fragment(.random(seed: random.next(), atMost: 40)), .headerOnly,
            .dropLink(afterOctets: Int.random(in: 0...60, using: &random)),
        ]
        let effect = effects[Int.random(in: 0..<effects.count, using: &random)]
        return AnswerFault(effect, count: Int.random(in: 1...4, using: &random))
    }

    private mutating func behavior() -> ProviderBehavior {
        var behavior = ProviderBehavior()
        behavior.attributeOrder = .shuffled(seed: random.next())
        behavior.joinsAnswers = random.chance(0.5)
        if random.chance(0.5) { behavior.fragmentSizes = .random(seed: random.next(), atMost: 60) }
        if random.chance(0.3) { behavior.existingFlags = [.preExisting, .silent] }
        if random.chance(0.3) { behavior.dates = .none }
        if random.chance(0.3) { behavior.additionalFlags = .observedBit5 }
        if random.chance(0.3) { behavior.firstUID = .init(rawValue: UInt32.max / 2) }
        return behavior
    }
}
