import Glibc
import LinuxIO

// The files of a test.
extension TemporaryDirectory {
    /// Writes a shell script and returns its path.
    func script(_ name: String, _ lines: String) throws -> String {
        try write(name, Array("#!/bin/sh\n\(lines)\n".utf8))
        chmod("\(path)/\(name)", 0o700)
        return "\(path)/\(name)"
    }

    func write(_ name: String, _ octets: [UInt8]) throws {
        let file = try OutputFile(path: "\(path)/\(name)", mode: 0o600, kind: "file")
        try file.write(octets)
        file.close()
    }

    /// What a file holds; `nil` where there is none.
    func contents(of name: String) -> [UInt8]? { FileContents.read("\(path)/\(name)") }

    /// What a file holds as text, without its last line end; `nil` where there is none.
    func text(of name: String) -> String? {
        contents(of: name).map { octets in
            let text = String(decoding: octets, as: UTF8.self)
            return text.hasSuffix("\n") ? String(text.dropLast()) : text
        }
    }
}

/// Files of any length.
enum FileContents {
    static func read(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var all: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &part, part.count)
            guard count > 0 else { return count == 0 ? all : nil }
            all += part.prefix(count)
        }
    }
}
