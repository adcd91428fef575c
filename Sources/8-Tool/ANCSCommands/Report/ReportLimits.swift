/// How much of a run a page shows. A page tries one level after another, until the run fits.
struct ReportLimits: Equatable, Sendable {
    /// The events that are listed, half of them the first and half the last.
    var events: Int
    /// The steps that are listed; those that failed are among them.
    var steps: Int
    /// The last lines of the program.
    var output: Int
    /// The characters of a text.
    var text: Int
    /// The events that a mark of the axis names.
    var named: Int
    /// The least distance between marks of one kind, in units of the picture.
    var distance: Int
    /// The accessories with verdicts.
    var accessories: Int
    /// Whether requirements that were kept or not tested are listed.
    var listsAllRequirements: Bool

    /// From most to least.
    static let levels = (0..<6).map(ReportLimits.init(level:))

    private init(level: Int) {
        events = [800, 400, 150, 60, 20, 0][level]
        steps = [400, 200, 100, 40, 20, 6][level]
        output = [400, 200, 100, 50, 20, 6][level]
        text = [400, 300, 200, 160, 120, 80][level]
        named = [5, 3, 2, 1, 1, 0][level]
        distance = [18, 20, 24, 30, 40, 80][level]
        accessories = [8, 8, 4, 4, 2, 1][level]
        listsAllRequirements = level < 3
    }
}
