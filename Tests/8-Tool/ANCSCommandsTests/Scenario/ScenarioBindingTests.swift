import BluetoothTypes
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import AccessoryConformance

/// Scenarios about apps that bind accessories.
@Suite struct ScenarioBindingTests {
    static let band = PeerIdentifier(rawValue: 1)

    @Test("an app that binds is bound once its accessory is connected")
    func bound() throws {
        let bench = try ScenarioBench(
            steps: #"{"bind":{"service":"180D","app":"band"}},{"expect":{"bound":"band"}},"#
                + #"{"unbind":{"app":"band"}},{"expect":{"unbound":"band"}}"#)
        let bind = PhoneVerbs.Bind(service: BluetoothUUID(0x180D as UInt16), app: "band")
        #expect(bench.deeds.count == 1 && bench.deeds[0] as? PhoneVerbs.Bind == bind)
        bench.bind("band", .searching)
        bench.bind("other", .connected(Self.band))
        bench.bind("band", .connecting(Self.band))
        #expect(bench.marks == "✓")
        bench.bind("band", .connected(Self.band))
        #expect(bench.marks == "✓✓✓")
        bench.bind("band", .justUnbound)
        #expect(bench.result?.isSuccess == true)
    }

    @Test("a step that names an accessory applies only to that accessory")
    func which() throws {
        let bench = try ScenarioBench(
            steps: #"{"accessory":"b","expect":{"bound":"app"}}"#,
            head: #""accessories":{"a":{"name":"A"},"b":{"name":"B"}},"#)
        let (a, b) = (AccessoryID(rawValue: 1), AccessoryID(rawValue: 2))
        bench.connect(a, name: "A")
        bench.connect(b, name: "B")
        bench.bind("app", .connected(Self.band), to: a)
        bench.bind("app", .connected(Self.band), to: nil)
        #expect(bench.result == nil)
        bench.bind("app", .connected(Self.band), to: b)
        #expect(bench.result?.isSuccess == true)
    }

    @Test("a binding that should not be fails the step, and none lets it pass")
    func absence() throws {
        let steps =
            #"{"unbind":true},{"restart":true},{"expect":{"no":"binding","app":"a","for":3}}"#
        var bench = try ScenarioBench(steps: steps)
        bench.bind("a", .connected(Self.band))
        bench.bind("a", .justUnbound)
        bench.hear(.device(.ready))
        bench.bind("b", .connected(Self.band))
        bench.bind("a", .justUnbound)
        bench.wait(.seconds(3))
        #expect(bench.marks == "✓✓✓")

        bench = try ScenarioBench(steps: steps)
        bench.hear(.device(.ready))
        bench.bind("a", .searching)
        bench.bind("a", .connected(Self.band))
        #expect(bench.marks == "✓✓✗")
        #expect(bench.failure?.observed == #""a" is bound"#)
    }

    @Test("for an app that is not bound in time, its state is reported")
    func failure() throws {
        let bench = try ScenarioBench(
            steps: #"{"bind":{"service":"180D"}},{"expect":{"bound":"app"},"within":5}"#)
        bench.bind("app", .searching)
        bench.wait(.seconds(5))
        #expect(bench.failure?.expected == #""app" to be bound and connected within 5.0 s"#)
        #expect(bench.failure?.observed == #""app" is looking for an accessory"#)
    }
}
