internal import Octets

/// Finds the borders of H4 packets in a stream of octets. Core Vol 4, Part A, 2; Part E, 5.4.
struct PacketFramer {
    /// Why the border between packets is lost, if it is.
    private(set) var failure: String?
    private var octets: [UInt8] = []
    private var head = 0

    mutating func receive(_ input: Span<UInt8>) {
        if head > 0 {
            octets.removeFirst(head)
            head = 0
        }
        for index in input.indices { octets.append(input[index]) }
    }

    mutating func nextPacket() -> [UInt8]? {
        guard failure == nil, let indicator = octet(0) else { return nil }
        let length: Int?
        switch indicator {
        case 1, 3: length = octet(3).map { 4 + Int($0) }
        case 4: length = octet(2).map { 3 + Int($0) }
        case 2: length = octet16(3).map { 5 + $0 }
        case 5: length = octet16(3).map { 5 + ($0 & 0x3FFF) }
        default:
            failure = "\(indicator) is no packet indicator"
            return nil
        }
        guard let length, octets.count - head >= length else { return nil }
        defer { head += length }
        return Array(octets[head..<head + length])
    }

    private func octet(_ offset: Int) -> UInt8? {
        head + offset < octets.count ? octets[head + offset] : nil
    }

    private func octet16(_ offset: Int) -> Int? {
        guard let low = octet(offset), let high = octet(offset + 1) else { return nil }
        return Int(low) | Int(high) << 8
    }
}
