/// A line of bluetoothd's configuration, `/etc/bluetooth/main.conf`.
package struct MainSetting: Hashable, Sendable {
    package var section: String
    package var key: String
    package var value: String
    /// Counted from 1.
    package var line: Int

    /// The settings in a file. Comments and invalid lines are skipped, as bluetoothd does.
    package static func settings(in text: String) -> [MainSetting] {
        var section = ""
        var settings: [MainSetting] = []
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let line = trimmed(line)
            if line.hasPrefix("["), line.hasSuffix("]") {
                section = String(line.dropFirst().dropLast())
            } else if let mark = line.firstIndex(of: "="), !line.hasPrefix("#") {
                settings.append(
                    MainSetting(
                        section: section, key: String(trimmed(line[..<mark])),
                        value: String(trimmed(line[line.index(after: mark)...])), line: index + 1))
            }
        }
        return settings
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        var text = text.drop(while: isBlank)
        while let last = text.last, isBlank(last) { text.removeLast() }
        return text
    }
}
