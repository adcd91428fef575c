import Foundation
import Printing
import Testing

@Suite("Colors")
struct TerminalPaintTests {
    /// The least contrast, as the Web Content Accessibility Guidelines 2.2 define it. No color can have more than
    /// 4.58 on black and on white.
    private static let leastContrast = 4.0

    @Test("each color can be read on black and on white", arguments: TerminalPaint.Style.allCases)
    func contrast(style: TerminalPaint.Style) throws {
        var parameters = style.rawValue.split(separator: ";").compactMap { Int($0) }
        if parameters.first == 1 { parameters.removeFirst() }
        guard !parameters.isEmpty else { return }
        #expect(parameters.count == 3 && parameters.starts(with: [38, 5]))
        let luminance = Self.luminance(try #require(Self.components(of: parameters[2])))
        #expect(1.05 / (luminance + 0.05) >= Self.leastContrast)
        #expect((luminance + 0.05) / 0.05 >= Self.leastContrast)
    }

    @Test("what a terminal changes, or cannot show, is no color of the palette", arguments: 0...15)
    func firstSixteen(number: Int) { #expect(Self.components(of: number) == nil) }

    @Test("no recorded output has a color that is not of the palette")
    func recordings() throws {
        let known = Set(TerminalPaint.Style.allCases.map(\.rawValue) + ["0"])
        var seen: Set<String> = []
        for name in Golden.recorded {
            let text = try String(contentsOf: Golden.folder.appending(path: name), encoding: .utf8)
            for match in text.matches(of: /\u{241B}\[([0-9;]*)m/) { seen.insert(String(match.1)) }
        }
        #expect(seen.subtracting(known) == [])
        // Otherwise the recordings would show nothing.
        #expect(seen.count > 4)
    }

    /// Red, green and blue from 0 to 1; `nil` for the first sixteen colors, which the terminal defines. xterm's
    /// `256colres.h`: a cube of six levels, then a ramp of grays.
    private static func components(of number: Int) -> [Double]? {
        switch number {
        case 16..<232:
            let place = number - 16
            return [level(place / 36), level(place / 6 % 6), level(place % 6)]
        case 232..<256:
            let gray = Double(8 + 10 * (number - 232)) / 255
            return [gray, gray, gray]
        default: return nil
        }
    }

    private static func level(_ step: Int) -> Double {
        step == 0 ? 0 : Double(55 + 40 * step) / 255
    }

    /// The relative luminance of a color of sRGB, from 0 to 1.
    private static func luminance(_ components: [Double]) -> Double {
        let linear = components.map { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }
}
