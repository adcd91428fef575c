import Glibc

// libFuzzer contains `main` and calls these two functions. FUZZ_TARGET names the target, so that one program
// contains all targets; without it, the program lists them with the maximum lengths of their inputs.

private let target = getenv("FUZZ_TARGET").flatMap { FuzzTarget.named(String(cString: $0)) }

/// If no target is named, lists the targets and exits.
@c(LLVMFuzzerInitialize)
public func initialize(
    _ argumentCount: UnsafeMutablePointer<CInt>?,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt {
    guard target == nil else { return 0 }
    for target in FuzzTarget.all { print(target.name, target.maximumLength) }
    exit(0)
}

/// Processes one input; traps if a rule is broken.
@c(LLVMFuzzerTestOneInput)
public func testOneInput(_ octets: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        try target?.run(Array(UnsafeBufferPointer(start: octets, count: count)))
    } catch {
        // libFuzzer keeps the input that caused a trap.
        fatalError("\(error)")
    }
    return 0
}

/// What the leak sanitizer must not report: a global lives for ever, and where it holds an enum that keeps its
/// case in spare bits of a pointer, the sanitizer does not recognize the pointer. `_WZ` ends the name of a
/// function that initialises a global.
@c(__lsan_default_suppressions)
public func leakSuppressions() -> UnsafePointer<CChar> {
    let suppressions: StaticString = "leak:_WZ\n"
    return UnsafeRawPointer(suppressions.utf8Start).assumingMemoryBound(to: CChar.self)
}
