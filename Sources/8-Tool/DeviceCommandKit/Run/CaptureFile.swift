package import HCITransports
package import LinuxIO
internal import Printing

extension BtsnoopWriter {
    /// Opens a capture given on the command line; failures to write it are reported to the user. One that
    /// cannot be opened is a fault of the command line, not of a controller.
    package static func capture(at path: String) throws(IOError) -> BtsnoopWriter {
        do throws(IOError) {
            return try BtsnoopWriter(path: path, onFailure: WriteFailures.captureFailed)
        } catch { throw IOError(.unusablePath, errno: error.errno, error.message) }
    }
}
