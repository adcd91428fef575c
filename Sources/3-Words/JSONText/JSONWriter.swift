/// Writes objects as lines of octets without building a tree of values. The octets are the same as those of
/// ``JSONValue/write(to:)``.
public struct JSONWriter: JSONMembers, Sendable {
    /// The lines so far.
    public private(set) var octets: [UInt8] = []
    /// Whether the object that is being written has a member.
    private var hasMember = false

    /// A writer without lines.
    public init() {}

    /// An object on one line, whose members `describe` adds: the text of the tree with the same members.
    public static func text(_ describe: (inout Self) -> Void) -> String {
        var writer = Self()
        // Most lines fit: a notification of the usual size has 500 octets.
        writer.octets.reserveCapacity(1000)
        writer.writeObject(describe)
        return String(decoding: writer.octets, as: UTF8.self)
    }

    /// Writes an object, whose members `describe` adds, and the end of the line.
    public mutating func writeLine(_ describe: (inout Self) -> Void) {
        writeObject(describe)
        octets.append(UInt8(ascii: "\n"))
    }

    /// Writes an object that is already a text, and the end of the line.
    public mutating func writeLine(_ text: String) {
        octets.append(contentsOf: text.utf8)
        octets.append(UInt8(ascii: "\n"))
    }

    /// Writes a member.
    public mutating func add(_ name: StaticString, _ value: JSONValue) {
        writeName(name)
        value.write(to: &octets)
    }

    /// Writes a member that is a text.
    public mutating func add(_ name: StaticString, text octets: [UInt8]) {
        writeName(name)
        JSONValue.write(text: octets, to: &self.octets)
    }

    /// Writes a member that is a text of at most this many octets without anything to escape, which `write` appends.
    public mutating func addText(
        _ name: StaticString, atMost count: Int, _ write: (inout OutputSpan<UInt8>) -> Void
    ) {
        writeName(name)
        octets.append(addingCapacity: count + 2) { text in
            text.append(UInt8(ascii: "\""))
            write(&text)
            text.append(UInt8(ascii: "\""))
        }
    }

    /// Writes a member that is an array of texts.
    public mutating func add(_ name: StaticString, texts: [String]) {
        writeName(name)
        JSONValue.write("[", texts, "]", to: &octets) { JSONValue.write($0, to: &$1) }
    }

    /// Writes members.
    public mutating func add(_ members: [JSONValue.Member]) {
        for member in members {
            separate()
            member.write(to: &octets)
        }
    }

    /// Writes a member that is an object.
    public mutating func add(_ name: StaticString, object describe: (inout Self) -> Void) {
        writeName(name)
        writeObject(describe)
    }

    /// Writes a member that is an array of objects.
    public mutating func add<Object>(
        _ name: StaticString, objects: [Object], _ describe: (Object, inout Self) -> Void
    ) {
        writeName(name)
        octets.append(UInt8(ascii: "["))
        for index in objects.indices {
            if index > 0 { octets.append(UInt8(ascii: ",")) }
            writeObject { writer in describe(objects[index], &writer) }
        }
        octets.append(UInt8(ascii: "]"))
    }

    private mutating func writeObject(_ describe: (inout Self) -> Void) {
        octets.append(UInt8(ascii: "{"))
        hasMember = false
        describe(&self)
        octets.append(UInt8(ascii: "}"))
        // The enclosing object now has a member.
        hasMember = true
    }

    private mutating func separate() {
        if hasMember { octets.append(UInt8(ascii: ",")) }
        hasMember = true
    }

    /// Names are our own: nothing in them needs an escape.
    private mutating func writeName(_ name: StaticString) {
        separate()
        octets.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { octets.append(contentsOf: $0) }
        octets.append(UInt8(ascii: "\""))
        octets.append(UInt8(ascii: ":"))
    }
}
