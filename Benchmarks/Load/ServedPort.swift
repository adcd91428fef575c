internal import Glibc
internal import HCITransports
internal import LinuxIO

/// A virtual controller that serves one host in another process.
final class ServedPort: Sendable {
    private let port: VirtualPort
    private let transport: HCITransport

    init(_ port: VirtualPort, at place: TransportMoniker, on loop: EventLoop) {
        self.port = port
        // A host that reads slowly is to be measured, not disconnected.
        var configuration = HCITransport.Configuration()
        configuration.sendLimit = 64 << 20
        transport = HCITransport(place, on: loop, configuration: configuration)
    }

    /// Serves the host. Returns why it disconnected.
    func serve() async -> IOError? {
        let ends = AsyncStream<IOError> { continuation in
            transport.open { [port, transport] event in
                switch event {
                case .listening: say("LISTENING")
                case .notice: break
                case .opened:
                    do throws(IOError) {
                        try port.attach { packets in
                            for packet in packets { transport.send(packet) }
                        }
                    } catch { continuation.yield(error) }
                case .received(let packets): for packet in packets { port.send(packet) }
                case .closed(let error): continuation.yield(error)
                }
            }
        }
        for await error in ends {
            port.detach()
            return error
        }
        return nil
    }
}

/// Writes a line, unbuffered.
func say(_ line: String, to descriptor: CInt = STDOUT_FILENO) {
    let octets = Array((line + "\n").utf8)
    _ = write(descriptor, octets, octets.count)
}
