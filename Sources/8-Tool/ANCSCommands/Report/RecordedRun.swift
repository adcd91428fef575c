internal import AccessoryConformance
internal import Printing

/// What is kept of a run for its report, bounded whatever the run has.
struct RecordedRun: Sendable {
    /// Something that happened.
    struct Entry: Equatable, Sendable {
        /// Since the start of the run.
        var time: Duration
        var direction: ReportDirection
        /// The number of the accessory, counted from 0; `nil` for none, or for one that has no lane.
        var accessory: Int?
        /// What a log says of it.
        var text: String
        /// The texts of the notification that it is about, if they are wanted.
        var content: [String] = []
        /// Whether it stands out as a problem.
        var isProblem = false
        /// Its number among all events of the run, counted from 0.
        var number = 0
    }

    /// How many events are kept from the beginning and from the end of a run: a fault shows itself in either.
    static let (firstEntries, lastEntries) = (400, 400)
    /// The accessories that have lanes of their own.
    static let maximumAccessories = 4
    /// The characters of Unicode that are kept of a text, which is twice what a page shows.
    private static let maximumText = 800

    /// What stands above the run.
    var title: String
    /// The sentences below it.
    let summary: [String]
    /// Whether texts of notifications, and what the program prints, are wanted.
    let hasContent: Bool
    private let start: MonotonicInstant
    private var first: [Entry] = []
    private var last = Queue<Entry>()
    /// How many events the run had; those between the first and the last that are kept were dropped.
    private(set) var count = 0
    private(set) var bands = ReportBands()
    private var ids: [AccessoryID] = []
    /// The names of the accessories with lanes, untrusted.
    private(set) var accessories: [String] = []
    /// What came of the run.
    private(set) var result: ScenarioResult?
    /// What the accessory's program printed; `nil` if it is not known, or not wanted.
    private(set) var output: [String]?

    init(_ scenario: Scenario, hasContent: Bool, at start: MonotonicInstant) {
        title = scenario.title
        summary = ScenarioReport.line(of: scenario).below.map(\.text)
        self.hasContent = hasContent
        self.start = start
    }

    /// All that is kept, in order.
    var entries: [Entry] {
        var all = first
        var rest = last
        while let entry = rest.popFirst() { all.append(entry) }
        return all
    }

    // MARK: What happens

    /// An event of the phone with what is said of it; `posted` is the notification that it is about.
    mutating func add(
        _ event: ProviderEvent, _ line: Line, _ posted: PostedNotification?,
        at now: MonotonicInstant
    ) {
        let time = now - start
        let accessory = event.accessory.flatMap { lane(of: $0, event) }
        if let accessory { bands.observe(event, of: accessory, at: time) }
        var entry = Entry(
            time: time, direction: event.direction, accessory: accessory,
            text: line.log ?? line.sentence ?? "", isProblem: line.isAlarming)
        if hasContent, let posted { entry.content = [posted.title] + posted.texts }
        append(entry)
    }

    /// What an app of the phone says of its accessory.
    mutating func add(_ event: BoundApps.Event, at now: MonotonicInstant) {
        guard let sentence = event.line.sentence else { return }
        append(Entry(time: now - start, direction: .phone, text: "\(event.app) \(sentence)"))
    }

    /// A fade of the radio begins, or ends.
    mutating func fade(_ isOn: Bool, at now: MonotonicInstant) { bands.fade(isOn, at: now - start) }

    /// The run has ended.
    mutating func end(_ result: ScenarioResult, output: [String]?) {
        self.result = result
        title = result.title
        self.output = hasContent ? output : nil
        bands.finish(at: result.duration)
        // What came later belongs to the end of the phone.
        let own = entries.filter { $0.time <= result.duration }
        count -= entries.count - own.count
        (first, last) = (own, Queue())
    }

    // MARK: Limits

    private mutating func append(_ entry: Entry) {
        var entry = entry
        entry.number = count
        count += 1
        entry.text = Self.cut(entry.text)
        entry.content = entry.content.map(Self.cut)
        if first.count < Self.firstEntries { return first.append(entry) }
        if last.count == Self.lastEntries { _ = last.popFirst() }
        last.append(entry)
    }

    private static func cut(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(maximumText)))
    }

    /// The lane of an accessory: the first that are about to be connected have one.
    private mutating func lane(of id: AccessoryID, _ event: ProviderEvent) -> Int? {
        let known = ids.firstIndex(of: id)
        var name: String?
        switch event {
        case .peer(_, .connected(let peer)): name = peer.name ?? ""
        case .peer(_, .named(let text)): name = text
        case .link(_, .advertised): name = ""
        case .device, .peer, .link, .session, .notification: return known
        }
        if let known {
            if let name, !name.isEmpty { accessories[known] = Self.cut(name) }
            return known
        }
        guard ids.count < Self.maximumAccessories else { return nil }
        ids.append(id)
        accessories.append(Self.cut(name ?? ""))
        return ids.count - 1
    }
}

extension Line {
    /// Whether a person must know of it.
    fileprivate var isAlarming: Bool {
        switch emphasis {
        case .alarm, .problem: true
        case .plain, .stage, .hint, .item, .heading, .marked, .found, .verdict: false
        }
    }
}

extension Line.Below {
    /// What the line says, in any style.
    var text: String {
        switch self {
        case .hint(let text), .text(let text), .details(let text), .words(let text): text
        }
    }
}
