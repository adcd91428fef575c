@testable import ANCSReceiver
import LinuxIO
import Testing

@Suite("Commands past the kernel's host")
struct KernelLinkTests {
    /// No machine has so many controllers; this one may have none, or a kernel without Bluetooth.
    private static let absent: UInt16 = 0xFFF0

    @Test("a controller that does not exist has no links, and its socket cannot be opened")
    func absent() async throws {
        let loop = try EventLoop()
        defer { loop.shutdown() }
        #expect(KernelLink.link(from: "F0:F1:F2:F3:F4:F5", to: Self.absent) == nil)
        let error = await withCheckedContinuation { continuation in
            loop.execute {
                do throws(IOError) {
                    let socket = try KernelLink(
                        index: Self.absent, on: loop, take: { _ in })
                    socket.close()
                    continuation.resume(returning: IOError?.none)
                } catch { continuation.resume(returning: error) }
            }
        }
        #expect(error?.errno != nil)
    }
}
