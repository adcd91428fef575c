internal import ANCSKit
internal import ANCSService
internal import AccessoryConformance
internal import BluetoothLE
internal import JSONText

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
        var members: [JSONValue.Member] = []
        if let intervalMilliseconds {
            members.append(.init("interval", .number((intervalMilliseconds * 10).rounded() / 10)))
        }
        switch reach {
        case .everyone: break
        case .oneDevice: members.append(.init("connections", "oneDevice"))
        case .nobody: members.append(.init("connections", "none"))
        }
        return members + [
            .init("flags", .boolean(advertising.flags != nil)),
            .init("txPower", .boolean(!breaches.contains(.noTransmitPower))),
            .init("scanResponse", .boolean(!response.structures.isEmpty)),
            .init("lacks", .array(breaches.map { .string($0.message) })),
        ]
    }
}

extension ParametersRequest {
    fileprivate var jsonMembers: [JSONValue.Member] {
        let rules = breaches.map { breach -> JSONValue in
            [
                "rule": .string(breach.rule.rawValue),
                "editions": .string(breach.generations.message),
            ]
        }
        return [
            .init("minimum", .milliseconds(parameters.intervalMinimum.duration)),
            .init("maximum", .milliseconds(parameters.intervalMaximum.duration)),
            .init("latency", .integer(Int(parameters.latency))),
            .init("timeout", .milliseconds(parameters.supervisionTimeout.duration)),
            .init("answer", .string(answerWord)), .init("breaks", .array(rules)),
        ]
    }
}
