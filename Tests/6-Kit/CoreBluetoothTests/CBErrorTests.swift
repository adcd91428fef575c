import ANCSKit
import CoreBluetooth
import Testing

@testable import CoreBluetooth

@Suite("Errors as Core Bluetooth has them")
struct CBErrorTests {
    @Test("an error has a domain, a number and a text, also as an NSError")
    func bridging() {
        let error: any Error = BluetoothError(.connectionTimeout, "nobody answers").cb
        #expect((error as? CBError)?.code == .connectionTimeout)
        #expect(error.localizedDescription == "nobody answers")
        let object = error as NSError
        #expect(object.domain == CBErrorDomain && object.code == 6)
        #expect(object.localizedDescription == "nobody answers")
        #expect(CBError(.notConnected).localizedDescription.contains("CBErrorDomain error 3"))
    }

    @Test("what a peer refuses is an error of the Attribute Protocol, with the number of its app")
    func attribute() {
        let error: any Error = BluetoothError(.attribute(.readNotPermitted)).cb
        #expect((error as? CBATTError)?.code == .readNotPermitted)
        #expect((error as NSError).domain == CBATTErrorDomain && (error as NSError).code == 2)
        let own = BluetoothError(.attribute(ATTErrorCode(rawValue: 0x80))).cb
        #expect((own as? CBATTError)?.code == .unlikelyError)
        #expect((own as NSError).code == 0x80)
    }

    @Test("an error is caught by its code")
    func caught() {
        var caught = 0
        do { throw BluetoothError(.unknownDevice).cb } catch CBError.unknownDevice {
            caught += 1
        } catch {}
        do { throw BluetoothError(.attribute(.insufficientEncryption)).cb } catch CBError.unknown {
        } catch CBATTError.insufficientEncryption { caught += 1 } catch {}
        #expect(caught == 2)
    }
}
