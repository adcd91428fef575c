package import JSONText
public import LinuxIO

/// Why a file with the state of this program cannot be read or written.
public enum StoreFailure: Error, Equatable, Sendable {
    /// The file exists, but this program did not write it; it is not changed.
    case unreadable(path: String, reason: String)
    /// The system refused.
    case io(IOError)

    /// What happened, for people.
    public var message: String {
        switch self {
        case .unreadable(let path, let reason):
            "\(path) was not written by this program (\(reason)); move it away to start with a new one"
        case .io(let error): error.message
        }
    }
}

extension PrivateFile {
    /// The JSON value in a file; `nil` if there is no file.
    package static func json(path: String) throws(StoreFailure) -> JSONValue? {
        let contents: [UInt8]?
        do throws(IOError) { contents = try read(path: path) } catch { throw .io(error) }
        guard let contents else { return nil }
        do throws(JSONValue.ParsingError) { return try JSONValue(parsing: contents) } catch {
            throw .unreadable(path: path, reason: error.message)
        }
    }

    /// Replaces the file.
    package static func write(path: String, json: JSONValue) throws(StoreFailure) {
        do throws(IOError) {
            try write(path: path, contents: Array((json.text + "\n").utf8))
        } catch { throw .io(error) }
    }
}
