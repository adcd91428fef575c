internal import CommandKit

/// What a command that plays scenarios writes of them, as its options ask for it.
struct ReportFiles: Sendable {
    /// Whether the files have texts: those of notifications, and what a program printed.
    enum Texts: Sendable {
        /// They have, which is the default: the texts of a simulated phone are those of its scenario. Version 0.1 masked
        /// them, so a line says it.
        case usual
        /// They were asked for.
        case wanted
        /// They are left out.
        case left

        /// The mode of the files. Version 0.1 made what had been asked for private, and goes on to.
        var mode: UInt32 { self == .wanted ? 0o600 : 0o644 }

        /// Says once that the report shows texts, because version 0.1 masked them.
        func announce(_ texts: String) {
            guard self == .usual else { return }
            StandardStreams.writeError(
                "ancs: the report shows \(texts); --no-content leaves them out (version 0.1 masked them)"
            )
        }
    }

    /// The file of `--junit`.
    var junit: String?
    /// The file of `--report`.
    var page: String?
    var texts = Texts.usual
    var head = ReportHead()

    /// Refuses options that contradict each other, and those that have no file.
    func check(_ arguments: CommandSyntax.Arguments) throws(CommandSyntax.UsageError) {
        let given = ["--content", "--no-content"].filter(arguments.has)
        guard let first = given.first else { return }
        guard given.count == 1 else {
            throw .init(message: "--content and --no-content contradict each other")
        }
        guard page != nil || junit != nil else {
            throw .init(message: "\(first) needs --report FILE or --junit FILE")
        }
    }

    /// Creates the file of `--junit` before the run, so that errors show early and the result of an earlier run
    /// cannot be mistaken for the result of this one.
    func junitFile() throws(IOError) -> OutputFile? {
        try junit.map { path throws(IOError) in
            let file = try OutputFile(path: path, mode: texts.mode, kind: "report")
            if texts == .wanted { try file.makePrivate() }
            return file
        }
    }

    /// What records so many runs for a page, if one is wanted; `facts` are what is said of all of them.
    func recorder(
        of runs: Int, facts: [(name: String, value: String)], on loop: EventLoop
    ) throws(IOError) -> RunRecorder? {
        try page.map { path throws(IOError) in
            try RunRecorder(
                path: path, texts: texts, runs: runs, head: head, facts: facts, on: loop)
        }
    }
}

/// The options of a command that plays scenarios.
protocol ScenarioOptions {
    var reports: ReportFiles { get set }
    /// The longest time that each run may take; `nil` leaves it to the files.
    var limit: Duration? { get set }
}

extension CommandOption where Root: ScenarioOptions {
    static var junit: Self {
        Self(
            "--junit", "FILE", .file, into: \.reports.junit, "write what came of it as JUnit XML",
            isWritten: true)
    }

    static var report: Self {
        Self(
            "--report", "FILE", .file, into: \.reports.page,
            "write what happened as a page for a browser (HTML); see Report.md", isWritten: true)
    }

    static var noContent: Self {
        flag(
            "--no-content", \.reports.texts, is: .left,
            "leave texts of notifications, and what a program prints, out of the files of --report and --junit"
        )
    }

    static var content: Self {
        flag(
            "--content", \.reports.texts, is: .wanted,
            "show them, as without it, but in files that only you can read")
    }

    static var title: Self {
        Self(
            "--title", "TEXT", .text, into: \.reports.head.title,
            "the title of the report, such as a version")
    }

    static var noDate: Self {
        flag("--no-date", \.reports.head.hasDate, is: false, "leave the date out of the report")
    }

    static var limit: Self {
        Self(
            "--limit", "SECONDS", Kind.integer(in: 1...1_000_000).map { .seconds($0) },
            into: \.limit, "end a run after so long, 1 to 1000000")
    }
}
