@testable import Printing

/// A table of what each event of a type looks like in each form, as the lines of a recording.
struct EventTable {
    private(set) var lines: [String] = []

    /// What an event looks like.
    struct Forms {
        /// What a pipe gets.
        var piped: [String]
        /// Other surroundings and options: listed only if they get something else.
        var variants: KeyValuePairs<String, [String]> = [:]
        /// Forms of their own. One without lines is listed as `nothing`, so that no event is hidden.
        var others: KeyValuePairs<String, [String]> = [:]
    }

    /// Adds an event.
    mutating func add(_ title: String, _ forms: Forms) {
        lines.append(title)
        add("piped", forms.piped)
        for (form, printed) in forms.variants where printed != forms.piped { add(form, printed) }
        for (form, printed) in forms.others { add(form, printed) }
    }

    private mutating func add(_ form: String, _ printed: [String]) {
        let form = TerminalText.padded(form, to: 8)
        lines += (printed.isEmpty ? ["nothing"] : printed).map { "  \(form)  \($0)" }
    }

    /// The table of all samples of a type.
    static func lines<Event: Sampled>(
        of _: Event.Type, forms: (Event) throws -> Forms
    ) rethrows -> [String] {
        var table = EventTable()
        for (title, event) in Event.titledSamples { table.add(title, try forms(event)) }
        return table.lines
    }
}

/// Lines of both streams: those of standard error begin with `2> `.
func streams(output: [String], diagnostics: [String]) -> [String] {
    diagnostics.map { "2> " + $0 } + output
}
