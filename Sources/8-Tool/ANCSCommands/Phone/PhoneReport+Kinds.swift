internal import AccessoryConformance
internal import Kinds

extension PhoneReport {
    private static let states = SchemaFragment.words([
        "unbound", "justUnbound", "bound", "searching", "connecting", "connected",
    ])

    /// An app that `apps` lists.
    static let app = ObjectForm<(identifier: AppIdentifier, name: String)>(
        .text("identifier", \.identifier.description), .text("displayName", \.name),
        .text("name", .text.described("`displayName`, as version 0.1 called it"), \.name))

    /// The kinds of lines of bindings, and of commands of the prompt.
    static let ofPrompt: [LineKind] = [
        LineKind(
            "binding", as: "bindingState", "the state of an app's binding has changed",
            ["app": .text, "state": states, "peripheral?": .identifier]),
        LineKind(
            "binding", as: "bindingChange", "something else happened to an app's binding",
            [
                "app": .text,
                "change": .words([
                    "bound", "unbound", "justUnbound", "accessoryUnknown", "warning", "missed",
                ]), "peripheral?": .identifier, "name?": .text, "text?": .text, "count?": .count,
            ]),
        LineKind(
            "accessories", "what `accessories` lists",
            [
                "list": .list(
                    of: .object([
                        "accessory": .ordinal, "name?": .text, "address": .address,
                        "identity?": .address, "link?": .link, "connected": .boolean,
                        "bonded": .boolean, "consent": .boolean, "encrypted?": .boolean,
                        "authenticated?": .boolean, "secureConnections?": .boolean, "mtu?": .count,
                        "notificationSource?": .boolean, "dataSource?": .boolean,
                    ]))
            ]),
        LineKind(
            "bindings", "what `bindings` lists",
            [
                "list": .list(
                    of: .object([
                        "app": .text, "service": .uuid, "state": states, "peripheral?": .identifier,
                        "name?": .text,
                    ]))
            ]),
        LineKind(
            "apps", "what `apps` lists", ["list": .list(of: app.schema)]),
        LineKind(
            "notifications", "what `notifications` lists",
            ["list": .list(of: .object(["notification": .count], PostedNotification.content))]),
    ]

    /// The lines of `ancs phone`.
    static let schema = LineSchema(
        "phone",
        "One object per line on standard output: the events of the phone, and of its scenario if it plays "
            + "one. Documentation/Accessory.md and Scenarios.md explain them.",
        ProviderEvent.kinds + ofPrompt + ScenarioReport.kinds
            + [ScenarioReport.ofWaiting, RequirementVerdict.former])
}
