internal import Octets

/// A popup's desired and actual state.
struct TrackedPopup: Sendable {
    enum Subject: Sendable {
        // Indirect, because popups are moved and copied much more often than they are made.
        indirect case record(Record)
        /// The summary of records without popups.
        case summary
        /// The question whether to accept a phone, with this untrusted name.
        indirect case question(PhoneName, String)
    }

    enum Place: Sendable {
        /// It was on the phone before the session, and it is not known yet how many others were.
        case held
        /// It is queued.
        case waiting
        indirect case up(Up)
        /// It was closed, by the user or otherwise, and does not come back on its own.
        case closed(byUser: Bool)
    }

    /// A visible popup.
    struct Up: Sendable {
        /// Its identifier on the server.
        let id: UInt32
        /// Since when it is unchanged.
        let since: MonotonicInstant
        /// Its contents.
        let content: DesktopPopup
        /// Whether an action was pressed: closing it is then not a dismissal.
        var wasPressed = false
    }

    /// Identifies it in the table; later popups have greater keys.
    let key: UInt64
    var subject: Subject
    /// The desired contents.
    var wanted: DesktopPopup
    var place: Place
    /// Whether it is posted without a sound, because it is not new.
    var isQuiet = false
    /// Whether its phone does not report it now.
    var isCutOff = false
    /// How often it was posted without a reply.
    var attempts = 0

    var record: Record? { if case .record(let record) = subject { record } else { nil } }

    var isSummary: Bool { if case .summary = subject { true } else { false } }
    var isCall: Bool { record?.isCall ?? false }
    /// The phone that it asks about.
    var asked: PhoneName? { if case .question(let phone, _) = subject { phone } else { nil } }
    /// Whether it can be counted in the summary instead of being shown.
    var isOrdinary: Bool { record != nil && !isCall }

    var up: Up? { if case .up(let up) = place { up } else { nil } }
    var isUp: Bool { if case .up = place { true } else { false } }
    var isWaiting: Bool { if case .waiting = place { true } else { false } }
    var isHeld: Bool { if case .held = place { true } else { false } }
    var isClosed: Bool { if case .closed = place { true } else { false } }

    /// Whether it differs from what the server shows.
    var isDue: Bool {
        switch place {
        case .waiting: true
        case .up(let up): up.content != wanted
        case .held, .closed: false
        }
    }
}

/// All popups, the oldest first.
struct PopupTable: Sendable {
    private(set) var popups: [TrackedPopup] = []
    private var lastKey: UInt64 = 0

    subscript(index: Int) -> TrackedPopup {
        get { popups[index] }
        set { popups[index] = newValue }
    }

    var indices: Range<Int> { popups.indices }

    mutating func append(
        _ subject: TrackedPopup.Subject, _ wanted: DesktopPopup, _ place: TrackedPopup.Place
    ) {
        lastKey += 1
        popups.append(TrackedPopup(key: lastKey, subject: subject, wanted: wanted, place: place))
    }

    mutating func remove(at index: Int) -> TrackedPopup { popups.remove(at: index) }

    func index(key: UInt64) -> Int? { popups.firstIndex { $0.key == key } }
    func index(up id: UInt32) -> Int? { popups.firstIndex { $0.up?.id == id } }
    func index(of record: RecordID) -> Int? { popups.firstIndex { $0.record?.id == record } }
    func index(asking digest: String) -> Int? { popups.firstIndex { $0.asked?.digest == digest } }
    var summary: Int? { popups.firstIndex(where: \.isSummary) }

    /// Puts the popups that are held in the order in which their notifications were announced, so that the
    /// newest one is shown last, above the others.
    mutating func sortHeld() {
        let places = popups.indices.filter { popups[$0].isHeld }
        let sorted = places.map { popups[$0] }.sorted { left, right in
            guard let left = left.record, let right = right.record else { return false }
            return left.id < right.id
        }
        for (place, popup) in zip(places, sorted) { popups[place] = popup }
    }

    func first(where fits: (TrackedPopup) -> Bool) -> Int? { popups.firstIndex(where: fits) }
    func last(where fits: (TrackedPopup) -> Bool) -> Int? { popups.lastIndex(where: fits) }
    func count(where fits: (TrackedPopup) -> Bool) -> Int {
        popups.reduce(0) { $0 + (fits($1) ? 1 : 0) }
    }
}
