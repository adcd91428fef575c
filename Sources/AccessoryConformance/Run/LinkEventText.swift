package import ANCSKit
package import BluetoothLE

extension ProviderEvent.LinkEvent {
    /// The event in one line for users; what came over the air is not made safe.
    package var text: String {
        switch self {
        case .advertised(let advertisement): advertisement.text
        case .phoneAddressChanged: "the phone has another address than on the link before"
        case .parametersRequested(let request): request.text
        case .parametersUpdated(let link): "the link has \(link.message)"
        case .servicesFound(let services):
            services.isEmpty
                ? "its services were not found" : "its services: \(services.count)"
        }
    }
}

extension ReceivedAdvertisement {
    /// What Apple asks for and this advertisement lacks (A3).
    package var breaches: [LinkRequirements.AdvertisementBreach] {
        LinkRequirements.breaches(of: advertising, response: response)
    }

    /// The measured interval in milliseconds; `nil` if it was not measured.
    package var intervalMilliseconds: Double? { interval.map { $0 / .milliseconds(1) } }

    fileprivate var text: String {
        let every = intervalMilliseconds.map { " every \(($0 * 10).rounded() / 10) ms" } ?? ""
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
}

extension ParametersRequest {
    /// The answer, in a word.
    package var answerWord: String {
        switch answer {
        case .accept: "accepted"
        case .refuse: "refused"
        case .acceptOnly: "acceptedOnly"
        case .ignore: "ignored"
        }
    }

    package var text: String {
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
}
