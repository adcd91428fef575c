internal import Octets

/// Sets up a controller: resets it, reads its abilities and enables the events that the host needs.
///
/// It sends only commands that the controller says it supports. Only the reset must succeed; for any other
/// command that is refused or not answered, the abilities of the simplest controller are assumed.
public struct ControllerSetup: ~Copyable, Sendable {
    /// What the owner has to do.
    public enum Output: Equatable, Sendable {
        /// Submit the command to the ``HCICommandChannel``, for ``HCICommandOwner/setup``.
        case send(HCICommandPacket)
        /// The controller is ready. Indirect, as this is large and comes once.
        indirect case finished(ControllerAbilities)
        /// The controller cannot be used.
        case failed(Failure)
    }

    /// Why a controller cannot be used.
    public enum Failure: Error, Equatable, Sendable {
        /// It does not answer the reset.
        case noAnswer
        /// It refuses the reset.
        case resetRefused(HCIStatus)
        /// It fails at every attempt to set it up.
        case failsRepeatedly
    }

    /// What to set up.
    public struct Configuration: Equatable, Sendable {
        /// How many resets are tried: the first may be lost while the controller is busy.
        public var maximumResets: Int
        /// Whether to suggest the longest packets on air that the controller supports.
        public var suggestsDataLength: Bool

        /// A configuration; by default three resets and the longest packets.
        public init(maximumResets: Int = 3, suggestsDataLength: Bool = true) {
            self.maximumResets = maximumResets
            self.suggestsDataLength = suggestsDataLength
        }
    }

    /// The commands, in order.
    private enum Step: Int, CaseIterable {
        case version, commands, features, address, leFeatures, leBuffers, buffers, eventMask
        case leEventMask, leHost, maximumDataLength, suggestedDataLength, advertisingSets
        case advertisingDataLength
    }

    private enum State {
        case idle
        case resetting(attempt: Int)
        indirect case asking(Step, Knowledge)
        case finished
    }

    /// What the controller has reported so far.
    private struct Knowledge {
        var abilities = ControllerAbilities()
        var lmpFeatures: UInt64 = 0
        var buffers: ControllerAbilities.Buffers?
        var maximumDataLength: HCI.LEReadMaximumDataLength.ReturnParameters?
    }

    private let configuration: Configuration
    private var state = State.idle
    private var outputs = Queue<Output>()

    /// A setup that has not started.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// Starts, or starts again: the transport is open.
    public mutating func start() {
        outputs.removeAll()
        state = .resetting(attempt: 1)
        outputs.append(.send(HCICommandPacket(HCI.Reset())))
    }

    /// A command of this machine has ended.
    public mutating func receive(_ result: HCICommandResult) {
        switch exchange(&state, with: .finished) {
        case .idle: state = .idle
        case .finished: break
        case .resetting(let attempt):
            guard result.command.opcode == .reset else {
                state = .resetting(attempt: attempt)
                return
            }
            resetEnded(result, attempt)
        case .asking(let step, var knowledge):
            guard result.command.opcode == opcode(of: step) else {
                state = .asking(step, knowledge)
                return
            }
            learn(result, at: step, &knowledge)
            ask(after: step, knowledge)
        }
    }

    /// Takes the next output. After every input, call it until it returns `nil`.
    public mutating func pollOutput() -> Output? { outputs.popFirst() }

    private mutating func resetEnded(_ result: HCICommandResult, _ attempt: Int) {
        if result.isSuccess {
            ask(.version, Knowledge())
        } else if attempt < configuration.maximumResets {
            state = .resetting(attempt: attempt + 1)
            outputs.append(.send(HCICommandPacket(HCI.Reset())))
        } else if let status = result.status {
            outputs.append(.failed(.resetRefused(status)))
        } else {
            outputs.append(.failed(.noAnswer))
        }
    }

    private mutating func ask(after step: Step, _ knowledge: Knowledge) {
        if let next = Step(rawValue: step.rawValue + 1) {
            ask(next, knowledge)
        } else {
            finish(knowledge)
        }
    }

    private mutating func ask(_ first: Step, _ knowledge: Knowledge) {
        for step in Step.allCases where step.rawValue >= first.rawValue {
            if let command = command(at: step, knowledge) {
                state = .asking(step, knowledge)
                outputs.append(.send(command))
                return
            }
        }
        finish(knowledge)
    }

    private mutating func finish(_ knowledge: Knowledge) {
        var abilities = knowledge.abilities
        if let buffers = knowledge.buffers { abilities.buffers = buffers }
        outputs.append(.finished(abilities))
    }
}

// MARK: Which command

extension ControllerSetup {
    private func opcode(of step: Step) -> HCIOpcode {
        switch step {
        case .version: .readLocalVersionInformation
        case .commands: .readLocalSupportedCommands
        case .features: .readLocalSupportedFeatures
        case .address: .readBDADDR
        case .leFeatures: .leReadLocalSupportedFeatures
        case .leBuffers: .leReadBufferSize
        case .buffers: .readBufferSize
        case .eventMask: .setEventMask
        case .leEventMask: .leSetEventMask
        case .leHost: .writeLEHostSupport
        case .maximumDataLength: .leReadMaximumDataLength
        case .suggestedDataLength: .leWriteSuggestedDefaultDataLength
        case .advertisingSets: .leReadNumberOfSupportedAdvertisingSets
        case .advertisingDataLength: .leReadMaximumAdvertisingDataLength
        }
    }

    /// The command of a step; `nil` if the controller does not support it or the host does not need it.
    private func command(at step: Step, _ knowledge: Knowledge) -> HCICommandPacket? {
        let abilities = knowledge.abilities
        // These two come before the controller has reported what it supports; both are mandatory.
        switch step {
        case .version: return HCICommandPacket(HCI.ReadLocalVersionInformation())
        case .commands: return HCICommandPacket(HCI.ReadLocalSupportedCommands())
        default: break
        }
        guard abilities.supports(opcode(of: step)) else { return nil }
        return switch step {
        case .version, .commands: nil
        case .features: HCICommandPacket(HCI.ReadLocalSupportedFeatures())
        case .address: HCICommandPacket(HCI.ReadBDADDR())
        case .leFeatures: HCICommandPacket(HCI.LEReadLocalSupportedFeatures())
        case .leBuffers: HCICommandPacket(HCI.LEReadBufferSize())
        case .buffers: knowledge.buffers == nil ? HCICommandPacket(HCI.ReadBufferSize()) : nil
        case .eventMask: HCICommandPacket(HCI.SetEventMask(mask: EventMask.basic))
        case .leEventMask:
            HCICommandPacket(HCI.LESetEventMask(mask: EventMask.le(abilities.features)))
        case .leHost, .maximumDataLength, .suggestedDataLength, .advertisingSets,
            .advertisingDataLength:
            optionalCommand(at: step, knowledge)
        }
    }

    /// The command of a step that also depends on a feature.
    private func optionalCommand(at step: Step, _ knowledge: Knowledge) -> HCICommandPacket? {
        let features = knowledge.abilities.features
        let lengthens =
            features.contains(.dataPacketLengthExtension) && configuration.suggestsDataLength
        switch step {
        case .leHost:
            guard LMPFeature.wantsLEHostSupport(knowledge.lmpFeatures) else { return nil }
            return HCICommandPacket(HCI.WriteLEHostSupport(isSupported: true, simultaneous: 0))
        case .maximumDataLength:
            return lengthens ? HCICommandPacket(HCI.LEReadMaximumDataLength()) : nil
        case .suggestedDataLength:
            guard lengthens, let maximum = knowledge.maximumDataLength else { return nil }
            return HCICommandPacket(
                HCI.LEWriteSuggestedDefaultDataLength(
                    octets: maximum.maximumTransmitOctets,
                    microseconds: maximum.maximumTransmitMicroseconds))
        case .advertisingSets:
            guard features.contains(.extendedAdvertising) else { return nil }
            return HCICommandPacket(HCI.LEReadNumberOfSupportedAdvertisingSets())
        case .advertisingDataLength:
            guard knowledge.abilities.advertisingSets > 0 else { return nil }
            return HCICommandPacket(HCI.LEReadMaximumAdvertisingDataLength())
        case .version, .commands, .features, .address, .leFeatures, .leBuffers, .buffers,
            .eventMask, .leEventMask:
            return nil
        }
    }

    /// LMP features, Core Vol 2, Part C, 3.3.
    private enum LMPFeature {
        static let brEDRNotSupported: UInt64 = 1 << 37
        static let leSupported: UInt64 = 1 << 38

        /// Whether a controller with BR/EDR and LE must be informed that its host supports LE.
        static func wantsLEHostSupport(_ features: UInt64) -> Bool {
            features & leSupported != 0 && features & brEDRNotSupported == 0
        }
    }
}

// MARK: What an answer says

extension ControllerSetup {
    private func learn(
        _ result: HCICommandResult, at step: Step, _ knowledge: inout Knowledge
    ) {
        switch step {
        case .version:
            guard let answer = result.returnParameters(of: HCI.ReadLocalVersionInformation.self)
            else { return }
            knowledge.abilities.hciVersion = answer.hciVersion
            knowledge.abilities.manufacturer = answer.manufacturer
            knowledge.abilities.isVirtual =
                answer.manufacturer == 0xFFFF
                && answer.hciSubversion == ControllerAbilities.virtualSubversion
        case .commands:
            guard let answer = result.returnParameters(of: HCI.ReadLocalSupportedCommands.self)
            else { return }
            knowledge.abilities.commands = answer.commands
        case .features:
            guard let answer = result.returnParameters(of: HCI.ReadLocalSupportedFeatures.self)
            else { return }
            knowledge.lmpFeatures = answer.features
        case .address:
            guard let answer = result.returnParameters(of: HCI.ReadBDADDR.self) else { return }
            knowledge.abilities.publicAddress = usable(answer.address)
        case .leFeatures:
            guard let answer = result.returnParameters(of: HCI.LEReadLocalSupportedFeatures.self)
            else { return }
            knowledge.abilities.features = answer.features
        case .leBuffers, .buffers: learnBuffers(result, at: step, &knowledge)
        case .maximumDataLength:
            knowledge.maximumDataLength = result.returnParameters(
                of: HCI.LEReadMaximumDataLength.self)
        case .advertisingSets, .advertisingDataLength:
            learnAdvertising(result, at: step, &knowledge)
        case .eventMask, .leEventMask, .leHost, .suggestedDataLength: break
        }
    }

    /// Controllers without a public address return all zeroes or all ones.
    private func usable(_ address: DeviceAddress) -> DeviceAddress? {
        address.rawValue == 0 || address.rawValue == 0xFFFF_FFFF_FFFF ? nil : address
    }

    private func learnBuffers(
        _ result: HCICommandResult, at step: Step, _ knowledge: inout Knowledge
    ) {
        if step == .leBuffers {
            guard let answer = result.returnParameters(of: HCI.LEReadBufferSize.self),
                answer.aclLength > 0, answer.aclCount > 0
            else { return }
            knowledge.buffers = .init(length: Int(answer.aclLength), count: Int(answer.aclCount))
        } else {
            guard let answer = result.returnParameters(of: HCI.ReadBufferSize.self),
                answer.aclLength > 0, answer.aclCount > 0
            else { return }
            knowledge.buffers = .init(
                length: Int(answer.aclLength), count: Int(answer.aclCount), isShared: true)
        }
    }

    private func learnAdvertising(
        _ result: HCICommandResult, at step: Step, _ knowledge: inout Knowledge
    ) {
        if step == .advertisingSets {
            let answer = result.returnParameters(
                of: HCI.LEReadNumberOfSupportedAdvertisingSets.self)
            knowledge.abilities.advertisingSets = Int(answer?.count ?? 0)
        } else if let answer = result.returnParameters(
            of: HCI.LEReadMaximumAdvertisingDataLength.self)
        {
            knowledge.abilities.maximumAdvertisingDataLength = max(31, Int(answer.length))
        }
    }
}
