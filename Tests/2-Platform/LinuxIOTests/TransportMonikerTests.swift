@testable import HCITransports
import LinuxIO
import Testing

@Suite struct TransportMonikerTests {
    struct Row: Sendable {
        let text: String
        let moniker: TransportMoniker
        init(_ text: String, _ moniker: TransportMoniker) {
            (self.text, self.moniker) = (text, moniker)
        }
    }

    static let rows = [
        Row("tcp-client:127.0.0.1:9001", .tcpClient(host: "127.0.0.1", port: 9001)),
        Row("tcp-client:bench.local:65535", .tcpClient(host: "bench.local", port: 65535)),
        Row("tcp-client:[::1]:9001", .tcpClient(host: "::1", port: 9001)),
        Row("tcp-client::9001", .tcpClient(host: nil, port: 9001)),
        Row("tcp-server:_:9001", .tcpServer(host: "_", port: 9001)),
        Row("tcp-server::9001", .tcpServer(host: nil, port: 9001)),
        Row("tcp-server:[::1]:0", .tcpServer(host: "::1", port: 0)),
        Row("unix:/run/hci", .unixClient(path: "/run/hci")),
        Row("unix:/run/a:b", .unixClient(path: "/run/a:b")),
        Row("unix-server:@hci", .unixServer(path: "@hci")),
        Row(
            "serial:/dev/ttyACM0",
            .serial(path: "/dev/ttyACM0", speed: 1_000_000, hardwareFlowControl: false)),
        Row(
            "serial:/dev/ttyS1,115200,rtscts",
            .serial(path: "/dev/ttyS1", speed: 115_200, hardwareFlowControl: true)),
        Row(
            "serial:/dev/ttyS1,rtscts",
            .serial(path: "/dev/ttyS1", speed: 1_000_000, hardwareFlowControl: true)),
        Row("pty", .pseudoTerminal(link: nil)),
        Row("pty:/tmp/hci", .pseudoTerminal(link: "/tmp/hci")),
        Row("hci-socket:0", .hciSocket(index: 0)),
        Row("file:/dev/vhci", .file(path: "/dev/vhci")),
    ]

    @Test("a moniker names the place of the controller", arguments: rows)
    func parses(_ row: Row) throws {
        #expect(try TransportMoniker(parsing: row.text) == row.moniker)
    }

    @Test("a moniker that is printed can be read again", arguments: rows)
    func roundTrip(_ row: Row) throws {
        #expect(try TransportMoniker(parsing: row.moniker.description) == row.moniker)
    }

    @Test(
        "a place that every machine can reach is marked",
        arguments: [
            ("tcp-server:_:9001", true), ("tcp-server:127.0.0.1:9001", false),
            ("tcp-server::9001", false), ("tcp-server:[::1]:9001", false),
            ("tcp-server:192.0.2.1:9001", false), ("unix-server:/run/_", false),
            ("/dev/pts/1", false),
        ])
    func exposure(_ place: String, _ isExposed: Bool) throws {
        let exposure = TransportMoniker.exposure(of: place)
        #expect((exposure != nil) == isExposed)
        if let exposure {
            #expect(exposure.contains(place) && exposure.contains("tcp-server::9001"))
        }
    }

    @Test("the kernel's name of an interface is answered with its moniker", arguments: [0, 12])
    func interfaceName(_ index: Int) {
        #expect {
            try TransportMoniker(parsing: "hci\(index)")
        } throws: { error in
            "\(error)".contains("hci\(index) is hci-socket:\(index);")
        }
    }

    @Test(
        "any other text is a usage error that lists the valid forms",
        arguments: [
            "", ":", "usb:0", "TCP-CLIENT:a:1", "tcp-client", "tcp-client:", "tcp-client:host",
            "tcp-client:_:9001", "tcp-client::0", "tcp-client:host:", "tcp-client:host:0",
            "tcp-client:host:65536",
            "tcp-client:host:-1", "tcp-client:host:+1", "tcp-client:host:90x",
            "tcp-client:::1:9001",
            "tcp-client:[::1:9001", "tcp-client:[::1]", "tcp-client:[::1]9001",
            "tcp-client:[host]:1", "tcp-server:_", "unix:", "unix", "unix-server:", "serial:",
            "serial:,9600", "serial:/dev/ttyS0,fast", "serial:/dev/ttyS0,0",
            "serial:/dev/ttyS0,9600,9600", "serial:/dev/ttyS0,", "pty:", "hci-socket:",
            "hci-socket:hci0", "hci-socket:65536", "file:", "file:/dev/\0",
            "unix:/" + String(repeating: "x", count: 107),
        ])
    func refuses(_ text: String) throws {
        let error = try #require(throws: IOError.self) { try TransportMoniker(parsing: text) }
        #expect(error.code == .invalidMoniker)
        #expect(error.responsibility == .usage)
        for form in ["tcp-client:HOST:PORT", "unix-server:PATH", "hci-socket:INDEX"] {
            #expect(error.message.contains(form))
        }
    }
}
