import Foundation
import LinuxIO
import Octets
import Testing

/// Looks for secrets in what may be sent, in the forms in which programs write them.
struct SecretSearch {
    private let octets: [UInt8]
    /// The octets as text, and without what separates two digits of a dump.
    private let texts: [String]

    init(_ octets: [UInt8]) {
        self.octets = octets
        let text = String(decoding: octets, as: UTF8.self)
        texts = [text, text.filter { $0 != ":" && $0 != " " && $0 != "-" }]
    }

    func expectNone(of secrets: [[UInt8]]) {
        for secret in secrets where secret.count >= 5 {
            let data = Data(secret)
            let hexadecimal = Hexadecimal.text(secret)
            var forms = [secret, secret.reversed()]
            if let word = String(validating: secret, as: UTF8.self) {
                for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian] {
                    forms.append(Array(word.data(using: encoding) ?? data))
                }
            }
            for form in forms { #expect(octets.firstRange(of: form) == nil, "\(hexadecimal)") }
            // In Base64 a secret may begin anywhere in a group of three.
            let groups = (0..<3).map { shift in
                let padded = Data([UInt8](repeating: 0, count: shift)) + data
                return padded.base64EncodedString().dropFirst(shift == 0 ? 0 : 4).prefix {
                    $0 != "="
                }.dropLast(2)
            }
            let words = [hexadecimal, hexadecimal.uppercased()] + groups.map(String.init)
            for word in words where word.utf8.count >= 8 {
                for text in texts { #expect(!text.contains(word), "\(hexadecimal): \(word)") }
            }
        }
    }
}
