internal import Glibc
internal import LinuxIO

/// The files of a history: `history.sqlite`, those that SQLite keeps beside it, and damaged ones that were
/// set aside.
package struct HistoryFiles: Equatable, Sendable {
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

    /// Creates the file if necessary, and makes sure that no other user can read it.
    func prepare() throws(IOError) { try PrivateFile.prepare(path: path) }

    /// Renames the files after a time; returns the new name of the database.
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

    /// Removes all files.
    package func remove() {
        for ending in Self.endings { unlink(path + ending) }
        removeSetAside()
    }

    /// Removes the files that were set aside.
    package func removeSetAside() {
        removeSetAside(before: CaptureTime(microsecondsSince1970: .max))
    }

    /// Removes files that were set aside before a time: they contain texts too, so they expire as well.
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
