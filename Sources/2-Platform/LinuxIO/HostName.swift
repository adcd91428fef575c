internal import Glibc

/// The name of this machine.
package enum HostName {
    /// As the kernel has it, such as `desk` or `desk.example.org`; empty if it has none.
    package static var full: String {
        let name = CText.written(capacity: 256) { gethostname($0, $1 - 1) }
        return name.result == 0 ? name.text : ""
    }

    /// What a phone shows of this machine.
    package static var forPhones: String { forPhones(full) }

    /// The first part of a name, in at most the 29 octets that a scan response has for it (Core Vol 6, Part B, 2.3.1).
    /// `ancs` for one that names no machine, or has what may not be in a name (RFC 1123, 2.1).
    package static func forPhones(_ full: String) -> String {
        let name = full.utf8.prefix { $0 != UInt8(ascii: ".") }.prefix(29)
        let text = String(decoding: name, as: UTF8.self)
        let isName = text.allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber) || "-_".contains($0)
        }
        return isName && !["", "localhost", "(none)"].contains(text) ? text : "ancs"
    }
}
