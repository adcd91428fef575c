package import ANCSKit
internal import BluetoothLE
internal import EventLines
internal import Kinds

extension ProviderEvent.LinkEvent {
    /// What a phone says of a link. What it did not accept is always said.
    var line: Line {
        switch self {
        case .advertised(let advertisement):
            Line("advertising", advertisement.jsonMembers, detail: advertisement.text)
        case .phoneAddressChanged:
            Line(
                "phoneAddressChanged", [],
                detail: "the phone has another address than on the link before")
        case .parametersRequested(let request):
            Line("parametersRequested", request.jsonMembers, request.text)
                .said(if: request.answer != .accept)
        case .parametersUpdated(let link):
            Line("parametersUpdated", ["link": link.json], detail: "the link has \(link.message)")
        case .servicesFound(let services):
            Line(
                "services", ["services": .array(services.map { .string($0.description) })],
                detail: services.isEmpty
                    ? "its services were not found" : "its services: \(services.count)")
        case .identityKeyCompared(let other):
            Line(
                "identityKey", ["sharedWith": other.map { .string($0) }],
                other.map {
                    "distributed the identity key of \(TerminalText.visible($0)): with resolvable "
                        + "addresses a phone confuses the two"
                } ?? "distributed an identity key of its own"
            ).said(if: other != nil)
        }
    }
}

extension ProviderEvent.LinkEvent {
    /// The kinds of lines of these events.
    static let kinds = [
        LineKind(
            "advertising", as: "advertisingAccessory",
            "the phone is about to connect to an accessory that advertises so",
            [
                "interval?": .milliseconds,
                "intervalMayBe?": .amount.described(
                    "in milliseconds, if only every second or third event was heard"),
                "connections?": .words(["oneDevice", "none"]).described(
                    "who may connect, if not everyone"), "flags": .boolean, "txPower": .boolean,
                "scanResponse": .boolean,
                "lacks": .texts.described("what Apple asks for and it does not have"),
            ]),
        LineKind(
            "parametersRequested",
            "an accessory requested connection parameters, by L2CAP or by the link layer",
            [
                "minimum": .milliseconds, "maximum": .milliseconds, "latency": .count,
                "timeout": .milliseconds,
                "answer": .words(["accepted", "refused", "acceptedOnly", "ignored"]),
                "breaks": .list(
                    of: .object([
                        "requirement": .words(["L1", "L2", "L4", "L5", "L6", "L7"]),
                        "editions": .words(["2022", "2025", "2022 and 2025"]),
                    ])
                ).described(
                    "which of Apple's requirements the request breaks, and in which editions"),
            ]),
        LineKind(
            "parametersUpdated", "the parameters of an accessory's link have changed",
            ["link": .link]),
        LineKind(
            "phoneAddressChanged",
            "the phone connects with another address than on the link before, as it does now and then"
        ),
        LineKind(
            "services", "the primary services of an accessory were discovered",
            ["services": .texts]),
        LineKind(
            "identityKey", "an accessory has bonded that is not the only one",
            [
                "sharedWith?": .text.described(
                    "the name of another accessory that distributed the same key")
            ]),
    ]
}

extension ReceivedAdvertisement {
    /// What Apple asks for and this advertisement lacks (A3).
    private var breaches: [LinkRequirements.AdvertisementBreach] {
        LinkRequirements.breaches(of: advertising, response: response)
    }

    /// The measured interval in milliseconds; `nil` if it was not measured.
    package var intervalMilliseconds: Double? { interval.map { $0 / .milliseconds(1) } }

    private var alternativeMilliseconds: Double? {
        alternativeInterval.map { $0 / .milliseconds(1) }
    }

    fileprivate var text: String {
        let other = alternativeMilliseconds.map { " or \(($0 * 10).rounded() / 10)" } ?? ""
        let every =
            intervalMilliseconds.map { " every \(($0 * 10).rounded() / 10)\(other) ms" } ?? ""
        let lacks = breaches.map(\.message)
        let to =
            switch reach {
            case .everyone: ""
            case .oneDevice: ", directed at one device"
            case .nobody: ", and accepts no connection"
            }
        return "advertises\(every)\(to)"
            + (lacks.isEmpty ? "" : ": " + lacks.joined(separator: ", "))
    }

    fileprivate var jsonMembers: [JSONValue.Member] {
        let connections: JSONValue? =
            switch reach {
            case .everyone: nil
            case .oneDevice: "oneDevice"
            case .nobody: "none"
            }
        return [JSONValue.Member](present: [
            "interval": intervalMilliseconds.map { .number(($0 * 10).rounded() / 10) },
            "intervalMayBe": alternativeMilliseconds.map { .number(($0 * 10).rounded() / 10) },
            "connections": connections, "flags": .boolean(advertising.flags != nil),
            "txPower": .boolean(!breaches.contains(.noTransmitPower)),
            "scanResponse": .boolean(!response.structures.isEmpty),
            "lacks": .array(breaches.map { .string($0.message) }),
        ])
    }
}

extension ParametersRequest {
    /// The answer, in a word.
    fileprivate var answerWord: String {
        switch answer {
        case .accept: "accepted"
        case .refuse: "refused"
        case .acceptOnly: "acceptedOnly"
        case .ignore: "ignored"
        }
    }

    fileprivate var text: String {
        let outcome =
            switch answer {
            case .accept: "accepted"
            case .refuse: "refused"
            case .acceptOnly: "accepted, and not applied"
            case .ignore: "not answered"
            }
        let why = breaches.map(\.message)
        let word = isInvalid ? ["not valid (Core Vol 4, Part E, 7.8.18)"] : why
        return "requests \(parameters.message): \(outcome)"
            + (fault == nil ? "" : " as the fault \(fault?.rawValue ?? "") says")
            + (word.isEmpty ? "" : "; " + word.joined(separator: "; "))
            + (breaches.isEmpty ? "" : "; an iPhone may reject it")
    }

    private var isInvalid: Bool { parameters.fault != nil }

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
