/// Text that a C function writes into a buffer. C's `char`, which is `CChar` here, is signed on x86-64 and
/// unsigned on Arm: no other place converts it to octets.
package enum CText {
    /// Has a function write into a zeroed buffer of `capacity` octets; returns its result, and the text up to
    /// its NUL or to the end of the buffer. What is not UTF-8 becomes U+FFFD.
    package static func written<Result>(
        capacity: Int, _ body: (UnsafeMutablePointer<CChar>, Int) -> Result
    ) -> (result: Result, text: String) {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: max(1, capacity)) { buffer in
            buffer.initialize(repeating: 0)
            // A buffer that is not empty has a start.
            guard let start = buffer.baseAddress else { preconditionFailure("an empty buffer") }
            let result = body(start, buffer.count)
            let octets = UnsafeRawBufferPointer(buffer).prefix { $0 != 0 }
            return (result, String(decoding: octets, as: UTF8.self))
        }
    }
}
