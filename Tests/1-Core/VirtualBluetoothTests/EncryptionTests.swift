@testable import BluetoothLE
import Octets
import OpenSSLSecurity
import Testing
@testable import VirtualBluetooth

/// How encryption starts, is refreshed, and fails.
@Suite struct EncryptionTests {
    static let key: UInt128 = 0x0F0E_0D0C_0B0A_0908_0706_0504_0302_0100

    private func enable(_ link: ProbeLink, key: UInt128 = key) -> HCIStatus? {
        link.central.send(
            HCI.LEEnableEncryption(
                handle: link.atCentral, random: 0x0102, encryptedDiversifier: 3, longTermKey: key))
    }

    private func reply(_ link: ProbeLink, key: UInt128 = key) -> HCIStatus? {
        link.peripheral.send(
            HCI.LELongTermKeyRequestReply(handle: link.atPeripheral, longTermKey: key))
    }

    @Test("encryption starts with the key of both hosts, and is refreshed later")
    func encryption() throws {
        let bench = ProbeBench()
        let link = try bench.connected()
        // A host that has not unmasked [v2] gets [v1].
        for probe in [link.central, link.peripheral] { probe.received = [] }
        #expect(enable(link) == .success)
        #expect(enable(link) == .commandDisallowed)
        #expect(bench.advance { !link.peripheral.all(HCI.LELongTermKeyRequest.self).isEmpty })
        let request = try #require(link.peripheral.all(HCI.LELongTermKeyRequest.self).first)
        #expect(request.random == 0x0102 && request.encryptedDiversifier == 3)
        // Data of the host wait until the link is encrypted.
        link.central.sendData([1], on: link.atCentral)
        link.peripheral.sendData([2], on: link.atPeripheral)
        bench.advance(by: .seconds(1))
        #expect(link.peripheral.data.isEmpty && link.central.data.isEmpty)
        #expect(reply(link) == .success)
        bench.advance(by: .seconds(1))
        for probe in [link.central, link.peripheral] {
            let change = try #require(probe.all(HCI.EncryptionChange.self).first)
            #expect(change.status == .success && change.isEnabled)
        }
        #expect(link.peripheral.data.map(\.data) == [[1]])
        #expect(link.central.data.map(\.data) == [[2]])
        #expect(enable(link, key: 5) == .success)
        #expect(
            bench.advance { link.peripheral.all(HCI.LELongTermKeyRequest.self).count == 2 })
        #expect(reply(link, key: 5) == .success)
        bench.advance(by: .seconds(1))
        for probe in [link.central, link.peripheral] {
            #expect(probe.all(HCI.EncryptionKeyRefreshComplete.self).map(\.status) == [.success])
        }
        #expect(link.central.endings.isEmpty)
    }

    @Test("a host can read the size of the key")
    func encryptionChangeV2() throws {
        let bench = ProbeBench()
        let link = try bench.connected(.bluetooth5_3)
        #expect(link.central.send(HCI.SetEventMaskPage2(mask: 1 << 25)) == .success)
        _ = enable(link)
        #expect(bench.advance { !link.peripheral.all(HCI.LELongTermKeyRequest.self).isEmpty })
        _ = reply(link)
        #expect(
            bench.advance {
                link.central.all(HCI.EncryptionChangeV2.self).map(\.keySize) == [16]
            })
        #expect(link.central.all(HCI.EncryptionChange.self).isEmpty)
    }

    @Test("different keys are a MIC failure at both ends")
    func wrongKey() throws {
        let bench = ProbeBench()
        let link = try bench.connected()
        _ = enable(link)
        #expect(bench.advance { !link.peripheral.all(HCI.LELongTermKeyRequest.self).isEmpty })
        _ = reply(link, key: 6)
        #expect(bench.advance { !link.central.endings.isEmpty && !link.peripheral.endings.isEmpty })
        #expect(link.central.endings == [.micFailure])
        #expect(link.peripheral.endings == [.micFailure])
        #expect(bench.radio.linkCount == 0)
    }

    @Test("the Central learns that a key is missing, and the link continues unencrypted")
    func missingKey() throws {
        let bench = ProbeBench()
        let link = try bench.connected()
        _ = enable(link)
        #expect(bench.advance { !link.peripheral.all(HCI.LELongTermKeyRequest.self).isEmpty })
        link.central.sendData([1], on: link.atCentral)
        let refusal = HCI.LELongTermKeyRequestNegativeReply(handle: link.atPeripheral)
        #expect(link.peripheral.send(refusal) == .success)
        #expect(link.peripheral.send(refusal) == .commandDisallowed)
        bench.advance(by: .seconds(1))
        let change = try #require(link.central.all(HCI.EncryptionChange.self).first)
        #expect(change.status == .pinOrKeyMissing && !change.isEnabled)
        #expect(link.peripheral.data.map(\.data) == [[1]])
        #expect(link.peripheral.all(HCI.EncryptionChange.self).isEmpty)
    }

    @Test("a Peripheral cannot start encryption")
    func roles() throws {
        let link = try ProbeBench().connected()
        #expect(
            link.peripheral.send(
                HCI.LEEnableEncryption(
                    handle: link.atPeripheral, random: 0, encryptedDiversifier: 0, longTermKey: 1))
                == .commandDisallowed)
    }
}
