import BluetoothLE
import JSONText
import Testing
import Kinds

@testable import ANCSEvents
@testable import ANCSKit
@testable import CommandKit
@testable import LaboratoryCommands
@testable import Printing

/// What is shown of bonds: never a key, never a raw character from the air.
@Suite struct StoredBondTests {
    private func text(_ lines: [Line], width: Int? = nil) -> [String] {
        LinePrinter(isJSON: false, isColored: false)
            .output(lines, under: BondsCommand.StoredDevice.columns, width: width)
    }

    @Test("each peer has a line with the way it was paired and its services, ANCS first")
    func list() {
        let device = BondFixtures.device([BondFixtures.secure, BondFixtures.legacy])
        #expect(
            text(device.lines) == [
                "accessory C0:11:22:33:44:55 (static random) · 2 bonds · /state/bonds.json",
                "  PEER               KIND           KEY                                   SERVICES",
                "  0A:0B:0C:0D:0E:0F  public         Secure Connections, authenticated     "
                    + "ANCS, Battery, FFF0",
                "  F0:F1:F2:F3:F4:F5  static random  legacy pairing, Just Works, 7 octets  "
                    + "not discovered",
            ])
    }

    @Test(
        "a narrow terminal cuts no address, and no line is wider than it", arguments: [60, 72, 80])
    func narrow(width: Int) {
        let device = BondFixtures.device([BondFixtures.secure, BondFixtures.legacy])
        let lines = text(device.lines, width: width).dropFirst()
        for line in lines { #expect(TerminalText.width(of: line) <= width) }
        #expect(lines.contains { $0.contains("0A:0B:0C:0D:0E:0F  public") })
    }

    @Test("known peers without a bond are listed, and details of bonded ones are shown")
    func known() throws {
        let phone = KnownPeer(
            identifier: PeerIdentifier(rawValue: 1), address: BondFixtures.watch,
            identity: BondFixtures.phone, name: "iPhone")
        let stranger = KnownPeer(
            identifier: PeerIdentifier(rawValue: 2), address: BondFixtures.watch, name: "Watch")
        var device = BondFixtures.device([BondFixtures.secure])
        device.state.peers = [stranger, phone]
        let bond = try #require(device.bonds.first)
        #expect(bond.name == "iPhone")
        #expect(bond.identifier == phone.identifier)
        #expect(device.acquaintances == [stranger])
        #expect(stranger.isNamed("Watch") && stranger.isNamed("f0:f1:f2:f3:f4:f5"))
        #expect(!stranger.isNamed("watch"))
        #expect(
            text(device.lines).last
                == "  F0:F1:F2:F3:F4:F5  static random  Watch   not bonded")
        let exported = BondExport.json(of: bond, of: device.state)
        #expect(try DeviceState(json: JSONValue(parsing: exported)).peers == [phone])
    }

    @Test("one peer is shown in full")
    func show() {
        let device = BondFixtures.device([BondFixtures.secure])
        let bond = BondFixtures.stored(BondFixtures.secure, name: "Ada\u{1B}[2J")
        let lines = LinePrinter(isJSON: false, isColored: false)
            .output(bond.lines(at: device.path))
        #expect(
            lines == [
                #"0A:0B:0C:0D:0E:0F (public), Ada\u{1B}[2J"#,
                "  bonded with    accessory C0:11:22:33:44:55 (static random)",
                "  kept in        /state/bonds.json",
                "  key            Secure Connections, authenticated, 16 octets",
                "  privacy        recognized by its private addresses too",
                "  services       0x0001–0x0009 1800 Generic Access",
                "                 0x0014–0x0017 180F Battery",
                "                 0x0018–0x001D FFF0 (secondary)",
                "                 0x0023–0x002C 7905F431-B5CE-4E99-A40F-4B1E122D00D0 ANCS",
                "  subscriptions  0x0009 indications",
            ])
    }

    @Test("no key is shown in any form", arguments: [BondFixtures.secure, BondFixtures.legacy])
    func secrets(record: BondRecord) {
        let bond = BondFixtures.stored(record)
        let device = BondFixtures.device([record])
        let lines = device.lines + bond.lines(at: device.path) + bond.linesOfRemoval
        let shown = [true, false].flatMap { isJSON in
            LinePrinter(isJSON: isJSON, isColored: false).output(lines)
        }
        for text in shown {
            for secret in ["0102030405060708", "100f0e0d0c0b0a09", "beef", "48879"] {
                #expect(!text.lowercased().contains(secret))
            }
        }
        #expect(StoredBond.form.json(of: bond)["keys"]?.array?.isEmpty == false)
    }

    @Test("a peer is named by its address in either case, its identifier or its exact name")
    func names() {
        var bond = BondFixtures.stored(BondFixtures.secure, name: "Ada's\tiPhone")
        bond.identifier = PeerIdentifier(text: "5A1F0000-0000-4000-8000-000000000001")
        for text in [
            "0a:0b:0c:0d:0e:0f", "0A:0B:0C:0D:0E:0F", "5a1f0000-0000-4000-8000-000000000001",
            "Ada's\tiPhone", #"Ada's\tiPhone"#,
        ] {
            #expect(bond.isNamed(text))
        }
        for text in ["", "Ada", "ada's\tiphone", "0A:0B:0C:0D:0E", "5A1F"] {
            #expect(!bond.isNamed(text))
        }
    }
}
