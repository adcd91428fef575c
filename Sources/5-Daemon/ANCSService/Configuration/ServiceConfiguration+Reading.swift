internal import ANCSReceiver

extension ServiceConfiguration {
    /// Reads a configuration file in TOML.
    ///
    /// - Parameters:
    ///   - text: The file, in UTF-8, at most 1 MiB.
    ///   - path: The name of the file in messages.
    /// - Throws: All faults in it.
    package init(reading text: [UInt8], path: String) throws(ConfigurationFaults) {
        self.init()
        try read(text, path: path)
    }

    /// The same; what is right in a file with faults is taken from it.
    mutating func read(_ text: [UInt8], path: String) throws(ConfigurationFaults) {
        let document: TOMLDocument
        do throws(TOMLDocument.Fault) { document = try TOMLDocument(parsing: text) } catch {
            throw ConfigurationFaults([
                ConfigurationFault(path: path, place: error.place, message: error.message)
            ])
        }
        var complaints = ConfigurationComplaints(path: path, text: text)
        for member in document.members { read(member, &complaints) }
        guard complaints.isEmpty else { throw complaints.found }
        programs = complaints.programs
    }

    private mutating func read(_ member: TOMLMember, _ complaints: inout ConfigurationComplaints) {
        let sections = ConfigurationSchema.sections
        if let section = sections.first(where: { $0.name == member.key }) {
            read(section, member, &complaints)
        } else if member.key == ConfigurationSchema.rule {
            rules = RuleReader.rules(in: member.value, &complaints)
        } else {
            let names = sections.map(\.name) + [ConfigurationSchema.rule]
            // A key before the first section often belongs to one.
            let home = sections.first { $0.keys.contains { $0.name == member.key } }
            if let home {
                complaints.complain(
                    at: member.place,
                    "the key \"\(member.key)\" is outside its section: expected "
                        + "[\(home.name)] before it")
            } else {
                complaints.complain(at: member.place, unknown: "section", member.key, among: names)
            }
        }
    }

    private mutating func read(
        _ section: ConfigurationSection, _ member: TOMLMember,
        _ complaints: inout ConfigurationComplaints
    ) {
        guard case .table(let members) = member.value.content else {
            return complaints.complain(member.value, expected: "a section, as in [\(section.name)]")
        }
        ConfigurationKey.read(members, as: "key", section.keys, into: &self, &complaints)
        checkFace(members, &complaints)
    }

    /// A face must be possible with the adapter, which may stand after it.
    private func checkFace(_ members: [TOMLMember], _ complaints: inout ConfigurationComplaints) {
        guard let face = members.first(where: { $0.key == "face" }), bluetooth.isAtBluetoothd,
            let fault = bluetooth.face.faultWithBluetoothd
        else { return }
        complaints.complain(at: face.value.place, fault)
    }
}
