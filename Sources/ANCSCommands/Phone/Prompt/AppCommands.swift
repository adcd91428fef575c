internal import ANCS
internal import ANCSKit
internal import BluetoothLE

extension PromptCommands {
    static let appCommands: [any PromptCommand.Type] = [
        ListApps.self, Install.self, Uninstall.self,
    ]

    struct ListApps: PlainPromptCommand {
        static let words = ["apps"]
        static let help = "list the installed apps"

        func carryOut(on phone: PromptPhone) async {
            var apps: [(identifier: AppIdentifier, name: String)] = []
            for app in await phone.provider.apps {
                apps.append((app, await phone.provider.displayName(of: app) ?? ""))
            }
            apps.sort { $0.identifier.description < $1.identifier.description }
            await phone.show(phone.report.lines(ofApps: apps))
        }
    }

    struct Install: PromptCommand {
        var app: AppIdentifier
        var displayName: String

        static let words = ["install"]
        static let operands: [PromptOperand] = [.required("IDENTIFIER"), .required("NAME")]
        static let help = "install or rename an app"

        init(reading operands: [String]) throws(PromptFault) {
            guard let app = try? AppIdentifier(operands[0]) else {
                throw PromptFault(message: "'\(operands[0])' cannot be the identifier of an app")
            }
            self.app = app
            displayName = operands[1]
        }

        func carryOut(on phone: PromptPhone) async throws(PromptFault) {
            try await phone.change { provider throws(StoreError) in
                try await provider.install(app, displayName: displayName)
            }
        }
    }

    struct Uninstall: PromptCommand {
        var app: String

        static let words = ["uninstall"]
        static let operands = [PromptOperand.required("APP", .installedApps)]
        static let help = "uninstall an app"

        init(app: String) { self.app = app }

        init(reading operands: [String]) { self.init(app: operands[0]) }

        func carryOut(on phone: PromptPhone) async throws(PromptFault) {
            let app = try await phone.app(named: app)
            try await phone.change { provider throws(StoreError) in
                try await provider.uninstall(app)
            }
        }
    }

    // MARK: Apps that bind accessories

    static let bindingCommands: [any PromptCommand.Type] = [
        Bind.self, ListBindings.self, Unbind.self,
    ]

    struct Bind: PromptCommand {
        var service: Boxed<BluetoothUUID>
        var app: String

        static let words = ["bind"]
        static let operands: [PromptOperand] = [
            .required("SERVICE", .services), .optional("[APP]", .boundApps),
        ]
        static let help =
            "let an app (\(BoundApp.defaultName)) look for an accessory with a service"

        init(service: BluetoothUUID, app: String) {
            self.service = .box(service)
            self.app = app
        }

        init(reading operands: [String]) throws(PromptFault) {
            guard let service = BluetoothUUID(text: operands[0]) else {
                throw PromptFault(
                    message: "'\(operands[0])' is not a UUID: 180D, or all 36 characters")
            }
            self.init(
                service: service, app: operands.count > 1 ? operands[1] : BoundApp.defaultName)
        }

        func carryOut(on phone: PromptPhone) async throws(PromptFault) {
            do throws(BoundApps.Fault) { try await phone.apps.bind(service.value, by: app) } catch {
                throw PromptFault(message: error.message)
            }
        }
    }

    struct ListBindings: PlainPromptCommand {
        static let words = ["bindings"]
        static let help = "list the apps and what they are bound to"

        func carryOut(on phone: PromptPhone) async {
            await phone.show(phone.report.lines(of: await phone.apps.entries))
        }
    }

    struct Unbind: PromptCommand {
        /// `nil` for the only one.
        var app: String?

        static let words = ["unbind"]
        static let operands = [PromptOperand.optional("[APP]", .boundApps)]
        static let help = "unbind an app from its accessory; the phone stays connected to it"

        init(app: String?) { self.app = app }

        init(reading operands: [String]) { self.init(app: operands.first) }

        func carryOut(on phone: PromptPhone) async throws(PromptFault) {
            do throws(BoundApps.Fault) { try await phone.apps.unbind(app) } catch {
                throw PromptFault(message: error.message)
            }
        }
    }
}
