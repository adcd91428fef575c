internal import LinuxIO
internal import BluetoothTypes
internal import Glibc

/// A buffer for output, so that a burst of packets is one system call.
struct OutputBuffer {
    /// How a write ended.
    enum Outcome {
        /// Everything was written.
        case drained
        /// The descriptor accepts no more at present.
        case blocked
        case failed(errno: CInt)
    }

    private let isSocket: Bool
    /// For descriptors on which each write is one packet: the length of each packet.
    private var packetLengths: Queue<Int>?
    private var octets: [UInt8] = []
    private var head = 0

    init(isSocket: Bool, writesSinglePackets: Bool) {
        self.isSocket = isSocket
        packetLengths = writesSinglePackets ? Queue() : nil
    }

    var count: Int { octets.count - head }

    mutating func append(_ packet: HCIPacket) {
        octets.append(packet.indicator)
        octets.append(contentsOf: packet.body)
        packetLengths?.append(packet.encodedCount)
    }

    mutating func write(to descriptor: CInt) -> Outcome {
        while count > 0 {
            let length = packetLengths?.first ?? count
            let written = writeOnce(length, to: descriptor)
            guard written >= 0 else { return errno == EAGAIN ? .blocked : .failed(errno: errno) }
            // A device that accepts packets must accept them whole: the rest of a cut one would count as
            // another packet.
            if packetLengths != nil, written != length { return .failed(errno: EMSGSIZE) }
            _ = packetLengths?.popFirst()
            head += written
            compact()
        }
        return .drained
    }

    private func writeOnce(_ length: Int, to descriptor: CInt) -> Int {
        octets.withUnsafeBytes { all in
            let part = UnsafeRawBufferPointer(rebasing: all[head..<head + length])
            return uninterrupted {
                // A lost peer must be an error here, not a SIGPIPE for the process.
                isSocket
                    ? Glibc.send(descriptor, part.baseAddress, part.count, CInt(MSG_NOSIGNAL))
                    : Glibc.write(descriptor, part.baseAddress, part.count)
            }
        }
    }

    private mutating func compact() {
        if head == octets.count {
            octets.removeAll(keepingCapacity: octets.capacity <= 65_536)
            head = 0
        } else if head >= octets.count / 2 {
            octets.removeFirst(head)
            head = 0
        }
    }
}
