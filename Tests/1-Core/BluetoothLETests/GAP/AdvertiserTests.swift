@testable import BluetoothLE
import Octets
import Testing

extension Advertiser {
    mutating func drain() -> [Output] {
        var outputs: [Output] = []
        while let output = pollOutput() { outputs.append(output) }
        return outputs
    }

    /// Lets the controller answer every command in this way, until there is none; the commands, and
    /// what else came out.
    mutating func run(
        _ answer: (HCICommandPacket) -> HCICommandResult.Outcome = { _ in .completed([0x00]) }
    ) -> (commands: [HCICommandPacket], events: [Output]) {
        var commands: [HCICommandPacket] = []
        var events: [Output] = []
        while let output = pollOutput() {
            if case .send(let command) = output {
                commands.append(command)
                receive(
                    HCICommandResult(
                        owner: .advertiser, command: command, outcome: answer(command)))
            } else {
                events.append(output)
            }
        }
        return (commands, events)
    }
}

/// Advertisers and what they send, for the tests of both suites.
protocol AdvertiserTesting {}

extension AdvertiserTesting {
    static var address: DeviceAddress {
        DeviceAddress(0xF0F1_F2F3_F4F5, kind: .random)
    }
    static var privateAddress: DeviceAddress {
        DeviceAddress(0x7081_940D_FBAA, kind: .random)
    }
    static var handle: ConnectionHandle {
        ConnectionHandle(rawValue: 0x40)
    }
    static var advertisement: Advertisement {
        Advertisement(
            data: AdvertisingData([.flags([.generalDiscoverable, .brEDRNotSupported])]),
            scanResponse: AdvertisingData([.name("Desk")]))
    }
    static var enable: HCICommandPacket {
        HCICommandPacket(HCI.LESetAdvertisingEnable(isEnabled: true))
    }
    static var disable: HCICommandPacket {
        HCICommandPacket(HCI.LESetAdvertisingEnable(isEnabled: false))
    }
    static var extendedEnable: HCICommandPacket {
        HCICommandPacket(
            HCI.LESetExtendedAdvertisingEnable(isEnabled: true, sets: [.init(set: 0)]))
    }
    static var extendedDisable: HCICommandPacket {
        HCICommandPacket(
            HCI.LESetExtendedAdvertisingEnable(isEnabled: false, sets: [.init(set: 0)]))
    }

    func legacy() -> Advertiser {
        Advertiser(
            configuration: .init(
                abilities: ControllerAbilities(
                    publicAddress: DeviceAddress(0xC011_2233_4455, kind: .public))))
    }

    func extended() -> Advertiser {
        Advertiser(
            configuration: .init(
                abilities: ControllerAbilities(
                    commands: ControllerSetupTests.extended, features: [.extendedAdvertising],
                    advertisingSets: 1, maximumAdvertisingDataLength: 300)))
    }
}

@Suite struct AdvertiserTests: AdvertiserTesting {
    // MARK: On air and off

    @Test("legacy advertising is parameters, data, scan response, enable")
    func legacyStart() throws {
        var advertiser = legacy()
        try advertiser.start(Self.advertisement, from: Self.address)
        let (commands, events) = advertiser.run()
        #expect(
            commands == [
                HCICommandPacket(
                    HCI.LESetAdvertisingParameters(
                        intervalMinimum: .minimum, intervalMaximum: .minimum,
                        type: .connectable, ownAddressType: .random,
                        peerAddress: DeviceAddress(0, kind: .public), channels: .all,
                        filterPolicy: 0)),
                HCICommandPacket(HCI.LESetAdvertisingData(data: [0x02, 0x01, 0x06])),
                HCICommandPacket(
                    HCI.LESetScanResponseData(data: [0x05, 0x09, 0x44, 0x65, 0x73, 0x6B])),
                Self.enable,
            ])
        #expect(events == [.started])
        #expect(advertiser.isOnAir == true)
        #expect(advertiser.address == Self.address)
    }

    @Test("extended commands put the same PDUs on air")
    func extendedStart() throws {
        var advertiser = extended()
        try advertiser.start(Self.advertisement, from: Self.address)
        let (commands, events) = advertiser.run()
        #expect(
            commands.map(\.opcode) == [
                .leSetExtendedAdvertisingParameters,
                .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingData,
                .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable,
            ])
        let octets = commands[0].parameters
        let parameters = try HCI.LESetExtendedAdvertisingParameters(
            decoding: octets.span)
        #expect(parameters.properties.rawValue == 0x13)
        #expect(commands.last == Self.extendedEnable)
        #expect(events == [.started])
    }

    @Test("a public address needs no command, and must be the controller's")
    func publicAddress() throws {
        var advertiser = legacy()
        let own = DeviceAddress(0xC011_2233_4455, kind: .public)
        try advertiser.start(Self.advertisement, from: own)
        #expect(advertiser.run().commands.first?.opcode == .leSetAdvertisingParameters)
        #expect(throws: Advertiser.UsageError.addressNotAvailable) {
            try advertiser.start(
                Self.advertisement, from: DeviceAddress(1, kind: .public))
        }
    }

    @Test("starting twice and stopping twice is starting and stopping once")
    func idempotence() throws {
        var advertiser = legacy()
        try advertiser.start(Self.advertisement, from: Self.address)
        try advertiser.start(Self.advertisement, from: Self.address)
        #expect(advertiser.run().events == [.started])
        try advertiser.start(Self.advertisement, from: Self.address)
        #expect(advertiser.drain().isEmpty)
        advertiser.stop()
        advertiser.stop()
        let (commands, events) = advertiser.run()
        #expect(commands == [Self.disable])
        #expect(events == [.stopped(.requested)])
        advertiser.stop()
        #expect(advertiser.drain().isEmpty)
        try advertiser.start(Self.advertisement, from: Self.address)
        #expect(advertiser.run().commands == [Self.enable])
    }

    @Test("stopping while it starts ends off air")
    func stopWhileStarting() throws {
        var advertiser = legacy()
        try advertiser.start(Self.advertisement, from: Self.address)
        var commands: [HCICommandPacket] = []
        while case .send(let command)? = advertiser.pollOutput() {
            commands.append(command)
            if command == Self.enable { advertiser.stop() }
            advertiser.receive(
                HCICommandResult(owner: .advertiser, command: command, outcome: .completed([0])))
        }
        #expect(commands.suffix(2) == [Self.enable, Self.disable])
        #expect(advertiser.isOnAir == false)
    }

    @Test("data change on air, parameters only off air")
    func changes() throws {
        var advertiser = legacy()
        try advertiser.start(Self.advertisement, from: Self.address)
        _ = advertiser.run()
        var changed = Self.advertisement
        changed.data.structures.append(.appearance(0x0180))
        try advertiser.start(changed, from: Self.address)
        let data = advertiser.run()
        #expect(data.commands.map(\.opcode) == [.leSetAdvertisingData])
        #expect(data.events.isEmpty)
        changed.interval = .milliseconds(200)
        try advertiser.start(changed, from: Self.address)
        #expect(
            advertiser.run().commands.map(\.opcode) == [
                .leSetAdvertisingEnable, .leSetAdvertisingParameters, .leSetAdvertisingEnable,
            ])
        #expect(advertiser.isOnAir == true)
    }

    // MARK: Connections

    @Test("a connection takes it off air, and it can be started again")
    func connection() throws {
        var advertiser = legacy()
        try advertiser.start(Self.advertisement, from: Self.address)
        _ = advertiser.run()
        advertiser.connected(Self.handle)
        #expect(advertiser.drain() == [.stopped(.connected)])
        #expect(advertiser.isOnAir == false)
        try advertiser.start(Self.advertisement, from: Self.address)
        let (commands, events) = advertiser.run()
        #expect(commands == [Self.enable])
        #expect(events == [.started])
    }

    @Test("the two events of one connection count once, in either order", arguments: [true, false])
    func twoEvents(isConnectionFirst: Bool) throws {
        var advertiser = extended()
        let terminated = HCI.LEAdvertisingSetTerminated(
            status: .success, set: 0, handle: Self.handle, completedEvents: 0)
        for _ in 0..<2 {
            try advertiser.start(Self.advertisement, from: Self.address)
            #expect(advertiser.run().events == [.started])
            if isConnectionFirst {
                advertiser.connected(Self.handle)
            } else {
                advertiser.receive(terminated)
            }
            #expect(advertiser.drain() == [.stopped(.connected)])
            // The owner starts again at once; the second event is about the same connection.
            try advertiser.start(Self.advertisement, from: Self.address)
            if isConnectionFirst {
                advertiser.receive(terminated)
            } else {
                advertiser.connected(Self.handle)
            }
            #expect(advertiser.run().events == [.started])
            advertiser.stop()
            #expect(advertiser.run().events == [.stopped(.requested)])
        }
    }

    @Test("a connection before the answer to enable leaves nothing on air")
    func overtaken() throws {
        var advertiser = legacy()
        try advertiser.start(Self.advertisement, from: Self.address)
        var commands: [HCICommandPacket] = []
        while case .send(let command)? = advertiser.pollOutput() {
            commands.append(command)
            if command == Self.enable {
                advertiser.connected(Self.handle)
                #expect(advertiser.drain() == [.stopped(.connected)])
            }
            advertiser.receive(
                HCICommandResult(owner: .advertiser, command: command, outcome: .completed([0])))
        }
        // Nothing has to be switched off that the connection has ended already.
        #expect(commands.last == Self.enable)
        #expect(advertiser.isOnAir == false)
        #expect(advertiser.drain().isEmpty)
    }

    @Test("the controller may end it, and another set's end is not ours")
    func ended() throws {
        var advertiser = extended()
        try advertiser.start(Self.advertisement, from: Self.address)
        _ = advertiser.run()
        advertiser.receive(
            HCI.LEAdvertisingSetTerminated(
                status: .limitReached, set: 3, handle: Self.handle, completedEvents: 1))
        #expect(advertiser.drain().isEmpty)
        advertiser.receive(
            HCI.LEAdvertisingSetTerminated(
                status: .limitReached, set: 0, handle: Self.handle, completedEvents: 1))
        #expect(advertiser.drain() == [.stopped(.ended(.limitReached))])
    }

    // MARK: What can be on air

    @Test("data that do not fit are refused before anything is sent")
    func tooLong() throws {
        var advertiser = legacy()
        var long = Self.advertisement
        long.data.structures.append(.name("A name that is far too long for it"))
        #expect(throws: Advertiser.UsageError.data(.tooLong(excess: 8))) {
            try advertiser.start(long, from: Self.address)
        }
        let swapped = Advertisement(data: long.scanResponse, scanResponse: long.data)
        #expect(throws: Advertiser.UsageError.scanResponse(.tooLong(excess: 8))) {
            try advertiser.start(swapped, from: Self.address)
        }
        #expect(advertiser.drain().isEmpty)
    }

    @Test("extended PDUs carry more, without a scan response, and need the feature")
    func extendedPDUs() throws {
        let advertisement = Advertisement(
            data: AdvertisingData([.other(type: 0xFE, [UInt8](repeating: 7, count: 200))]),
            usesLegacyPDUs: false)
        var advertiser = extended()
        try advertiser.start(advertisement, from: Self.address)
        let (commands, events) = advertiser.run()
        #expect(!commands.contains { $0.opcode == .leSetExtendedScanResponseData })
        #expect(commands[0].parameters[1...2] == [0x01, 0x00])
        #expect(events == [.started])
        var other = legacy()
        #expect(throws: Advertiser.UsageError.extendedNotSupported) {
            try other.start(advertisement, from: Self.address)
        }
    }

    @Test("non-connectable advertising has no scan response unless data is given")
    func nonConnectable() throws {
        var silent = Self.advertisement
        silent.isConnectable = false
        var advertiser = legacy()
        try advertiser.start(silent, from: Self.address)
        #expect(advertiser.run().commands[0].parameters[4] == AdvertisingType.scannable.rawValue)
        silent.scanResponse = AdvertisingData()
        try advertiser.start(silent, from: Self.address)
        let commands = advertiser.run().commands
        #expect(commands[1].parameters[4] == AdvertisingType.nonConnectable.rawValue)
        #expect(!commands.contains { $0.opcode == .leSetScanResponseData })
    }

    // MARK: Addresses

    @Test(
        "while held, it is off air without a report; released, it is back",
        arguments: [false, true])
    func held(isExtended: Bool) throws {
        var advertiser = isExtended ? extended() : legacy()
        advertiser.setHeld(true)
        try advertiser.start(Self.advertisement, from: Self.privateAddress)
        #expect(advertiser.drain().isEmpty)
        #expect(advertiser.isQuiet == true)
        advertiser.setHeld(false)
        #expect(advertiser.run().events == [.started])
        advertiser.setHeld(true)
        let off = advertiser.run()
        #expect(off.commands == [isExtended ? Self.extendedDisable : Self.disable])
        #expect(off.events.isEmpty)
        #expect(advertiser.isQuiet == true && advertiser.isAnnounced == true)
        advertiser.changeAddress(to: Self.address)
        #expect(advertiser.drain().isEmpty)
        advertiser.setHeld(false)
        let on = advertiser.run()
        #expect(
            on.commands
                == (isExtended
                    ? [
                        HCICommandPacket(
                            HCI.LESetAdvertisingSetRandomAddress(set: 0, address: Self.address)),
                        Self.extendedEnable,
                    ] : [Self.enable]))
        #expect(on.events.isEmpty)
        #expect(advertiser.address == Self.address)
        advertiser.setHeld(true)
        advertiser.stop()
        #expect(advertiser.run().events == [.stopped(.requested)])
    }

    @Test("a set changes its address off air", arguments: [false, true])
    func addressOnAir(isExtended: Bool) throws {
        var advertiser = isExtended ? extended() : legacy()
        try advertiser.start(Self.advertisement, from: Self.privateAddress)
        _ = advertiser.run()
        advertiser.changeAddress(to: Self.address)
        let (commands, events) = advertiser.run()
        #expect(
            commands.map(\.opcode)
                == (isExtended
                    ? [
                        .leSetExtendedAdvertisingEnable, .leSetAdvertisingSetRandomAddress,
                        .leSetExtendedAdvertisingEnable,
                    ] : []))
        #expect(events.isEmpty)
    }

    @Test("a failed preparation fails it")
    func abandoned() throws {
        var advertiser = legacy()
        advertiser.abandon(.timedOut(.leSetRandomAddress))
        #expect(advertiser.drain().isEmpty)
        advertiser.setHeld(true)
        try advertiser.start(Self.advertisement, from: Self.address)
        advertiser.abandon(.refused(.leSetRandomAddress, .invalidCommandParameters))
        #expect(
            advertiser.drain() == [
                .failed(.refused(.leSetRandomAddress, .invalidCommandParameters))
            ])
        #expect(advertiser.address == nil)
    }
}
