import CLazy
import Testing

@Suite("A library that is loaded when it is first used")
struct LazyLibraryTests {
    @Test("gives its functions, the same each time")
    func found() {
        let function = lazy_function("libm.so.6", "cos")
        #expect(function != nil)
        #expect(lazy_function("libm.so.6", "cos") == function)
        #expect(lazy_function("libm.so.6", "sin") != function)
    }

    @Test("ends the process with a clear text where it is missing")
    func missing() async throws {
        let result = try #require(
            await #expect(
                processExitsWith: .exitCode(127), observing: [\.standardErrorContent]
            ) { _ = lazy_function("libnone.so.9", "none") })
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("error while loading shared libraries: libnone.so.9: "))
    }

    @Test("the process ends with a clear message if the library lacks the function")
    func lacking() async throws {
        let result = try #require(
            await #expect(
                processExitsWith: .exitCode(127), observing: [\.standardErrorContent]
            ) { _ = lazy_function("libm.so.6", "none_such") })
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("none_such"))
    }
}
