internal import Glibc
package import HCITransports
package import LinuxIO
internal import Printing

extension BtsnoopWriter {
    /// Opens a capture in a directory given on the command line, which is made if it is not there; because captures
    /// have keys, for this user alone.
    package static func capture(
        _ name: String, in directory: String
    ) throws(IOError) -> BtsnoopWriter {
        // What else may be wrong with it, the file shows.
        _ = mkdir(directory, 0o700)
        return try capture(at: "\(directory)/\(name).btsnoop")
    }

    /// Opens a capture given on the command line; failures to write it are reported to the user. One that
    /// cannot be opened is a fault of the command line, not of a controller.
    package static func capture(at path: String) throws(IOError) -> BtsnoopWriter {
        do throws(IOError) {
            return try BtsnoopWriter(path: path, onFailure: WriteFailures.captureFailed)
        } catch { throw IOError(.unusablePath, errno: error.errno, error.message) }
    }
}
