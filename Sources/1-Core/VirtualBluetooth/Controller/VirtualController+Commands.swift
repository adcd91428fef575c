internal import BluetoothLE

// Commands and their answers.
extension VirtualController {
    func receiveCommand(_ body: [UInt8], at now: MonotonicInstant) {
        guard let packet = try? HCICommandPacket(decoding: body.span) else {
            outputs.append(.fault(.malformedPacket))
            // A malformed command is answered if its opcode is known.
            if body.count >= 2 {
                let opcode = UInt16(body[0]) | UInt16(body[1]) << 8
                sendStatus(.invalidCommandParameters, to: HCIOpcode(rawValue: opcode))
            }
            return
        }
        // Vendor-specific commands have no bits.
        if packet.opcode == .virtualFade { return perform(packet, fade) }
        // The command that reads the list has no bit in it. Core Vol 4, Part E, 6.27.
        guard packet.opcode == .readLocalSupportedCommands || commands.contains(packet.opcode)
        else { return sendStatus(.unknownCommand, to: packet.opcode) }
        let isKnown =
            runInformation(packet) || runController(packet) || runAdvertising(packet, at: now)
            || runExtendedAdvertising(packet, at: now) || runScanning(packet, at: now)
            || runConnecting(packet) || runLink(packet) || runLinkSettings(packet)
            || runEncryption(packet) || runPrivacy(packet, at: now)
        guard !isKnown else { return }
        sendStatus(.unknownCommand, to: packet.opcode)
    }

    /// Runs a command that completes at once. What it causes follows its answer.
    func complete<Command: HCICommand>(
        _ packet: HCICommandPacket, _ run: (Command) throws(HCIStatus) -> Command.ReturnParameters
    ) {
        let earlier = exchange(&outputs, with: Queue())
        let answer: [UInt8]
        do throws(HCIStatus) {
            answer = try run(try decode(packet)).octets
        } catch { answer = error.octets }
        completed(packet.opcode, with: answer, after: earlier)
    }

    /// Not inlined: otherwise it is compiled again for each command.
    @inline(never) private func completed(
        _ opcode: HCIOpcode, with parameters: [UInt8], after earlier: Queue<Output>
    ) {
        answered(
            HCI.CommandComplete(credits: 1, opcode: opcode, returnParameters: parameters)
                .eventPacket, after: earlier)
    }

    /// Runs a command that completes at once, and returns nothing but its status.
    func perform<Command: HCICommand>(
        _ packet: HCICommandPacket, _ run: (Command) throws(HCIStatus) -> Void
    ) where Command.ReturnParameters == HCIStatus {
        complete(packet) { (command: Command) throws(HCIStatus) in
            try run(command)
            return .success
        }
    }

    /// Starts a command that an event completes later.
    func begin<Command: HCICommand>(
        _ packet: HCICommandPacket, _ run: (Command) throws(HCIStatus) -> Void
    ) {
        let earlier = exchange(&outputs, with: Queue())
        var status = HCIStatus.success
        do throws(HCIStatus) { try run(try decode(packet)) } catch { status = error }
        answered(HCI.CommandStatus.layout(status, 1, packet.opcode).eventPacket, after: earlier)
    }

    private func decode<Command: HCICommand>(
        _ packet: HCICommandPacket
    ) throws(HCIStatus) -> Command {
        do throws(DecodingError) {
            return try Command(decoding: packet.parameters.span)
        } catch { throw .invalidCommandParameters }
    }

    @inline(never) private func answered(_ answer: [UInt8], after earlier: Queue<Output>) {
        var consequences = exchange(&outputs, with: earlier)
        send(answer)
        while let output = consequences.popFirst() { outputs.append(output) }
    }

    private func sendStatus(_ status: HCIStatus, to opcode: HCIOpcode) {
        send(HCI.CommandStatus.layout(status, 1, opcode).eventPacket)
    }

    /// Refuses a command of one family after one of the other.
    func use(_ family: CommandFamily) throws(HCIStatus) {
        guard commandFamily == nil || commandFamily == family else { throw .commandDisallowed }
        commandFamily = family
    }
}
