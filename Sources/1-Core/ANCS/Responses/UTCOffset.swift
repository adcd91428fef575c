internal import Octets

/// How far a local time is ahead of UTC, less than a day: `+09:00`.
public struct UTCOffset: Hashable, Sendable {
    /// The minutes east of UTC.
    public let minutes: Int16

    /// An offset of this many minutes; `nil` for a day or more.
    public init?(minutes: Int) {
        guard (-1439...1439).contains(minutes) else { return nil }
        self.minutes = Int16(minutes)
    }
}

extension UTCOffset: CustomStringConvertible {
    /// The offset as in RFC 3339: `+09:00`.
    public var description: String {
        String(decoding: [UInt8](count: 6, write), as: UTF8.self)
    }

    fileprivate func write(to octets: inout OutputSpan<UInt8>) {
        octets.append(UInt8(ascii: minutes < 0 ? "-" : "+"))
        octets.append(decimal: UInt64(minutes.magnitude / 60), width: 2)
        octets.append(UInt8(ascii: ":"))
        octets.append(decimal: UInt64(minutes.magnitude % 60), width: 2)
    }
}

extension NotificationDate {
    /// The date as in RFC 3339, `2026-11-21T09:30:00+09:00`; without an offset, as ``description``.
    public func text(at offset: UTCOffset?) -> String {
        String(decoding: [UInt8](count: 25) { write(at: offset, to: &$0) }, as: UTF8.self)
    }

    /// Appends the octets of ``text(at:)``: at most 25.
    package func write(at offset: UTCOffset?, to octets: inout OutputSpan<UInt8>) {
        write(day: UInt8(ascii: "-"), time: UInt8(ascii: ":"), to: &octets)
        offset?.write(to: &octets)
    }
}
