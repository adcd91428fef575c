package import BluetoothTypes
package import HCITransports
package import LinuxIO

/// Redacts packets as they come, for a file that can be sent and never had anything else in it.
///
/// What is only known later does not change what was written: values that come before it is known whose they are stay
/// zero. A record waits at most ``maximumAge`` for those that decide about it, so a process that is killed loses no
/// more than what came in that time before the last packet.
package final class LiveRedaction: BtsnoopWriter.Recording, @unchecked Sendable {
    // Unchecked: the writer calls one function at a time.

    /// How long a record waits, by the times of records.
    package static let maximumAge = Duration.seconds(10)

    private static let format = CaptureFormat.btsnoop(.h4)
    private let form = RedactedFile(like: format)
    private var redactor = CaptureRedactor(format, clues: nil, seed: 1, maximumAge: maximumAge)

    package init() {}

    package func octets(
        of packet: HCIPacket, _ direction: BtsnoopWriter.Direction, at time: CaptureTime
    ) -> [UInt8] {
        redactor.receive(CaptureReader.Record(packet, direction, at: time))
        return octets
    }

    package func finish() -> [UInt8] {
        redactor.finish()
        return octets
    }

    /// The records that are decided.
    private var octets: [UInt8] {
        var octets: [UInt8] = []
        while let record = redactor.pollOutput() { octets += form.octets(of: record) }
        return octets
    }
}
