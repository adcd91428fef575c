import Octets
import Testing

@testable import ANCS
@testable import ANCSProvider

@Suite("A provider and hostile accessories")
struct HostileAccessoryTests {
    /// A write that is random, or a good command with something wrong.
    private func write(_ generator: inout SeededGenerator) -> [UInt8] {
        let seeds = [
            get(uid0, NotificationAttributeRequest.all).octets, get(uid1, [.title]).octets,
            get(uid2, [.any(1, 0), .any(9), .date]).octets, get(.probe, []).octets,
            GetAppAttributes(displayNameOf: mail).octets,
            GetAppAttributes(displayNameOf: phone).octets,
            PerformNotificationAction(notificationUID: uid0, actionID: .negative).octets,
            PerformNotificationAction(notificationUID: uid1, actionID: .positive).octets,
        ]
        var octets = seeds.randomElement(using: &generator) ?? []
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: return generator.octets(Int.random(in: 0...600, using: &generator))
        case 1: octets.removeLast(Int.random(in: 0...octets.count, using: &generator))
        case 2: octets += generator.octets(Int.random(in: 0...20, using: &generator))
        case 3, 4:
            let index = Int.random(in: octets.indices, using: &generator)
            octets[index] = UInt8.random(in: 0...255, using: &generator)
        case _: break
        }
        return octets
    }

    /// What a write came to.
    private struct Account {
        var responses = 0
        var octets = 0
        var promised = 0
    }

    @Test("one response to each write, and no octet more than was promised", arguments: 0..<40)
    func account(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var provider = try TestProvider.subscribed(
            with: [.mailFromAda, .call, .social("Bob")],
            attMTU: Int.random(in: 23...517, using: &generator))
        try provider.store.install(mail, displayName: "Mail")
        var actions: [ProviderSession.ActionRequest] = []
        var account = Account()
        var writes = 0
        for _ in 0..<300 {
            if account.responses == writes {
                provider.write(write(&generator))
                writes += 1
            }
            let hasRoom = Bool.random(using: &generator)
            take(provider.drain(hasRoom: hasRoom), &account, &actions)
            if Bool.random(using: &generator), let request = actions.popLast() {
                provider.session.actionFinished(
                    request, performed: Bool.random(using: &generator))
            }
            #expect(account.responses == writes || account.responses == writes - 1)
        }
        for request in actions { provider.session.actionFinished(request, performed: true) }
        take(provider.drain(), &account, &actions)
        #expect(account.responses == writes)
        #expect(account.octets == account.promised)
        #expect(provider.session.ignoredWrites == 0)
    }

    private func take(
        _ outputs: [ProviderSession.Output], _ account: inout Account,
        _ actions: inout [ProviderSession.ActionRequest]
    ) {
        actions += outputs.actions
        account.responses += outputs.responses.count
        account.octets += outputs.data.count
        for case .sent(let octets) in outputs.outcomes { account.promised += octets }
    }

    @Test("an error is not followed by data (R61)", arguments: 0..<40)
    func noDataAfterError(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var provider = try TestProvider.subscribed(with: [.mailFromAda, .call])
        for _ in 0..<300 {
            let octets = write(&generator)
            var outputs = provider.answer(octets)
            for request in outputs.actions {
                provider.session.actionFinished(request, performed: true)
                outputs += provider.drain()
            }
            #expect(outputs.responses.count == 1)
            if outputs.responses != [0] || octets.first == 2 { #expect(outputs.data.isEmpty) }
            #expect(outputs.responses.allSatisfy { $0 == 0 || (0xA0...0xA3).contains($0) })
            let first = outputs.firstIndex { $0.isData }
            let response = outputs.firstIndex { $0 == .link(.respond(nil)) }
            if let first { #expect(try #require(response) < first) }
        }
    }

    @Test("writes that ATT does not allow are not queued", arguments: [1, 4, 8])
    func floodOfWrites(_ limit: Int) throws {
        var configuration = ProviderSession.Configuration()
        configuration.maximumPendingAnswers = limit
        var provider = try TestProvider.subscribed(
            with: [.mailFromAda], configuration: configuration)
        let command = get(uid0, NotificationAttributeRequest.all).octets
        var outputs: [ProviderSession.Output] = []
        for _ in 0..<1000 {
            provider.write(command)
            outputs += provider.drain(hasRoom: false)
        }
        #expect(outputs.responses.count == limit)
        #expect(provider.session.ignoredWrites == 1000 - limit - 1)
        outputs = provider.drain()
        #expect(outputs.responses == [0])
        #expect(outputs.outcomes.count == limit + 1)
    }

    @Test(
        "ten thousand changes without room give one value for each notification")
    func floodOfChanges() throws {
        var provider = try TestProvider.subscribed(with: (0..<10).map { .social("\($0)") })
        let old = provider.store.ids
        for number in 0..<10_000 {
            try provider.modify(old[number % 10]) { $0.isSilent.toggle() }
            let id = try provider.post(.social("\(number)"))
            try provider.remove(id)
        }
        for id in old { try provider.remove(id) }
        let announcements = try provider.drain().announcements
        #expect(announcements.count == 10)
        #expect(announcements.allSatisfy { $0.eventID == .removed && $0.categoryCount == 0 })
    }
}

extension ProviderSession.Output {
    fileprivate var isData: Bool {
        if case .link(.notify(.dataSource, _)) = self { true } else { false }
    }
}
