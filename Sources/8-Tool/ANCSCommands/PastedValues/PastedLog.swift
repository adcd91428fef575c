/// Text that programs print about Bluetooth, as people paste it. It lacks octets, or has them in a form that is
/// made for people, so it is named, with what to send instead.
enum PastedLog: Equatable, Sendable {
    case btmon
    case hcidump
    case bluetoothctl
    case wireshark
    /// The octets of a file, as `xxd` or `hexdump` prints them.
    case dump

    private static let beginnings: [(Self, [String])] = [
        (
            .btmon,
            [
                "> HCI Event: ", "< HCI Command: ", "> ACL Data", "< ACL Data", "> ACL:", "< ACL:",
                "@ MGMT", "= Note", "= New Index", "= Open Index", "= Index Info", "@ RAW Open",
                "Bluetooth monitor ver",
            ]
        ),
        (.hcidump, ["HCI sniffer - Bluetooth packet analyzer", "> ACL data", "< ACL data"]),
        (.bluetoothctl, ["[CHG] ", "[NEW] ", "[DEL] ", "[bluetooth]"]),
        (.wireshark, ["No.     Time", "Frame 1: "]),
        // The first line of btsnoop, pcap or pcapng.
        (
            .dump,
            [
                "00000000: 6274 736e", "00000000  62 74 73 6e", "0000000 7462 6e73",
                "00000000: d4c3 b2a1", "00000000  d4 c3 b2 a1", "0000000 c3d4 a1b2",
                "00000000: 0a0d 0d0a", "00000000  0a 0d 0d 0a", "0000000 0d0a 0a0d",
            ]
        ),
    ]

    /// `nil` if the line begins none of these.
    init?(_ line: String) {
        let found = Self.beginnings.first { _, words in words.contains { line.hasPrefix($0) } }
        guard let found else { return nil }
        self = found.0
    }

    /// What it is, and what to do.
    var text: String {
        switch self {
        case .btmon:
            "the printed text of btmon; 'btmon -w FILE' writes a capture, which can be read"
        case .hcidump:
            "the printed text of hcidump; 'btmon -w FILE' writes a capture, which can be read"
        case .bluetoothctl:
            "the printed text of bluetoothctl has no packets; 'btmon -w FILE' records them"
        case .wireshark:
            "the printed text of Wireshark; 'ancs decode' reads what File > Save As writes (pcapng)"
        case .dump: "the octets of a capture as text; 'ancs decode' reads the file itself"
        }
    }
}
