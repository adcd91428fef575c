internal import Kinds

/// A key of a section or of an inline table: used to read, suggest and document it.
struct ConfigurationKey<Root: Sendable>: Sendable {
    let name: String
    /// The valid values.
    let expected: String
    /// The words, numbers and truths among them; any other value is a text.
    var schema = SchemaFragment.text
    /// The default, as it would be written.
    let standard: String
    /// What it does, for the documentation.
    let help: String
    let read: @Sendable (TOMLValue, inout Root, inout ConfigurationComplaints) -> Void
}

extension ConfigurationKey {
    init<Value>(
        _ name: String, _ kind: Kind<Value>, _ place: any WritableKeyPath<Root, Value> & Sendable,
        check: ConfigurationCheck<Value>? = nil, standard: String = "", _ help: String = ""
    ) {
        (self.name, self.standard, self.help) = (name, standard, help)
        expected = kind.expected
        schema = kind.schema
        read = { value, root, complaints in
            guard var read = kind.read(value, &complaints) else { return }
            if let check {
                guard let checked = check.check(read, value, &complaints) else { return }
                read = checked
            }
            root[keyPath: place] = read
        }
    }

    /// Reads the members of a table; `what` is what a key of it is called.
    static func read(
        _ members: [TOMLMember], as what: String, _ keys: [Self], into root: inout Root,
        _ complaints: inout ConfigurationComplaints
    ) {
        for member in members {
            if let key = keys.first(where: { $0.name == member.key }) {
                key.read(member.value, &root, &complaints)
            } else {
                complaints.complain(
                    at: member.place, unknown: what, member.key, among: keys.map(\.name))
            }
        }
    }
}
