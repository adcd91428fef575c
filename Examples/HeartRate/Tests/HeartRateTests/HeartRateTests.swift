import ANCSKit
import ANCSTestKit
import HeartRate
import Testing

struct HeartRateTests {
    @Test func `a measurement has one octet or two`() {
        #expect(HeartRate(beatsPerMinute: 72).value == [0, 72])
        #expect(HeartRate([1, 0x2C, 0x01])?.beatsPerMinute == 300)
        #expect(HeartRate([1, 0x2C]) == nil)
    }

    @Test func `a monitor that is started again is bound to the same sensor`() async throws {
        try await TestBench.run { bench in
            let sensor = try Sensor(at: bench.bluetooth())
            async let _ = sensor.run(
                (60..<200).map { HeartRate(beatsPerMinute: $0) }, clock: bench.clock)

            let (controller, directory) = (bench.addController(), try bench.directory)
            let store = BondStore(directory: directory)
            var sensors: Set<PeerIdentifier> = []
            for _ in 1...3 {
                let monitor = try Monitor(
                    at: controller.bluetooth(store: store), directory: directory)
                var rates: [HeartRate] = []
                try await monitor.run(count: 3) { rates.append($0) }
                #expect(rates.count == 3)
                if let sensor = await monitor.sensor { sensors.insert(sensor) }
            }
            #expect(sensors.count == 1)
        }
    }
}
