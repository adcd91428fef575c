internal import Octets

/// A value as users type it: text, or octets in hexadecimal after `0x`.
package enum TypedValue {
    /// The limit of an attribute value in octets. Core Vol 3, Part F, 3.2.9.
    package static let maximumCount = 512

    /// The octets of the word.
    package static func octets(of word: String) throws(PromptFault) -> [UInt8] {
        let octets: [UInt8]? =
            word.hasPrefix("0x") ? Hexadecimal.octets(String(word.dropFirst(2))) : Array(word.utf8)
        guard let octets, octets.count <= maximumCount else {
            throw PromptFault(
                message:
                    "a value is text, or octets such as 0x0164, of at most \(maximumCount) octets")
        }
        return octets
    }
}
