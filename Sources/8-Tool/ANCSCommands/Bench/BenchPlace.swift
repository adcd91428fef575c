internal import CommandKit
internal import HCITransports

/// Where the accessory of a bench finds its controller, and how its command line says so.
enum BenchPlace: Equatable, Sendable {
    /// A TCP port of the loopback: `{tcp}` is `127.0.0.1:PORT`, `{host}` and `{port}` are its parts.
    case tcp
    /// A Unix socket: `{unix}` is its path.
    case unix
    /// A pseudo-terminal: `{pty}` is its path.
    case pseudoTerminal
    /// A place that the program has built in.
    case fixed(TransportMoniker)

    private static let words: [(word: String, place: BenchPlace)] = [
        ("{tcp}", .tcp), ("{host}", .tcp), ("{port}", .tcp), ("{unix}", .unix),
        ("{pty}", .pseudoTerminal),
    ]

    /// The place that the words of a command name.
    init(of command: [String]) throws(CommandSyntax.UsageError) {
        let found = Self.words.filter { word, _ in command.contains { $0.contains(word) } }
        guard let first = found.first else {
            throw .init(
                message: "the command does not say where its controller is: write {tcp} or {host} "
                    + "and {port}, {unix} or {pty} where its place belongs, or name with --listen "
                    + "the place that it has built in")
        }
        if let other = found.first(where: { $0.place != first.place }) {
            throw .init(
                message: "the command names two controllers, \(first.word) and \(other.word), but "
                    + "an accessory has one")
        }
        self = first.place
    }

    private static let host = "127.0.0.1"

    /// Where the bench serves the controller; files are in `directory`.
    func moniker(in directory: String) -> TransportMoniker {
        switch self {
        case .tcp: .tcpServer(host: Self.host, port: 0)
        case .unix: .unixServer(path: directory + "/controller")
        case .pseudoTerminal: .pseudoTerminal(link: directory + "/controller")
        case .fixed(let moniker): moniker
        }
    }

    /// The words of the command with the place of the controller, which is served at `moniker`, and with
    /// `directory`, where the program may keep its files.
    static func words(
        _ command: [String], for moniker: TransportMoniker, directory: String
    ) -> [String] {
        var values = [("{dir}", directory)]
        switch moniker {
        case .tcpServer(_, let port):
            values += [("{tcp}", "\(host):\(port)"), ("{host}", host), ("{port}", "\(port)")]
        case .unixServer(let path): values.append(("{unix}", path))
        case .pseudoTerminal(link: let path?): values.append(("{pty}", path))
        case .tcpClient, .unixClient, .serial, .pseudoTerminal, .hciSocket, .virtual, .file: break
        }
        return command.map { word in values.reduce(word) { $0.replacing($1.0, with: $1.1) } }
    }
}
