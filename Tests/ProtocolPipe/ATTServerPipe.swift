internal import BluetoothLE
internal import JSONText
internal import Octets

/// `protocol-pipe att-server`: an attribute table behind an ``ATTBearer``. PDUs are ATT PDUs. The clock does
/// not advance.
struct ATTServerPipe: ~Copyable, PipeSession {
    private var bearer = ATTBearer()
    private var table = AttributeTable()
    private var link = LinkSecurity.none

    init() {}

    mutating func receive(_ frame: PipeFrame, frames: PipeFrames) throws(PipeError) {
        switch frame {
        case .pdu(let pdu):
            bearer.receive(pdu.span, table: &table, security: link, at: .zero)
        case .control(let control):
            for member in control.members ?? [] {
                switch member.name {
                case "db": try load(member.value, mtu: control["mtu"]?.integer)
                case "send_notification": try notify(member.value)
                case "send_indication": try indicate(member.value)
                case "set_link": link = LinkSecurity(json: member.value)
                default: break
                }
            }
        }
        drain(frames)
    }

    private mutating func load(_ services: JSONValue, mtu: Int?) throws(PipeError) {
        table = try AttributeTable(json: services)
        bearer = ATTBearer(
            configuration: ATTBearer.Configuration(receiveMTU: mtu ?? ATT.defaultMTU))
        bearer.restore(try ClientConfiguration(json: services), table: table, at: .zero)
        link = .none
    }

    /// Notifies at most the first ATT_MTU - 3 octets of a value (Core Vol 3, Part F, 3.4.7.1). A client that
    /// has not subscribed receives nothing, unless the table gives it no means to subscribe.
    private mutating func notify(_ json: JSONValue) throws(PipeError) {
        let (handle, value) = try Self.handleAndValue(json)
        try? bearer.notify(
            Array(value.prefix(bearer.mtu - 3)), of: handle, table: table,
            ignoringConfiguration: table.configurationHandle(of: handle) == nil)
    }

    private mutating func indicate(_ json: JSONValue) throws(PipeError) {
        let (handle, value) = try Self.handleAndValue(json)
        try? bearer.indicate(
            Array(value.prefix(bearer.mtu - 3)), of: handle, table: table,
            ignoringConfiguration: table.configurationHandle(of: handle) == nil, at: .zero)
    }

    private static func handleAndValue(
        _ json: JSONValue
    ) throws(PipeError) -> (AttributeHandle, [UInt8]) {
        (try AttributeHandle(json: json["handle"]), try [UInt8](json: json["value"]))
    }

    private mutating func drain(_ frames: PipeFrames) {
        while let output = bearer.pollOutput() {
            switch output {
            case .send(let pdu): frames.write(pdu: pdu)
            case .event(.server(let event)): report(event, frames)
            case .event(.mtuChanged), .event(.value), .event(.completed), .event(.failed),
                .clientConfigurationChanged:
                break
            }
        }
    }

    private func report(_ event: ATTBearer.ServerEvent, _ frames: PipeFrames) {
        switch event {
        case .valueWritten(let handle, let value):
            frames.write(control: [
                "event": "written", "handle": .integer(Int(handle.rawValue)),
                "value": .string(Hexadecimal.text(value)),
            ])
        case .subscriptionChanged(let handle, let configuration):
            frames.write(control: [
                "event": "subscription", "handle": .integer(Int(handle.rawValue)),
                "value": .integer(Int(configuration.rawValue)),
            ])
        case .indicationConfirmed(let handle):
            frames.write(control: [
                "event": "confirmed", "handle": .integer(Int(handle.rawValue)),
            ])
        case .readRequested, .writeRequested, .accessDenied: break
        }
    }
}

// MARK: - JSON

extension AttributeTable {
    /// Reads services with their attributes. A service declaration may be omitted; one that is given is used
    /// as is.
    init(json services: JSONValue) throws(PipeError) {
        self.init()
        for service in services.array ?? [] {
            let start = try AttributeHandle(json: service["start"])
            let end = try AttributeHandle(json: service["end"] ?? service["start"])
            let uuid = try BluetoothUUID(json: service["uuid"])
            do {
                try insert(
                    Service(
                        range: AttributeHandleRange(start, end), uuid: uuid,
                        isPrimary: service["primary"]?.boolean ?? true))
                for json in service["attributes"]?.array ?? [] {
                    let attribute = try Attribute(json: json)
                    if attribute.handle == start {
                        replace(attribute)
                    } else {
                        try insert(attribute)
                    }
                }
            } catch let error as PipeError {
                throw error
            } catch {
                throw PipeError(
                    message: "the service at \(start.rawValue) does not fit the table: "
                        + Self.text(of: error))
            }
        }
    }
}

extension AttributeTable {
    private static func text(of error: any Error) -> String {
        switch error as? UsageError {
        case .handleUnavailable(let handle): "handle \(handle.rawValue) is 0 or taken"
        case .rangeUnavailable(let range):
            "the range \(range.first.rawValue) to \(range.last.rawValue) is invalid or taken"
        case .full, .none: "no handle is left"
        }
    }
}

extension ClientConfiguration {
    /// The client's earlier subscriptions, from the values of the configuration descriptors in a table.
    fileprivate init(json services: JSONValue) throws(PipeError) {
        self.init()
        for service in services.array ?? [] {
            for json in service["attributes"]?.array ?? [] {
                let type = try BluetoothUUID(json: json["type"])
                guard type == .clientCharacteristicConfiguration else { continue }
                let value = try [UInt8](json: json["value"]).prefix(2).reversed()
                self[try AttributeHandle(json: json["handle"])] = ClientCharacteristicConfiguration(
                    rawValue: value.reduce(0) { $0 << 8 | UInt16($1) })
            }
        }
    }
}

extension AttributeTable.Attribute {
    fileprivate init(json: JSONValue) throws(PipeError) {
        let type = try BluetoothUUID(json: json["type"])
        let isConfiguration = type == .clientCharacteristicConfiguration
        self.init(
            handle: try AttributeHandle(json: json["handle"]), type: type,
            permissions: try AttributePermissions(
                json: json["perm"], minimumKeySize: json["min_key_size"]?.integer ?? 16),
            storage: isConfiguration
                ? .clientConfiguration : .stored(try [UInt8](json: json["value"])))
    }
}

extension AttributePermissions {
    /// Reads a list of permissions. A permission with security requirements allows access to links that meet
    /// them, by default with a key of full size.
    fileprivate init(json: JSONValue?, minimumKeySize: Int) throws(PipeError) {
        self.init()
        let open = AccessRequirement(minimumKeySize: minimumKeySize)
        for name in json?.array ?? [] {
            switch name.string {
            case "read": read = read ?? open
            case "read_encrypt": Self.add(\.needsEncryption, to: &read, open)
            case "read_authen": Self.add(\.needsAuthentication, to: &read, open)
            case "read_secure": Self.add(\.needsSecureConnections, to: &read, open)
            case "read_author": Self.add(\.needsAuthorization, to: &read, open)
            case "write": write = write ?? open
            case "write_encrypt": Self.add(\.needsEncryption, to: &write, open)
            case "write_authen": Self.add(\.needsAuthentication, to: &write, open)
            case "write_secure": Self.add(\.needsSecureConnections, to: &write, open)
            case "write_author": Self.add(\.needsAuthorization, to: &write, open)
            case "write_no_rsp": writeCommand = writeCommand ?? open
            case let other:
                throw PipeError(message: "permission '\(other ?? "")' is not known")
            }
        }
        writeCommand = write ?? writeCommand
    }

    private static func add(
        _ need: WritableKeyPath<AccessRequirement, Bool>, to requirement: inout AccessRequirement?,
        _ open: AccessRequirement
    ) {
        var wanted = requirement ?? open
        wanted[keyPath: need] = true
        requirement = wanted
    }
}

extension LinkSecurity {
    /// Reads the state of the link. An encrypted link has a key of full size by default.
    fileprivate init(json: JSONValue) {
        let isEncrypted = json["encrypted"]?.boolean ?? false
        self.init(
            isEncrypted: isEncrypted, isAuthenticated: json["authenticated"]?.boolean ?? false,
            usesSecureConnections: json["secure_connections"]?.boolean ?? false,
            keySize: isEncrypted ? json["key_size"]?.integer ?? 16 : 0,
            isBonded: json["bonded"]?.boolean ?? false,
            isAuthorized: (json["authorised"] ?? json["authorized"])?.boolean ?? false)
    }
}

extension AttributeHandle {
    init(json: JSONValue?) throws(PipeError) {
        guard let integer = json?.integer, let handle = UInt16(exactly: integer) else {
            throw PipeError(message: "a handle is a number from 0 to 65535")
        }
        self.init(handle)
    }
}

extension BluetoothUUID {
    init(json: JSONValue?) throws(PipeError) {
        guard let text = json?.string, let uuid = BluetoothUUID(text: text) else {
            throw PipeError(message: "'\(json?.string ?? "")' is not a UUID")
        }
        self = uuid
    }
}

extension [UInt8] {
    init(json: JSONValue?) throws(PipeError) {
        guard let octets = Hexadecimal.octets(json?.string ?? "") else {
            throw PipeError(message: "a value is hexadecimal digits, two for each octet")
        }
        self = octets
    }
}
