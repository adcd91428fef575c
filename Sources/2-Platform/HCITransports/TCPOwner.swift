internal import LinuxIO

/// Whose a TCP socket of this machine is.
package struct TCPOwner: Equatable, Sendable {
    /// The number of the user.
    package var user: UInt32
    /// The number of the socket, which links in /proc/PID/fd have.
    package var inode: UInt64

    package init(user: UInt32, inode: UInt64) {
        self.user = user
        self.inode = inode
    }

    /// The longest table that is read, in octets: some hundred thousand connections.
    private static let limit = 67_108_864

    /// The owner of the socket that is bound to `local` and connected to `remote`; `nil` if this machine, or this
    /// network namespace, has none.
    init?(local: SocketAddress, remote: SocketAddress) {
        // A table that changes while it is read may lack a line.
        for _ in 0..<3 {
            for name in ["tcp", "tcp6"] {
                guard
                    let table = try? SystemFile.octets(
                        of: "/proc/self/net/\(name)", limit: Self.limit),
                    let owner = Self.find(local.inTables, remote.inTables, in: table)
                else { continue }
                self = owner
                return
            }
        }
        return nil
    }

    /// Finds a connection in a table of the kernel, in which an address has one of several forms: proc_net_tcp in the
    /// kernel's documentation. A socket that was closed has no number any more, and seems to be root's.
    static func find(_ local: [String], _ remote: [String], in table: [UInt8]) -> TCPOwner? {
        for line in table.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " "), maxSplits: 10)
            guard words.count > 9, local.contains(where: { words[1].elementsEqual($0.utf8) }),
                remote.contains(where: { words[2].elementsEqual($0.utf8) }),
                let user = UInt32(String(decoding: words[7], as: UTF8.self)),
                let inode = UInt64(String(decoding: words[9], as: UTF8.self)), inode > 0
            else { continue }
            return TCPOwner(user: user, inode: inode)
        }
        return nil
    }
}
