internal import DBus

/// The names of MPRIS: Media Player Remote Interfacing Specification 2.2, *Bus Name Policy* and its interfaces.
enum MPRIS {
    /// What the bus names of all players begin with.
    static let prefix = "org.mpris.MediaPlayer2."
    /// Passes calls on to whichever player was used last, so that it is none itself.
    static let proxy = prefix + "playerctld"
    /// The object of every player.
    static let path: ObjectPath = "/org/mpris/MediaPlayer2"
    static let root = "org.mpris.MediaPlayer2"
    static let player = "org.mpris.MediaPlayer2.Player"
    static let properties = "org.freedesktop.DBus.Properties"

    /// What a player does: its property `PlaybackStatus`.
    enum PlaybackStatus: String, Equatable, Sendable {
        case playing = "Playing"
        case paused = "Paused"
        case stopped = "Stopped"
    }
}
