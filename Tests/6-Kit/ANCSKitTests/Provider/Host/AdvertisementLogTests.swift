import BluetoothLE
import Octets
import Testing

@testable import ANCSKit

/// What a phone remembers of advertisers.
@Suite struct AdvertisementLogTests {
    private static let flags = AdvertisingData.Structure.flags(.generalDiscoverable)
    private static let name = AdvertisingData.Structure.localName("Watch", isComplete: true)

    private static func discovery(
        _ structures: [AdvertisingData.Structure] = [flags], response: Bool = false,
        isConnectable: Bool = true, isDirected: Bool = false
    ) -> Discovery {
        Discovery(
            address: DeviceAddress(1, kind: .public), isConnectable: isConnectable,
            isDirected: isDirected, advertisement: AdvertisingData(structures),
            hasScanResponse: response)
    }

    private static func after(_ milliseconds: Int64) -> MonotonicInstant {
        .zero + .milliseconds(milliseconds)
    }

    /// The news about an advertiser; fails without any.
    private static func news(
        _ log: inout AdvertisementLog, of peer: PeerKey, isMeasured: Bool = false
    ) throws -> ReceivedAdvertisement {
        let news = log.takeNews(of: peer, isMeasured: isMeasured)
        return try #require(news)
    }

    private static func hasNews(_ log: inout AdvertisementLog, of peer: PeerKey) -> Bool {
        log.takeNews(of: peer, isMeasured: false) != nil
    }

    @Test("advertising data and the scan response are told apart, and reported when they change")
    func parts() throws {
        var log = AdvertisementLog()
        let peer = PeerKey(rawValue: 1)
        #expect(!Self.hasNews(&log, of: peer))
        log.heard(peer, Self.discovery(), at: .zero)
        log.heard(peer, Self.discovery([Self.flags, Self.name], response: true), at: .zero)
        let news = try Self.news(&log, of: peer)
        #expect(news.advertising == AdvertisingData([Self.flags]))
        #expect(news.response == AdvertisingData([Self.name]))
        #expect(news.interval == nil && news.reach == .everyone)
        #expect(!Self.hasNews(&log, of: peer))
        log.heard(peer, Self.discovery([Self.flags, Self.name]), at: .zero)
        #expect(Self.hasNews(&log, of: peer))
    }

    @Test("an interval is measured by 25 reports, or for 45 s")
    func interval() throws {
        var log = AdvertisementLog()
        let (quick, slow) = (PeerKey(rawValue: 1), PeerKey(rawValue: 2))
        for number in 0..<25 as Range<Int64> {
            #expect(!log.isMeasured(quick, at: Self.after(number * 100)))
            log.heard(quick, Self.discovery(), at: Self.after(number * 100 + number * 7 % 10))
        }
        #expect(log.isMeasured(quick, at: Self.after(2500)))
        let news = try Self.news(&log, of: quick, isMeasured: true)
        // The interval, and what the reports say of the random delay.
        let interval = try #require(news.interval)
        #expect(interval > .milliseconds(95) && interval < .milliseconds(105))
        log.heard(slow, Self.discovery(), at: .zero)
        #expect(!log.isMeasured(slow, at: Self.after(44_999)))
        #expect(log.isMeasured(slow, at: Self.after(45_000)))
        let unknown = try Self.news(&log, of: slow, isMeasured: true)
        #expect(unknown.interval == nil)
    }

    @Test("a time in which nobody listened is no interval")
    func paused() throws {
        var log = AdvertisementLog()
        let peer = PeerKey(rawValue: 1)
        for number in 0..<60 as Range<Int64> {
            if number % 10 == 9 { log.paused() }
            let pause = number / 10 * 5000
            log.heard(peer, Self.discovery(), at: Self.after(number * 100 + pause))
        }
        let news = try Self.news(&log, of: peer, isMeasured: true)
        #expect(news.interval == .milliseconds(100))
    }

    @Test("whose connections it accepts, and which services it offers")
    func reach() throws {
        var log = AdvertisementLog()
        let peer = PeerKey(rawValue: 1)
        log.heard(peer, Self.discovery(isConnectable: false), at: .zero)
        let silent = try Self.news(&log, of: peer)
        #expect(silent.reach == .nobody)
        log.heard(peer, Self.discovery([], isDirected: true), at: .zero)
        let directed = try Self.news(&log, of: peer)
        #expect(directed.reach == .oneDevice)
        #expect(!log.offers("1812", peer))
        log.heard(peer, Self.discovery([.services(["1812"])]), at: .zero)
        #expect(log.offers("1812", peer))
        #expect(!log.offers("1812", PeerKey(rawValue: 9)))
    }

    @Test("256 advertisers are remembered; the one that was heard longest ago makes room")
    func bounded() {
        var log = AdvertisementLog()
        for number in 1...257 as ClosedRange<UInt64> {
            if number == 257 { log.heard(PeerKey(rawValue: 1), Self.discovery(), at: .zero) }
            log.heard(PeerKey(rawValue: number), Self.discovery(), at: .zero)
        }
        let known = [1, 2, 3, 257].map { Self.hasNews(&log, of: PeerKey(rawValue: $0)) }
        #expect(known == [true, false, true, true])
    }
}
