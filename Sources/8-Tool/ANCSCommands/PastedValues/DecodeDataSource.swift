internal import ANCSCapture
internal import JSONText

extension DataSourceAnswer {
    /// Describes the answer, member by member, starting with `kind`.
    func describe(to object: inout some JSONMembers) {
        object.add("kind", "dataSource")
        guard let attributes else {
            object.add("complete", false)
            if let fault { object.add("error", .string(fault.message)) }
            return
        }
        if let identity {
            object.add("command", .string(identity.commandID.description))
            switch identity {
            case .notification(let uid): object.add("uid", .integer(Int(uid.rawValue)))
            case .app(let app): object.add("appIdentifier", .string(app.description))
            }
        }
        object.add("attributes", objects: attributes) { attribute, member in
            member.add("id", .integer(Int(attribute.id)))
            member.add("name", .string(name(attribute.id)))
            member.add("length", .integer(Int(attribute.length)))
            member.add("value", .string(attribute.text))
            if !attribute.isValidUTF8 {
                member.add("octets", .string(Hexadecimal.text(attribute.octets)))
            }
        }
        object.add("complete", .boolean(fault == nil))
        if case .incomplete(let why) = fault { object.add("why", .string(why)) }
        if !trailing.isEmpty {
            let shown = Array(trailing.prefix(Self.trailingLimit))
            object.add("trailing", .string(Hexadecimal.text(shown)))
            object.add("trailingCount", .integer(trailing.count))
        }
        if case .error(let error) = fault { object.add("error", .string(error)) }
    }

    /// The answer as an object.
    var json: JSONValue {
        var members: [JSONValue.Member] = []
        describe(to: &members)
        return .object(members)
    }
}
