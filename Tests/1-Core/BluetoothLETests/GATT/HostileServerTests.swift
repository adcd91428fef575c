import BluetoothLE
import Octets
import Testing

/// Servers that lie, repeat themselves or never answer: every procedure still ends once.
struct HostileServerTests {
    static let lies: [(GATTProcedure, String)] = [
        (.discoverPrimaryServices, "1106000004000018"),
        (.discoverPrimaryServices, "1106050004000018"),
        (.discoverPrimaryServices, "1106050008000018040009000118"),
        (.discoverPrimaryServices, "1105010004000018"),
        (.discoverPrimaryServices, "1107010004000018aa"),
        (.discoverPrimaryServices, "1106"),
        (.discoverPrimaryServices, "11"),
        (.discoverPrimaryServicesByUUID(.genericAccess), "0705000400"),
        (.discoverPrimaryServicesByUUID(.genericAccess), "070100040004000900"),
        (.discoverPrimaryServicesByUUID(.genericAccess), "07"),
        (.discoverIncludedServices(.all), "0908020000000f000f18"),
        (.discoverIncludedServices(.all), "0907020010001f0018"),
        (.discoverCharacteristics(.all), "09070500020400252a"),
        (.discoverCharacteristics(.all), "09070500020500252a"),
        (.discoverCharacteristics(.all), "0904050002aa"),
        (
            .discoverCharacteristics(
                AttributeHandleRange(AttributeHandle(0x10), AttributeHandle(0x20))),
            "09070f00021000252a"
        ),
        (
            .discoverDescriptors(
                AttributeHandleRange(AttributeHandle(0x10), AttributeHandle(0x20))),
            "050121000229"
        ),
        (.discoverDescriptors(.all), "05010200022902000229"),
        (.discoverDescriptors(.all), "0501"),
        (.discoverDescriptors(.all), "050301000229"),
        (.readByUUID(.all, .deviceName), "0901aa"),
        (.readByUUID(.all, .deviceName), "09020000"),
        (.readMultipleVariable([AttributeHandle(1), AttributeHandle(2)]), "2101"),
        (
            .readMultipleVariable([AttributeHandle(1), AttributeHandle(2)]),
            "21000000000000"
        ),
        (.exchangeMTU, "0317"),
        (.exchangeMTU, "03170000"),
        (.writeValue(AttributeHandle(1), [1]), "1300"),
        (.readValue(AttributeHandle(1)), "010a"),
        (.readValue(AttributeHandle(1)), "010a010005aa"),
    ]

    @Test("a response that cannot be true ends the procedure, not the bearer", arguments: lies)
    func lie(procedure: GATTProcedure, response: String) throws {
        var bench = BearerBench()
        _ = try bench.start(procedure)
        let outputs = try bench.receive(response)
        #expect(outputs.results == [.failure(.malformedResponse)])
        #expect(try bench.start(.readValue(AttributeHandle(9))).pdus == ["0a0900"])
        #expect(try bench.receive("0b01").results == [.success(.value([1]))])
    }

    @Test(
        "a PDU that does not answer the request is ignored",
        arguments: ["031702", "05 01 0100 0028", "0daa", "13", "19", "01 0c 0100 02", "210100aa"]
    )
    func unexpected(pdu: String) throws {
        var bench = BearerBench()
        _ = try bench.start(.readValue(AttributeHandle(1)))
        #expect(try bench.receive(pdu).isEmpty)
        #expect(try bench.receive("0b01").results == [.success(.value([1]))])
        #expect(try bench.receive("0b02").isEmpty)
    }

    @Test("a server that finds one more each time is followed to the last handle only")
    func endless() throws {
        var bench = BearerBench()
        let range = AttributeHandleRange(AttributeHandle(0xFF00), .last)
        var outputs = try bench.start(.discoverDescriptors(range))
        var requests = 0
        while let request = outputs.pdus.first {
            requests += 1
            outputs = try bench.receive("0501" + request.dropFirst(2).prefix(4) + "0229")
        }
        #expect(requests == 0x100)
        #expect(outputs.results.count == 1)
    }

    /// A procedure, and the answer of a server to a request whose range begins at a handle: always one attribute
    /// more, at the first handle of the range.
    static let endlessServers: [(GATTProcedure, most: Int, answer: @Sendable (String) -> String)] =
        [
            (.discoverPrimaryServices, 2049, { "1106\($0)\($0)0018" }),
            (.discoverPrimaryServicesByUUID(.genericAccess), 2049, { "07\($0)\($0)" }),
            (.discoverSecondaryServices, 2049, { "1106\($0)\($0)0018" }),
            (.discoverIncludedServices(.all), 2049, { "0908\($0)010001000118" }),
            (.discoverCharacteristics(.all), 2049, { "0907\($0)02ffff002a" }),
            (.discoverDescriptors(.all), 2049, { "0501\($0)0229" }),
            (.readByUUID(.all, .deviceName), 65, { "0903\($0)61" }),
        ]

    @Test("a server that always finds one more is left after a while", arguments: endlessServers)
    func tooMany(
        procedure: GATTProcedure, most: Int, answer: @Sendable (String) -> String
    ) throws {
        var bench = BearerBench()
        var outputs = try bench.start(procedure)
        var requests = 0
        while let request = outputs.pdus.first {
            requests += 1
            outputs = try bench.receive(answer(String(request.dropFirst(2).prefix(4))))
        }
        #expect(requests == most)
        #expect(outputs.results == [.failure(.tooManyResults)])
        #expect(try bench.start(.readValue(AttributeHandle(9))).pdus == ["0a0900"])
    }

    @Test("a server's searches find every permitted attribute")
    func many() throws {
        for (procedure, most, answer) in Self.endlessServers {
            var bench = BearerBench()
            var outputs = try bench.start(procedure)
            for _ in 1..<most {
                let request = try #require(outputs.pdus.first)
                outputs = try bench.receive(answer(String(request.dropFirst(2).prefix(4))))
            }
            let request = try #require(outputs.pdus.first)
            outputs = try bench.receive(
                "01" + request.prefix(2) + request.dropFirst(2).prefix(4) + "0a")
            guard case .success? = outputs.results.first else {
                Issue.record("\(procedure) ends with \(outputs.results)")
                continue
            }
        }
    }

    @Test("all values in one response are too many as well")
    func manyValues() throws {
        var bench = BearerBench(receiveMTU: 517)
        _ = try bench.start(.exchangeMTU)
        _ = try bench.receive("030502")
        _ = try bench.start(.readByUUID(.all, .deviceName))
        let values = (1...65).map { Hexadecimal.text([UInt8($0), 0]) }.joined()
        #expect(try bench.receive("0902" + values).results == [.failure(.tooManyResults)])
    }

    @Test("the parts of a discovery share one limit", arguments: [3, 60])
    func database(distance: Int) throws {
        var bench = BearerBench()
        var outputs = try bench.start(.discoverDatabase())
        var requests = 0
        while let request = outputs.pdus.first {
            requests += 1
            try #require(requests < 10_000)
            let octets = try #require(Hexadecimal.octets(request))
            outputs = try bench.receive(Self.answer(octets, distance: distance))
        }
        #expect(outputs.results == [.failure(.tooManyResults)])
    }

    /// The answer of a server with one service, which has a characteristic at every so manyth handle, and
    /// descriptors up to the next one.
    private static func answer(_ request: [UInt8], distance: Int) -> String {
        let hex = { (value: Int) in
            Hexadecimal.text([UInt8(value & 0xFF), UInt8(value >> 8)])
        }
        let first = Int(request[1]) | Int(request[2]) << 8
        switch (request[0], Array(request.suffix(2))) {
        case (0x10, [0x00, 0x28]) where first == 1: return "1106" + hex(1) + hex(0xFFFF) + "0018"
        case (0x08, [0x03, 0x28]) where first < 0xFFFF - distance:
            let handle = (first + distance - 2) / distance * distance + 1
            return "0907" + hex(handle) + "02" + hex(handle + 1) + "002a"
        case (0x04, _): return "0501" + hex(first) + "0229"
        default: return "01" + Hexadecimal.text([request[0]]) + hex(first) + "0a"
        }
    }

    @Test("a long value that never ends is cut at 512 octets")
    func endlessValue() throws {
        var bench = BearerBench()
        var outputs = try bench.start(.readLongValue(AttributeHandle(1)))
        var requests = 0
        while let request = outputs.pdus.first {
            requests += 1
            let opcode = request.hasPrefix("0a") ? "0b" : "0d"
            outputs = try bench.receive(opcode + String(repeating: "00", count: 22))
        }
        #expect(requests == 24)
        #expect(outputs.results.count == 1)
    }

    @Test("random responses end every procedure at most once", arguments: 0..<50)
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var bench = BearerBench(receiveMTU: 64)
        let procedures: [GATTProcedure] = [
            .discoverDatabase(), .readLongValue(AttributeHandle(1)), .exchangeMTU,
            .writeLongValue(AttributeHandle(1), [UInt8](repeating: 7, count: 40)),
            .readByUUID(.all, .deviceName), .discoverIncludedServices(.all),
        ]
        var completed = 0
        for procedure in procedures { completed += try bench.start(procedure).results.count }
        for _ in 0..<400 {
            var pdu = [UInt8]()
            let opcodes: [UInt8] = [
                0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x11, 0x17, 0x19, 0x1B, 0x1D, 0x23,
            ]
            pdu.append(opcodes[Int.random(in: 0..<opcodes.count, using: &generator)])
            for _ in 0..<Int.random(in: 0...24, using: &generator) {
                pdu.append(UInt8.random(in: 0...12, using: &generator))
            }
            bench.bearer.receive(
                pdu.span, table: &bench.table, security: bench.security, at: bench.now)
            completed += bench.drain().results.count
        }
        bench.bearer.close()
        completed += bench.drain().results.count
        #expect(completed == procedures.count, "seed \(seed)")
    }

    @Test("random requests are answered or ignored, never with two PDUs", arguments: 0..<50)
    func randomRequests(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let table = try AttributeTable(vector: try #require(ServerExchangeTests.cases.last).table)
        var bench = BearerBench(receiveMTU: 64, table: table)
        for _ in 0..<500 {
            var pdu = [UInt8.random(in: 0...0xFF, using: &generator)]
            if Bool.random(using: &generator) { pdu[0] &= 0x1E }
            for _ in 0..<Int.random(in: 0...24, using: &generator) {
                pdu.append(UInt8.random(in: 0...20, using: &generator))
            }
            bench.bearer.receive(
                pdu.span, table: &bench.table, security: bench.security, at: bench.now)
            let pdus = bench.drain().pdus
            #expect(pdus.count <= 1, "seed \(seed)")
            #expect(pdus.allSatisfy { $0.utf8.count <= 2 * bench.bearer.mtu }, "seed \(seed)")
        }
    }
}
