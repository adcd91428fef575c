import BluetoothLE
import Octets
import Testing

/// What a client sends for each procedure and what it makes of the answers.
struct ClientExchangeTests {
    struct Row: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var procedure: GATTProcedure
        /// Requests and the responses that they get, in turn.
        var exchange: [String]
        var result: Result<GATTResult, GATTFailure>
    }

    private static let sixteen = BluetoothUUID(
        UInt128(0xEFCD_AB89_6745_2301_0000_0000_393E_0000))

    private static func range(_ first: UInt16, _ last: UInt16) -> AttributeHandleRange {
        AttributeHandleRange(AttributeHandle(first), AttributeHandle(last))
    }

    private static func service(
        _ first: UInt16, _ last: UInt16, _ uuid: UInt16, isPrimary: Bool = true
    ) -> RemoteDatabase.Service {
        RemoteDatabase.Service(
            range: range(first, last), uuid: BluetoothUUID(uuid), isPrimary: isPrimary)
    }

    static let discoveries: [Row] = [
        Row(
            testDescription: "primary services until none is left",
            procedure: .discoverPrimaryServices,
            exchange: [
                "100100ffff0028", "110610001300001820002900b068",
                "102a00ffff0028", "01102a000a",
            ],
            result: .success(
                .services([service(0x10, 0x13, 0x1800), service(0x20, 0x29, 0x68B0)]))),
        Row(
            testDescription: "primary services until the last handle",
            procedure: .discoverPrimaryServices,
            exchange: ["100100ffff0028", "110610f018f00018ffffffff0a18"],
            result: .success(
                .services([
                    service(0xF010, 0xF018, 0x1800), service(0xFFFF, 0xFFFF, 0x180A),
                ]))),
        Row(
            testDescription: "secondary services",
            procedure: .discoverSecondaryServices,
            exchange: ["100100ffff0128", "0110010010"],
            result: .failure(.errorResponse(.unsupportedGroupType, AttributeHandle(1)))),
        Row(
            testDescription: "a service by its UUID",
            procedure: .discoverPrimaryServicesByUUID(.genericAccess),
            exchange: [
                "060100ffff00280018", "0701000700", "060800ffff00280018", "010608000a",
            ],
            result: .success(.services([service(1, 7, 0x1800)]))),
        Row(
            testDescription: "a service by its UUID, written out",
            procedure: .discoverPrimaryServicesByUUID(.genericAccess, form: .full),
            exchange: [
                "060100ffff0028fb349b5f800000800010000000180000",
                "070100ffff",
            ],
            result: .success(.services([service(1, 0xFFFF, 0x1800)]))),
        Row(
            testDescription: "an included service whose UUID must be read",
            procedure: .discoverIncludedServices(.all),
            exchange: [
                "080100ffff0228", "0908020010001f000f18", "080300ffff0228",
                "0906030020002f00", "0a2000", "0b00003e39000000000123456789abcdef",
                "080400ffff0228", "010804000a",
            ],
            result: .success(
                .includedServices([
                    .init(
                        declaration: AttributeHandle(2), range: range(0x10, 0x1F),
                        uuid: BluetoothUUID(UInt16(0x180F))),
                    .init(
                        declaration: AttributeHandle(3), range: range(0x20, 0x2F), uuid: sixteen),
                ]))),
        Row(
            testDescription: "characteristics, and an error about another handle ends them",
            procedure: .discoverCharacteristics(range(0x10, 0x20)),
            exchange: [
                "08100020000328", "09071100021200252a", "08120020000328", "010810000a",
            ],
            result: .success(
                .characteristics([
                    .init(
                        declaration: AttributeHandle(0x11), value: AttributeHandle(0x12),
                        properties: .read, uuid: BluetoothUUID(UInt16(0x2A25)))
                ]))),
        Row(
            testDescription: "characteristics with a UUID are chosen from all",
            procedure: .discoverCharacteristics(
                range(0x10, 0x13), uuid: BluetoothUUID(UInt16(0x2A26))),
            exchange: [
                "08100013000328", "09071000021100252a1200021300262a", "08130013000328",
                "010813000a",
            ],
            result: .success(
                .characteristics([
                    .init(
                        declaration: AttributeHandle(0x12), value: AttributeHandle(0x13),
                        properties: .read, uuid: BluetoothUUID(UInt16(0x2A26)))
                ]))),
        Row(
            testDescription: "descriptors until the end of the range",
            procedure: .discoverDescriptors(range(0x13, 0x15)),
            exchange: ["0413001500", "05011300022914000329", "0415001500", "050115000429"],
            result: .success(
                .descriptors([
                    .init(handle: AttributeHandle(0x13), type: .clientCharacteristicConfiguration),
                    .init(handle: AttributeHandle(0x14), type: BluetoothUUID(UInt16(0x2903))),
                    .init(handle: AttributeHandle(0x15), type: BluetoothUUID(UInt16(0x2904))),
                ]))),
    ]

    static let values: [Row] = [
        Row(
            testDescription: "a value",
            procedure: .readValue(AttributeHandle(3)), exchange: ["0a0300", "0b010203"],
            result: .success(.value([1, 2, 3]))),
        Row(
            testDescription: "a handle of zero is the server's to refuse",
            procedure: .readValue(AttributeHandle(0)), exchange: ["0a0000", "010a000001"],
            result: .failure(.errorResponse(.invalidHandle, AttributeHandle(0)))),
        Row(
            testDescription: "an error of the application",
            procedure: .readValue(AttributeHandle(3)), exchange: ["0a0300", "010a0300a2"],
            result: .failure(
                .errorResponse(ATTErrorCode(rawValue: 0xA2), AttributeHandle(3)))),
        Row(
            testDescription: "a short value needs no Read Blob Request",
            procedure: .readLongValue(AttributeHandle(3)), exchange: ["0a0300", "0b010203"],
            result: .success(.value([1, 2, 3]))),
        Row(
            testDescription: "a long value in three parts, the last one empty",
            procedure: .readLongValue(AttributeHandle(3)),
            exchange: [
                "0a0300", "0b" + full, "0c03001600", "0d" + full, "0c03002c00", "0d",
            ],
            result: .success(.value([UInt8](repeating: 0xAB, count: 44)))),
        Row(
            testDescription: "Attribute Not Long ends a long value",
            procedure: .readLongValue(AttributeHandle(3)),
            exchange: ["0a0300", "0b" + full, "0c03001600", "010c03000b"],
            result: .success(.value([UInt8](repeating: 0xAB, count: 22)))),
        Row(
            testDescription: "the first part of a long value, and no more",
            procedure: .readPart(AttributeHandle(3), offset: 0), exchange: ["0a0300", "0b" + full],
            result: .success(.value([UInt8](repeating: 0xAB, count: 22)))),
        Row(
            testDescription: "a part from an offset",
            procedure: .readPart(AttributeHandle(3), offset: 22),
            exchange: ["0c03001600", "0d0102"], result: .success(.value([1, 2]))),
        Row(
            testDescription: "a part beyond the end",
            procedure: .readPart(AttributeHandle(3), offset: 22),
            exchange: ["0c03001600", "010c030007"],
            result: .failure(.errorResponse(.invalidOffset, AttributeHandle(3)))),
        Row(
            testDescription: "every value of a type",
            procedure: .readByUUID(.all, BluetoothUUID(UInt16(0x2A0D))),
            exchange: ["080100ffff0d2a", "09050a00010203", "080b00ffff0d2a", "01080b000a"],
            result: .success(
                .values([.init(handle: AttributeHandle(10), value: [1, 2, 3])]))),
        Row(
            testDescription: "no value of a type",
            procedure: .readByUUID(.all, BluetoothUUID(UInt16(0x2A0D))),
            exchange: ["080100ffff0d2a", "010801000a"],
            result: .failure(.errorResponse(.attributeNotFound, AttributeHandle(1)))),
        Row(
            testDescription: "several values in one",
            procedure: .readMultiple([AttributeHandle(3), AttributeHandle(7)]),
            exchange: ["0e03000700", "0f010203"], result: .success(.value([1, 2, 3]))),
        Row(
            testDescription: "several values with their lengths",
            procedure: .readMultipleVariable([AttributeHandle(3), AttributeHandle(7)]),
            exchange: ["2003000700", "210100aa0200bbcc"],
            result: .success(
                .values([
                    .init(handle: AttributeHandle(3), value: [0xAA]),
                    .init(handle: AttributeHandle(7), value: [0xBB, 0xCC]),
                ]))),
        Row(
            testDescription: "a write",
            procedure: .writeValue(AttributeHandle(7), [1, 2, 3]),
            exchange: ["120700010203", "13"], result: .success(.done)),
        Row(
            testDescription: "a write that is too long for one PDU",
            procedure: .writeValue(AttributeHandle(7), [UInt8](repeating: 0xAB, count: 21)),
            exchange: [
                "1607000000" + part, "1707000000" + part, "1607001200ababab",
                "1707001200ababab", "1801", "19",
            ],
            result: .success(.done)),
        Row(
            testDescription: "a long write that is refused empties the queue",
            procedure: .writeLongValue(AttributeHandle(7), [1, 2, 3]),
            exchange: ["1607000000010203", "0116070005", "1800", "19"],
            result: .failure(
                .errorResponse(.insufficientAuthentication, AttributeHandle(7)))),
        Row(
            testDescription: "a long write whose echo is wrong is not executed",
            procedure: .writeLongValue(AttributeHandle(7), [1, 2, 3]),
            exchange: ["1607000000010203", "1707000000010204", "1800", "19"],
            result: .failure(.valueMismatch)),
        Row(
            testDescription: "a long write that need not be verified",
            procedure: .writeLongValue(AttributeHandle(7), [1, 2, 3], verifies: false),
            exchange: ["1607000000010203", "1707000000010204", "1801", "19"],
            result: .success(.done)),
        Row(
            testDescription: "an execution that fails",
            procedure: .writeLongValue(AttributeHandle(7), [1, 2, 3]),
            exchange: ["1607000000010203", "1707000000010203", "1801", "011807000d"],
            result: .failure(
                .errorResponse(.invalidAttributeValueLength, AttributeHandle(7)))),
    ]

    /// As much of a value as a response has room for, and a Prepare Write Request.
    private static let full = String(repeating: "ab", count: 22)
    private static let part = String(repeating: "ab", count: 18)

    @Test("a procedure sends what it needs and ends once", arguments: discoveries + values)
    func procedure(_ row: Row) throws {
        var bench = BearerBench()
        var outputs = try bench.start(row.procedure)
        for index in stride(from: 0, to: row.exchange.count, by: 2) {
            #expect(outputs.pdus == [row.exchange[index]])
            #expect(outputs.results.isEmpty)
            outputs = try bench.receive(row.exchange[index + 1])
        }
        #expect(outputs.pdus.isEmpty)
        #expect(outputs.results == [row.result])
        #expect(bench.bearer.nextDeadline == nil)
    }

    @Test("a database is discovered in five passes")
    func database() throws {
        var bench = BearerBench()
        var outputs = try bench.start(.discoverDatabase())
        let exchange = [
            "100100ffff0028", "1106010004000118050008000d18",
            "100900ffff0028", "011009000a", "100100ffff0128", "0110010010",
            "08010008000228", "010801000a", "08010008000328", "09070200020300002a",
            "08030008000328", "09070600100700292a", "08070008000328", "010807000a",
            "0404000400", "050104000129", "0408000800", "050108000229",
        ]
        for index in stride(from: 0, to: exchange.count, by: 2) {
            #expect(outputs.pdus == [exchange[index]])
            outputs = try bench.receive(exchange[index + 1])
        }
        let result = try #require(outputs.results.first)
        guard case .success(.database(let database)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(database.services.map(\.uuid.text) == ["1801", "180D"])
        let heart = try #require(database.service(BluetoothUUID(UInt16(0x180D))))
        let characteristic = try #require(heart.characteristic(BluetoothUUID(UInt16(0x2A29))))
        #expect(characteristic.value == AttributeHandle(7))
        #expect(characteristic.properties == .notify)
        #expect(characteristic.configuration == AttributeHandle(8))
        #expect(database.service(.genericAccess) == nil)
    }

    @Test("procedures run one after the other")
    func queue() throws {
        var bench = BearerBench()
        #expect(try bench.start(.readValue(AttributeHandle(1))).pdus == ["0a0100"])
        #expect(try bench.start(.readValue(AttributeHandle(2))).pdus == [])
        let outputs = try bench.receive("0baa")
        #expect(outputs.results == [.success(.value([0xAA]))])
        #expect(outputs.pdus == ["0a0200"])
        #expect(try bench.receive("0bbb").results == [.success(.value([0xBB]))])
    }

    @Test("the queue of procedures is bounded, and procedures pending at the end are reported")
    func boundedQueue() throws {
        var bench = BearerBench()
        for handle in 1...33 { _ = try bench.start(.readValue(AttributeHandle(UInt16(handle)))) }
        #expect(throws: ATTBearer.UsageError.queueFull) {
            try bench.start(.readValue(AttributeHandle(34)))
        }
        bench.bearer.close()
        let results = bench.drain().results
        #expect(results.count == 33)
        #expect(results.allSatisfy { $0 == .failure(.closed) })
        #expect(throws: ATTBearer.UsageError.closed) { try bench.start(.exchangeMTU) }
    }

    @Test("ATT_MTU is the smaller of both offers, and never below 23")
    func exchangeMTU() throws {
        var bench = BearerBench(receiveMTU: 100)
        #expect(try bench.start(.exchangeMTU).pdus == ["026400"])
        let outputs = try bench.receive("033200")
        #expect(
            outputs == [
                .event(.mtuChanged(50)),
                .event(.completed(.init(rawValue: 1), .success(.mtu(50)))),
            ])
        #expect(bench.bearer.mtu == 50)
        _ = try bench.start(.exchangeMTU)
        #expect(try bench.receive("030500").results == [.success(.mtu(23))])
        #expect(bench.bearer.mtu == 23)
    }

    @Test("a command goes out at once and must fit")
    func command() throws {
        var bench = BearerBench()
        _ = try bench.start(.readValue(AttributeHandle(1)))
        try bench.bearer.writeWithoutResponse([1, 2], to: AttributeHandle(7))
        #expect(bench.drain().pdus == ["5207000102"])
        #expect(throws: ATTBearer.UsageError.valueTooLong(limit: 20)) {
            try bench.bearer.writeWithoutResponse(
                [UInt8](repeating: 0, count: 21), to: AttributeHandle(7))
        }
    }
}
