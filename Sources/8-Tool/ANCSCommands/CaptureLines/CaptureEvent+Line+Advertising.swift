internal import ANCSCapture
internal import EventLines
internal import Kinds

extension CaptureEvent.Advertising {
    static let form = ObjectForm<Self>(
        .init("minimum", .milliseconds) { .milliseconds($0.shortest.duration) },
        .init("maximum", .milliseconds) { .milliseconds($0.longest.duration) },
        .word("accepts", \.reach), .text("name?", \.name))

    private var name: String? { data.localName ?? response.localName }

    var line: Line {
        let range = shortest == longest ? "" : "\(shortest.duration.milliseconds) to "
        return Line(
            "advertising", Self.form.members(of: self),
            "this side advertises every \(range)\(longest.duration.milliseconds) ms, \(reach.words)"
                + (name.map { ", as \"\($0)\"" } ?? ""), .item)
    }
}

extension CaptureEvent.Advertising.Reach {
    fileprivate var words: String {
        switch self {
        case .everyone: "for connections"
        case .oneDevice: "for one device"
        case .nobody: "and accepts no connection"
        }
    }
}
