import BluetoothLE
import Octets
import Testing

extension LESignalling {
    mutating func drain() -> [Output] {
        var outputs: [Output] = []
        while let output = pollOutput() { outputs.append(output) }
        return outputs
    }

    mutating func receive(_ hexadecimal: String, at now: MonotonicInstant = .zero) {
        let octets = Hexadecimal.octets(hexadecimal) ?? []
        receive(octets.span, at: now)
    }

    /// What is sent, as text.
    mutating func drainSent() -> [String] {
        drain().compactMap { output in
            guard case .send(let octets) = output else { return nil }
            return Hexadecimal.text(octets)
        }
    }
}

@Suite struct LESignallingTests {
    static let parameters = HCICommandTests.parameters

    // MARK: The Peripheral asks

    @Test("the Central accepts the Peripheral's request")
    func accepted() throws {
        var channel = LESignalling(role: .peripheral)
        try channel.requestUpdate(Self.parameters, at: .zero)
        #expect(channel.drainSent() == ["120108001800280002005802"])
        channel.receive("130102000000")
        #expect(channel.drain() == [.updateAnswered(accepted: true)])
        let deadline = channel.nextDeadline
        #expect(deadline == nil)
    }

    @Test("the Central refuses, and the next request has another identifier")
    func refused() throws {
        var channel = LESignalling(role: .peripheral)
        try channel.requestUpdate(Self.parameters, at: .zero)
        channel.receive("130102000100")
        #expect(channel.drain().last == .updateAnswered(accepted: false))
        try channel.requestUpdate(Self.parameters, at: .zero)
        #expect(channel.drainSent() == ["120208001800280002005802"])
    }

    @Test("identifiers go from 1 to 255 and never are 0")
    func identifiers() throws {
        var channel = LESignalling(role: .peripheral)
        var identifiers: [UInt8] = []
        for _ in 0..<256 {
            try channel.requestUpdate(Self.parameters, at: .zero)
            for case .send(let octets) in channel.drain() {
                identifiers.append(octets[1])
                channel.receive([0x13, octets[1], 0x02, 0x00, 0x00, 0x00].span, at: .zero)
            }
        }
        #expect(identifiers == Array(1...255) + [1])
    }

    @Test("a Central that does not know the command rejects it")
    func rejected() throws {
        var channel = LESignalling(role: .peripheral)
        try channel.requestUpdate(Self.parameters, at: .zero)
        _ = channel.drain()
        channel.receive("010102000000")
        #expect(channel.drain() == [.updateFailed(.rejected(reason: 0x0000))])
    }

    @Test("answers with another identifier, and answers to nothing, are ignored")
    func mismatch() throws {
        var channel = LESignalling(role: .peripheral)
        channel.receive("130102000000")
        try channel.requestUpdate(Self.parameters, at: .zero)
        _ = channel.drain()
        channel.receive("130202000000")
        channel.receive("010202000000")
        channel.receive("1301010000")
        #expect(channel.drain().isEmpty)
        let deadline = channel.nextDeadline
        #expect(deadline != nil)
    }

    @Test("no answer ends the request at the deadline")
    func timeout() throws {
        var channel = LESignalling(role: .peripheral)
        try channel.requestUpdate(Self.parameters, at: .zero)
        _ = channel.drain()
        let pendingDeadline = channel.nextDeadline
        let deadline = try #require(pendingDeadline)
        #expect(deadline == .zero + .seconds(30))
        channel.handleTimeout(at: MonotonicInstant(nanoseconds: deadline.nanoseconds - 1))
        #expect(channel.drain().isEmpty)
        channel.handleTimeout(at: deadline)
        #expect(channel.drain() == [.updateFailed(.timedOut)])
    }

    @Test("requests that cannot be made are usage errors")
    func usage() throws {
        var central = LESignalling(role: .central)
        #expect(throws: LESignalling.UsageError.notPeripheral) {
            try central.requestUpdate(Self.parameters, at: .zero)
        }
        #expect(throws: LESignalling.UsageError.nothingToAnswer) {
            try central.answerUpdate(accepting: true)
        }
        var peripheral = LESignalling(role: .peripheral)
        var wrong = Self.parameters
        wrong.latency = 500
        #expect(throws: LESignalling.UsageError.invalidParameters(.latency)) {
            try peripheral.requestUpdate(wrong, at: .zero)
        }
        try peripheral.requestUpdate(Self.parameters, at: .zero)
        #expect(throws: LESignalling.UsageError.requestOutstanding) {
            try peripheral.requestUpdate(Self.parameters, at: .zero)
        }
    }

    // MARK: The Central is asked

    @Test("the Central's host decides, and a repeated request waits for the same decision")
    func deciding() throws {
        var channel = LESignalling(role: .central)
        channel.receive("120708001800280002005802")
        channel.receive("120708001800280002005802")
        #expect(channel.drain() == [.updateRequested(Self.parameters)])
        channel.receive("120808001800280002005802")
        #expect(channel.drainSent() == ["130802000100"])
        try channel.answerUpdate(accepting: true)
        #expect(channel.drainSent() == ["130702000000"])
    }

    @Test("parameters out of range reach the host, which refuses them")
    func outOfRange() throws {
        var channel = LESignalling(role: .central)
        channel.receive("120708000500280002005802")
        guard case .updateRequested(let parameters)? = channel.drain().first else {
            return #expect(Bool(false), "no request")
        }
        #expect(parameters.fault == .interval)
        try channel.answerUpdate(accepting: false)
        #expect(channel.drainSent() == ["130702000100"])
    }

    @Test("a Peripheral rejects the request as not understood")
    func wrongRole() {
        var channel = LESignalling(role: .peripheral)
        channel.receive("120708001800280002005802")
        #expect(channel.drainSent() == ["010702000000"])
    }

    // MARK: What there is not

    @Test(
        "channels other than the fixed ones are refused",
        arguments: [
            // Credit-based connection: SPSM not supported.
            ("14050a00250040004000400001" + "00", "15050a00" + "0000000000000000" + "0200"),
            // Enhanced credit-based connection for two channels: the same, two null channels.
            (
                "17060c00" + "2500400040000100" + "40004100",
                "18060c00" + "0000000000000200" + "00000000"
            ),
            // Reconfiguration of a channel that is not there.
            ("19070600" + "40004000" + "4000", "1a0702000300"),
            // Disconnection and credits for a channel that is not there: invalid CID.
            ("0608040040004100", "010806000200" + "40004100"),
            ("1609040041000a00", "010906000200" + "00004100"),
            // Echo and information are not for LE; 0x55 is nothing.
            ("080a0000", "010a02000000"), ("0a0b02000200", "010b02000000"),
            ("550c0000", "010c02000000"),
        ])
    func refusals(request: String, response: String) {
        var channel = LESignalling(role: .peripheral)
        channel.receive(request)
        #expect(channel.drainSent() == [response])
    }

    @Test("a PDU above the MTU is rejected with the MTU")
    func mtuExceeded() {
        var channel = LESignalling(role: .central)
        channel.receive("5501" + "1400" + String(repeating: "00", count: 20))
        #expect(channel.drainSent() == ["010104000100" + "1700"])
    }

    @Test(
        "malformed commands are rejected as not understood",
        arguments: [
            "1201", "120108", "12010800", "120107001800280002005802", "12010700180028000200",
            "120108001800280002005802" + "ff", "14010400", "1701080025004000" + "40000100",
            "170109002500400040000100" + "40", "1601020040" + "00", "0601020040" + "00",
        ])
    func malformed(request: String) {
        var channel = LESignalling(role: .central)
        channel.receive(request)
        #expect(channel.drainSent() == ["010102000000"])
    }

    @Test("requests that cannot or must not be answered are dropped")
    func dropped() {
        var channel = LESignalling(role: .central)
        for pdu in ["", "12", "120008001800280002005802", "0101", "1301", "01010000", "150100"] {
            channel.receive(pdu)
        }
        channel.receive("0101" + "1400" + String(repeating: "00", count: 20))
        #expect(channel.drain().isEmpty)
    }

    @Test("every code with every short length is answered at most once")
    func hostile() {
        for code in UInt8.min...UInt8.max {
            for count in 0...24 {
                var channel = LESignalling(role: .central)
                let data = [UInt8](repeating: 0x40, count: count)
                channel.receive(([code, 0x01, UInt8(count), 0x00] + data).span, at: .zero)
                #expect(channel.drain().count <= 1)
            }
        }
    }
}

@Suite struct ConnectionParametersTests {
    struct Row: CustomTestStringConvertible {
        var minimum: UInt16 = 24
        var maximum: UInt16 = 40
        var latency: UInt16 = 0
        var timeout: UInt16 = 600
        var fault: ConnectionParameters.Fault?
        var testDescription: String { "\(minimum) \(maximum) \(latency) \(timeout)" }
    }

    static let rows: [Row] = [
        Row(), Row(minimum: 6, maximum: 6), Row(minimum: 3200, maximum: 3200, timeout: 3200),
        Row(minimum: 5, fault: .interval), Row(maximum: 3201, fault: .interval),
        Row(minimum: 41, fault: .interval),
        Row(latency: 499, timeout: 3200, fault: .timeoutTooShort),
        Row(minimum: 6, maximum: 24, latency: 499, timeout: 3200),
        Row(latency: 500, fault: .latency),
        Row(timeout: 10, fault: .timeoutTooShort), Row(timeout: 9, fault: .supervisionTimeout),
        Row(timeout: 11), Row(timeout: 3201, fault: .supervisionTimeout),
    ]

    @Test("limits of connection parameters", arguments: rows)
    func limits(row: Row) {
        let parameters = ConnectionParameters(
            intervalMinimum: ConnectionInterval(rawValue: row.minimum),
            intervalMaximum: ConnectionInterval(rawValue: row.maximum), latency: row.latency,
            supervisionTimeout: SupervisionTimeout(rawValue: row.timeout))
        #expect(parameters.fault == row.fault)
    }

    @Test("units are 1.25 ms, 10 ms and 0.625 ms")
    func units() {
        #expect(ConnectionInterval(rawValue: 24).duration == .milliseconds(30))
        #expect(SupervisionTimeout(rawValue: 600).duration == .seconds(6))
        #expect(AdvertisingInterval.milliseconds(20) == .minimum)
        #expect(AdvertisingInterval.milliseconds(1) == .minimum)
        #expect(AdvertisingInterval.milliseconds(.max) == .maximum)
        #expect(AdvertisingInterval.maximum.duration == .milliseconds(10_240))
    }
}
