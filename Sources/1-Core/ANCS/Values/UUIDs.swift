/// The UUIDs of the Apple Notification Center Service, as 128-bit numbers (R4, R6).
public enum ANCSUUID: Sendable {
    /// The service: `7905F431-B5CE-4E99-A40F-4B1E122D00D0`.
    public static let service: UInt128 = 0x7905_F431_B5CE_4E99_A40F_4B1E_122D_00D0
    /// Notification Source (notify): `9FBF120D-6301-42D9-8C58-25E699A21DBD`.
    public static let notificationSource: UInt128 = 0x9FBF_120D_6301_42D9_8C58_25E6_99A2_1DBD
    /// Control Point (write with response): `69D1D8F3-45E1-49A8-9821-9BBDFDAAD9D9`.
    public static let controlPoint: UInt128 = 0x69D1_D8F3_45E1_49A8_9821_9BBD_FDAA_D9D9
    /// Data Source (notify): `22EAC6E9-24D6-4BB5-BE44-B36ACE7C7BFB`.
    public static let dataSource: UInt128 = 0x22EA_C6E9_24D6_4BB5_BE44_B36A_CE7C_7BFB

    /// How many services of ANCS a device may have, and characteristics of each kind in them: a phone has one (R4), and
    /// two while it replaces it. Anybody may connect with thousands, and keep the others waiting.
    package static let maximumServices = 16
}
