internal import CSystemd

/// The ID of this machine, which machine-id(5) asks programs not to use as it is.
public enum MachineID: Sendable {
    /// A number that this machine makes of another one, and no other machine: their HMAC with SHA-256, without the six bits
    /// that every UUID of version 4 has alike. `nil` if the machine has no ID. sd_id128_get_machine_app_specific(3).
    public static func derived(from number: UInt128) -> UInt128? {
        var input = sd_id128_t()
        var output = sd_id128_t()
        withUnsafeMutableBytes(of: &input) { $0.storeBytes(of: number.bigEndian, as: UInt128.self) }
        guard sd_id128_get_machine_app_specific(input, &output) == 0 else { return nil }
        return withUnsafeBytes(of: output) {
            UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self))
        }
    }
}
