internal import ANCSCapture
internal import ANCSService
internal import BluetoothTypes
internal import CommandKit
internal import EventLines
internal import JSONText
internal import Printing

extension CaptureEvent.Advertising {
    var line: Line {
        let range = shortest == longest ? "" : "\(shortest.duration.milliseconds) to "
        let name = data.localName ?? response.localName
        return .item(
            "advertising",
            [
                "minimum": .milliseconds(shortest.duration),
                "maximum": .milliseconds(longest.duration), "accepts": .string(reach.rawValue),
                "name": name.map { .string($0) },
            ],
            "this side advertises every \(range)\(longest.duration.milliseconds) ms, \(reach.words)"
                + (name.map { ", as \"\($0)\"" } ?? ""))
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
