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
            guard result.command.opcode == command(at: step, knowledge)?.opcode else {
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
    /// The command of a step; `nil` if the controller does not support it or the host does not need it.
    private func command(at step: Step, _ knowledge: Knowledge) -> HCICommandPacket? {
        guard let command = wantedCommand(at: step, knowledge) else { return nil }
        // The first two come before the controller has reported what it supports; both are mandatory.
        let isMandatory = step == .version || step == .commands
        return isMandatory || knowledge.abilities.supports(command.opcode) ? command : nil
    }

    /// The command of a step; `nil` if the host does not need it with the features that the controller has.
    private func wantedCommand(at step: Step, _ knowledge: Knowledge) -> HCICommandPacket? {
        let features = knowledge.abilities.features
        let lengthens =
            features.contains(.dataPacketLengthExtension) && configuration.suggestsDataLength
        switch step {
        case .version: return HCICommandPacket(HCI.ReadLocalVersionInformation())
        case .commands: return HCICommandPacket(HCI.ReadLocalSupportedCommands())
        case .features: return HCICommandPacket(HCI.ReadLocalSupportedFeatures())
        case .address: return HCICommandPacket(HCI.ReadBDADDR())
        case .leFeatures: return HCICommandPacket(HCI.LEReadLocalSupportedFeatures())
        case .leBuffers: return HCICommandPacket(HCI.LEReadBufferSize())
        case .buffers:
            return knowledge.buffers == nil ? HCICommandPacket(HCI.ReadBufferSize()) : nil
        case .eventMask: return HCICommandPacket(HCI.SetEventMask(mask: EventMask.basic))
        case .leEventMask: return HCICommandPacket(HCI.LESetEventMask(mask: EventMask.le(features)))
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
    private func learn(_ result: HCICommandResult, at step: Step, _ knowledge: inout Knowledge) {
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
        case .leBuffers:
            guard let answer = result.returnParameters(of: HCI.LEReadBufferSize.self)
            else { return }
            knowledge.buffers = buffers(answer.aclLength, UInt16(answer.aclCount), isShared: false)
        case .buffers:
            guard let answer = result.returnParameters(of: HCI.ReadBufferSize.self) else { return }
            knowledge.buffers = buffers(answer.aclLength, answer.aclCount, isShared: true)
        case .maximumDataLength:
            knowledge.maximumDataLength = result.returnParameters(
                of: HCI.LEReadMaximumDataLength.self)
        case .advertisingSets:
            let answer = result.returnParameters(
                of: HCI.LEReadNumberOfSupportedAdvertisingSets.self)
            knowledge.abilities.advertisingSets = Int(answer?.count ?? 0)
        case .advertisingDataLength:
            guard
                let answer = result.returnParameters(
                    of: HCI.LEReadMaximumAdvertisingDataLength.self)
            else { return }
            knowledge.abilities.maximumAdvertisingDataLength = max(31, Int(answer.length))
        case .eventMask, .leEventMask, .leHost, .suggestedDataLength: break
        }
    }

    /// Controllers without a public address return all zeroes or all ones.
    private func usable(_ address: DeviceAddress) -> DeviceAddress? {
        address.rawValue == 0 || address.rawValue == 0xFFFF_FFFF_FFFF ? nil : address
    }

    /// What the controller buffers; `nil` if it says that this is nothing.
    private func buffers(
        _ length: UInt16, _ count: UInt16, isShared: Bool
    ) -> ControllerAbilities.Buffers? {
        guard length > 0, count > 0 else { return nil }
        return .init(length: Int(length), count: Int(count), isShared: isShared)
    }
}
