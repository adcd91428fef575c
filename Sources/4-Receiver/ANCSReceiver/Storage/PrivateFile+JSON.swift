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

    /// The version of the files that have a list.
    private static let version = 1

    /// The list of this name in a file; `nil` if there is no file.
    package static func list(
        _ name: String, path: String
    ) throws(StoreFailure) -> [JSONValue]? {
        guard let json = try json(path: path) else { return nil }
        guard json["version"]?.integer == version, let list = json[name]?.array else {
            throw .unreadable(path: path, reason: "it is another kind of file")
        }
        return list
    }

    /// Replaces the file by one with a list of this name.
    package static func write(
        path: String, _ name: String, _ list: [JSONValue]
    ) throws(StoreFailure) {
        try write(path: path, json: ["version": .integer(version), name: .array(list)])
    }

    /// Replaces the file.
    package static func write(path: String, json: JSONValue) throws(StoreFailure) {
        do throws(IOError) {
            try write(path: path, contents: Array((json.text + "\n").utf8))
        } catch { throw .io(error) }
    }
}
