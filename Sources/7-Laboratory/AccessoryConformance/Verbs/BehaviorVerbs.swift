internal import ANCSKit
internal import JSONText

extension PhoneVerbs {
    static let behaviorVerbs: [any PhoneVerb.Type] = [
        Inject.self, ClearFaults.self, SetBehavior.self,
    ]

    struct Inject: AccessoryDeed {
        package var fault: ScenarioFault

        package static let name = "inject"
        package static let shape = ScenarioFault.shape.map(Self.init)
        package static let operands = ["fault"]

        package var title: String { "inject \(fault.text)" }
        /// A request for connection parameters may be the first thing on a link.
        package var need: ScenarioNeed {
            switch fault {
            case .parameters, .positionJump: .phone
            case .answer, .droppedSubscriptions, .media: .link
            }
        }

        package func perform(
            on phone: OperatedPhone, at accessory: AccessoryID?
        ) async throws(PhoneObstacle) -> NotificationID? {
            switch fault {
            case .parameters(let fault, let count):
                await phone.provider.inject(fault, count: count, at: accessory)
            case .positionJump(let distance):
                await phone.provider.changePlayer { player, now in
                    player.move(by: .zero - distance, at: now)
                }
            case .answer, .droppedSubscriptions, .media:
                if let accessory { await perform(on: phone, at: accessory) }
            }
            return nil
        }

        var effects: [ScenarioEffect] { [.fault(fault)] }
        package var usesMedia: Bool {
            switch fault {
            case .media, .positionJump: true
            case .answer, .droppedSubscriptions, .parameters: false
            }
        }

        package func perform(on phone: OperatedPhone, at accessory: AccessoryID) async {
            switch fault {
            case .answer(let fault): await phone.provider.inject(fault, at: accessory)
            case .media(let fault): await phone.provider.inject(fault, at: accessory)
            case .parameters, .positionJump: break
            case .droppedSubscriptions(let characteristics):
                for characteristic in characteristics {
                    await phone.provider.loseSubscription(to: characteristic, of: accessory)
                }
            }
        }
    }

    struct SetBehavior: PlainDeed {
        package var change: BehaviorChange

        package static let name = "set"
        package static let shape = BehaviorChange.shape.map(Self.init)

        package var title: String { "set \(change.text)" }
        var effects: [ScenarioEffect] { [.behavior(change)] }
        package var usesMedia: Bool { change.mediaQuirks != nil }

        package func perform(on phone: OperatedPhone) async {
            change.apply(to: &phone.behavior)
            await phone.provider.setBehavior(phone.behavior)
            if let quirks = change.mediaQuirks { await phone.provider.setMediaQuirks(quirks) }
        }
    }

    // MARK: The service

    static let serviceVerbs: [any PhoneVerb.Type] = [Publish.self, Unpublish.self]

    struct Publish: PlainDeed {
        /// The handle of the service; `nil` for the one it had last.
        package var handle: UInt16?
        var isAnnounced = true

        package static let name = "publish"
        package static let shape = Shape<Self>.trueOrObject(
            [
                Field("serviceChanged", .boolean, replacing: \.isAnnounced, default: true),
                Field(
                    "handle",
                    // The handles below belong to other services, and the ten attributes of ANCS must fit.
                    Shape.integer(in: 0x23...0xFFF6).map { UInt16($0) }, into: \.handle,
                    "The handle of its declaration (default: where it was last, at first 35)."),
            ], from: Self())

        package var title: String {
            "publish ANCS" + (handle.map { " at handle \($0)" } ?? "")
                + PhoneVerbs.announcement(isAnnounced)
        }

        var effects: [ScenarioEffect] { [.published(at: handle, isAnnounced: isAnnounced)] }

        package func perform(on phone: OperatedPhone) async {
            await phone.provider.setANCSPublished(true, at: handle, announcing: isAnnounced)
        }
    }

    struct Unpublish: PlainDeed {
        var isAnnounced = true

        package static let name = "unpublish"
        package static let shape = Shape<Self>.trueOrObject(
            [Field("serviceChanged", .boolean, replacing: \.isAnnounced, default: true)],
            from: Self()
        ).named("publication", "true, or whether Service Changed announces it.")

        package var title: String { "withdraw ANCS" + PhoneVerbs.announcement(isAnnounced) }
        var effects: [ScenarioEffect] { [.unpublished(isAnnounced: isAnnounced)] }

        package func perform(on phone: OperatedPhone) async {
            await phone.provider.setANCSPublished(false, announcing: isAnnounced)
        }
    }

    private static func announcement(_ isAnnounced: Bool) -> String {
        isAnnounced ? ", with Service Changed" : ", without Service Changed"
    }
}
