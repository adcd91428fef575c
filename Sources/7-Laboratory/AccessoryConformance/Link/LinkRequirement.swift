/// A requirement for the link that an accessory can be judged by; `Documentation/Requirements.md`, *What Apple asks of
/// the link*.
package enum LinkRequirement: String, CaseIterable, Equatable, Sendable {
    case shortestInterval = "L1"
    case longestInterval = "L2"
    case humanInterface = "L3"
    case latency = "L4"
    case supervisionTimeout = "L5"
    case longestSilence = "L6"
    case timeoutBeyondSilence = "L7"
    case asksSoon = "L8"
    case acceptsAnAnswer = "L9"
    case advertisingInterval = "A1"
    case connectable = "A2"
    case advertisingData = "A3"
    case knowsChangedAddress = "P1"
    case discoverableWithoutPairing = "P2"
    case waitsWithSecurity = "P3"
    case slowsDown = "K1"

    /// The number that documents and reports use.
    package var number: String { rawValue }

    /// The behavior of an accessory that follows the requirement.
    package var statement: String {
        switch self {
        case .shortestInterval: "asks for a shortest interval of 15 ms to 2 s, a multiple of 15 ms"
        case .longestInterval: "asks for a longest interval 15 ms above it, or for 15 ms twice"
        case .humanInterface: "asks for 11.25 ms only as a Human Interface Device"
        case .latency: "asks for a latency of at most 30"
        case .supervisionTimeout: "asks for a supervision timeout of 2 to 6 s, or 6 to 18 s"
        case .longestSilence: "keeps the longest interval × (latency + 1) within 2 s, or 6 s"
        case .timeoutBeyondSilence: "asks for a timeout above 3 × longest interval × (latency + 1)"
        case .asksSoon: "asks for another supervision timeout within 2 s"
        case .acceptsAnAnswer: "asks at most three times in a row on a link"
        case .advertisingInterval: "advertises every 20 ms, or at one of Apple's nine intervals"
        case .connectable: "advertises undirected and connectable (ADV_IND)"
        case .advertisingData: "has Flags, TX Power and what iOS looks for in ADV_IND"
        case .knowsChangedAddress: "knows a bonded phone whose address has changed"
        case .discoverableWithoutPairing: "lets its services be discovered without pairing"
        case .waitsWithSecurity: "asks for security after a request was refused"
        case .slowsDown: "slows down after three lost links within 60 s"
        }
    }

    /// What the requirement says, and who says it. Where only one edition of Apple's numbers is concerned, the finding
    /// has that instead.
    var demand: String {
        switch self {
        case .shortestInterval, .longestInterval, .latency, .supervisionTimeout, .longestSilence,
            .timeoutBeyondSilence:
            "Apple's numbers for connection parameters; a request that breaks them may be rejected"
        case .humanInterface:
            "an accessory with the Human Interface Device service may ask for 11.25 ms and more (Apple)"
        case .asksSoon:
            "measured, not Apple's: an iPhone connects with a supervision timeout of 720 ms and keeps it; asking "
                + "for 6 s one second after the connection saved links that were lost with a request after 5 s"
        case .acceptsAnAnswer:
            "a request may be rejected, or accepted and not applied, and its result may be overwritten: an accessory "
                + "copes with that (Apple)"
        case .advertisingInterval:
            "20 ms for at least 30 s, and then 152.5, 211.25, 318.75, 417.5, 546.25, 760, 852.5, 1022.5 or 1285 ms "
                + "(Apple, QA1931)"
        case .connectable:
            "undirected advertising that accepts connections, on all three channels (Apple)"
        case .advertisingData:
            "the advertising data should have at least Flags, TX Power Level, the name and the services; a scan "
                + "response is not always asked for (Apple)"
        case .knowsChangedAddress:
            "an accessory resolves resolvable private addresses in every situation (Apple)"
        case .discoverableWithoutPairing:
            "services and characteristics are discovered without pairing, authentication or encryption (Apple)"
        case .waitsWithSecurity:
            "no request for pairing before an ATT request was rejected with Insufficient Authentication (Apple)"
        case .slowsDown:
            "measured, not Apple's: after three links lost within 60 s, trying at once again helps nobody"
        }
    }

    /// What a maker can do.
    var remedy: String {
        switch self {
        case .shortestInterval: "ask for a multiple of 15 ms, such as 30 to 45 ms"
        case .longestInterval: "ask for a range of 15 ms or more, such as 30 to 45 ms"
        case .humanInterface: "ask for 15 ms or more"
        case .latency: "ask for a latency of at most 30"
        case .supervisionTimeout: "ask for 6 s, which both editions allow"
        case .longestSilence:
            "lower the latency or the longest interval, until their product is at most 2 s"
        case .timeoutBeyondSilence:
            "lower the latency or the longest interval, or ask for a longer supervision timeout: 6 s"
        case .asksSoon:
            "ask for 30 to 45 ms, latency 0 and 6 s as soon as the link is up; the Peripheral Preferred Connection "
                + "Parameters are ignored by iOS"
        case .acceptsAnAnswer: "stop after the third request, and go on with what the link has"
        case .advertisingInterval:
            "advertise every 20 ms for 30 s, then every 152.5 ms or at a longer one of the nine"
        case .connectable: "advertise with ADV_IND"
        case .advertisingData:
            "put it into the advertising data, and what needs less attention into the scan response"
        case .knowsChangedAddress:
            "store the phone's identity resolving key when it pairs, and resolve the address of each new link"
        case .discoverableWithoutPairing: "protect the values and descriptors, not the declarations"
        case .waitsWithSecurity:
            "an accessory that uses ANCS may leave it so, since the phone has what needs protection; any other answers "
                + "requests with Insufficient Authentication and waits"
        case .slowsDown: "advertise at a longer interval for a while"
        }
    }
}
