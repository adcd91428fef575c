// Compares decoding with a C reference in the same process; the ratios are the result. Each side decodes one
// value in one call that is not inlined, and the caller uses the result.
//
//     codec-benchmark notifications COUNT
//     codec-benchmark responses COUNT
//
// Decodes COUNT values of one kind with our side alone, whose instructions somebody counts.
internal import ANCS
internal import CReference
internal import Glibc
internal import Octets

let notification: [UInt8] = [0x00, 0x1A, 0x01, 0x01, 0x97, 0x00, 0x00, 0x00]

/// An answer about a typical iOS mail notification: eight attributes, 127 octets.
let response: [UInt8] = {
    let values = [
        "com.apple.mobilemail", "Anna", "Re: Lunch", "See you at the usual place at half past 12?",
        "42", "20261121T093000", "", "Clear",
    ]
    let attributes = values.enumerated().map {
        AttributeValue(id: UInt8($0.offset), octets: Array($0.element.utf8))
    }
    let identity = ResponseIdentity.notification(NotificationUID(rawValue: 151))
    return AttributeResponse(identity: identity, attributes: attributes).octets
}()

// MARK: What is measured

@inline(never)
func decode(notification octets: Span<UInt8>) throws(DecodingError) -> NotificationSourceValue {
    try NotificationSourceValue(decoding: octets)
}

@inline(never)
func decode(
    response octets: Span<UInt8>, into table: inout ResponseTable
) throws(DecodingError) {
    try table.fill(notificationAttributes: octets)
}

func decodeNotifications(_ octets: Span<UInt8>, calls: Int) throws(DecodingError) -> UInt64 {
    var sum: UInt64 = 0
    for _ in 0..<calls {
        let value = try decode(notification: octets)
        sum &+= UInt64(value.notificationUID.rawValue) &+ UInt64(value.categoryID.rawValue)
    }
    return sum
}

func decodeNotificationsInC(_ octets: UnsafeBufferPointer<UInt8>, calls: Int) -> UInt64? {
    var sum: UInt64 = 0
    var value = reference_notification()
    for _ in 0..<calls {
        guard reference_decode_notification(octets.baseAddress, octets.count, &value) else {
            return nil
        }
        sum &+= UInt64(value.uid) &+ UInt64(value.category_id)
    }
    return sum
}

func decodeResponses(_ octets: Span<UInt8>, calls: Int) throws(DecodingError) -> UInt64 {
    var sum: UInt64 = 0
    var table = ResponseTable()
    for _ in 0..<calls {
        try decode(response: octets, into: &table)
        sum &+= UInt64(table.entries[7].offset) &+ UInt64(table.count)
    }
    return sum
}

func decodeResponsesInC(_ octets: UnsafeBufferPointer<UInt8>, calls: Int) -> UInt64? {
    var sum: UInt64 = 0
    var value = reference_response()
    for _ in 0..<calls {
        guard reference_decode_response(octets.baseAddress, octets.count, &value) else {
            return nil
        }
        sum &+= UInt64(value.attributes.7.offset) &+ UInt64(value.attribute_count)
    }
    return sum
}

// MARK: Measuring

/// The two sides decoded different results, which ends the run.
struct Disagreement: Error {}

func nanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Prints nanoseconds per call, taken from the shortest of many short runs, which other work of the machine
/// does not interrupt. The sides alternate, so that a machine that slows down affects both.
func report(
    _ title: String, calls: Int = 20_000, runs: Int = 2_000, swift: (Int) throws -> UInt64,
    reference: (Int) throws -> UInt64?
) throws {
    var shortest = (swift: UInt64.max, reference: UInt64.max)
    for _ in 0..<runs {
        let start = nanoseconds()
        let ours = try swift(calls)
        let middle = nanoseconds()
        let theirs = try reference(calls)
        shortest.swift = min(shortest.swift, middle - start)
        shortest.reference = min(shortest.reference, nanoseconds() - middle)
        guard ours == theirs else { throw Disagreement() }
    }
    let ours = Double(shortest.swift) / Double(calls)
    let theirs = Double(shortest.reference) / Double(calls)
    print(
        "\(title): Swift \(rounded(ours, 1)) ns, C \(rounded(theirs, 1)) ns, "
            + "\(rounded(ours / theirs, 2)) times C (goal: at most 1.1)")
}

/// The value in decimal with this many digits after the point.
func rounded(_ value: Double, _ digits: Int) -> String {
    let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
    let scaled = Int((value * Double(scale)).rounded())
    let fraction = String(scaled % scale)
    return "\(scaled / scale)." + String(repeating: "0", count: digits - fraction.count) + fraction
}

func measure() throws {
    try report("Notification Source, \(notification.count) octets") { calls in
        try decodeNotifications(notification.span, calls: calls)
    } reference: { calls in
        notification.withUnsafeBufferPointer { decodeNotificationsInC($0, calls: calls) }
    }
    try report("Data Source, \(response.count) octets, 8 attributes", calls: 5_000) { calls in
        try decodeResponses(response.span, calls: calls)
    } reference: { calls in
        response.withUnsafeBufferPointer { decodeResponsesInC($0, calls: calls) }
    }
}

let arguments = CommandLine.arguments.dropFirst()
switch (arguments.first, arguments.dropFirst().first.flatMap { Int($0) }) {
case (nil, _): try measure()
case ("notifications", let count?):
    print(try decodeNotifications(notification.span, calls: count))
case ("responses", let count?): print(try decodeResponses(response.span, calls: count))
case _:
    print("usage: codec-benchmark [notifications COUNT | responses COUNT]")
    exit(2)
}
