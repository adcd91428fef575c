internal import CLinux
internal import Glibc

// The directory of private files.
extension PrivateFile {
    /// Checks that the directory of a file is as `place` says; one that does not exist is.
    static func checkDirectory(of path: String, _ place: Place) throws(IOError) {
        switch place {
        case .anywhere: return
        case .privateDirectory: try checkDirectory(directory(of: path))
        }
    }

    private static func checkDirectory(_ directory: String) throws(IOError) {
        var status = stat()
        guard stat(directory, &status) == 0 else {
            // Whatever is wrong, the use of the file tells.
            return
        }
        guard status.st_uid == geteuid() else {
            throw IOError(
                .notPrivate,
                "\(directory) belongs to another user, who could exchange the files in it; use a "
                    + "directory of your own")
        }
        let writers: String
        if status.st_mode & 0o002 != 0 {
            writers = "every user"
        } else if status.st_mode & 0o020 != 0, status.st_gid != primaryGroup(of: status.st_uid) {
            writers = "the group \(status.st_gid)"
        } else {
            return
        }
        throw IOError(
            .notPrivate,
            "\(writers) may write to \(directory), and could exchange the files in it; "
                + "\"chmod go-w \(directory)\" makes it private, after a look at what is in it")
    }

    /// The group that a user has by default, which on many systems has no other member. Without an entry of
    /// the user, it is that of this process.
    private static func primaryGroup(of user: uid_t) -> gid_t {
        var entry = passwd()
        var result: UnsafeMutablePointer<passwd>?
        // glibc suggests 1024 octets; an entry of a directory service may have more.
        let status = CText.written(capacity: 16_384) {
            getpwuid_r(user, &entry, $0, $1, &result)
        }.result
        return status == 0 && result != nil ? entry.pw_gid : getgid()
    }
}
