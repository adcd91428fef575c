internal import CaptureRedaction
internal import Glibc
package import HCITransports
package import LinuxIO
internal import Printing

extension BtsnoopWriter {
    /// Opens a capture in a directory given on the command line, which is made if it is not there; because captures
    /// have keys, for this user alone.
    package static func capture(
        _ name: String, in directory: CapturePlace
    ) throws(IOError) -> BtsnoopWriter {
        // What else may be wrong with it, the file shows.
        _ = mkdir(directory.path, 0o700)
        var file = directory
        file.path += "/\(name).btsnoop"
        return try capture(at: file)
    }

    /// Opens a capture given on the command line; failures to write it are reported to the user. One that
    /// cannot be opened is a fault of the command line, not of a controller.
    package static func capture(at place: CapturePlace) throws(IOError) -> BtsnoopWriter {
        do throws(IOError) {
            return try BtsnoopWriter(
                path: place.path, as: place.isRedacted ? LiveRedaction() : nil,
                onFailure: WriteFailures.captureFailed)
        } catch { throw IOError(.unusablePath, errno: error.errno, error.message) }
    }
}
