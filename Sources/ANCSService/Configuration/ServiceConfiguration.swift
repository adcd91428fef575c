/// What the daemon is told by its configuration file. Every value has a default, so that an empty file works.
package struct ServiceConfiguration: Hashable, Sendable {
    package var bluetooth = BluetoothSection()
    package var desktop = DesktopSection()
    package var history = HistorySection()
    package var mqtt = MQTTSection()
    package var rules: [Rule] = []

    package init() {}

    /// How much of a notification goes somewhere.
    package enum Content: String, Hashable, Sendable, CaseIterable {
        /// Everything.
        case full
        /// The app and the category.
        case app
        /// Only that there is one.
        case none
    }

    /// `[bluetooth]`
    package struct BluetoothSection: Hashable, Sendable {
        /// What the iPhone shows, 1 to 248 octets.
        package var name = "ancs"
        /// `bluez`, `bluez:` with an adapter of bluetoothd (`hci0`, an address), or the moniker of a controller
        /// for this process alone.
        package var adapter = "bluez"
        /// How many phones may be connected at a time, 1 to 16.
        package var phones = 1

        package init() {}
    }

    /// `[desktop]`
    package struct DesktopSection: Hashable, Sendable {
        /// What is shown of a call.
        package enum Calls: String, Hashable, Sendable, CaseIterable {
            /// It, with buttons for its actions.
            case buttons
            /// It, without buttons.
            case show
            /// Nothing.
            case none
        }

        /// What closing a popup by hand does on the phone.
        package enum Dismissal: String, Hashable, Sendable, CaseIterable {
            /// Nothing.
            case never
            /// It clears the notification there.
            case clear
        }

        /// What is shown of what was on the phone before.
        package enum PreExisting: String, Hashable, Sendable, CaseIterable {
            /// What no earlier session has shown.
            case unseen
            /// Everything.
            case all
            /// Nothing.
            case none
        }

        /// Whether anything is shown.
        package var popups = true
        package var content = Content.full
        package var calls = Calls.buttons
        package var dismiss = Dismissal.never
        package var preExisting = PreExisting.unseen
        /// The program that puts its standard input on the clipboard, such as `["wl-copy", "--sensitive"]`; with
        /// it a popup with a one-time code has a button *Copy*.
        package var copy: [String] = []

        package init() {}
    }

    /// `[history]`
    package struct HistorySection: Hashable, Sendable {
        /// What of a record is kept.
        package enum Content: String, Hashable, Sendable, CaseIterable {
            /// Everything.
            case full
            /// No texts.
            case headers
        }

        /// How long a record is kept, in whole days; 0 keeps nothing.
        package var days = 0
        package var content = Content.full

        package init() {}
    }
}
