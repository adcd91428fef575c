import ANCS
import Glibc
import LinuxIO
import Printing
import Testing

@testable import ANCSService

@Suite("The contents of a popup")
struct PopupComposerTests {
    /// A server that shows names, icons and buttons itself.
    private static let server = DesktopServer(
        name: "Plasma", version: "6.3.4",
        capabilities: ["actions", "body", "body-markup", "icon-static"])

    private func compose(
        _ record: Record, server: DesktopServer? = server,
        _ configure: (inout ServiceConfiguration.DesktopSection) -> Void = { _ in }
    ) -> DesktopPopup? {
        var desktop = ServiceConfiguration.DesktopSection()
        configure(&desktop)
        return PopupComposer(desktop: desktop, server: server).popup(of: record)
    }

    @Test("a message shows its app, its title and subtitle, and its text")
    func message() throws {
        let record = Record.onDesktop(
            7, app: "Chat & Co", title: "<Ann>", subtitle: "Group", message: "1 < 2")
        let popup = try #require(compose(record))
        #expect(popup.appName == "Chat & Co")
        #expect(popup.summary == "<Ann> – Group")
        #expect(popup.body == "1 &lt; 2")
        #expect(popup.actions.map(\.key) == ["default", "negative-7"])
        #expect(popup.actions.map(\.label) == ["OK", "Clear"])
        #expect(popup.urgency == .normal)
        #expect(popup.sound == .ofDesktop)
        #expect(popup.expiry == .ofDesktop)
        #expect(!popup.isResident)
    }

    @Test("where there are several phones, a popup says whose it is, whatever else it shows")
    func severalPhones() throws {
        for (content, summary) in [
            (RecordContent.full, "Ann · Ann's iPhone"), (.app, "Message · Ann's iPhone"),
            (.none, "New notification · Ann's iPhone"),
        ] {
            var desktop = ServiceConfiguration.DesktopSection()
            desktop.content = content
            var composer = PopupComposer(desktop: desktop, server: Self.server)
            composer.labels = [
                "0123456789abcdef": "Ann's iPhone", "fedcba9876543210": "Other",
            ]
            #expect(composer.popup(of: .onDesktop(7))?.summary == summary)
            let long = Record.onDesktop(7, title: String(repeating: "x", count: 500))
            #expect(composer.popup(of: long)?.summary.hasSuffix(" · Ann's iPhone") == true)
        }
    }

    // MARK: What a server does not show itself

    /// Servers as they describe themselves, and what they were seen to show.
    private static let bare = [
        DesktopServer(
            name: "dunst", version: "1.9.0 (2022-06-27)",
            capabilities: ["actions", "body", "body-hyperlinks", "body-markup", "icon-static"]),
        DesktopServer(
            name: "mako", version: "1.7.1",
            capabilities: ["actions", "body", "body-markup", "icon-static"]),
        DesktopServer(name: "x", version: "1", capabilities: ["body", "icon-static"]),
        DesktopServer(name: "x", version: "1", capabilities: ["body", "actions"]),
    ]
    private static let xfce = DesktopServer(
        name: "Xfce Notify Daemon", version: "0.7.3",
        capabilities: ["actions", "body", "body-markup", "icon-static"])

    @Test(
        "a call is named as a call if no icon and no button shows it", arguments: bare)
    func callInWords(server: DesktopServer) throws {
        let call = try #require(compose(.call(1), server: server))
        let sign = server.hasIcons && server.name == "x" ? "" : "☎ "
        #expect(call.summary == "\(sign)Phone: Mum")
        // The phone has said it, in these words.
        #expect(call.body == "Incoming Call")
        for (category, words) in [
            (.incomingCall, "Incoming call"), (.activeCall, "Call"), (.missedCall, "Missed call"),
        ] as [(CategoryID, String)] {
            let other = Record.onDesktop(
                1, category, app: "Phone", title: "Mum", message: "mobile")
            #expect(compose(other, server: server)?.body == "\(words)\nmobile")
            #expect(compose(other)?.body == "mobile")
            let silent = Record.onDesktop(1, category, app: "Phone", title: "Mum", message: "")
            #expect(compose(silent, server: server)?.body == words)
            #expect(compose(silent)?.body == words)
        }
        // Where the word is the heading, it is not repeated.
        let header = try #require(compose(.ringing(1), server: server))
        #expect(header.summary == "\(sign)Ann's iPhone: Incoming call")
        #expect(header.body == "")
    }

    @Test("a server that shows no body has the word for a call in its heading")
    func callWithoutBody() throws {
        let server = DesktopServer(name: "x", version: "1", capabilities: [])
        #expect(compose(.call(1), server: server)?.summary == "☎ Phone: Mum (incoming call)")
        #expect(compose(.ringing(1), server: server)?.summary == "☎ Ann's iPhone: Incoming call")
        let long = try #require(
            compose(.call(1, from: String(repeating: "x", count: 300)), server: server))
        #expect(long.summary.hasSuffix("… (incoming call)"))
        #expect(long.summary.utf8.count <= 256)
    }

    @Test("the app is named where the server does not name it", arguments: bare + [xfce])
    func namesApp(server: DesktopServer) {
        #expect(compose(.onDesktop(1), server: server)?.summary == "Messages: Ann")
        #expect(
            compose(.onDesktop(1), server: server) { $0.content = .app }?.summary
                == "Messages: Message")
        #expect(
            compose(.onDesktop(1), server: server) { $0.content = .none }?.summary
                == "iPhone: New notification")
        let long = compose(
            .onDesktop(1, app: String(repeating: "a", count: 200)), server: server)
        #expect((long?.summary.utf8.count ?? 999) <= 256)
        #expect(long?.summary.hasSuffix(": Ann") == true)
        #expect(compose(.onDesktop(1))?.summary == "Ann")
    }

    private static let lxqt = DesktopServer(
        name: "lxqt-notificationd", version: "1.2.0",
        capabilities: ["actions", "body", "body-hyperlinks", "body-images", "body-markup"])

    @Test("no server draws a button without a name: Xfce gets a label, LXQt draws none without one")
    func harmlessLabel() {
        let actions = compose(.call(1), server: Self.xfce)?.actions
        #expect(actions?.map(\.label) == ["Close", "Accept", "Reject"])
        // Without it, a click on the popup would press the only button.
        let single = compose(.onDesktop(1), server: Self.lxqt)?.actions
        #expect(single?.map(\.key) == ["default", "negative-1"])
        #expect(single?.map(\.label) == ["", "Clear"])
        for (server, labels) in [(Self.xfce, ["Close"]), (Self.lxqt, [""]), (Self.server, ["OK"])] {
            let composer = PopupComposer(
                desktop: ServiceConfiguration.DesktopSection(), server: server)
            #expect(composer.summary(of: FoldedRecords()).actions.map(\.label) == labels)
        }
        #expect(compose(.onDesktop(1), server: Self.lxqt)?.summary == "Ann")
        #expect(compose(.call(1), server: Self.lxqt)?.summary == "☎ Mum")
    }

    @Test("a click opens the program for the app where one is installed, and never on a call")
    func opens() throws {
        let folder = try TemporaryDirectory()
        mkdir("\(folder.path)/applications", 0o700)
        let text = "[Desktop Entry]\nName=Signal\nIcon=signal\n\n[Desktop Action x]\nIcon=other\n"
        try folder.write("applications/signal-desktop.desktop", Array(text.utf8))
        _ = try folder.script("gio", "")
        let search = ProgramSearch(path: folder.path)
        var composer = PopupComposer(
            desktop: ServiceConfiguration.DesktopSection(), server: Self.server)
        composer.programs = InstalledPrograms(in: ["/nowhere", folder.path], search)
        let message = Record.onDesktop(1, identifier: "org.whispersystems.signal")
        let entry = "\(folder.path)/applications/signal-desktop.desktop"
        #expect(composer.opened(message) == ["gio", "launch", entry])
        #expect(composer.popup(of: message)?.icon == "signal")
        #expect(composer.popup(of: message)?.actions.first?.label == "Open")
        composer.server = Self.xfce
        #expect(composer.popup(of: message)?.actions.map(\.label) == ["Open", "Clear"])
        #expect(composer.opened(.onDesktop(2, identifier: "com.example.unknown")) == nil)
        let call = Record.onDesktop(3, .incomingCall, identifier: "org.whispersystems.signal")
        #expect(composer.opened(call) == nil)
        composer.programs = InstalledPrograms(
            in: [folder.path], ProgramSearch(path: "\(folder.path)/no"))
        #expect(composer.opened(message) == nil)
        #expect(composer.popup(of: message)?.actions.map(\.label) == ["Close", "Clear"])
    }

    @Test("a number keeps its order beside Hebrew, and alone; nothing else gets marks")
    func directions() throws {
        let number = PersonText.caller
        func summary(_ app: String, _ title: String, _ server: DesktopServer) -> String? {
            compose(.onDesktop(1, .missedCall, app: app, title: title), server: server)?.summary
        }
        let shown = "\u{2068}+1\u{A0}(555)\u{A0}010-0100\u{2069}"
        #expect(summary("טלפון", number, Self.xfce) == "טלפון: \(shown)")
        #expect(summary("Phone", number, Self.xfce) == "Phone: +1\u{A0}(555)\u{A0}010-0100")
        #expect(summary("Phone", number, Self.server) == shown)
        #expect(summary("Phone", "אבא", Self.server) == "\u{2068}אבא\u{2069}")
        #expect(summary("טלפון", "Mum", Self.server) == "Mum")
        // A stranger's marks do not end ours.
        #expect(summary("טלפון", "\u{2069}1", Self.xfce) == "טלפון: \u{2068}\\u{2069}1\u{2069}")
        let long = try #require(summary("טלפון", String(repeating: "א", count: 300), Self.xfce))
        #expect(long.utf8.count <= 256)
        #expect(long.hasSuffix("…\u{2069}"))
    }

    @Test("the popup of a call that is cut off says why, and has no button that would do nothing")
    func cutOff() {
        for content in RecordContent.allCases {
            var desktop = ServiceConfiguration.DesktopSection()
            desktop.content = content
            let composer = PopupComposer(desktop: desktop, server: Self.server)
            let popup = composer.popup(of: .call(1), isCutOff: true)
            #expect(popup?.body == "The phone no longer reports the call, which may go on there")
            #expect(popup?.actions.map(\.key) == ["default"])
            #expect(popup?.urgency == .critical)
            #expect(popup?.isResident == true)
        }
    }

    @Test("fifty apps have a face, with names that are fit for a file")
    func faces() {
        #expect(AppFace.identifiers.count >= 50)
        for identifier in AppFace.identifiers {
            let face = AppFace.of(identifier)
            let names = (face?.programs ?? []) + [face?.icon ?? "x"]
            #expect(names.allSatisfy { $0.isASCIIWord(with: "-._") }, "\(identifier)")
            #expect(face?.icon != nil || face?.programs.isEmpty == false, "\(identifier)")
        }
        #expect(
            compose(.onDesktop(1, identifier: "com.google.calendar"))?.icon == "x-office-calendar")
        #expect(compose(.onDesktop(1, identifier: "com.example.chat"))?.icon == "mail-message-new")
    }

    @Test("a program that copies is found for the session, unless one is configured")
    func copier() throws {
        let folder = try TemporaryDirectory()
        for name in ["wl-copy", "xclip"] {
            _ = try folder.script(name, "")
        }
        let search = ProgramSearch(path: folder.path)
        var section = ServiceConfiguration.DesktopSection()
        func found(_ isWayland: Bool, _ isX11: Bool) -> String? {
            section.withCopier(search, isWayland: isWayland, isX11: isX11).copy.first
        }
        #expect(found(true, true) == "wl-copy")
        #expect(found(false, true) == "xclip")
        #expect(found(false, false) == nil)
        section.copy = ["mine"]
        #expect(found(true, true) == "mine")
        let none = ServiceConfiguration.DesktopSection().withCopier(
            ProgramSearch(path: "/nowhere"), isWayland: true, isX11: true)
        #expect(none.copy == [])
    }

    @Test("the body is plain where the server reads no markup")
    func plainBody() {
        let server = DesktopServer(name: "x", version: "1", capabilities: ["body", "actions"])
        #expect(compose(.onDesktop(1, message: "1 < 2"), server: server)?.body == "1 < 2")
    }

    @Test("a server without buttons gets none")
    func noButtons() {
        let server = DesktopServer(name: "notify-osd", version: "1", capabilities: ["body"])
        #expect(compose(.call(1), server: server)?.actions == [])
    }

    @Test("the app is its identifier where it has no name, and the phone before it is known")
    func appName() {
        #expect(compose(.onDesktop(1, app: ""))?.appName == "com.apple.MobileSMS")
        #expect(compose(.ringing(1))?.appName == "Ann's iPhone")
    }

    @Test("the summary counts the records without popups, up to a limit that it states")
    func summary() {
        let composer = PopupComposer(
            desktop: ServiceConfiguration.DesktopSection(), server: Self.server)
        var folded = FoldedRecords()
        func insert(_ number: Int, _ app: String) {
            folded.insert(
                RecordID(rawValue: UInt64(number)), app: app, phone: PhoneName(digest: "ann"))
        }
        insert(1, "Mail")
        #expect(composer.summary(of: folded).summary == "1 more notification")
        for number in 2...FoldedRecords.limit { insert(number, "Chat") }
        #expect(composer.summary(of: folded).summary == "1024 more notifications")
        insert(1, "Mail")
        #expect(composer.summary(of: folded).summary == "1024 more notifications")
        insert(FoldedRecords.limit + 1, "News")
        #expect(composer.summary(of: folded).summary == "At least 1024 more notifications")
        #expect(composer.summary(of: folded).body == "Chat: 1023\nMail: 1")
        folded.remove(RecordID(rawValue: 2))
        #expect(composer.summary(of: folded).summary == "At least 1023 more notifications")
        folded.removeAll(of: PhoneName(digest: "ann"))
        insert(1, "Mail")
        #expect(composer.summary(of: folded).summary == "1 more notification")
    }

    struct Kind: Sendable, CustomTestStringConvertible {
        let category: CategoryID
        let name: String
        var testDescription: String { name }
    }

    static let kinds = [
        Kind(category: .incomingCall, name: "call.incoming"),
        Kind(category: .missedCall, name: "call.unanswered"),
        Kind(category: .activeCall, name: "call"),
        Kind(category: .social, name: "im.received"),
        Kind(category: .email, name: "email.arrived"),
        Kind(category: .other, name: "x-ancs.other"),
        Kind(category: .voicemail, name: "x-ancs.voicemail"),
        Kind(category: .healthAndFitness, name: "x-ancs.healthAndFitness"),
        Kind(category: CategoryID(rawValue: 200), name: "x-ancs.reserved200"),
    ]

    @Test("each category has the desktop's name or one of ours", arguments: kinds)
    func categories(kind: Kind) {
        #expect(compose(.onDesktop(1, kind.category))?.category == kind.name)
    }

    @Test("a call is critical, stays until it ends, and has the phone's words on its buttons")
    func call() throws {
        let popup = try #require(compose(.call(5)))
        #expect(popup.urgency == .critical)
        #expect(popup.expiry == .never)
        #expect(popup.isResident)
        #expect(popup.summary == "Mum")
        #expect(popup.actions.map(\.key) == ["default", "positive-5", "negative-5"])
        #expect(popup.actions.map(\.label) == ["OK", "Accept", "Reject"])
    }

    @Test("a call of which only the header came has neutral words, for the actions of its flags")
    func header() throws {
        let popup = try #require(compose(.ringing(5)))
        #expect(popup.summary == "Incoming call")
        #expect(popup.actions.map(\.label) == ["OK", "Answer", "Decline"])
        #expect(
            compose(.ringing(5, flags: .negativeAction))?.actions.map(\.label) == ["OK", "Decline"])
    }

    @Test(
        "a call has no buttons or no popup if the configuration says so"
    )
    func configuredCalls() {
        #expect(compose(.call(1)) { $0.calls = .show }?.actions.map(\.key) == ["default"])
        #expect(compose(.call(1)) { $0.calls = .none } == nil)
        #expect(compose(.onDesktop(1, .activeCall)) { $0.calls = .none } == nil)
        #expect(compose(.onDesktop(1, .missedCall)) { $0.calls = .none } != nil)
    }

    @Test("important makes a call critical, and nothing else")
    func important() {
        #expect(compose(.onDesktop(1, .activeCall, flags: .important))?.urgency == .critical)
        #expect(compose(.onDesktop(1, flags: .important))?.urgency == .normal)
    }

    @Test("silent is quiet and low, and still shown")
    func silent() {
        let popup = compose(.onDesktop(1, flags: .silent))
        #expect(popup?.urgency == .low)
        #expect(popup?.sound == DesktopPopup.Sound.none)
        // A call that the phone announces again, after a pause of the link, still rings.
        #expect(compose(.onDesktop(1, .incomingCall, flags: .silent))?.urgency == .critical)
    }

    @Test("a pre-existing notification makes no sound, though a rule has one")
    func preExisting() {
        let record = Record.onDesktop(1, flags: .preExisting).with {
            $0.verdict.popup?.sound = "bell"
        }
        #expect(compose(record)?.sound == DesktopPopup.Sound.none)
    }

    @Test("a rule decides on urgency, time, icon and sound")
    func verdict() {
        let record = Record.onDesktop(1).with { record in
            record.verdict.popup?.urgency = .critical
            record.verdict.popup?.expiry = .seconds(3)
            record.verdict.popup?.icon = "face-smile"
            record.verdict.popup?.sound = "bell"
        }
        let popup = compose(record)
        #expect(popup?.urgency == .critical)
        #expect(popup?.expiry == .after(milliseconds: 3000))
        #expect(popup?.icon == "face-smile")
        #expect(popup?.sound == .named("bell"))
        let others = [("", DesktopPopup.Sound.none), ("/a/b.oga", .file("/a/b.oga"))]
        for (sound, expected) in others {
            #expect(compose(record.with { $0.verdict.popup?.sound = sound })?.sound == expected)
        }
        #expect(compose(record.with { $0.verdict.popup?.expiry = .zero })?.expiry == .never)
        let short = compose(record.with { $0.verdict.popup?.expiry = .nanoseconds(1) })
        #expect(short?.expiry == .after(milliseconds: 1))
        let long = compose(record.with { $0.verdict.popup?.expiry = .seconds(1e12) })
        #expect(long?.expiry == .after(milliseconds: .max))
    }

    @Test(
        "a notification that a rule mutes or hides has no popup, and none has while popups are off")
    func muted() {
        #expect(compose(Record.onDesktop(1).with { $0.verdict.isMuted = true }) == nil)
        #expect(compose(Record.onDesktop(1).with { $0.verdict.popup = nil }) == nil)
        #expect(compose(.onDesktop(1)) { $0.popups = false } == nil)
    }

    @Test("only app and category are shown if the configuration says so")
    func appOnly() {
        let popup = compose(Record.onDesktop(1).with { $0.code = "123456" }) {
            $0.content = .app
            $0.copy = ["wl-copy"]
        }
        #expect(popup?.appName == "Messages")
        #expect(popup?.summary == "Message")
        #expect(popup?.body == "")
        #expect(popup?.actions.map(\.key) == ["default", "negative-1"])
    }

    @Test("only the existence of a notification is shown if the configuration says so")
    func nothing() {
        let popup = compose(.onDesktop(1, .email, negative: "Trash")) { $0.content = .none }
        #expect(popup?.appName == "iPhone")
        #expect(popup?.summary == "New notification")
        #expect(popup?.body == "")
        #expect(popup?.icon == "phone")
        #expect(popup?.category == nil)
        #expect(popup?.actions.map(\.label) == ["OK", "Clear"])
        let call = compose(.call(1)) { $0.content = .none }
        #expect(call?.summary == "Incoming call")
        #expect(call?.category == "call.incoming")
        #expect(call?.actions.map(\.label) == ["OK", "Answer", "Decline"])
    }

    @Test("a one-time code can be copied where there is a program for it")
    func code() {
        let record = Record.onDesktop(1).with { $0.code = "123456" }
        #expect(compose(record)?.actions.map(\.key) == ["default", "negative-1"])
        let popup = compose(record) { $0.copy = ["wl-copy"] }
        #expect(popup?.actions.map(\.key) == ["default", "negative-1", "copy-1"])
    }

    @Test("64 KiB of text are 4 KiB on the desktop")
    func long() throws {
        let text = String(repeating: "<&>", count: 20_000)
        let popup = try #require(compose(.onDesktop(1, title: text, message: text)))
        #expect(popup.body.utf8.count <= 4096 && popup.body.utf8.count > 4080)
        #expect(popup.summary.utf8.count <= 256)
    }

    @Test("a key is read as it was written, and other text is refused")
    func keys() {
        for kind in [PopupPress.Kind.positive, .negative, .copy] {
            let press = PopupPress(kind, RecordID(rawValue: 59_719_680_123))
            #expect(PopupPress(key: press.key) == press)
        }
        for text in [
            "default", "", "-", "negative", "negative-", "negative-U", "hangup-1", "negative--1",
        ] {
            #expect(PopupPress(key: text) == nil)
        }
    }
}
