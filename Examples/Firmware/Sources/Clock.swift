import BluetoothLE
import Octets

/// The phone's clock: found, read and subscribed to, and its zone read again each time that the phone says it is in
/// another one. Current Time Service 1.1.
///
/// Does no I/O: its owner starts what ``takeProcedure()`` returns and reports how it ended.
struct Clock {
    /// What the phone is asked, in this order.
    enum Step: UInt8 {
        case discover, readZone, readTime, subscribe
    }

    /// What the phone's clock showed, and when that was.
    struct Reading: Equatable {
        /// 0 where the phone does not know it.
        var year: UInt16
        var month: UInt8
        var day: UInt8
        var hour: UInt8
        var minute: UInt8
        var second: UInt8
        var at: MonotonicInstant

        /// Seconds since midnight.
        var secondOfDay: Int { (Int(hour) * 60 + Int(minute)) * 60 + Int(second) }
    }

    /// GATT Specification Supplement, *Time Zone* and *DST Offset*.
    struct Zone: Equatable {
        /// Standard time in minutes east of UTC; `nil` where the phone does not know.
        var offset: Int?
        /// What is added to it now, in minutes.
        var daylightSaving: Int
    }

    private(set) var reading: Reading?
    private(set) var zone: Zone?
    private var time: RemoteDatabase.Characteristic?
    private var zoneValue: AttributeHandle?
    /// The steps to be taken, a bit for each.
    private var steps: UInt8 = 0

    private static var service: BluetoothUUID { BluetoothUUID(0x1805 as UInt16) }
    private static var currentTime: BluetoothUUID { BluetoothUUID(0x2A2B as UInt16) }
    private static var localTimeInformation: BluetoothUUID { BluetoothUUID(0x2A0F as UInt16) }
    /// The adjust reasons that make the zone another one: time zone, daylight saving time.
    private static let zoneReasons: UInt8 = 0b1100

    /// The link is encrypted, so that the phone lets its clock be read.
    mutating func begin() {
        self = Clock()
        plan(.discover)
    }

    /// What to ask the phone next; ``completed(_:_:at:)`` is due for it.
    mutating func takeProcedure() -> (Step, GATTProcedure)? {
        while let step = Step(rawValue: UInt8(steps.trailingZeroBitCount)) {
            steps &= steps - 1
            if let procedure = procedure(of: step) { return (step, procedure) }
        }
        return nil
    }

    private mutating func plan(_ step: Step) { steps |= 1 << step.rawValue }

    private func procedure(of step: Step) -> GATTProcedure? {
        switch step {
        case .discover: .discoverDatabase(service: Self.service)
        case .readTime: (time?.value).map { .readValue($0) }
        case .subscribe: (time?.configuration).map { .writeValue($0, [0x01, 0x00]) }
        case .readZone: zoneValue.map { .readValue($0) }
        }
    }

    /// A procedure ended. Whether there is something new to show.
    mutating func completed(
        _ step: Step, _ result: Result<GATTResult, GATTFailure>, at now: MonotonicInstant
    ) -> Bool {
        switch (step, result) {
        case (.discover, .success(.database(let database))):
            guard let service = database.service(Self.service) else { return false }
            time = service.characteristic(Self.currentTime)
            zoneValue = service.characteristic(Self.localTimeInformation)?.value
            plan(.readZone)
            plan(.readTime)
            plan(.subscribe)
            return false
        case (.readTime, .success(.value(let octets))):
            return take(octets.span, at: now) != nil
        case (.readZone, let result):
            zone = nil
            if case .success(.value(let octets)) = result { zone = Self.zone(octets.span) }
            return reading != nil
        // A phone without a clock, or with one that cannot be read: nothing is shown of it.
        case (.discover, _), (.readTime, _), (.subscribe, _): return false
        }
    }

    /// Whether a value is that of the clock.
    func isTime(_ handle: AttributeHandle) -> Bool { handle == time?.value }

    /// The phone notified the time. Whether there is something new to show.
    mutating func receive(_ octets: [UInt8], at now: MonotonicInstant) -> Bool {
        guard let reasons = take(octets.span, at: now) else { return false }
        // What is shown waits for the zone: the new time with the old zone would be another moment.
        guard reasons & Self.zoneReasons != 0, zoneValue != nil else { return true }
        plan(.readZone)
        return false
    }

    /// Takes *Current Time*: year u16, month, day, hour, minute, second, day of the week, 1/256 of a second, adjust
    /// reasons, which are returned; `nil` where this is not a time. GATT Specification Supplement, 3.62.
    private mutating func take(_ octets: Span<UInt8>, at now: MonotonicInstant) -> UInt8? {
        guard octets.count == 10, octets[2] <= 12, octets[3] <= 31, octets[4] < 24, octets[5] < 60,
            octets[6] < 60
        else { return nil }
        reading = Reading(
            year: UInt16(octets[0]) | UInt16(octets[1]) << 8, month: octets[2], day: octets[3],
            hour: octets[4], minute: octets[5], second: octets[6], at: now)
        return octets[9]
    }

    private static func zone(_ octets: Span<UInt8>) -> Zone? {
        guard octets.count == 2 else { return nil }
        let quarters = Int8(bitPattern: octets[0])
        let saving = octets[1] == 0xFF ? 0 : Int(octets[1]) * 15
        return Zone(
            offset: (-48...56).contains(quarters) ? Int(quarters) * 15 : nil,
            daylightSaving: saving)
    }

    /// Seconds since midnight on the phone's clock now.
    func secondOfDay(at now: MonotonicInstant) -> Int? {
        guard let reading else { return nil }
        let passed = (now.nanoseconds - reading.at.nanoseconds) / 1_000_000_000
        return (reading.secondOfDay + Int(passed % 86_400)) % 86_400
    }
}
