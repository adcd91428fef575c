/// What stands for an app of the phone on a Linux desktop.
struct AppFace: Equatable, Sendable {
    /// An icon of the Icon Naming Specification; `nil` for that of the category.
    var icon: String?
    /// The desktop entries of programs for the same thing, the best first.
    var programs: [String]

    /// The face of an app; `nil` for an unknown app.
    static func of(_ identifier: String) -> AppFace? { known[identifier] }

    /// The identifiers that have a face.
    static var identifiers: [String] { known.keys.sorted { $0 < $1 } }

    private static let known: [String: AppFace] = {
        var faces: [String: AppFace] = [:]
        for row in table.split(separator: "\n") {
            let words = row.split(separator: " ").map(String.init)
            guard words.count >= 2 else { continue }
            faces[words[0]] = AppFace(
                icon: words[1] == "-" ? nil : words[1], programs: Array(words.dropFirst(2)))
        }
        return faces
    }()

    // Apple's identifiers were compared with its list (*Bundle IDs for native iPhone and iPad apps*, as of December
    // 2025); the others with a scan of 11,000 apps of the App Store (of 2022), and those of Element, FluffyChat,
    // Threema, Wire and Home Assistant with their sources. A program brings its own icon.
    private static let table = """
        com.apple.MobileSMS mail-message-new
        com.apple.mobilephone call-start
        com.apple.facetime camera-web
        com.apple.mobilemail mail-unread thunderbird org.gnome.Evolution org.kde.kmail2 org.gnome.Geary
        com.apple.mobilecal x-office-calendar org.gnome.Calendar org.kde.korganizer org.gnome.Evolution-calendar
        com.apple.reminders appointment-new org.gnome.Todo io.github.alainm23.planify
        com.apple.mobilenotes accessories-text-editor org.gnome.Notes
        com.apple.mobiletimer appointment-soon org.gnome.clocks org.kde.kclock
        com.apple.weather weather-few-clouds org.gnome.Weather org.kde.kweather
        com.apple.Maps mark-location org.gnome.Maps org.kde.marble
        com.apple.Music audio-x-generic org.gnome.Rhythmbox3 org.kde.elisa
        com.apple.podcasts audio-x-generic org.gnome.Podcasts org.kde.kasts
        com.apple.mobileslideshow image-x-generic org.gnome.Shotwell org.gnome.Photos org.kde.gwenview
        com.apple.mobilesafari web-browser firefox firefox-esr org.mozilla.firefox chromium google-chrome
        com.apple.news internet-news-reader
        com.apple.Home go-home
        com.apple.findmy find-location
        com.apple.Preferences preferences-system
        com.apple.AppStore system-software-install
        com.apple.Passbook emblem-important
        com.apple.Health emblem-favorite
        net.whatsapp.WhatsApp - com.ktechpit.whatsie io.github.mimbrero.WhatsAppDesktop
        ph.telegra.Telegraph - org.telegram.desktop telegramdesktop telegram-desktop
        org.whispersystems.signal - signal-desktop org.signal.Signal
        com.facebook.Messenger - com.sindresorhus.Caprine caprine
        com.hammerandchisel.discord - discord com.discordapp.Discord
        com.tinyspeck.chatlyio - slack com.slack.Slack
        com.microsoft.skype.teams - teams-for-linux com.github.IsmaelMartinez.teams_for_linux
        com.skype.skype - skypeforlinux com.skype.Client
        us.zoom.videomeetings camera-web Zoom us.zoom.Zoom
        im.vector.app - element-desktop im.riot.Riot
        im.fluffychat.app - im.fluffychat.Fluffychat
        ch.threema.iapp - ch.threema.threema-desktop
        com.wearezeta.zclient.ios - wire-desktop com.wire.WireDesktop
        com.viber - viber com.viber.Viber
        com.tencent.xin - wechat com.tencent.WeChat
        com.google.Gmail mail-unread thunderbird org.mozilla.Thunderbird org.gnome.Evolution
        com.google.calendar x-office-calendar org.gnome.Calendar org.kde.korganizer
        com.microsoft.Office.Outlook mail-unread thunderbird org.mozilla.Thunderbird org.gnome.Evolution
        ch.protonmail.protonmail mail-unread proton-mail me.proton.Mail
        com.readdle.smartemail mail-unread thunderbird org.mozilla.Thunderbird
        com.burbn.instagram image-x-generic
        org.joinmastodon.app - dev.geopjr.Tuba
        com.spotify.client audio-x-generic spotify com.spotify.Client
        com.google.ios.youtube video-x-generic
        com.netflix.Netflix video-x-generic
        com.valvesoftware.Steam applications-games steam com.valvesoftware.Steam
        com.agilebits.onepassword-ios dialog-password 1password
        com.8bit.bitwarden dialog-password bitwarden com.bitwarden.desktop
        com.todoist.ios appointment-new todoist com.todoist.Todoist
        io.robbie.HomeAssistant go-home
        com.github.stormbreaker.prod - io.github.shiftey.Desktop
        """
}
