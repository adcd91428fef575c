import BluetoothLE
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// The procedures by which a phone's clock is read.
@Suite final class ClockReaderTests {
    private static let time: [UInt8] = [0xEA, 0x07, 11, 21, 12, 0, 0, 6, 0, 0]
    private static let readTime = GATTProcedure.readByUUID(.all, .currentTime)
    private static let readZone = GATTProcedure.readByUUID(.all, .localTimeInformation)
    private static let refused = Result<GATTResult, GATTFailure>.failure(
        .errorResponse(.attributeNotFound, .first))

    private var reader = ClockReader()

    private func read() -> [ClockReader.Output] {
        reader.read()
        return drain()
    }

    private func notified(_ handle: UInt16) -> [ClockReader.Output] {
        reader.receive(.notification(AttributeHandle(handle), [1]))
        return drain()
    }

    private func drain() -> [ClockReader.Output] {
        var outputs: [ClockReader.Output] = []
        while let output = reader.pollOutput() { outputs.append(output) }
        return outputs
    }

    private func end(
        _ purpose: ClockReader.Purpose, _ result: Result<GATTResult, GATTFailure>
    ) -> [ClockReader.Output] {
        reader.completed(purpose, result)
        return drain()
    }

    private static func value(_ octets: [UInt8], at handle: UInt16) -> Result<
        GATTResult, GATTFailure
    > {
        .success(.values([.init(handle: AttributeHandle(handle), value: octets)]))
    }

    private static func descriptors(_ types: (UInt16, BluetoothUUID)...) -> Result<
        GATTResult, GATTFailure
    > {
        .success(
            .descriptors(types.map { .init(handle: AttributeHandle($0.0), type: $0.1) }))
    }

    /// Until the descriptors are looked for.
    private func readValues(timeHandle: UInt16 = 0x1A) -> [ClockReader.Output] {
        _ = read()
        _ = end(.time, Self.value(Self.time, at: timeHandle))
        return end(.zone, Self.value([4, 0], at: 0x1D))
    }

    @Test func theTimeTheZoneAndTheSubscriptionOneAfterTheOther() {
        #expect(read() == [.start(Self.readTime, .time)])
        #expect(read().isEmpty)
        #expect(
            end(.time, Self.value(Self.time, at: 0x1A))
                == [.value(.currentTime, Self.time), .start(Self.readZone, .zone)])
        let range = AttributeHandleRange(AttributeHandle(0x1B), AttributeHandle(0x1E))
        #expect(
            end(.zone, Self.value([4, 0], at: 0x1D)) == [
                .value(.localTimeInformation, [4, 0]),
                .start(.discoverDescriptors(range), .descriptors),
            ])
        let found = Self.descriptors(
            (0x1B, .clientCharacteristicConfiguration), (0x1C, .characteristic),
            (0x1D, .localTimeInformation))
        #expect(
            end(.descriptors, found)
                == [.start(.writeValue(AttributeHandle(0x1B), [1, 0]), .subscription)])
        #expect(end(.subscription, .success(.done)) == [.ended])
        #expect(notified(0x1A) == [.value(.currentTime, [1])])
        #expect(notified(0x1B).isEmpty)
        // Services elsewhere change nothing.
        reader.servicesChanged(
            in: AttributeHandleRange(AttributeHandle(0x23), AttributeHandle(0x2C)))
        #expect(notified(0x1A).count == 1)
        // The next reading does not subscribe again.
        #expect(
            readValues() == [.value(.localTimeInformation, [4, 0]), .ended])
    }

    @Test func aPhoneWithoutTheServiceOrWithAnAbsurdOneIsLeftAlone() {
        _ = read()
        #expect(end(.time, Self.refused) == [.ended])
        _ = read()
        #expect(end(.time, .success(.values([]))) == [.ended])
        _ = read()
        #expect(end(.time, .failure(.malformedResponse)) == [.ended])
        // It is at the last handle, and nothing can follow.
        #expect(readValues(timeHandle: 0xFFFF).last == .ended)
    }

    @Test func aZoneThatCannotBeReadDoesNotKeepTheTimeFromBeingFollowed() {
        _ = read()
        _ = end(.time, Self.value(Self.time, at: 0x1A))
        guard case .start(.discoverDescriptors, .descriptors)? = end(.zone, Self.refused).last
        else {
            Issue.record("no descriptors are looked for")
            return
        }
    }

    @Test func aDescriptorOfAnotherCharacteristicIsNotWritten() {
        _ = readValues()
        let found = Self.descriptors(
            (0x1B, .characteristic), (0x1D, .clientCharacteristicConfiguration))
        #expect(end(.descriptors, found) == [.ended])
        _ = readValues()
        #expect(end(.descriptors, Self.refused) == [.ended])
    }

    @Test func aRefusedSubscriptionIsNone() {
        _ = readValues()
        _ = end(.descriptors, Self.descriptors((0x1B, .clientCharacteristicConfiguration)))
        #expect(end(.subscription, Self.refused) == [.ended])
        #expect(notified(0x1A).isEmpty)
    }

    @Test func handlesThatMoveMeanwhileAreNotUsed() {
        _ = readValues()
        reader.servicesChanged(in: .all)
        let found = Self.descriptors((0x1B, .clientCharacteristicConfiguration))
        #expect(end(.descriptors, found) == [.ended])
        #expect(notified(0x1A).isEmpty)
        #expect(read() == [.start(Self.readTime, .time)])
    }
}
