internal import ANCSReceiver
internal import Kinds

/// A section of the file: `[name]` and the keys in it.
struct ConfigurationSection: Sendable {
    let name: String
    /// What it is for, for the documentation.
    let help: String
    let keys: [ConfigurationKey<ServiceConfiguration>]
}

/// The sections and keys of the file; for `[[rule]]` see ``RuleSchema``.
enum ConfigurationSchema {
    static let sections = [bluetooth, desktop, media, history, mqtt]

    /// The name of the tables that are rules.
    static let rule = "rule"

    private static let bluetooth = ConfigurationSection(
        name: "bluetooth", help: "How phones find this machine.",
        keys: [
            .init(
                "name", .text(octets: 0...248), \.bluetooth.givenName, standard: "\"\"",
                "what the iPhone shows in its list of devices; without it, the host name of this machine, "
                    + "which is on air only while phones may pair"),
            .init(
                "adapter", .adapter, \.bluetooth.adapter, standard: "\"bluez\"",
                "the Bluetooth adapter: one of bluetoothd, or a controller that this program has "
                    + "to itself"),
            .init(
                "phones", .integer(in: 1...16), \.bluetooth.phones, standard: "4",
                "how many phones may be connected at once"),
            .init(
                "require", .quotedWord, \.bluetooth.require, standard: "\"authentication\"",
                "what a new phone needs to pair: digits to compare or to type, or nothing, for a device "
                    + "that cannot show any. Phones that are paired stay paired"),
            .init(
                "bonds", .bonds, \.bluetooth.bonds, standard: "\"auto\"",
                "which devices that are paired are phones: \"ask\" about those that other programs have paired, once, "
                    + "when they offer notifications; \"any\"; or only what was \"accepted\", without a question. "
                    + "\"auto\" is ask in the user's unit, which sets `ANCS_BONDS=ask`, and at a terminal, and "
                    + "otherwise any"),
            .init(
                "texts-on-bus", .boolean, \.bluetooth.allowsTextsOnBus, standard: "false",
                "whether texts may come over the system bus, where every user of this machine can read "
                    + "them, if bluetoothd does not give them to this program alone: it refuses, or "
                    + "ends, as with SELinux policies before November 2025"),
            .init(
                "face", .quotedWord, \.bluetooth.face, standard: "\"solicitation\"",
                "what this machine shows of itself while `ancs pair` runs, if iPhones do not list it: "
                    + "\"heart-rate\" shows the UUID of a heart rate monitor, needs a controller that "
                    + "this program has to itself, and has not been tried with an iPhone"),
        ])

    private static let desktop = ConfigurationSection(
        name: "desktop", help: "What is shown on the desktop.",
        keys: [
            .init(
                "popups", .boolean, \.desktop.popups, standard: "true",
                "whether notifications are shown"),
            .init(
                "content", .quotedWord, \.desktop.content, standard: "\"full\"",
                "how much of a notification is shown: everything, its app and category, or only "
                    + "that there is one"),
            .init(
                "calls", .quotedWord, \.desktop.calls, standard: "\"buttons\"",
                "how a call is shown: with buttons to answer and decline it, without, or not at "
                    + "all"),
            .init(
                "dismiss", .quotedWord, \.desktop.dismiss, standard: "\"never\"",
                "what closing a popup by hand does on the phone: nothing, or clear the "
                    + "notification there"),
            .init(
                "pre-existing", .quotedWord, \.desktop.preExisting, standard: "\"unseen\"",
                "which of the notifications that were on the phone before it connected are shown: "
                    + "those not shown before, all, or none"),
            .init(
                "copy", .list(0...64, of: "arguments", .text(octets: 1...4096)), \.desktop.copy,
                check: .program, standard: "[]",
                "the program that copies its standard input to the clipboard, such as "
                    + "`[\"wl-copy\", \"--sensitive\"]`; with it, a popup that shows a one-time code "
                    + "has a button to copy the code. Empty stands for `wl-copy` or `xclip`, whichever is "
                    + "installed and fits the session"),
            .init(
                "pause-media", .quotedWord, \.desktop.pauseMedia, standard: "\"never\"",
                "when players of this desktop pause, and play on afterwards: while a call rings or is "
                    + "active, only while it is active, or never"),
        ])

    private static let media = ConfigurationSection(
        name: "media", help: "What is playing on the phones.",
        keys: [
            .init(
                "mpris", .boolean, \.media.mpris, standard: "false",
                "whether a phone's player is one of this desktop, for media keys and widgets")
        ])

    private static let history = ConfigurationSection(
        name: "history", help: "What the history keeps.",
        keys: [
            .init(
                "keep", .retention, \.history.days, standard: "\"0\"",
                "how long notifications are kept"),
            .init(
                "content",
                .quotedWord(of: [("full", .full), ("app", .app)], renamed: ["headers": "app"]),
                \.history.content, standard: "\"full\"",
                "how much of a notification is kept: everything, or its app and category, without "
                    + "texts"),
        ])

    private static let mqtt = ConfigurationSection(
        name: "mqtt", help: "What is published to an MQTT broker, for home automation.",
        keys: [
            .init(
                "host", .text(octets: 0...255), \.mqtt.host, standard: "\"\"",
                "the host name or address of the broker; without it nothing is published"),
            .init(
                "port", .integer(in: 0...65_535), \.mqtt.port, standard: "0",
                "the port of the broker; 0 means 8883 with TLS and 1883 without"),
            .init(
                "tls", .tls, \.mqtt.tls, standard: "\"auto\"",
                "whether the connection uses TLS; \"auto\" means true unless the broker is on this "
                    + "machine"),
            .init(
                "ca-file", .file, \.mqtt.authorities, check: .file, standard: "\"\"",
                "the certificate authorities to trust for the broker, in PEM; without it, those of "
                    + "the system"),
            .init(
                "certificate-file", .file, \.mqtt.certificate, check: .file, standard: "\"\"",
                "the client certificate, in PEM, for a broker that asks for one"),
            .init(
                "key-file", .secretFile, \.mqtt.key, check: .secretFile, standard: "\"\"",
                "the private key of that certificate, in PEM, without a passphrase"),
            .init(
                "username", .text(octets: 0...256), \.mqtt.username, standard: "\"\"",
                "the username for the broker"),
            .init(
                "password-file", .secretFile, \.mqtt.passwordFile, check: .secretLineFile,
                standard: "\"\"",
                "the file that contains the password, on one line"),
            .init(
                "content", .quotedWord, \.mqtt.content, standard: "\"app\"",
                "how much of a notification is published: everything, its app and category, or only "
                    + "that there is one. Brokers and recorders keep what is published"),
            .init(
                "commands", .boolean, \.mqtt.commands, standard: "false",
                "whether any client that may publish to the broker can clear notifications, answer and "
                    + "decline calls, and use players"),
            .init(
                "media", .boolean, \.mqtt.media, standard: "false",
                "whether what is playing is published, as far as `content` allows"),
            .init(
                "name", .topicLevel, \.mqtt.name, standard: "\"\"",
                "the name of this machine in topics; without it, its host name"),
            .init(
                "discovery", .topicPrefix, \.mqtt.discovery, standard: "\"homeassistant\"",
                "the prefix of Home Assistant's discovery topics; empty turns discovery off"),
        ])
}

extension Kind<BondPolicy?> {
    fileprivate static let bonds = Kind.quotedWord(
        of: [("auto", nil)] + BondPolicy.allCases.map { ($0.rawValue, $0) })
}
