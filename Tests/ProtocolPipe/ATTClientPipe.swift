internal import ANCS
internal import BluetoothLE
internal import JSONText
internal import Octets

/// `protocol-pipe att-client`: the client side of an ``ATTBearer``. PDUs are ATT PDUs. The clock does not
/// advance. Each action ends with one result; notifications of the server become events.
struct ATTClientPipe: ~Copyable, PipeSession {
    /// The rest of an action after the current procedure.
    private enum Sequel {
        case none
        /// Subscribe in the service once it is discovered.
        case subscribe
        /// Write these descriptors one by one.
        case configure([AttributeHandle])
    }

    private var bearer = ATTBearer()
    private var table = AttributeTable()
    private var sequel = Sequel.none

    init() {}

    mutating func receive(_ frame: PipeFrame, frames: PipeFrames) throws(PipeError) {
        switch frame {
        case .pdu(let pdu):
            bearer.receive(pdu.span, table: &table, security: .none, at: .zero)
        case .control(let control):
            if control["client"] != nil {
                let mtu = control["mtu"]?.integer ?? ATT.defaultMTU
                bearer = ATTBearer(configuration: ATTBearer.Configuration(receiveMTU: mtu))
                sequel = .none
            }
            if let action = control["action"] { try perform(action, frames) }
        }
        drain(frames)
    }

    // MARK: Actions

    private mutating func perform(_ action: JSONValue, _ frames: PipeFrames) throws(PipeError) {
        switch action.string {
        case "idle", "idle_after_discovery": frames.write(control: ["result": "ok"])
        case "exchange_mtu": start(.exchangeMTU, frames)
        case "discover_all": start(.discoverDatabase(), frames)
        case "discover_ancs":
            sequel = .subscribe
            start(.discoverDatabase(service: Self.ancsService), frames)
        case .some(let name): throw PipeError(message: "action '\(name)' is not known")
        case .none:
            if let value = action["write_command"] {
                try writeCommand(value, action, frames)
            } else {
                start(try GATTProcedure(action: action), frames)
            }
        }
    }

    private mutating func writeCommand(
        _ handle: JSONValue, _ action: JSONValue, _ frames: PipeFrames
    ) throws(PipeError) {
        let value = try [UInt8](json: action["value"])
        do {
            try bearer.writeWithoutResponse(value, to: try AttributeHandle(json: handle))
            drain(frames)
            frames.write(control: ["result": "ok"])
        } catch let error as PipeError {
            throw error
        } catch {
            frames.write(control: ["result": "error", "reason": .string("\(error)")])
        }
    }

    private mutating func start(_ procedure: GATTProcedure, _ frames: PipeFrames) {
        do {
            _ = try bearer.start(procedure, at: .zero)
        } catch {
            sequel = .none
            frames.write(control: ["result": "error", "reason": .string("\(error)")])
        }
    }

    // MARK: Results

    private mutating func drain(_ frames: PipeFrames) {
        while let output = bearer.pollOutput() {
            switch output {
            case .send(let pdu): frames.write(pdu: pdu)
            case .event(.completed(_, let result)): completed(result, frames)
            case .event(.value(.notification(let handle, let value))):
                report("notification", handle, value, frames)
            case .event(.value(.indication(let handle, let value))):
                report("indication", handle, value, frames)
            case .event(.failed): frames.write(control: ["event": "failed"])
            case .event(.mtuChanged), .event(.server), .clientConfigurationChanged: break
            }
        }
    }

    private mutating func completed(
        _ result: Result<GATTResult, GATTFailure>, _ frames: PipeFrames
    ) {
        switch (sequel, result) {
        case (.subscribe, .success(.database(let database))):
            guard let service = database.service(Self.ancsService) else {
                sequel = .none
                return frames.write(control: ["result": "error", "reason": "no such service"])
            }
            // The Data Source first, because the Notification Source may send at once (ANCS R11).
            let handles = [Self.dataSource, Self.notificationSource].compactMap {
                service.characteristic($0)?.configuration
            }
            configure(handles, after: result, frames)
        case (.configure(let handles), .success): configure(handles, after: result, frames)
        case (.none, _), (.subscribe, _), (.configure, .failure):
            sequel = .none
            frames.write(control: Self.json(result))
        }
    }

    private mutating func configure(
        _ handles: [AttributeHandle], after result: Result<GATTResult, GATTFailure>,
        _ frames: PipeFrames
    ) {
        guard let handle = handles.first else {
            sequel = .none
            return frames.write(control: Self.json(result))
        }
        sequel = .configure(Array(handles.dropFirst()))
        start(
            .writeValue(handle, ClientCharacteristicConfiguration.notification.octets), frames)
    }

    private func report(
        _ event: JSONValue, _ handle: AttributeHandle, _ value: [UInt8], _ frames: PipeFrames
    ) {
        frames.write(control: [
            "event": event, "handle": .integer(Int(handle.rawValue)),
            "value": .string(Hexadecimal.text(value)),
        ])
    }

    private static let ancsService = BluetoothUUID(ANCSUUID.service)
    private static let notificationSource = BluetoothUUID(ANCSUUID.notificationSource)
    private static let dataSource = BluetoothUUID(ANCSUUID.dataSource)
}

extension GATTProcedure {
    /// Reads an action in the form of an object.
    fileprivate init(action: JSONValue) throws(PipeError) {
        guard let member = action.members?.first(where: { $0.name != "value" }) else {
            throw PipeError(message: "an action is a name or an object")
        }
        let value = member.value
        switch member.name {
        case "discover_primary": self = try Self.discoverPrimary(value)
        case "discover_included": self = .discoverIncludedServices(try Self.range(value))
        case "discover_characteristics": self = .discoverCharacteristics(try Self.range(value))
        case "discover_descriptors": self = .discoverDescriptors(try Self.range(value))
        case "read": self = .readValue(try AttributeHandle(json: value))
        case "read_long": self = .readLongValue(try AttributeHandle(json: value))
        case "read_by_type":
            self = .readByUUID(
                try Self.range(value), try BluetoothUUID(json: value.array?.last))
        case "read_multiple":
            var handles = [AttributeHandle]()
            for handle in value.array ?? [] { handles.append(try AttributeHandle(json: handle)) }
            self = .readMultiple(handles)
        case "write":
            self = .writeValue(
                try AttributeHandle(json: value), try [UInt8](json: action["value"]))
        case "write_long":
            self = .writeLongValue(
                try AttributeHandle(json: value), try [UInt8](json: action["value"]))
        case "subscribe":
            self = .writeValue(
                try AttributeHandle(json: value),
                ClientCharacteristicConfiguration.notification.octets)
        default: throw PipeError(message: "action '\(member.name)' is not known")
        }
    }

    /// Discovers all primary services, or those with a UUID; a UUID given in 128-bit form is sent in that
    /// form.
    private static func discoverPrimary(_ value: JSONValue) throws(PipeError) -> GATTProcedure {
        guard let text = value.string, !text.isEmpty else { return .discoverPrimaryServices }
        return .discoverPrimaryServicesByUUID(
            try BluetoothUUID(json: value), form: text.utf8.count == 36 ? .full : .shortest)
    }

    private static func range(_ value: JSONValue) throws(PipeError) -> AttributeHandleRange {
        let handles = value.array ?? []
        return AttributeHandleRange(
            try AttributeHandle(json: handles.first),
            try AttributeHandle(json: handles.dropFirst().first))
    }
}
