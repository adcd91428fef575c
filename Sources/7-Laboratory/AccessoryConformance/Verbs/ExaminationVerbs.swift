internal import ANCSKit

extension PhoneVerbs {
    struct DiscoverServices: AccessoryDeed {
        package static let name = "discoverServices"
        package static let shape = Shape<Self>.plain(Self())

        package var title: String { "discover the services" }
        package var need: ScenarioNeed { .link }
        package var result: ScenarioCondition? { .servicesFound }

        package func perform(on phone: OperatedPhone, at accessory: AccessoryID) async {
            await phone.provider.discoverServices(of: accessory)
        }
    }

    struct ClearFaults: PlainDeed {
        package static let name = "clearFaults"
        package static let shape = Shape<Self>.plain(Self())

        package var title: String { "clear the faults" }
        var effects: [ScenarioEffect] { [.faultsCleared] }

        package func perform(on phone: OperatedPhone) async { await phone.provider.clearFaults() }
    }
}
