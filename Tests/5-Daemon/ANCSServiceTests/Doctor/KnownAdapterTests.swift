import LinuxIO
import Testing

@testable import ANCSService

@Suite("The adapters that reports are known about")
struct KnownAdapterTests {
    @Test("an identifier stands for one adapter")
    func identifiers() {
        let identifiers = KnownAdapter.all.flatMap(\.identifiers)
        #expect(Set(identifiers).count == identifiers.count)
        for adapter in KnownAdapter.all {
            #expect(!adapter.identifiers.isEmpty)
            for identifier in adapter.identifiers {
                #expect(KnownAdapter.of(identifier) == adapter)
            }
        }
        #expect(KnownAdapter.of("") == nil)
        #expect(KnownAdapter.of("1915:520f") == nil)
    }

    @Test(
        "device names of the kernel",
        arguments: [
            ("usb:v8087p0025d0002dcE0dsc01dp01icE0isc01ip01in00", "8087:0025"),
            ("usb:v0BDAp8771d0200", "0bda:8771"),
            ("of:NbluetoothT(null)Cbrcm,bcm43438-bt", "brcm,bcm43438-bt"),
            ("of:NbluetoothT(null)Cbrcm,bcm4345c5Cbrcm,bcm43438-bt", "brcm,bcm4345c5"),
            ("acpi:BCM2E7E:", ""), ("usb:v8087p", ""), ("usb:v80870025p", ""),
            ("usb:vżółwp0025", ""),
            ("of:N", ""), ("of:NserialT(null)Carm,pl011", ""), ("of:NbluetoothC", ""), ("", ""),
        ])
    func modalias(_ modalias: String, _ identifier: String) {
        #expect(AdapterHardware(modalias: modalias, product: "").identifier == identifier)
    }

    @Test("an adapter is described by its maker, its number and its version")
    func description() {
        var hardware = AdapterHardware(identifier: "8087:0032", product: "AX210")
        #expect(hardware.description == "AX210, USB 8087:0032")
        hardware.version = ControllerVersion(hci: 12, company: 2)
        #expect(hardware.description == "Intel, USB 8087:0032, Bluetooth 5.3")
        hardware.version = ControllerVersion(hci: 5, company: 0xFFFE)
        #expect(hardware.description == "AX210, USB 8087:0032, older than Bluetooth 4.0")
        hardware = AdapterHardware(
            identifier: "brcm,bcm43438-bt", version: ControllerVersion(hci: 200, company: 0x0131))
        #expect(
            hardware.description == "Cypress Semiconductor, brcm,bcm43438-bt, HCI version 200")
        #expect(AdapterHardware(identifier: "").description.isEmpty)
    }

    @Test("reports of trouble give a note; good reports and none give no note")
    func findings() throws {
        var facts = Facts.beforePairing
        func finding(_ identifier: String) -> Finding? {
            facts.machine.hardware["hci0"] = AdapterHardware(identifier: identifier)
            return Examination.diagnosis(of: facts).findings.first { $0.id == .knownAdapter }
        }
        let trouble = try #require(finding("0bda:8771"))
        #expect(trouble.severity == .note && trouble.subject == "hci0")
        #expect(trouble.seen.hasPrefix("Realtek RTL8761B"))
        #expect(try #require(finding("8087:0032")).severity == .fine)
        #expect(finding("1234:5678") == nil)
        // The phone that reports say nothing about is not harmed by what another adapter is.
        facts.machine.hardware = ["hci1": AdapterHardware(identifier: "0bda:8771")]
        let findings = Examination.diagnosis(of: facts).findings
        #expect(!findings.contains { $0.id == .knownAdapter })
    }

    @Test("the adapter's line names it, with the device's text shortened")
    func line() throws {
        var facts = Facts.beforePairing
        facts.machine.hardware["hci0"] = AdapterHardware(
            identifier: "1234:5678", product: String(repeating: "x", count: 4000))
        let seen = try #require(
            Examination.diagnosis(of: facts).findings.first { $0.id == .adapter }
        ).seen
        #expect(seen.hasPrefix("hci0 (00:1A:7D:DA:71:13): xxx"))
        #expect(seen.hasSuffix("USB 1234:5678"))
        #expect(seen.count < 300)
    }
}
