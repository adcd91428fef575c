import DeviceCommandKit
import ANCS
import BluetoothTypes
import Testing

@testable import CommandKit
@testable import Printing

/// Columns of text.
@Suite struct TextTableTests {
    private func table(_ rows: [[String]]) -> TextTable {
        var table = TextTable([
            .init("NAME", minimumWidth: 4), .init("ADDRESS"), .init("RSSI", isFlushRight: true),
        ])
        table.rows = rows
        return table
    }

    @Test("columns are as wide as their widest text, which may be two columns a character")
    func alignment() {
        let lines = table([["手表", "F0", "-7"], ["Watch one", "C0", "-60"]]).lines(width: nil)
        #expect(lines.heading == "NAME       ADDRESS  RSSI")
        #expect(lines.rows == ["手表       F0         -7", "Watch one  C0        -60"])
    }

    @Test("a column without any text is left out")
    func emptyColumn() {
        let lines = table([["", "F0", ""], ["", "C0", ""]]).lines(width: nil)
        #expect(lines.heading == "ADDRESS")
        #expect(lines.rows == ["F0", "C0"])
    }

    @Test("in a narrow terminal the columns that may be cut are cut")
    func narrow() {
        let rows = table([["A very long name", "F0:F1:F2", "-60"]]).lines(width: 24).rows
        #expect(rows == ["A very …  F0:F1:F2   -60"])
    }

    @Test("text without blanks is cut between whole characters")
    func clipped() {
        #expect(TerminalText.clipped("0A1B2C3D", to: 8) == "0A1B2C3D")
        #expect(TerminalText.clipped("0A1B2C3D", to: 5) == "0A1B…")
        #expect(TerminalText.clipped("手表手表", to: 6) == "手表…")
        #expect(TerminalText.clipped("e\u{301}e\u{301}e", to: 2) == "e\u{301}…")
        #expect(TerminalText.clipped("ab", to: 0) == "")
    }

    @Test("no line is wider than the window, however narrow that is", arguments: 1...40)
    func bounded(width: Int) {
        let lines = table([["長い名前の時計", "F0:F1:F2", "-60"]]).lines(width: width)
        for line in [lines.heading] + lines.rows {
            #expect(TerminalText.width(of: line) <= max(width, 2))
        }
    }

    @Test("names of numbers: exact, of the category, or none")
    func assignedNumbers() {
        #expect(AssignedNumbers.service(BluetoothUUID(UInt16(0x180F))) == "Battery")
        #expect(AssignedNumbers.service(BluetoothUUID(ANCSUUID.service)) == "ANCS")
        #expect(AssignedNumbers.serviceText(BluetoothUUID(UInt16(0xABCD))) == "ABCD")
        #expect(AssignedNumbers.characteristic(.init(UInt16(0x2A00))) == "Device Name")
        #expect(
            AssignedNumbers.characteristic(BluetoothUUID(ANCSUUID.notificationSource))
                == "Notification Source")
        #expect(AssignedNumbers.descriptor(.clientCharacteristicConfiguration) != nil)
        #expect(AssignedNumbers.company(0x004C) == "Apple")
        #expect(AssignedNumbers.appearance(0x00C2) == "smartwatch")
        #expect(AssignedNumbers.appearance(0x00FF) == "watch")
        #expect(AssignedNumbers.appearance(0) == nil)
        #expect(AssignedNumbers.appearance(.max) == nil)
    }
}
