import Glibc
import Testing

@testable import LinuxIO

/// Directories that are deleted with their owner.
struct TemporaryDirectoryTests {
    private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    @Test(
        "it is deleted with its contents, and what its links lead to stays",
        arguments: [false, true])
    func deletion(outlivesNoOwner: Bool) throws {
        let other = try TemporaryDirectory()
        try other.addDirectory("kept")
        var directory: TemporaryDirectory? = try TemporaryDirectory(
            outlivesNoOwner: outlivesNoOwner)
        let path = try #require(directory?.path)
        try directory?.addDirectory("inner")
        #expect(symlink(other.path, "\(path)/inner/link") == 0)
        #expect(mkfifo("\(path)/inner/fifo", 0o600) == 0)
        var state = stat()
        #expect(stat(path, &state) == 0)
        #expect(state.st_mode & 0o777 == 0o700)
        directory = nil
        #expect(!Self.exists(path))
        #expect(other.names == ["kept"])
    }

    @Test("it is deleted however deep it is, and where nobody may list or write")
    func depth() throws {
        let directory = try TemporaryDirectory(outlivesNoOwner: true)
        let start = open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        var place = start
        for _ in 0..<300 {
            try #require(mkdirat(place, "d", 0o700) == 0)
            let next = openat(place, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            try #require(next >= 0)
            try #require(mkdirat(next, "empty", 0o000) == 0)
            close(openat(next, "file", O_CREAT | O_WRONLY, 0o400))
            close(place)
            place = next
        }
        fchmod(place, 0o500)
        close(place)
        #expect(directory.remove() == [])
        #expect(!Self.exists(directory.path))
    }

    @Test("one that was renamed is deleted, and a part that was moved away is named and stays")
    func moved() throws {
        let other = try TemporaryDirectory()
        let directory = try TemporaryDirectory(outlivesNoOwner: true)
        try directory.addDirectory("stays")
        try directory.addDirectory("goes")
        #expect(rename("\(directory.path)/goes", "\(other.path)/gone") == 0)
        let renamed = directory.path + "-renamed"
        #expect(rename(directory.path, renamed) == 0)
        #expect(
            directory.remove() == [
                "\(directory.path)/goes was moved to \(other.path)/gone, and was not deleted"
            ])
        #expect(!Self.exists(renamed))
        #expect(Self.exists("\(other.path)/gone"))
        #expect(directory.remove() == [], "it is said once")
    }

    @Test("what cannot be deleted is said")
    func stays() throws {
        let directory = try TemporaryDirectory(outlivesNoOwner: true)
        try directory.addDirectory("inner")
        // A directory in which something is mounted cannot be deleted; not everybody may mount.
        let inner = "\(directory.path)/inner"
        guard mount("tmpfs", inner, "tmpfs", 0, "size=4k") == 0 else { return }
        #expect(
            directory.remove() == [
                "\(directory.path) cannot be deleted: look at what is left in it"
            ])
        umount2(inner, CInt(MNT_DETACH))
        rmdir(inner)
        rmdir(directory.path)
    }
}

@Suite("Files that a user names")
struct UserFileTests {
    let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    @Test("a pipe without a reader is refused at once, and one with a reader is written to")
    func pipe() throws {
        let path = folder.path + "/pipe"
        #expect(mkfifo(path, 0o600) == 0)
        let refusal = #expect(throws: IOError.self) {
            try OutputFile(path: path, mode: 0o600, kind: "capture")
        }
        #expect(refusal?.message.contains("no program reads from this pipe") == true)
        let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        let file = try OutputFile(path: path, mode: 0o600, kind: "capture")
        try file.write([1, 2, 3])
        var octets = [UInt8](repeating: 0, count: 4)
        #expect(read(reader, &octets, 4) == 3)
    }

    @Test("two paths of one file are known, whether it exists or not; a device is no file")
    func same() throws {
        let path = folder.path
        close(open(path + "/there", O_CREAT | O_WRONLY, 0o600))
        #expect(symlink("there", path + "/link") == 0)
        for name in ["there", "absent"] {
            #expect(SystemFile.isSame("\(path)/\(name)", "\(path)/.//\(name)"))
            #expect(!SystemFile.isSame("\(path)/\(name)", "\(path)/other"))
        }
        #expect(SystemFile.isSame("\(path)/there", "\(path)/link"))
        #expect(SystemFile.isSame("absent", "./absent"))
        #expect(SystemFile.isSame("/absent", "//absent"))
        #expect(!SystemFile.isSame("/dev/null", "/dev/null"))
        #expect(!SystemFile.isSame("\(path)/no/a", "\(path)/no/a"))
    }
}
