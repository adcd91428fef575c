/// The UUIDs of the Apple Media Service, as 128-bit numbers (M1 to M5). A phone may offer any subset of the three
/// characteristics.
public enum AMSUUID: Sendable {
    /// The service: `89D3502B-0F36-433A-8EF4-C502AD55F8DC`.
    public static let service: UInt128 = 0x89D3_502B_0F36_433A_8EF4_C502_AD55_F8DC
    /// Remote Command (write, notify): `9B3C81D8-57B1-4A8A-B8DF-0E56F7CA51C2`.
    public static let remoteCommand: UInt128 = 0x9B3C_81D8_57B1_4A8A_B8DF_0E56_F7CA_51C2
    /// Entity Update (write, notify): `2F7CABCE-808D-411F-9A0C-BB92BA96C102`.
    public static let entityUpdate: UInt128 = 0x2F7C_ABCE_808D_411F_9A0C_BB92_BA96_C102
    /// Entity Attribute (write, read): `C6B2F38C-23AB-46D8-A6AB-A3A870BBD5D7`.
    public static let entityAttribute: UInt128 = 0xC6B2_F38C_23AB_46D8_A6AB_A3A8_70BB_D5D7
}

/// The characteristics of the Apple Media Service that send notifications (M2, M3).
public enum MediaCharacteristic: Hashable, Sendable {
    /// Remote Command: the commands that the player supports.
    case remoteCommand
    /// Entity Update: values of what was registered for.
    case entityUpdate
}
