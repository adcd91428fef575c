/// What users are told about pairing by several commands and pages, worded once.
package enum PairingAdvice {
    /// For a user whose phone does not list this machine. Reports disagree on whether iOS lists an accessory
    /// that solicits ANCS (Documentation/Decisions/0031-two-ways-to-pair.md). Any app that connects is
    /// enough: this side then asks for security, which brings the phone's pairing dialog.
    package static func otherApp(for name: String) -> String {
        "not in the list after 30 seconds? Open nRF Connect or LightBlue, connect to '\(name)', and confirm "
            + "the pairing"
    }
}
