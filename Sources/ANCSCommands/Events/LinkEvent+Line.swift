internal import ANCSKit
internal import ANCSService
internal import AccessoryConformance
internal import BluetoothLE
internal import BluetoothTypes
internal import JSONText
internal import Terminal

extension ProviderEvent.LinkEvent {
    /// What a phone says of a link. What it did not accept is always said.
    var line: Line {
        switch self {
        case .advertised(let advertisement):
            Line("advertising", advertisement.jsonMembers, detail: text)
        case .phoneAddressChanged: Line("phoneAddressChanged", [], detail: text)
        case .parametersRequested(let request):
            Line("parametersRequested", request.jsonMembers, text)
                .said(if: request.answer != .accept)
        case .parametersUpdated(let link):
            Line("parametersUpdated", ["link": link.json], detail: text)
        case .servicesFound(let services):
            Line(
                "services", ["services": .array(services.map { .string($0.description) })],
                detail: text)
        }
    }
}

extension ReceivedAdvertisement {
    fileprivate var jsonMembers: [JSONValue.Member] {
        let connections: JSONValue? =
            switch reach {
            case .everyone: nil
            case .oneDevice: "oneDevice"
            case .nobody: "none"
            }
        return [JSONValue.Member](present: [
            "interval": intervalMilliseconds.map { .number(($0 * 10).rounded() / 10) },
            "connections": connections, "flags": .boolean(advertising.flags != nil),
            "txPower": .boolean(!breaches.contains(.noTransmitPower)),
            "scanResponse": .boolean(!response.structures.isEmpty),
            "lacks": .array(breaches.map { .string($0.message) }),
        ])
    }
}

extension ParametersRequest {
    fileprivate var jsonMembers: [JSONValue.Member] {
        let requirements = breaches.map { breach -> JSONValue in
            [
                "requirement": .string(breach.requirement.rawValue),
                "editions": .string(breach.generations.message),
            ]
        }
        return [
            .init("minimum", .milliseconds(parameters.intervalMinimum.duration)),
            .init("maximum", .milliseconds(parameters.intervalMaximum.duration)),
            .init("latency", .integer(Int(parameters.latency))),
            .init("timeout", .milliseconds(parameters.supervisionTimeout.duration)),
            .init("answer", .string(answerWord)), .init("breaks", .array(requirements)),
        ]
    }
}
