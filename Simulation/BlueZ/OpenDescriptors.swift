import Glibc

/// The open file descriptors of this process.
enum OpenDescriptors {
    /// What each is, by its number: `socket:[123]`.
    static var all: [Int32: String] {
        guard let directory = opendir("/proc/self/fd") else { return [:] }
        defer { closedir(directory) }
        var found: [Int32: String] = [:]
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard let number = Int32(name), number != dirfd(directory) else { continue }
            var target = [UInt8](repeating: 0, count: 256)
            let count = target.withUnsafeMutableBytes { room in
                guard let start = room.bindMemory(to: CChar.self).baseAddress else { return 0 }
                return readlink("/proc/self/fd/\(number)", start, room.count)
            }
            found[number] = String(decoding: target.prefix(max(0, count)), as: UTF8.self)
        }
        return found
    }

    /// What is open that was not open before, for people; `nil` if nothing is. Swift's runtime has epoll sets and
    /// timers of its own, which are made when they are first needed.
    static func opened(since before: [Int32: String]) -> String? {
        let new = all.filter { number, target in
            before[number] != target && !target.hasPrefix("anon_inode:")
        }.values.sorted()
        return new.isEmpty ? nil : new.joined(separator: ", ")
    }
}
