import DeviceCommandKit
@testable import Printing
@testable import AccessoryConformance
import Kinds
import ANCSService
import ANCS
import BluetoothLE
import JSONText
import Octets

@testable import CommandKit
@testable import LaboratoryCommands
@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// JSON, and the files written in it: bonds, bindings, publications, advertisements and delivered
/// notifications. A file that is read and written must have the same contents when read again.
enum DocumentTarget {
    static func run(_ text: [UInt8]) throws {
        let json = try read(text)
        try publication(text)
        guard let json else { return }
        try state(json)
        try bindings(json)
    }

    /// A parsed value must be written as one line that is parsed as the same value. The position of a syntax
    /// error must be in the text or at its end.
    private static func read(_ text: [UInt8]) throws -> JSONValue? {
        let json: JSONValue
        do throws(JSONValue.ParsingError) { json = try JSONValue(parsing: text) } catch {
            try TextRules.checkLine(TerminalText.visible(error.message))
            let lines = text.split(
                separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            try check(
                lines.indices.contains(error.line - 1)
                    && (1...lines[error.line - 1].count + 1).contains(error.column),
                "a fault outside the text: \(error.message)")
            return nil
        }
        try TextRules.checkJSON(json.text)
        let again = try JSONValue(parsing: json.text)
        try check(again == json, "\(json.text) is read as \(again.text)")
        return json
    }

    private static func publication(_ text: [UInt8]) throws {
        do {
            let publication = try Publication(parsing: text)
            for label in publication.labels.values {
                try TextRules.checkLine(label)
            }
            for service in publication.services {
                for characteristic in service.characteristics {
                    try check(characteristic.value.count <= 512, "a value that no attribute has")
                    try TextRules.checkLine(
                        ValueText.text(of: characteristic.value, characteristic.uuid))
                }
            }
        } catch let error as DocumentErrors {
            for line in error.lines(of: "p.json") {
                try TextRules.checkLine(TerminalText.visible(line))
            }
        }
    }

    private static func state(_ json: JSONValue) throws {
        guard let state = try? DeviceState(json: json) else { return }
        let written = try JSONValue(parsing: state.json.text)
        let again = try DeviceState(json: written)
        try check(again == state, "a state is stored as another one")
        for record in state.bonds {
            let stored = StoredBond(device: .accessory, record: record, name: "é\n\"")
            try TextRules.checkJSON(StoredBond.form.json(of: stored).text)
            _ = BondExport.json(of: stored, of: state)
            _ = try? BondExport.bluez(stored)
        }
    }

    private static func bindings(_ json: JSONValue) throws {
        for element in json["bindings"]?.array ?? [] {
            guard let entry = BindingStore.Entry(json: element) else { continue }
            let written = try JSONValue(parsing: entry.json.text)
            try check(
                BindingStore.Entry(json: written) == entry, "a binding is stored as another one")
        }
    }
}
