import DBus
import DBusTestKit

// The object that the tests of a connection export.

extension TestPeer {
    /// Has the object send a signal, and returns when it was passed on.
    func emit(
        _ member: String, _ arguments: [BusValue] = [], to destination: String? = nil
    ) async throws {
        try await emit(
            BusSignal("/test", "org.test.Interface", member, arguments), to: destination)
    }
}

extension BusCall {
    /// A call of the object.
    static func test(
        _ destination: String, _ member: String, _ arguments: [BusValue] = []
    ) -> BusCall {
        BusCall(destination, "/test", "org.test.Interface", member, arguments)
    }
}
