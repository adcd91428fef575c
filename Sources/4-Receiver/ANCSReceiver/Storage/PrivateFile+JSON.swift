package import JSONText
package import LinuxIO

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
