import ANCSKit
import BluetoothLE
import BluetoothTypes
import Printing
import Testing

@testable import AccessoryConformance

/// What `Documentation/LinkRequirements.md` quotes is what the grader and the phone say.
@Suite("The page of Apple's requirements for the link") struct LinkPageTests {
    /// The quoted lines of the page.
    private static func quotes() throws -> [String] {
        try PhoneVerbTests.text("Documentation/LinkRequirements.md").split(separator: "\n")
            .compactMap {
                line in
                let text = line.trimmingPrefix("   ")
                guard text.hasPrefix("`"), text.hasSuffix("`"), text.count > 40 else { return nil }
                return String(text.dropFirst().dropLast())
            }
    }

    /// What a phone says of a request.
    private static func request(_ wanted: ConnectionParameters, refused: Bool) -> String {
        let request = ParametersRequest(
            wanted, breaking: LinkRequirements.breaches(of: wanted),
            answer: refused ? .refuse : .accept)
        return ProviderEvent.LinkEvent.parametersRequested(request).line.log ?? ""
    }

    /// Everything that the faults of the page make a phone and the grader say.
    private static func said() -> Set<String> {
        var said: Set<String> = [
            request(LinkStory.request(30, 45, 4000), refused: false),
            request(LinkStory.request(7.5, 45, 6000), refused: true),
            request(LinkStory.request(30, 30, 6000), refused: true),
        ]
        func add(_ story: (inout LinkStory) -> Void) {
            var told = LinkStory()
            story(&told)
            for verdict in told.verdicts().values {
                said.formUnion(verdict.evidence.map(\.message))
            }
        }
        add { story in
            story.connect()
            story.wait(.seconds(6))
            story.ask()
        }
        add { story in
            story.connect()
            story.ask(LinkStory.request(180, 200, 6000, latency: 9))
        }
        add { story in
            story.connect()
            for number in 0..<5 {
                if number > 0 { story.wait(.milliseconds(2500)) }
                story.ask(granted: false)
            }
        }
        add { story in
            story.see(
                .advertised(
                    ReceivedAdvertisement(
                        advertising: AdvertisingData([.flags(.generalDiscoverable)]),
                        response: AdvertisingData([.solicitedServices(["180D"])]),
                        interval: .milliseconds(100))))
        }
        return said
    }

    @Test("each quotation is something that is said")
    func quotations() throws {
        let quotes = try Self.quotes()
        #expect(quotes.count == 8)
        let said = Self.said()
        for quote in quotes { #expect(said.contains(quote), "\(quote)") }
    }

    @Test("each requirement of a link has one row in Documentation/LinkRequirements.md, in order")
    func rows() throws {
        let rows = try PhoneVerbTests.text("Documentation/LinkRequirements.md").split(
            separator: "\n"
        )
        .compactMap { line in
            line.firstMatch(of: #/^\| ([LAPK][0-9]) \|/#).map { String($0.1) }
        }
        #expect(rows == Requirement.allCases.filter(\.isOfLink).map(\.number))
    }
}
