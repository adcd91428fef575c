package import ANCSReceiver
internal import LinuxIO

/// The daemon's configuration file. Every value has a default, so an empty file is valid.
package struct ServiceConfiguration: Equatable, Sendable {
    package var bluetooth = BluetoothSection()
    package var desktop = DesktopSection()
    package var media = MediaSection()
    package var history = HistorySection()
    package var mqtt = MQTTSection()
    package var rules: [Rule] = []
    /// The programs of ``rules`` and of `copy`, as they stand in the file.
    package internal(set) var programs: [ConfiguredProgram] = []

    package init() {}

    /// `[bluetooth]`
    package struct BluetoothSection: Equatable, Sendable {
        /// What a phone needs to pair; existing bonds remain valid.
        package enum Requirement: String, Equatable, Sendable, CaseIterable {
            /// Digits that its user and the one of this machine compare or type.
            case authentication
            /// Nothing.
            case none
        }

        /// The name in the file, at most 248 octets; empty for that of this machine.
        package var givenName = ""
        /// The name that the iPhone shows.
        package var name: String {
            get { givenName.isEmpty ? HostName.forPhones : givenName }
            set { givenName = newValue }
        }
        /// `bluez`, `bluez:` with an adapter of bluetoothd (`hci0`, an address), or the moniker of a
        /// controller for the exclusive use of the daemon.
        package var adapter = "bluez"
        /// Whether bluetoothd owns the adapter, and the bonds.
        package var isAtBluetoothd: Bool { adapter == "bluez" || adapter.hasPrefix("bluez:") }
        /// How many phones may be connected at once, 1 to 16.
        package var phones = 4
        package var require = Requirement.authentication
        /// Which bonds of bluetoothd make a device a phone; `nil` if that was not said.
        package var bonds: BondPolicy?
        /// Whether texts may be broadcast on the system bus where the socket for them ends bluetoothd.
        package var allowsTextsOnBus = false
        /// What the first packet of the advertisement shows while phones may pair.
        package var face = ConsumerConfiguration.Face.solicitation
    }

    /// `[desktop]`
    package struct DesktopSection: Equatable, Sendable {
        /// How calls are shown.
        package enum Calls: String, Equatable, Sendable, CaseIterable {
            /// With buttons for their actions.
            case buttons
            /// Without buttons.
            case show
            /// Not at all.
            case none
        }

        /// The effect on the phone of closing a popup by hand.
        package enum Dismissal: String, Equatable, Sendable, CaseIterable {
            /// None.
            case never
            /// The notification is cleared.
            case clear
        }

        /// Which of the notifications that were on the phone before the session are shown.
        package enum PreExisting: String, Equatable, Sendable, CaseIterable {
            /// Those that no earlier session has shown.
            case unseen
            /// All of them.
            case all
            /// None of them.
            case none
        }

        /// During what the players of this machine are paused.
        package enum PauseMedia: String, Equatable, Sendable, CaseIterable {
            /// While a call rings or is active.
            case ringing
            /// While a call is active.
            case call
            /// Never.
            case never
        }

        /// Whether to show popups at all.
        package var popups = true
        package var content = RecordContent.full
        package var calls = Calls.buttons
        package var dismiss = Dismissal.never
        package var preExisting = PreExisting.unseen
        /// The program that copies its standard input to the clipboard, such as `["wl-copy", "--sensitive"]`;
        /// with it, a popup with a one-time code has a *Copy* button. Empty for one that is found.
        package var copy: [String] = []
        package var pauseMedia = PauseMedia.never
    }

    /// `[media]`
    package struct MediaSection: Equatable, Sendable {
        /// Whether the phones' players are on the session bus, for media keys and widgets.
        package var mpris = false
    }

    /// Whether phones are asked what they play.
    package var asksForMedia: Bool { media.mpris || mqtt.media && !mqtt.host.isEmpty }

    /// `[history]`
    package struct HistorySection: Equatable, Sendable {
        /// How long records are stored, in whole days; 0 stores none.
        package var days = 0
        /// How much of a record is stored: `full` or `app`.
        package var content = RecordContent.full
    }
}
