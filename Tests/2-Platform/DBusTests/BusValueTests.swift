import Testing

@testable import DBus

@Suite struct BusValueTests {
    @Test func signaturesAreThoseOfTheSpecification() {
        #expect(BusValue.options(["Type": .string("peripheral")]).signature == "a{sv}")
        #expect(BusValue.strings(["a"]).signature == "as")
        #expect(BusValue.structure([.byte(1), .octets([2])]).signature == "(yay)")
        #expect(
            BusValue.dictionary([.uint16(1): .variant(.octets([]))], key: "q", value: "v").signature
                == "a{qv}")
    }

    @Test func aVariantCountsAsWhatItHolds() {
        #expect(BusValue.variant(.bool(true)).bool == true)
        #expect(BusValue.variant(.variant(.uint16(517))).integer == 517)
        #expect(BusValue.options(["A": .string("b")]).properties == ["A": .string("b")])
    }

    @Test func whatItIsNotIsNil() {
        #expect(BusValue.string("1").integer == nil)
        #expect(BusValue.uint64(.max).integer == nil)
        #expect(BusValue.objectPath("/a").string == nil)
        #expect(BusValue.dictionary([.byte(1): .byte(2)], key: "y", value: "y").properties == nil)
    }
}
