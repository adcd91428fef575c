import JSONText
import Octets
import Testing

@testable import ANCS

@Suite("Answers on the Data Source")
struct ResponseAssemblerTests {
    static let vectors = Vector.ofKind("data_source").filter { $0.request != nil }

    @Test("an answer cut at any octet is the same answer", arguments: vectors)
    func cuts(_ vector: Vector) throws {
        let command = try vector.command()
        for cut in 0...vector.octets.count {
            var assembler = try #require(ResponseAssembler(answering: command))
            assembler.receive(Array(vector.octets[..<cut]).span)
            assembler.receive(Array(vector.octets[cut...]).span)
            try check(assembler, vector, "cut at \(cut)")
        }
    }

    @Test("an answer that comes octet by octet is the same answer", arguments: vectors)
    func dripFeed(_ vector: Vector) throws {
        var assembler = try #require(ResponseAssembler(answering: try vector.command()))
        for octet in vector.octets { assembler.receive([octet].span) }
        try check(assembler, vector, "octet by octet")
    }

    private func check(
        _ assembler: ResponseAssembler, _ vector: Vector, _ comment: Comment
    ) throws {
        let expect = vector.expect
        switch assembler.progress {
        case .complete:
            // The shortened oversize vector says nothing about completeness.
            #expect(expect["complete"]?.boolean ?? true, comment)
        case .incomplete, .failed:
            #expect(expect["complete"]?.boolean == false, comment)
        }
        try checkFailure(assembler, expect, comment)
        guard let attributes = expect["attributes"]?.array else { return }
        try #require(assembler.attributes.count == attributes.count, comment)
        for (attribute, expected) in zip(assembler.attributes, attributes) {
            #expect(Int(attribute.id) == expected["id"]?.integer, comment)
            #expect(Int(attribute.length) == expected["length"]?.integer, comment)
            let text = expected["text"]?.string ?? expected["repaired"]?.string
            #expect(attribute.text == text, comment)
            #expect(
                attribute.isValidUTF8 == (expected["utf8_valid"]?.boolean ?? true), comment)
            if let hex = expected["hex"]?.string {
                #expect(Hexadecimal.text(attribute.octets) == hex, comment)
            }
        }
    }

    private func checkFailure(
        _ assembler: ResponseAssembler, _ expect: JSONValue, _ comment: Comment
    ) throws {
        switch expect["error"]?.string {
        case "uid_mismatch":
            let uid = NotificationUID(rawValue: UInt32(try #require(expect["got"]?.integer)))
            let failure = ResponseFailure.unexpectedIdentity(.notification(uid))
            #expect(assembler.progress == .failed(failure), comment)
        case "app_id_mismatch":
            let app = try AppIdentifier(try #require(expect["got"]?.string))
            let failure = ResponseFailure.unexpectedIdentity(.app(app))
            #expect(assembler.progress == .failed(failure), comment)
        case "unexpected_command":
            let id = CommandID(rawValue: UInt8(try #require(expect["command_id"]?.integer)))
            #expect(assembler.progress == .failed(.unexpectedCommand(id)), comment)
        case let error?:
            Issue.record("unknown expectation \(error)")
        case nil:
            break
        }
    }

    @Test("octets after the answer are counted, not part of it")
    func excess() throws {
        let vector = try #require(Self.vectors.first { $0.name == "neg_ds_trailing_aabb" })
        var assembler = try #require(ResponseAssembler(answering: try vector.command()))
        assembler.receive(vector.octets.span)
        #expect(assembler.progress == .complete(excess: 2))
        assembler.receive([1, 2, 3].span)
        #expect(assembler.progress == .complete(excess: 2))
        #expect(assembler.attributes.count == 2)
    }

    @Test("the same attributes in any order are the same answer (R32, S5)")
    func anyOrder() throws {
        let command = try Self.command([.appIdentifier, .title, .message])
        let values = [
            AttributeValue(.appIdentifier, "com.example"), AttributeValue(.title, "Ada"),
            AttributeValue(.message, "Lunch?"),
        ]
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let response = AttributeResponse(
                identity: .notification(Self.uid), attributes: order.map { values[$0] })
            var assembler = try #require(ResponseAssembler(answering: command))
            assembler.receive(response.octets.span)
            #expect(assembler.progress == .complete(excess: 0))
            #expect(assembler.response == response)
        }
    }

    @Test("attributes that were not asked for, and repeated ones, are skipped by their length")
    func strays() throws {
        let response = AttributeResponse(
            identity: .notification(Self.uid),
            attributes: [
                AttributeValue(id: 200, octets: [1, 2, 3]), AttributeValue(.title, "one"),
                AttributeValue(.title, "two"), AttributeValue(.date, ""),
                AttributeValue(.message, "text"),
            ])
        for size in 1...response.encodedCount {
            var assembler = try #require(
                ResponseAssembler(answering: try Self.command([.title, .message])))
            for fragment in response.octets.fragments(of: size) {
                assembler.receive(fragment.span)
            }
            #expect(assembler.progress == .complete(excess: 0))
            #expect(assembler.attributes.map(\.text) == ["one", "text"])
        }
    }

    @Test("a value beyond the limit is cut and marked, its length kept")
    func valueLimit() throws {
        let response = AttributeResponse(
            identity: .notification(Self.uid),
            attributes: [AttributeValue(.title, "0123456789"), AttributeValue(.message, "short")])
        let limits = ResponseLimits(maximumValueOctets: 6)
        for size in 1...response.encodedCount {
            var assembler = try #require(
                ResponseAssembler(
                    answering: try Self.command([.title, .message]), limits: limits))
            for fragment in response.octets.fragments(of: size) {
                assembler.receive(fragment.span)
            }
            #expect(assembler.progress == .complete(excess: 0))
            #expect(assembler.attributes.map(\.text) == ["012345", "short"])
            #expect(assembler.attributes.map(\.length) == [10, 5])
            #expect(assembler.attributes.map(\.isCut) == [true, false])
        }
    }

    @Test("an answer without the requested attributes fails at the limit")
    func totalLimit() throws {
        var assembler = try #require(ResponseAssembler(answering: try Self.command([.title])))
        assembler.receive([0, 1, 0, 0, 0x80].span)
        let zeros = [UInt8](repeating: 0, count: 3 * 64)
        var sent = 0
        while assembler.progress == .incomplete, sent < 70_000 {
            assembler.receive(zeros.span)
            sent += zeros.count
        }
        #expect(assembler.progress == .failed(.tooLong))
        #expect(sent <= 65_536 + zeros.count)
        #expect(assembler.attributes.isEmpty)
    }

    @Test("an app identifier that never ends fails")
    func endlessAppIdentifier() throws {
        var assembler = ResponseAssembler()
        assembler.receive(([1] + [UInt8](repeating: 0x61, count: 600)).span)
        #expect(assembler.progress == .failed(.tooLong))
    }

    @Test("every prefix of an answer is incomplete")
    func prefixes() throws {
        let response = AttributeResponse(
            identity: .notification(Self.uid), attributes: [AttributeValue(.title, "Ada")])
        let octets = response.octets
        for count in 0..<octets.count {
            var assembler = try #require(ResponseAssembler(answering: try Self.command([.title])))
            assembler.receive(Array(octets[..<count]).span)
            #expect(assembler.progress == .incomplete)
            // The header alone is a whole answer for a table, which asks for nothing.
            guard count != 5 else { continue }
            #expect(throws: DecodingError.self) {
                var table = ResponseTable()
                try table.fill(notificationAttributes: Array(octets[..<count]).span)
            }
        }
    }

    @Test("a table has the places of the attributes, without a copy")
    func table() throws {
        let vector = try #require(
            Self.vectors.first { $0.name == "ringly_ds_message_all_eight" })
        var table = ResponseTable()
        try table.fill(notificationAttributes: vector.octets.span)
        #expect(table.count == 8)
        #expect(table.end == vector.octets.count)
        #expect(Array(vector.octets[table.entries[7].range]) == Array("Clear".utf8))
        let app = try #require(Self.vectors.first { $0.name == "ringly_ds_app_messages" })
        try table.fill(appAttributes: app.octets.span)
        #expect(table.count == 1)
        #expect(Array(app.octets[table.entries[0].range]) == Array("Messages".utf8))
        let tooMany = [UInt8](repeating: 0, count: 5 + 17 * 3)
        #expect(throws: DecodingError.excess(count: 3)) {
            try table.fill(notificationAttributes: tooMany.span)
        }
        #expect(throws: DecodingError.invalid(available: 5)) {
            try table.fill(appAttributes: [0, 0, 0, 0, 0, 0].span)
        }
    }

    @Test("random answers come back as they were, in fragments of any size")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 99)
        for _ in 0..<200 {
            let ids = Array((0...9 as ClosedRange<UInt8>).shuffled(using: &generator).prefix(5))
            let requests = try ids.map { id in
                let id = NotificationAttributeID(rawValue: id)
                return try NotificationAttributeRequest(
                    id, maxLength: id.takesMaximumLength ? 99 : nil)
            }
            let response = AttributeResponse(
                identity: .notification(Self.uid),
                attributes: ids.map { id in
                    let count = Int.random(in: 0...80, using: &generator)
                    return AttributeValue(id: id, octets: generator.octets(count))
                })
            let size = Int.random(in: 1...60, using: &generator)
            var assembler = try #require(ResponseAssembler(answering: try Self.command(requests)))
            for fragment in response.octets.fragments(of: size) {
                assembler.receive(fragment.span)
            }
            #expect(assembler.progress == .complete(excess: 0))
            #expect(assembler.response == response)
        }
    }

    private static let uid = NotificationUID(rawValue: 0x8000_0001)

    private static func command(
        _ attributes: [NotificationAttributeRequest]
    ) throws -> ControlPointCommand {
        .getNotificationAttributes(
            try GetNotificationAttributes(notificationUID: uid, attributes: attributes))
    }
}

extension [UInt8] {
    /// The octets in pieces of `size`.
    func fragments(of size: Int) -> [[UInt8]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
