package import ANCSKit
internal import BluetoothLE
internal import EventLines
internal import Kinds

extension ProviderEvent.LinkEvent {
    /// What a phone says of a link. What it did not accept is always said.
    var line: Line {
        switch self {
        case .advertised(let advertisement):
            Line(
                "advertising", ReceivedAdvertisement.form.members(of: advertisement),
                detail: advertisement.text)
        case .phoneAddressChanged:
            Line(
                "phoneAddressChanged", [],
                detail: "the phone has another address than on the link before")
        case .parametersRequested(let request):
            Line("parametersRequested", ParametersRequest.form.members(of: request), request.text)
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
            then: ReceivedAdvertisement.form),
        LineKind(
            "parametersRequested",
            "an accessory requested connection parameters, by L2CAP or by the link layer",
            ParametersRequest.form),
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

    fileprivate var text: String {
        let other = alternativeInterval.map { " or \($0.tenthsOfMilliseconds)" } ?? ""
        let every = interval.map { " every \($0.tenthsOfMilliseconds)\(other) ms" } ?? ""
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

    fileprivate static let form = ObjectForm<Self>(
        .init("interval?", .milliseconds) { $0.interval.map { .number($0.tenthsOfMilliseconds) } },
        .init(
            "intervalMayBe?",
            .amount.described("in milliseconds, if only every second or third event was heard")
        ) { $0.alternativeInterval.map { .number($0.tenthsOfMilliseconds) } },
        .text(
            "connections?",
            .words(["oneDevice", "none"]).described("who may connect, if not everyone")
        ) {
            switch $0.reach {
            case .everyone: nil
            case .oneDevice: "oneDevice"
            case .nobody: "none"
            }
        }, .flag("flags") { $0.advertising.flags != nil },
        .flag("txPower") { !$0.breaches.contains(.noTransmitPower) },
        .flag("scanResponse") { !$0.response.structures.isEmpty },
        .texts("lacks", .texts.described("what Apple asks for and it does not have")) {
            $0.breaches.map(\.message)
        })
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

    fileprivate static let form = ObjectForm<Self>(
        .init("minimum", .milliseconds) { .milliseconds($0.parameters.intervalMinimum.duration) },
        .init("maximum", .milliseconds) { .milliseconds($0.parameters.intervalMaximum.duration) },
        .number("latency", .count) { Int($0.parameters.latency) },
        .init("timeout", .milliseconds) {
            .milliseconds($0.parameters.supervisionTimeout.duration)
        },
        .text("answer", .words(["accepted", "refused", "acceptedOnly", "ignored"]), \.answerWord),
        .init(
            "breaks",
            .list(of: breach.schema).described(
                "which of Apple's requirements the request breaks, and in which editions")
        ) { .array($0.breaches.map(breach.json)) })

    private static let breach = ObjectForm<LinkRequirements.Breach>(
        .word("requirement", \.requirement),
        .text("editions", .words(["2022", "2025", "2022 and 2025"]), \.generations.message))
}
