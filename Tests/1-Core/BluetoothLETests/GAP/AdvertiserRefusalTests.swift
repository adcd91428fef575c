import BluetoothLE
import Octets
import Testing

/// What an advertiser does when the controller refuses a command or does not answer it.
@Suite struct AdvertiserRefusalTests: AdvertiserTesting {
    @Test(
        "where extended commands are refused, legacy ones are used",
        arguments: [
            HCIStatus.unknownCommand, .invalidCommandParameters, .commandDisallowed,
        ])
    func fallback(status: HCIStatus) throws {
        var advertiser = extended()
        try advertiser.start(Self.advertisement, from: Self.address)
        let (commands, events) = advertiser.run { command in
            command.opcode.rawValue >= 0x2035 ? .status(status) : .completed([0x00])
        }
        #expect(commands.last == Self.enable)
        #expect(events == [.started])
    }

    @Test("a refusal by legacy commands too is reported")
    func refusal() throws {
        var advertiser = legacy()
        try advertiser.start(Self.advertisement, from: Self.address)
        let (_, events) = advertiser.run { command in
            command.opcode == .leSetAdvertisingParameters
                ? .completed([0x12]) : .completed([0x00])
        }
        #expect(
            events == [.failed(.refused(.leSetAdvertisingParameters, .invalidCommandParameters))])
        #expect(advertiser.isOnAir == false)
        try advertiser.start(Self.advertisement, from: Self.address)
        #expect(advertiser.run().events == [.started])
    }

    @Test("a controller that still advertises is silenced first")
    func disallowed() throws {
        var advertiser = legacy()
        try advertiser.start(Self.advertisement, from: Self.address)
        var isOnAir = true
        let (commands, events) = advertiser.run { command in
            if command == Self.disable { isOnAir = false }
            return .completed([isOnAir ? 0x0C : 0x00])
        }
        #expect(commands[1] == Self.disable)
        #expect(events == [.started])
    }

    @Test("a lost answer to enable is survived", arguments: [false, true])
    func lostEnable(isExtended: Bool) throws {
        var advertiser = isExtended ? extended() : legacy()
        try advertiser.start(Self.advertisement, from: Self.address)
        var lost = 0
        let (commands, events) = advertiser.run { command in
            guard command == Self.enable || command == Self.extendedEnable, lost == 0 else {
                return .completed([0x00])
            }
            lost += 1
            return .timedOut
        }
        #expect(commands.contains(isExtended ? Self.extendedDisable : Self.disable))
        #expect(commands.last == (isExtended ? Self.extendedEnable : Self.enable))
        #expect(events == [.started])
    }

    @Test("a controller that answers nothing is given up", arguments: [false, true])
    func silence(isExtended: Bool) throws {
        var advertiser = isExtended ? extended() : legacy()
        try advertiser.start(Self.advertisement, from: Self.address)
        let (commands, events) = advertiser.run { _ in .timedOut }
        #expect(commands.count < 20)
        // The legacy commands were tried as well.
        #expect(events == [.failed(.timedOut(.leSetAdvertisingParameters))])
        #expect(advertiser.isOnAir == false)
    }

    @Test(
        "any answer to one command leads to on air, off air or failed, within few commands",
        arguments: [false, true])
    func everyRefusal(isExtended: Bool) throws {
        for refused in 0..<8 {
            for outcome in [
                HCICommandResult.Outcome.timedOut, .status(.unknownCommand), .completed([0x12]),
                .completed([0x0C]), .completed([]),
            ] {
                var advertiser = isExtended ? extended() : legacy()
                try advertiser.start(Self.advertisement, from: Self.address)
                var count = 0
                let (_, events) = advertiser.run { _ in
                    count += 1
                    return count == refused + 1 ? outcome : .completed([0x00])
                }
                #expect(count < 30)
                #expect(events.count == 1)
                #expect(advertiser.isOnAir == (events == [.started]))
            }
        }
    }

    @Test("data refused on air take the advertisement off air and are reported")
    func refusedOnAir() throws {
        var advertiser = extended()
        try advertiser.start(Self.advertisement, from: Self.address)
        _ = advertiser.run()
        var changed = Self.advertisement
        changed.data.structures.append(.appearance(0x0180))
        try advertiser.start(changed, from: Self.address)
        let (commands, events) = advertiser.run { command in
            command.opcode == .leSetExtendedAdvertisingData ? .completed([0x12]) : .completed([0])
        }
        #expect(commands.last == Self.extendedDisable)
        #expect(
            events == [.failed(.refused(.leSetExtendedAdvertisingData, .invalidCommandParameters))])
    }

    @Test("a lost answer to disable is tried once more, then reported")
    func lostDisable() throws {
        var advertiser = legacy()
        try advertiser.start(Self.advertisement, from: Self.address)
        _ = advertiser.run()
        advertiser.stop()
        let (commands, events) = advertiser.run { _ in .timedOut }
        #expect(commands == [Self.disable, Self.disable])
        #expect(events == [.failed(.timedOut(.leSetAdvertisingEnable))])
    }

    @Test("results of other commands change nothing")
    func strangeResults() throws {
        var advertiser = legacy()
        let reset = HCICommandPacket(HCI.Reset())
        let result = HCICommandResult(
            owner: .advertiser, command: reset, outcome: .completed([0x00]))
        advertiser.receive(result)
        #expect(advertiser.drain().isEmpty)
        try advertiser.start(Self.advertisement, from: Self.address)
        #expect(advertiser.drain().count == 1)
        advertiser.receive(result)
        #expect(advertiser.drain().isEmpty)
    }
}
