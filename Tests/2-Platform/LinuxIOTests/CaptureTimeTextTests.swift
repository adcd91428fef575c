import Glibc
@testable import HCITransports
import LinuxIO
import Octets
import Testing

@Suite("The text of a time")
struct CaptureTimeTextTests {
    /// The date and the time of day as the C library has them.
    private static func expected(_ time: CaptureTime) -> String {
        let (whole, rest) = time.microsecondsSince1970.quotientAndRemainder(dividingBy: 1_000_000)
        var clock = time_t(rest < 0 ? whole - 1 : whole)
        var fields = tm()
        gmtime_r(&clock, &fields)
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = "\(number.magnitude)"
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let year = Int(fields.tm_year) + 1900
        let sign = (0...9999).contains(year) ? "" : year < 0 ? "-" : "+"
        let day = [year, Int(fields.tm_mon) + 1, Int(fields.tm_mday)]
        let clockTime = [fields.tm_hour, fields.tm_min, fields.tm_sec].map { padded(Int($0), 2) }
        return sign + padded(day[0], 4) + "-" + padded(day[1], 2) + "-" + padded(day[2], 2) + "T"
            + clockTime.joined(separator: ":") + "."
            + padded(Int(rest < 0 ? rest + 1_000_000 : rest), 6) + "Z"
    }

    @Test("a sum is clamped to the times that can be represented")
    func sums() {
        func time(_ microseconds: Int64) -> CaptureTime {
            CaptureTime(microsecondsSince1970: microseconds)
        }
        #expect(time(5) + .microseconds(-7) == time(-2))
        #expect(time(.max) + .microseconds(1) == time(.max))
        #expect(time(.min) + .microseconds(-1) == time(.min))
        #expect(time(0) + .seconds(Int64.max) == time(.max))
        #expect(time(0) + .seconds(Int64.min) == time(.min))
    }

    @Test("every day of eight centuries, from before the year 0 to beyond 2200")
    func days() {
        for era in [-800, 1600] {
            // 1970 is 719,528 days after the beginning of the year 0, and a year has 365.2425.
            let first = Int(Double(era) * 365.2425) - 719_528
            for day in first..<(first + 2 * 146_097) {
                let time = CaptureTime(microsecondsSince1970: Int64(day) * 86_400_000_000)
                guard time.text == Self.expected(time) else {
                    Issue.record("day \(day): \(time.text), not \(Self.expected(time))")
                    return
                }
            }
        }
    }

    @Test("any time, and the first and the last")
    func anyTime() {
        var generator = SeededGenerator(seed: 18)
        var times: [Int64] = [.min, .min + 1, -1_000_001, -1_000_000, -1, 0, 1, 999_999, .max]
        for shift in 0..<63 {
            for _ in 0..<20 {
                times.append(.random(in: .min ... .max, using: &generator) >> Int64(shift))
            }
        }
        for microseconds in times {
            let time = CaptureTime(microsecondsSince1970: microseconds)
            #expect(time.text == Self.expected(time))
        }
    }

    @Test("the fraction is cut, not rounded")
    func fractions() {
        let time = CaptureTime(microsecondsSince1970: 1_999_999)
        #expect(time.text(fractionDigits: 3) == "1970-01-01T00:00:01.999Z")
        #expect(time.text(fractionDigits: 0) == "1970-01-01T00:00:01Z")
        #expect(time.text(fractionDigits: 9) == "1970-01-01T00:00:01.999999Z")
    }
}
