import Testing

@testable import Octets

@Suite("Numbers in decimal digits")
struct DecimalTests {
    private func text(_ number: UInt64, width: Int) -> String {
        var octets: [UInt8] = []
        octets.append(decimal: number, width: width)
        return String(decoding: octets, as: UTF8.self)
    }

    @Test("every number of digits, with and without zeros before them")
    func digits() {
        var numbers: [UInt64] = [0, .max]
        var power: UInt64 = 1
        for _ in 0..<19 {
            power *= 10
            numbers += [power - 1, power, power + 1]
        }
        for number in numbers {
            for width in 0...20 {
                let digits = String(number)
                let zeros = String(repeating: "0", count: max(0, width - digits.count))
                #expect(text(number, width: width) == zeros + digits)
            }
        }
    }

    @Test(
        "a sign stands before a negative number only", arguments: [Int.min, -10, -1, 0, 7, Int.max])
    func sign(_ number: Int) {
        var octets = Array("x".utf8)
        octets.append(decimal: number)
        #expect(String(decoding: octets, as: UTF8.self) == "x\(number)")
    }
}
