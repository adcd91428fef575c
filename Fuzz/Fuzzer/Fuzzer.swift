import Glibc

// libFuzzer has the `main` and calls these two. FUZZ_TARGET names what to fuzz, so that one program, and
// one build, has all targets; without it, the program lists them with the lengths of their inputs.

private let target = getenv("FUZZ_TARGET").flatMap { FuzzTarget.named(String(cString: $0)) }

/// Lists the targets, and ends, where none was named.
@c(LLVMFuzzerInitialize)
public func initialize(
    _ argumentCount: UnsafeMutablePointer<CInt>?,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt {
    guard target == nil else { return 0 }
    for target in FuzzTarget.all { print(target.name, target.maximumLength) }
    exit(0)
}

/// Goes through one input; traps where a rule is broken.
@c(LLVMFuzzerTestOneInput)
public func testOneInput(_ octets: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        try target?.run(Array(UnsafeBufferPointer(start: octets, count: count)))
    } catch {
        // libFuzzer keeps the input of a trap.
        fatalError("\(error)")
    }
    return 0
}
