@testable import BluetoothLE
import Octets
import OpenSSLSecurity
import Testing
@testable import VirtualBluetooth

/// Advertising and scanning with the commands of both families.
@Suite struct AdvertisingTests {
    static let nobody = DeviceAddress(0, kind: .public)

    private func parameters(
        _ set: UInt8 = 0, _ properties: AdvertisingEventProperties = .legacyConnectable,
        own: OwnAddressType = .public
    ) -> HCI.LESetExtendedAdvertisingParameters {
        .init(
            set: set, properties: properties, intervalMinimum: .milliseconds(100),
            intervalMaximum: .milliseconds(100), channels: .all, ownAddressType: own,
            peerAddress: Self.nobody, filterPolicy: 0, transmitPower: 127, primaryPHY: .le1M,
            secondaryMaximumSkip: 0, secondaryPHY: .le1M, sid: 3, notifiesScanRequests: true)
    }

    private func enable(
        _ set: UInt8 = 0, duration: UInt16 = 0, maximumEvents: UInt8 = 0
    ) -> HCI.LESetExtendedAdvertisingEnable {
        .init(
            isEnabled: true,
            sets: [.init(set: set, duration: duration, maximumEvents: maximumEvents)])
    }

    private func data(
        _ octets: [UInt8], operation: UInt8 = 3, set: UInt8 = 0
    ) -> HCI.LESetExtendedAdvertisingData {
        .init(set: set, operation: operation, fragmentPreference: 1, data: octets)
    }

    private func scanExtended(
        _ probe: ProbeBench.Probe, isActive: Bool = true, duplicateFilter: UInt8 = 1,
        duration: UInt16 = 0, period: UInt16 = 0
    ) {
        let scan = AdvertisingInterval(rawValue: 0x10)
        #expect(
            probe.send(
                HCI.LESetExtendedScanParameters(
                    ownAddressType: .public, filterPolicy: 0,
                    entries: [.init(phy: .le1M, isActive: isActive, interval: scan, window: scan)]))
                == .success)
        #expect(
            probe.send(
                HCI.LESetExtendedScanEnable(
                    isEnabled: true, duplicateFilter: duplicateFilter, duration: duration,
                    period: period)) == .success)
    }

    // MARK: Scanning

    @Test("a passive scanner hears the advertisement, an active one the scan response too")
    func scanResponses() {
        let bench = ProbeBench()
        bench.add(.bluetooth4_0).advertise(as: .public, data: [2, 1, 6], scanResponse: [2, 9, 65])
        let passive = bench.add(.bluetooth4_0)
        passive.scan()
        let active = bench.add(.bluetooth4_0)
        active.scan(isActive: true)
        bench.advance(by: .seconds(1))
        #expect(passive.reports.map(\.eventType) == [0])
        #expect(active.reports.map(\.eventType) == [0, 4])
        #expect(active.reports.map(\.data) == [[2, 1, 6], [2, 9, 65]])
    }

    @Test("without a filter of duplicates each event is reported")
    func duplicates() {
        let bench = ProbeBench()
        bench.add().advertise(.nonConnectable, as: .public)
        let scanner = bench.add()
        scanner.scan(isActive: true, filtersDuplicates: false)
        bench.advance(by: .seconds(10))
        // 100 ms and a random delay below 10 ms.
        #expect((90...100).contains(scanner.reports.count))
        #expect(scanner.reports.allSatisfy { $0.eventType == 3 })
    }

    @Test("a filtering scanner reports only devices in its filter accept list")
    func filteredScan() {
        let bench = ProbeBench()
        for _ in 0..<3 { bench.add().advertise(as: .public) }
        let scanner = bench.add()
        let wanted = DeviceAddress(0xC0FF_EE00_0002, kind: .public)
        scanner.send(HCI.LEAddDeviceToFilterAcceptList(address: wanted))
        scanner.scan(filterPolicy: 1)
        bench.advance(by: .seconds(1))
        #expect(scanner.reports.map(\.address) == [wanted])
    }

    @Test("an extended scanner hears legacy and extended advertising, a legacy one the former")
    func families() {
        let bench = ProbeBench()
        bench.add(.bluetooth4_0).advertise(as: .public, data: [2, 1, 6])
        let extended = bench.add()
        let long = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
        #expect(extended.send(parameters(0, .connectable)) == .success)
        #expect(extended.send(data(Array(long[..<200]), operation: 1)) == .success)
        #expect(extended.send(enable()) == .commandDisallowed)
        #expect(extended.send(data(Array(long[200...]), operation: 2)) == .success)
        #expect(extended.send(enable()) == .success)
        let scanner = bench.add()
        scanExtended(scanner)
        let old = bench.add(.bluetooth4_0)
        old.scan()
        bench.advance(by: .seconds(1))
        #expect(old.reports.map(\.data) == [[2, 1, 6]])
        let reports = scanner.extendedReports
        #expect(reports.filter { $0.sid == 0xFF }.map(\.eventType) == [0x13, 0x1B])
        let parts = reports.filter { $0.sid == 3 }
        #expect(parts.map(\.eventType) == [0x21, 0x01])
        #expect(parts.flatMap(\.data) == long)
    }

    @Test("a set can report scan requests to its host")
    func scanRequests() {
        let bench = ProbeBench()
        let advertiser = bench.add()
        advertiser.send(parameters(0, .scannable))
        #expect(advertiser.send(enable()) == .commandDisallowed)
        #expect(
            advertiser.send(
                HCI.LESetExtendedScanResponseData(
                    set: 0, operation: 3, fragmentPreference: 0, data: [2, 9, 65])) == .success)
        #expect(advertiser.send(enable()) == .success)
        let scanner = bench.add()
        scanExtended(scanner)
        bench.advance(by: .milliseconds(50))
        #expect(scanner.extendedReports.map(\.eventType) == [0x02, 0x0A])
        #expect(
            advertiser.all(HCI.LEScanRequestReceived.self).map(\.scanner)
                == [DeviceAddress(0xC0FF_EE00_0002, kind: .public)])
    }

    @Test("a scan with a duration ends by itself, a periodic one comes back")
    func scanDuration() {
        let bench = ProbeBench()
        bench.add().advertise(as: .public)
        let once = bench.add()
        scanExtended(once, isActive: false, duplicateFilter: 0, duration: 50)
        let again = bench.add()
        scanExtended(again, isActive: false, duration: 50, period: 2)
        bench.advance(by: .milliseconds(600))
        #expect(once.received.contains(.event([0x3E, 0x01, 0x11])))
        let heard = once.extendedReports.count
        #expect((3...6).contains(heard))
        bench.advance(by: .seconds(10))
        #expect(once.extendedReports.count == heard)
        // Every 2.56 s: duplicates are filtered within a period only.
        #expect((4...5).contains(again.extendedReports.count))
    }

    // MARK: Sets

    @Test("a set must exist, fit and be ready")
    func setErrors() {
        var abilities = VirtualControllerAbilities.bluetooth5_3
        abilities.advertisingSets = 2
        abilities.maximumAdvertisingDataLength = 100
        let probe = ProbeBench().add(abilities)
        #expect(probe.send(enable()) == .unknownAdvertisingIdentifier)
        #expect(probe.send(data([1])) == .unknownAdvertisingIdentifier)
        #expect(probe.send(parameters(0xF0)) == .invalidCommandParameters)
        #expect(
            probe.send(parameters(0, [.connectable, .scannable])) == .invalidCommandParameters)
        #expect(
            (0..<3).map { probe.send(parameters($0)) }
                == [.success, .success, .memoryCapacityExceeded])
        let octets = [UInt8](repeating: 0, count: 32)
        #expect(probe.send(data(octets)) == .invalidCommandParameters)
        #expect(probe.send(parameters(1, .connectable)) == .success)
        for operation in [1, 0, 0] as [UInt8] {
            #expect(probe.send(data(octets, operation: operation, set: 1)) == .success)
        }
        #expect(probe.send(data(octets, operation: 2, set: 1)) == .memoryCapacityExceeded)
        #expect(
            probe.send(HCI.LESetExtendedAdvertisingEnable(isEnabled: true, sets: []))
                == .invalidCommandParameters)
        #expect(
            probe.send(
                HCI.LESetExtendedAdvertisingEnable(
                    isEnabled: true, sets: [.init(set: 0), .init(set: 0)]))
                == .invalidCommandParameters)
        #expect(probe.send(parameters(0, own: .random)) == .success)
        #expect(probe.send(enable()) == .invalidCommandParameters)
        #expect(
            probe.send(HCI.LESetAdvertisingSetRandomAddress(set: 0, address: ProbeBench.peripheral))
                == .success)
        #expect(probe.send(enable()) == .success)
        #expect(
            probe.send(HCI.LESetAdvertisingSetRandomAddress(set: 0, address: ProbeBench.central))
                == .commandDisallowed)
        #expect(probe.send(parameters(0)) == .commandDisallowed)
        #expect(probe.send(HCI.LERemoveAdvertisingSet(set: 0)) == .commandDisallowed)
        #expect(probe.send(HCI.LEClearAdvertisingSets()) == .commandDisallowed)
        #expect(
            probe.send(HCI.LESetExtendedAdvertisingEnable(isEnabled: false, sets: [])) == .success)
        #expect(probe.send(HCI.LEClearAdvertisingSets()) == .success)
        #expect(probe.send(HCI.LERemoveAdvertisingSet(set: 0)) == .unknownAdvertisingIdentifier)
    }

    @Test("a set goes off air after its duration, or after its number of events")
    func limits() {
        let bench = ProbeBench()
        let probe = bench.add()
        for set in 0...1 as ClosedRange<UInt8> { probe.send(parameters(set)) }
        #expect(probe.send(enable(0, duration: 100)) == .success)
        #expect(probe.send(enable(1, maximumEvents: 5)) == .success)
        bench.advance(by: .milliseconds(900))
        let ended = probe.all(HCI.LEAdvertisingSetTerminated.self)
        #expect(ended.map(\.status) == [.limitReached])
        #expect(ended.map(\.completedEvents) == [5])
        bench.advance(by: .milliseconds(200))
        #expect(
            probe.all(HCI.LEAdvertisingSetTerminated.self).last.map {
                [$0.set, $0.status.rawValue]
            }
                == [0, 0x3C])
    }

    @Test("a connection ends the set that it came by, and no other")
    func terminatedByConnection() throws {
        let bench = ProbeBench()
        let advertiser = bench.add()
        for set in 0...1 as ClosedRange<UInt8> {
            advertiser.send(parameters(set))
            advertiser.send(enable(set))
        }
        let central = bench.add(.bluetooth4_2)
        central.initiate(to: DeviceAddress(0xC0FF_EE00_0001, kind: .public), as: .public)
        #expect(bench.advance { advertiser.handle != nil })
        let ended = try #require(advertiser.all(HCI.LEAdvertisingSetTerminated.self).first)
        #expect(ended.status == .success && ended.handle == advertiser.handle)
        let scanner = bench.add()
        scanner.scan()
        bench.advance(by: .seconds(1))
        #expect(scanner.reports.count == 1)
    }

    @Test("directed advertising is for its target, and at a high duty cycle it is short")
    func directed() {
        let bench = ProbeBench()
        let target = bench.add()
        let stranger = bench.add()
        let advertiser = bench.add()
        target.scan()
        stranger.scan()
        advertiser.advertise(
            .directedHighDuty, as: .public, to: DeviceAddress(0xC0FF_EE00_0001, kind: .public))
        bench.advance(by: .seconds(2))
        #expect(target.reports.map(\.eventType) == [1])
        #expect(stranger.reports.isEmpty)
        #expect(
            advertiser.all(HCI.LEEnhancedConnectionComplete.self).map(\.status)
                == [.advertisingTimeout])
    }

    // MARK: Privacy

    @Test("an identity behind a private address is reported, connected to, and kept apart")
    func resolvingList() throws {
        let irks: [UInt128] = [0xAA, 0xBB]
        let identities = [1, 2].map { DeviceAddress(0xC0FF_EE00_0000 + $0, kind: .public) }
        let bench = ProbeBench()
        let central = bench.add()
        let peripheral = bench.add()
        for (own, probe) in [central, peripheral].enumerated() {
            #expect(
                probe.send(
                    HCI.LEAddDeviceToResolvingList(
                        peerIdentity: identities[1 - own], peerIRK: irks[1 - own],
                        localIRK: irks[own])) == .success)
            #expect(
                probe.send(HCI.LESetResolvablePrivateAddressTimeout(seconds: 5)) == .success)
            #expect(probe.send(HCI.LESetAddressResolutionEnable(isEnabled: true)) == .success)
        }
        let stranger = bench.add()
        stranger.scan()
        peripheral.advertise(as: .resolvableOrPublic, to: identities[0])
        #expect(
            peripheral.send(HCI.LEClearResolvingList()) == .commandDisallowed)
        central.scan()
        bench.advance(by: .seconds(12))
        // To a stranger it is somebody else every five seconds.
        #expect(Set(stranger.reports.map(\.address)).count == 3)
        #expect(stranger.reports.allSatisfy { $0.address.randomKind == .resolvablePrivate })
        #expect(central.reports.map(\.address) == [identities[1]])
        #expect(central.reports.map(\.isResolved) == [true])
        central.send(HCI.LESetScanEnable(isEnabled: false, filtersDuplicates: false))
        central.initiate(to: identities[1], as: .resolvableOrPublic)
        #expect(bench.advance { central.handle != nil && peripheral.handle != nil })
        for (own, probe) in [central, peripheral].enumerated() {
            let event = try #require(probe.all(HCI.LEEnhancedConnectionComplete.self).last)
            #expect(event.peerAddressType == 2)
            #expect(event.peerAddressValue == identities[1 - own].rawValue)
            #expect(event.localResolvablePrivateAddress >> 46 == 0b01)
            #expect(event.peerResolvablePrivateAddress >> 46 == 0b01)
        }
        // A device that should be private and shows its identity is not heard.
        let late = bench.add()
        late.send(
            HCI.LEAddDeviceToResolvingList(
                peerIdentity: identities[1], peerIRK: 0xBB, localIRK: 0))
        late.send(HCI.LESetAddressResolutionEnable(isEnabled: true))
        peripheral.advertise(as: .public)
        late.scan()
        bench.advance(by: .seconds(1))
        #expect(late.reports.isEmpty)
        late.send(HCI.LESetScanEnable(isEnabled: false, filtersDuplicates: false))
        #expect(
            late.send(HCI.LESetPrivacyMode(peerIdentity: identities[1], mode: .device)) == .success)
        late.scan()
        bench.advance(by: .seconds(1))
        #expect(late.reports.map(\.address) == [identities[1]])
    }
}
