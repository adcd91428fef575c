import ANCSService
import ANCS
import BluetoothLE
import JSONText
import Octets

@testable import ANCSCommands
@testable import ANCSKit

/// JSON, and the files that are written in it: bonds, bindings, publications, advertisements, and what
/// was seen. What one of them says is said again by what is written after it was read.
enum DocumentTarget {
    static func run(_ text: [UInt8]) throws {
        let json = try read(text)
        try publication(text)
        guard let json else { return }
        try state(json)
        try bindings(json)
    }

    /// JSON is read by a decoder, and its faults are found by a parser of our own: they agree.
    private static func read(_ text: [UInt8]) throws -> JSONValue? {
        var fault: JSONSyntax.Fault?
        do throws(JSONSyntax.Fault) { try JSONSyntax.check(text) } catch {
            fault = error
            try TextRules.checkLine(TerminalText.visible(error.message))
        }
        guard let json = try? JSONValue(parsing: text) else {
            // The decoder knows numbers up to 64 bits.
            return nil
        }
        try TextRules.checkLine(json.text)
        let again = try JSONValue(parsing: json.text)
        try check(
            again == json || fault != nil, "\(json.text) is read as \(again.text)")
        return json
    }

    private static func publication(_ text: [UInt8]) throws {
        do {
            let publication = try Publication(reading: DocumentCursor(parsing: text))
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
        } catch let error as DocumentError {
            try TextRules.checkLine(TerminalText.visible(error.message))
        }
    }

    private static func state(_ json: JSONValue) throws {
        guard let state = try? DeviceState(json: json) else { return }
        let written = try JSONValue(parsing: state.json.text)
        let again = try DeviceState(json: written)
        try check(again == state, "a state is stored as another one")
        for record in state.bonds {
            let stored = StoredBond(device: .accessory, record: record, name: "é\n\"")
            try TextRules.checkLine(stored.json.text)
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
