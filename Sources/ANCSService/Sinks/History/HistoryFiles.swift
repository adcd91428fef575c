internal import Glibc
internal import LinuxIO

/// The files of a history: `history.sqlite`, what SQLite keeps beside it, and those that were set aside because they
/// were damaged.
package struct HistoryFiles: Hashable, Sendable {
    package let path: String
    private let directory: String
    private static let name = "history.sqlite"
    private static let endings = ["", "-wal", "-shm", "-journal"]

    /// The files in the directory of the daemon's state.
    package init(directory: String) {
        self.directory = directory
        path = "\(directory)/\(Self.name)"
    }

    /// Whether there is a history.
    package var exists: Bool { access(path, F_OK) == 0 }

    /// Makes the file where there is none, and sees to it that nobody else can read it.
    func prepare() throws(IOError) { try PrivateFile.prepare(path: path) }

    /// Gives the files another name, after the time; returns that of the database.
    func setAside(at time: CaptureTime) throws(IOError) -> String {
        let stamp = time.text(fractionDigits: 0).filter { $0.isNumber || $0 == "T" }
        let place = "\(path).damaged-\(stamp)"
        for ending in Self.endings where ending != "-shm" {
            guard rename(path + ending, place + ending) == 0 || errno == ENOENT else {
                throw IOError("cannot set \(path + ending) aside", errno: errno)
            }
        }
        unlink(path + "-shm")
        return place
    }

    /// Removes everything.
    package func remove() {
        for ending in Self.endings { unlink(path + ending) }
        removeSetAside()
    }

    /// Removes the files that were set aside.
    package func removeSetAside() {
        removeSetAside(before: CaptureTime(microsecondsSince1970: .max))
    }

    /// Removes files that were set aside before a time: they hold texts too.
    func removeSetAside(before time: CaptureTime) {
        for name in SystemFile.names(in: directory) where name.hasPrefix(Self.name + ".damaged-") {
            var status = stat()
            guard lstat("\(directory)/\(name)", &status) == 0,
                Int64(status.st_ctim.tv_sec) < time.microsecondsSince1970 / 1_000_000
            else { continue }
            unlink("\(directory)/\(name)")
        }
    }
}
