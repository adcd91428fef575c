// What is generic in the core is compiled only where it is used: here it is, for the target.
public import BluetoothLE
public import Octets
public import VirtualBluetooth

/// The functions of private addresses and of the attribute database that take a toolbox.
public func useToolbox(
    _ toolbox: inout NoCryptography, _ table: inout AttributeTable, irks: [UInt128]
) -> Bool {
    table.updateDatabaseHash(using: toolbox)
    let address = PrivateAddress.makeStatic(using: &toolbox)
    _ = PrivateAddress.makeResolvable(irk: 0, using: &toolbox)
    return PrivateAddress.resolve(address, with: irks, using: toolbox) != nil
}

/// What is generic over commands.
public func useCommands(
    _ channel: inout HCICommandChannel, _ result: HCICommandResult, at now: MonotonicInstant
) throws(HCICommandChannel.UsageError) -> Bool {
    try channel.submit(HCI.Reset(), at: now)
    return result.returnParameters(of: HCI.ReadBDADDR.self) != nil
}

/// A radio with a toolbox.
public func makeRadio() -> VirtualRadio { VirtualRadio(toolbox: NoCryptography()) }

/// The queue of every machine.
public func useQueue(_ queue: inout Queue<[UInt8]>) -> [UInt8]? {
    queue.append([])
    _ = queue.removeAll { $0.isEmpty }
    guard !queue.contains(where: { $0.isEmpty }) else { return queue.first }
    return queue.popFirst()
}
