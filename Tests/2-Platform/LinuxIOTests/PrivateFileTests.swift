import Glibc
import LinuxIO
import Testing

@Suite struct PrivateFileTests {
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = "\(directory.path)/state/bonds/store"
    }

    @Test("written values are read again, from a private file in private directories")
    func roundTrip() throws {
        let octets = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try PrivateFile.write(path: path, contents: octets)
        #expect(try PrivateFile.read(path: path) == octets)
        #expect(mode(of: path) == 0o600)
        #expect(mode(of: "\(directory.path)/state") == 0o700)
        #expect(mode(of: "\(directory.path)/state/bonds") == 0o700)
        try PrivateFile.write(path: path, contents: [])
        #expect(try PrivateFile.read(path: path) == [])
        #expect(SystemFile.names(in: "\(directory.path)/state/bonds") == ["store"])
    }

    @Test("a missing file is not an error")
    func absent() throws {
        #expect(try PrivateFile.read(path: path) == nil)
    }

    @Test(
        "a file that others may read or write is refused",
        arguments: [0o640, 0o604, 0o620, 0o602, 0o644, 0o666, 0o610] as [mode_t])
    func notPrivate(_ wide: mode_t) throws {
        try PrivateFile.write(path: path, contents: [1])
        #expect(chmod(path, wide) == 0)
        let error = #expect(throws: IOError.self) { try PrivateFile.read(path: path) }
        #expect(error?.code == .notPrivate)
        // Writing makes it private again: the old contents are not used.
        try PrivateFile.write(path: path, contents: [2])
        #expect(try PrivateFile.read(path: path) == [2])
    }

    @Test(
        "a directory that every user may write to is refused, with the remedy",
        arguments: [0o702, 0o777, 0o1777, 0o733] as [mode_t])
    func openDirectory(_ wide: mode_t) throws {
        try PrivateFile.write(path: path, contents: [1])
        let parent = "\(directory.path)/state/bonds"
        #expect(chmod(parent, wide) == 0)
        let errors = [
            #expect(throws: IOError.self) { try PrivateFile.read(path: path) },
            #expect(throws: IOError.self) { try PrivateFile.write(path: path, contents: [2]) },
            #expect(throws: IOError.self) { try PrivateFile.prepare(path: path) },
            #expect(throws: IOError.self) { try FileLock(of: path) },
        ]
        for error in errors {
            #expect(error?.code == .notPrivate)
            #expect(error?.message.contains("chmod go-w \(parent)") == true)
        }
        // A file that the user named may be anywhere.
        try PrivateFile.write(path: path, contents: [3], in: .anywhere)
        #expect(try PrivateFile.read(path: path, in: .anywhere) == [3])
        #expect(chmod(parent, 0o755) == 0)
        #expect(try PrivateFile.read(path: path) == [3])
    }

    @Test("the user's own group may write to the directory, as umask 002 lets it")
    func ownGroup() throws {
        try PrivateFile.write(path: path, contents: [1])
        let parent = "\(directory.path)/state/bonds"
        let group = try #require(getpwuid(geteuid())).pointee.pw_gid
        #expect(chown(parent, geteuid(), group) == 0)
        #expect(chmod(parent, 0o775) == 0)
        #expect(try PrivateFile.read(path: path) == [1])
    }

    @Test(
        "a directory of another user, or that another group may write to, is refused",
        .enabled(if: geteuid() == 0))
    func strangeDirectory() throws {
        try PrivateFile.write(path: path, contents: [1])
        let parent = "\(directory.path)/state/bonds"
        #expect(chown(parent, 0, 4711) == 0)
        #expect(try PrivateFile.read(path: path) == [1])
        #expect(chmod(parent, 0o770) == 0)
        let group = #expect(throws: IOError.self) { try PrivateFile.read(path: path) }
        #expect(group?.message.contains("the group 4711 may write") == true)
        #expect(chmod(parent, 0o700) == 0)
        #expect(chown(parent, 4711, 0) == 0)
        let user = #expect(throws: IOError.self) { try PrivateFile.read(path: path) }
        #expect(user?.message.contains("belongs to another user") == true)
    }

    @Test("a link, a directory and a FIFO are refused and do not block")
    func strangeFiles() throws {
        try PrivateFile.write(path: path, contents: [1])
        let link = "\(directory.path)/link"
        #expect(symlink(path, link) == 0)
        #expect(throws: IOError.self) { try PrivateFile.read(path: link) }
        #expect(throws: IOError.self) { try PrivateFile.read(path: directory.path) }
        let fifo = "\(directory.path)/fifo"
        #expect(mkfifo(fifo, 0o600) == 0)
        #expect(throws: IOError.self) { try PrivateFile.read(path: fifo) }
    }

    @Test("a replacement that fails leaves the old contents and nothing else")
    func atomic() throws {
        // A directory in the place of the file cannot be replaced by one.
        let obstacle = "\(directory.path)/obstacle"
        try PrivateFile.write(path: "\(obstacle)/inner", contents: [1])
        #expect(throws: IOError.self) { try PrivateFile.write(path: obstacle, contents: [2]) }
        #expect(directory.names == ["obstacle"])
        #expect(try PrivateFile.read(path: "\(obstacle)/inner") == [1])
    }

    @Test("the next writer removes the remains of a killed one, and keeps other files")
    func remains() throws {
        try PrivateFile.write(path: path, contents: [1])
        let (abandoned, growing) = ("\(path).new-1-2", "\(path).new-1-3")
        try PrivateFile.write(path: abandoned, contents: [2])
        try PrivateFile.write(path: growing, contents: [3])
        try PrivateFile.write(path: "\(path)2.new-1-2", contents: [4])
        let writer = open(growing, O_RDONLY)
        defer { close(writer) }
        #expect(flock(writer, LOCK_EX) == 0)
        try PrivateFile.write(path: path, contents: [5])
        #expect(
            SystemFile.names(in: "\(directory.path)/state/bonds") == [
                "store", "store.new-1-3", "store2.new-1-2",
            ])
    }

    @Test("readers see the old contents or the new, whole, while a writer replaces them")
    func concurrentReaders() async throws {
        let path = path
        try PrivateFile.write(path: path, contents: [UInt8](repeating: 0, count: 50_000))
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for round in 1...20 as ClosedRange<UInt8> {
                    let contents = [UInt8](repeating: round, count: 50_000)
                    guard (try? PrivateFile.write(path: path, contents: contents)) != nil else {
                        return false
                    }
                }
                return true
            }
            group.addTask {
                for _ in 0..<100 {
                    guard let contents = try? PrivateFile.read(path: path),
                        contents.count == 50_000, contents.allSatisfy({ $0 == contents[0] })
                    else { return false }
                }
                return true
            }
            for await succeeded in group { #expect(succeeded) }
        }
    }
}

@Suite struct FileLockTests {
    @Test(
        "a lock that is given back is free, though a child that is being spawned has its file too")
    func inherited() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/store"
        let lock = try FileLock(of: path)
        #expect(throws: IOError.self) { try FileLock(of: path) }
        let inherited = try #require(
            SystemFile.names(in: "/proc/self/fd").compactMap { CInt($0) }.first { number in
                Self.target(of: number) == "\(path).lock"
            }.map { dup($0) })
        defer { close(inherited) }
        lock.release()
        let next = try FileLock(of: path)
        lock.release()
        #expect(throws: IOError.self, "giving it back twice does nothing") {
            try FileLock(of: path)
        }
        next.release()
    }

    /// The file that a descriptor is for.
    private static func target(of number: CInt) -> String {
        CText.written(capacity: 4096) { readlink("/proc/self/fd/\(number)", $0, $1) }.text
    }
}
