@testable import BluetoothLE
import Octets
import OpenSSLSecurity
import Testing
@testable import VirtualBluetooth

/// What two link layers do with each other: data, what they agree on, and how they part.
@Suite struct LinkTests {
    // MARK: Data and credits

    @Test("a packet crosses a 4.0 link in pieces of 27 octets, and frees its buffer once")
    func fragments() throws {
        var abilities = VirtualControllerAbilities.bluetooth4_0
        abilities.buffers = .init(length: 100, count: 2)
        let bench = ProbeBench()
        let link = try bench.connected(abilities)
        let octets = (0..<100).map { UInt8($0) }
        link.central.sendData(octets, on: link.atCentral)
        link.central.sendData([0xFF], on: link.atCentral, boundary: .continuing)
        bench.advance(by: .seconds(1))
        #expect(link.peripheral.data.map(\.data.count) == [27, 27, 27, 19, 1])
        #expect(
            link.peripheral.data.map(\.boundary)
                == [.first, .continuing, .continuing, .continuing, .continuing])
        #expect(link.peripheral.data.flatMap(\.data) == octets + [0xFF])
        #expect(link.central.completedPackets == 2)
    }

    @Test("data that exceeds the buffers is dropped and reported, without a credit for it")
    func overflow() throws {
        let bench = ProbeBench()
        let link = try bench.connected(.bluetooth4_0)
        for number in 0..<UInt8(10) { link.central.sendData([number], on: link.atCentral) }
        link.central.sendData(Array(repeating: 0, count: 28), on: link.atCentral)
        #expect(bench.faults == [.bufferOverflow, .bufferOverflow, .packetTooLong(28)])
        #expect(link.central.all(HCI.DataBufferOverflow.self).count == 3)
        bench.advance(by: .seconds(1))
        #expect(link.peripheral.data.map(\.data) == (0..<UInt8(8)).map { [$0] })
        #expect(link.central.completedPackets == 8)
        link.central.sendData([8], on: link.atCentral)
        bench.advance(by: .seconds(1))
        #expect(link.central.completedPackets == 9)
    }

    @Test("buffers that the end of a link frees can be used by another one")
    func buffersOfEndedLinks() throws {
        let bench = ProbeBench()
        let link = try bench.connected(.bluetooth4_0)
        for number in 0..<UInt8(8) { link.central.sendData([number], on: link.atCentral) }
        bench.radio.cut(
            between: link.central.controller, and: link.peripheral.controller, at: bench.now)
        bench.drain()
        // Data for a link that has just ended are dropped, which is nobody's fault.
        link.central.sendData([1], on: link.atCentral)
        link.peripheral.advertise()
        link.central.received = []
        link.central.initiate(to: ProbeBench.peripheral)
        #expect(bench.advance { link.central.handle != nil })
        let handle = try #require(link.central.handle)
        for number in 0..<UInt8(8) { link.central.sendData([number], on: handle) }
        bench.advance(by: .seconds(1))
        #expect(bench.faults.isEmpty)
        #expect(link.central.completedPackets == 8)
    }

    @Test("a host that sets its buffer size gets no more")
    func hostFlowControl() throws {
        let bench = ProbeBench()
        let central = bench.add()
        let peripheral = bench.add()
        #expect(
            peripheral.send(
                HCI.HostBufferSize(aclLength: 251, scoLength: 0, aclCount: 2, scoCount: 0))
                == .success)
        #expect(peripheral.send(HCI.SetControllerToHostFlowControl(mode: 1)) == .success)
        central.send(HCI.LESetRandomAddress(address: ProbeBench.central))
        peripheral.send(HCI.LESetRandomAddress(address: ProbeBench.peripheral))
        peripheral.advertise()
        central.initiate(to: ProbeBench.peripheral)
        #expect(bench.advance { peripheral.handle != nil })
        let handle = try #require(central.handle)
        for number in 0..<UInt8(5) { central.sendData([number], on: handle) }
        bench.advance(by: .seconds(1))
        #expect(peripheral.data.count == 2)
        let receiver = try #require(peripheral.handle)
        let freed = HCI.HostNumberOfCompletedPackets(entries: [.init(handle: receiver, count: 2)])
        #expect(peripheral.answer(to: HCICommandPacket(freed)).isEmpty)
        bench.advance(by: .seconds(1))
        #expect(peripheral.data.count == 4)
        peripheral.answer(to: HCICommandPacket(freed))
        bench.advance(by: .seconds(1))
        #expect(peripheral.data.map(\.data) == (0..<UInt8(5)).map { [$0] })
    }

    // MARK: What is agreed on

    @Test("the length of PDUs is the smaller of what one side sends and the other receives")
    func dataLength() throws {
        let bench = ProbeBench()
        let link = try bench.connected()
        #expect(
            link.central.send(
                HCI.LESetDataLength(handle: link.atCentral, octets: 251, microseconds: 2120))
                == .success)
        bench.advance(by: .seconds(1))
        let change = try #require(link.central.all(HCI.LEDataLengthChange.self).last)
        #expect(change.transmitOctets == 251 && change.receiveOctets == 27)
        let other = try #require(link.peripheral.all(HCI.LEDataLengthChange.self).last)
        #expect(other.transmitOctets == 27 && other.receiveOctets == 251)
        link.central.sendData(Array(repeating: 7, count: 251), on: link.atCentral)
        bench.advance(by: .seconds(1))
        #expect(link.peripheral.data.map(\.data.count) == [251])
        #expect(
            link.central.send(
                HCI.LESetDataLength(handle: link.atCentral, octets: 26, microseconds: 328))
                == .invalidCommandParameters)
    }

    @Test("PHYs change at both ends, and a 4.2 controller has none to change to")
    func phys() throws {
        let bench = ProbeBench()
        let link = try bench.connected(.bluetooth5_3)
        #expect(
            link.central.send(
                HCI.LESetPHY(
                    handle: link.atCentral, withoutPreference: 0, transmitPHYs: .le2M,
                    receivePHYs: .le2M, options: 0)) == .success)
        bench.advance(by: .seconds(1))
        for probe in [link.central, link.peripheral] {
            let update = try #require(probe.all(HCI.LEPHYUpdateComplete.self).first)
            #expect(update.status == .success)
            #expect(update.transmitPHY == .le2M && update.receivePHY == .le2M)
        }
        let read = try link.peripheral.returns(HCI.LEReadPHY(handle: link.atPeripheral))
        #expect(read.transmitPHY == .le2M)
    }

    @Test("a host that prefers a PHY keeps it")
    func preferredPHY() throws {
        let bench = ProbeBench()
        let link = try bench.connected(.bluetooth5_3)
        #expect(
            link.peripheral.send(
                HCI.LESetDefaultPHY(
                    withoutPreference: 2, transmitPHYs: .le1M, receivePHYs: .le1M)) == .success)
        link.central.send(
            HCI.LESetPHY(
                handle: link.atCentral, withoutPreference: 0, transmitPHYs: .le2M,
                receivePHYs: .le2M, options: 0))
        bench.advance(by: .seconds(1))
        let update = try #require(link.central.all(HCI.LEPHYUpdateComplete.self).first)
        #expect(update.transmitPHY == .le2M && update.receivePHY == .le1M)
    }

    @Test("features and versions are those of the other side")
    func remoteInformation() throws {
        let bench = ProbeBench()
        let link = try bench.connected()
        #expect(link.central.send(HCI.LEReadRemoteFeatures(handle: link.atCentral)) == .success)
        #expect(
            link.peripheral.send(HCI.ReadRemoteVersionInformation(handle: link.atPeripheral))
                == .success)
        bench.advance(by: .seconds(1))
        #expect(
            link.central.all(HCI.LEReadRemoteFeaturesComplete.self).map(\.features)
                == [VirtualControllerAbilities.bluetooth4_2.features])
        #expect(
            link.peripheral.all(HCI.ReadRemoteVersionInformationComplete.self).map(\.version) == [8]
        )
    }

    @Test("a Central changes the parameters of the link")
    func connectionUpdate() throws {
        let bench = ProbeBench()
        let link = try bench.connected()
        var parameters = RadioBench.parameters
        parameters.intervalMaximum = ConnectionInterval(rawValue: 80)
        parameters.supervisionTimeout = SupervisionTimeout(rawValue: 400)
        #expect(
            link.central.send(
                HCI.LEConnectionUpdate(
                    handle: link.atCentral, parameters: parameters, eventLengthMinimum: 0,
                    eventLengthMaximum: 0)) == .success)
        bench.advance(by: .seconds(1))
        for probe in [link.central, link.peripheral] {
            let update = try #require(probe.all(HCI.LEConnectionUpdateComplete.self).first)
            #expect(update.interval.rawValue == 80 && update.supervisionTimeout.rawValue == 400)
        }
        let start = bench.now
        bench.radio.move(link.central.controller, to: RadioRoom(rawValue: 1), at: start)
        #expect(bench.advance { !link.peripheral.endings.isEmpty })
        #expect(bench.now - start > .milliseconds(3800))
    }

    @Test("a Peripheral asks, the Central's host decides", arguments: [true, false])
    func parameterRequest(accepts: Bool) throws {
        let bench = ProbeBench()
        let link = try bench.connected()
        #expect(
            link.peripheral.send(
                HCI.LEConnectionUpdate(
                    handle: link.atPeripheral, parameters: RadioBench.parameters,
                    eventLengthMinimum: 0, eventLengthMaximum: 0)) == .success)
        #expect(
            bench.advance {
                !link.central.all(HCI.LERemoteConnectionParameterRequest.self).isEmpty
            })
        if accepts {
            link.central.send(
                HCI.LERemoteConnectionParameterRequestReply(
                    handle: link.atCentral, parameters: RadioBench.parameters,
                    eventLengthMinimum: 0, eventLengthMaximum: 0))
        } else {
            link.central.send(
                HCI.LERemoteConnectionParameterRequestNegativeReply(
                    handle: link.atCentral, reason: .unacceptableConnectionParameters))
        }
        bench.advance(by: .seconds(1))
        #expect(
            link.peripheral.all(HCI.LEConnectionUpdateComplete.self).map(\.status)
                == [accepts ? .success : .unacceptableConnectionParameters])
    }

    @Test("signal strength, channels and the payload timeout can be read of a link")
    func linkState() throws {
        let bench = ProbeBench()
        let link = try bench.connected()
        #expect(try link.central.returns(HCI.ReadRSSI(handle: link.atCentral)).rssi < 0)
        let channels = DataChannels(rawValue: 0xFF)
        link.central.send(HCI.LESetHostChannelClassification(channels: channels))
        #expect(
            try link.central.returns(HCI.LEReadChannelMap(handle: link.atCentral)).channels
                == channels)
        #expect(
            link.central.send(
                HCI.WriteAuthenticatedPayloadTimeout(handle: link.atCentral, timeout: 1))
                == .invalidCommandParameters)
        #expect(
            try link.central.returns(
                HCI.ReadAuthenticatedPayloadTimeout(handle: link.atCentral)
            ).timeout == 3000)
    }

    // MARK: Ends

    @Test("both ends receive the reason of a disconnection")
    func disconnection() throws {
        let bench = ProbeBench()
        let link = try bench.connected()
        link.peripheral.sendData([1], on: link.atPeripheral)
        #expect(
            link.peripheral.send(
                HCI.Disconnect(handle: link.atPeripheral, reason: .hardwareFailure))
                == .invalidCommandParameters)
        #expect(
            link.peripheral.send(
                HCI.Disconnect(handle: link.atPeripheral, reason: .remoteDevicePowerOff))
                == .success)
        bench.advance(by: .seconds(1))
        #expect(link.peripheral.endings == [.connectionTerminatedByLocalHost])
        #expect(link.central.endings == [.remoteDevicePowerOff])
        // What was said before was heard.
        #expect(link.central.data.map(\.data) == [[1]])
        #expect(bench.radio.linkCount == 0)
    }

    @Test("the number of links is limited, to one per device")
    func connectionLimit() throws {
        var abilities = VirtualControllerAbilities.bluetooth4_2
        abilities.maximumConnections = 1
        let bench = ProbeBench()
        let link = try bench.connected(abilities)
        let scan = AdvertisingInterval(rawValue: 0x10)
        func connect(to peer: DeviceAddress) -> HCIStatus? {
            link.central.send(
                HCI.LECreateConnection(
                    scanInterval: scan, scanWindow: scan, filterPolicy: 0, peerAddress: peer,
                    ownAddressType: .random, parameters: RadioBench.parameters,
                    eventLengthMinimum: 0, eventLengthMaximum: 0))
        }
        #expect(connect(to: ProbeBench.central) == .connectionLimitExceeded)
        #expect(
            link.peripheral.send(HCI.LESetAdvertisingEnable(isEnabled: true))
                == .connectionLimitExceeded)
        let roomy = ProbeBench()
        let other = try roomy.connected()
        #expect(
            other.central.send(
                HCI.LECreateConnection(
                    scanInterval: scan, scanWindow: scan, filterPolicy: 0,
                    peerAddress: ProbeBench.peripheral, ownAddressType: .random,
                    parameters: RadioBench.parameters, eventLengthMinimum: 0,
                    eventLengthMaximum: 0)) == .connectionAlreadyExists)
    }
}
