package import BluetoothTypes

extension PairingRequest {
    package init(_ question: SecurityQuestion, reply: PairingReply) {
        switch question {
        case .enterPasskey, .choosePasskey: self = .enter(PasskeyEntry(reply: reply))
        case .displayPasskey(let passkey):
            self = .display(PasskeyDisplay(SixDigits(modulo: passkey), reply: reply))
        case .compare(let number):
            self = .compare(NumericComparison(SixDigits(modulo: number), reply: reply))
        case .confirmPairing: self = .consent(PairingConsent(reply: reply))
        }
    }
}

extension SixDigits {
    /// The six least significant digits of the result of g2. Core Vol 3, Part H, 2.2.9.
    fileprivate init(modulo value: UInt32) { self.init(integerLiteral: value % 1_000_000) }
}
