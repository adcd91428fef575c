/// The processes that a process has started, as far as /proc shows them.
package enum ProcessTree {
    /// Whether a process or a descendant of it has a socket with this number.
    package static func holds(socket inode: UInt64, _ process: Int32) -> Bool {
        let wanted = "socket:[\(inode)]"
        return family(of: process).contains { process in
            let place = "/proc/\(process)/fd"
            return SystemFile.names(in: place).contains {
                SystemFile.target(of: "\(place)/\($0)") == wanted
            }
        }
    }

    /// A process, its children, and theirs.
    static func family(of process: Int32) -> [Int32] {
        var found = [process]
        var index = 0
        while index < found.count {
            // Each thread has its own children.
            let threads = "/proc/\(found[index])/task"
            for thread in SystemFile.names(in: threads) {
                let children = try? SystemFile.octets(of: "\(threads)/\(thread)/children")
                found += (children ?? []).split(separator: UInt8(ascii: " "))
                    .compactMap { Int32(String(decoding: $0, as: UTF8.self)) }
            }
            index += 1
        }
        return found
    }
}
