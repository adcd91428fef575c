internal import Glibc
internal import JSONText

/// One frame of the pipe: a PDU, or a control frame in JSON.
///
///     PDU      u16 length (0…65534), octets
///     control  0xFFFF, u32 length, JSON text
enum PipeFrame {
    case pdu([UInt8])
    case control(JSONValue)
}

/// Why no more frames can be read from standard input.
struct PipeError: Error {
    var message: String
}

/// Reads frames from standard input and writes them to standard output, blocking, one at a time.
struct PipeFrames {
    /// The largest control frame in octets: 16 MiB.
    private static let controlLimit = 16 << 20

    /// The next frame, or `nil` at the end of input.
    func read() throws(PipeError) -> PipeFrame? {
        guard let header = try octets(2, of: "a frame's length", endAllowed: true) else {
            return nil
        }
        let length = Int(header[0]) | Int(header[1]) << 8
        guard length == 0xFFFF else {
            guard let pdu = try octets(length, of: "a PDU") else { return nil }
            return .pdu(pdu)
        }
        guard let field = try octets(4, of: "a control frame's length") else { return nil }
        let count = field.reversed().reduce(0) { $0 << 8 | Int($1) }
        guard count <= Self.controlLimit else {
            throw PipeError(message: "a control frame of \(count) octets is too long")
        }
        guard let text = try octets(count, of: "a control frame") else { return nil }
        let control: JSONValue
        do {
            control = try JSONValue(parsing: text)
        } catch {
            throw PipeError(message: "a control frame is not JSON: \(error.message)")
        }
        guard control.members != nil else {
            throw PipeError(message: "a control frame is not a JSON object")
        }
        return .control(control)
    }

    /// Writes a PDU of up to 65,534 octets.
    func write(pdu: [UInt8]) {
        write([UInt8(pdu.count & 0xFF), UInt8(pdu.count >> 8)] + pdu)
    }

    /// Writes a control frame.
    func write(control: JSONValue) {
        let text = Array(control.text.utf8)
        let length = (0..<4).map { UInt8(text.count >> (8 * $0) & 0xFF) }
        write([0xFF, 0xFF] + length + text)
    }

    private func octets(
        _ count: Int, of what: String, endAllowed: Bool = false
    ) throws(PipeError) -> [UInt8]? {
        var octets = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let result = octets.withUnsafeMutableBytes { buffer in
                Glibc.read(0, buffer.baseAddress?.advanced(by: filled), count - filled)
            }
            if result < 0, errno == EINTR { continue }
            guard result > 0 else {
                if filled == 0, endAllowed { return nil }
                throw PipeError(message: "input ends within \(what)")
            }
            filled += result
        }
        return octets
    }

    private func write(_ octets: [UInt8]) {
        var written = 0
        while written < octets.count {
            let result = octets.withUnsafeBytes { buffer in
                Glibc.write(1, buffer.baseAddress?.advanced(by: written), octets.count - written)
            }
            if result < 0, errno == EINTR { continue }
            guard result > 0 else { exit(0) }
            written += result
        }
    }
}
