// Decoding against a C reference in the same process; the ratios are the result.
internal import ANCS
internal import CReference
internal import Glibc
internal import Octets

/// A captured answer: eight attributes, 127 octets (UID 151, a mail).
let response: [UInt8] = {
    let values = [
        "com.apple.mobilemail", "Anna", "Re: Lunch", "See you at the usual place at noon?", "35",
        "20261121T093000", "", "Clear",
    ]
    let attributes = values.enumerated().map {
        AttributeValue(id: UInt8($0.offset), octets: Array($0.element.utf8))
    }
    let identity = ResponseIdentity.notification(NotificationUID(rawValue: 151))
    return AttributeResponse(identity: identity, attributes: attributes).octets
}()

let notification: [UInt8] = [0x00, 0x1A, 0x01, 0x01, 0x97, 0x00, 0x00, 0x00]

func nanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// The shortest of many short runs, in picoseconds for one call of `body`. Both sides of a comparison
/// take turns, so that a busy machine is busy for both.
func compare(
    calls: Int, _ first: (Int) -> UInt64, _ second: (Int) -> UInt64
) -> (first: Double, second: Double) {
    var shortest = (first: UInt64.max, second: UInt64.max)
    var sink: UInt64 = 0
    for _ in 0..<500 {
        var start = nanoseconds()
        sink &+= first(calls)
        shortest.first = min(shortest.first, nanoseconds() - start)
        start = nanoseconds()
        sink &+= second(calls)
        shortest.second = min(shortest.second, nanoseconds() - start)
    }
    // Keeps the results alive; never true.
    if sink == 1 { print(sink) }
    let scale = 1000 / Double(calls)
    return (Double(shortest.first) * scale, Double(shortest.second) * scale)
}

@inline(never)
func decodeNotification(_ octets: Span<UInt8>) -> UInt64 {
    do throws(DecodingError) {
        let value = try NotificationSourceValue(decoding: octets)
        return UInt64(value.notificationUID.rawValue) &+ UInt64(value.categoryID.rawValue)
    } catch {
        return 0
    }
}

@inline(never)
func decodeResponse(_ octets: Span<UInt8>, into table: inout ResponseTable) -> UInt64 {
    do throws(DecodingError) {
        try table.fill(notificationAttributes: octets)
    } catch {
        return 0
    }
    return UInt64(table.entries[table.count - 1].offset) &+ UInt64(table.count)
}

func report(_ title: String, _ result: (first: Double, second: Double)) {
    func figure(_ picoseconds: Double) -> String {
        String(Int((picoseconds / 100).rounded())).reversed().enumerated()
            .reduce(into: "") { $0 = String($1.element) + ($1.offset == 1 ? "." : "") + $0 }
    }
    let ratio = Double(Int(result.first / result.second * 100)) / 100
    print(
        "\(title): Swift \(figure(result.first)) ns, C \(figure(result.second)) ns, ratio \(ratio)")
}

let notificationResult = compare(calls: 100_000) { calls in
    var sum: UInt64 = 0
    let octets = notification.span
    for _ in 0..<calls { sum &+= decodeNotification(octets) }
    return sum
} _: { calls in
    var sum: UInt64 = 0
    notification.withUnsafeBufferPointer { octets in
        for _ in 0..<calls {
            var value = reference_notification()
            guard reference_decode_notification(octets.baseAddress, octets.count, &value) else {
                continue
            }
            sum &+= UInt64(value.uid) &+ UInt64(value.category_id)
        }
    }
    return sum
}
report("Notification Source value, 8 octets", notificationResult)

let responseResult = compare(calls: 20_000) { calls in
    var sum: UInt64 = 0
    var table = ResponseTable()
    let octets = response.span
    for _ in 0..<calls { sum &+= decodeResponse(octets, into: &table) }
    return sum
} _: { calls in
    var sum: UInt64 = 0
    response.withUnsafeBufferPointer { octets in
        var value = reference_response()
        for _ in 0..<calls {
            guard reference_decode_response(octets.baseAddress, octets.count, &value) else {
                continue
            }
            sum &+= UInt64(value.uid) &+ UInt64(value.attribute_count)
        }
    }
    return sum
}
report("Data Source answer, \(response.count) octets, 8 attributes", responseResult)
