import Testing

@testable import ANCS

@Suite("Values that the specification assigns")
struct AssignedValuesTests {
    @Test("categories are counted from 0, and the observed one follows (R15, S15)")
    func categories() {
        let all: [CategoryID] = [
            .other, .incomingCall, .missedCall, .voicemail, .social, .schedule, .email, .news,
            .healthAndFitness, .businessAndFinance, .location, .entertainment, .activeCall,
        ]
        #expect(all.map(\.rawValue) == Array(0...12))
    }

    @Test("errors have the codes of ATT and of ANCS (R57 to R60)")
    func errors() {
        let all: [ControlPointError] = [
            .invalidHandle, .writeNotPermitted, .insufficientAuthentication,
            .insufficientAuthorization, .insufficientEncryption, .unknownCommand, .invalidCommand,
            .invalidParameter, .actionFailed,
        ]
        let codes: [UInt8] = [0x01, 0x03, 0x05, 0x08, 0x0F, 0xA0, 0xA1, 0xA2, 0xA3]
        #expect(all.map(\.rawValue) == codes)
    }
}
