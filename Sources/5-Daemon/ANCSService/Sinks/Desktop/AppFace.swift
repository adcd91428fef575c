internal import CTables

/// What stands for an app of the phone on a Linux desktop.
struct AppFace: Equatable, Sendable {
    /// An icon of the Icon Naming Specification; `nil` for that of the category.
    var icon: String?
    /// The desktop entries of programs for the same thing, the best first.
    var programs: [String]

    /// The face of an app; `nil` for an unknown app.
    static func of(_ identifier: String) -> AppFace? { known[identifier] }

    /// The identifiers that have a face.
    static var identifiers: [String] { known.keys.sorted { $0 < $1 } }

    /// app-faces.txt.
    private static let known: [String: AppFace] = {
        var faces: [String: AppFace] = [:]
        for row in String(cString: ctables_app_faces()).split(separator: "\n") {
            let words = row.split(separator: " ").map(String.init)
            guard words.count >= 2, words[0] != "#" else { continue }
            faces[words[0]] = AppFace(
                icon: words[1] == "-" ? nil : words[1], programs: Array(words.dropFirst(2)))
        }
        return faces
    }()
}
