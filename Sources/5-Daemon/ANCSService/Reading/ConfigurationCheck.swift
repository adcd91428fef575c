/// What a setting must be beyond its kind, which needs the rest of the machine or of the file.
struct ConfigurationCheck<Value: Sendable>: Sendable {
    /// The value, perhaps another one; `nil` after complaining of it.
    let check: @Sendable (Value, TOMLValue, inout ConfigurationComplaints) -> Value?
}

extension ConfigurationCheck<[String]> {
    /// A list whose first element has to name a program as posix_spawnp(3) finds it: no shell expands it, and
    /// the working directory is not the user's. Whether it exists is for ``ConfigurationReview``.
    static let program = Self { words, value, complaints in
        guard case .array(let elements) = value.content, let program = words.first else {
            return words
        }
        if let fault = fault(ofProgram: program) {
            complaints.complain(at: elements[0].place, fault)
            return nil
        }
        complaints.programs.append(ConfiguredProgram(words: words, places: elements.map(\.place)))
        return words
    }

    private static func fault(ofProgram program: String) -> String? {
        let name = "\"\(program.shortened)\""
        if program.hasPrefix("~") {
            return
                "\(name): no shell runs this program, so \"~\" is not your home: expected the whole path, "
                + "such as \"/home/ada/bin/lights\""
        }
        guard program.contains("/"), !program.hasPrefix("/") else { return nil }
        return
            "\(name) is a relative path, and the program runs in \"/\": expected a path that begins with "
            + "\"/\", or a name without \"/\", which is looked for in PATH"
    }
}
