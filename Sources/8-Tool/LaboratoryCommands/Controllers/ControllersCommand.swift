package import CommandKit
internal import DeviceCommandKit
internal import Glibc
internal import HCITransports
internal import OpenSSLSecurity
internal import VirtualBluetooth
internal import VirtualTransports

/// `ancs controllers`: serves virtual controllers to hosts that connect.
package actor ControllersCommand: LoopActor {
    package nonisolated let loop: EventLoop
    private let options: ControllersOptions
    private var radio: RadioLoop?
    private var controllers: [ServedController] = []
    private var completion: CheckedContinuation<ExitStatus, Never>?
    private var isReady = false

    private init(_ options: ControllersOptions, on loop: EventLoop) {
        self.options = options
        self.loop = loop
    }

    /// Serves until a signal arrives or a place cannot be opened.
    package static func run(_ options: ControllersOptions, on loop: EventLoop) async -> ExitStatus {
        do throws(IOError) {
            let command = ControllersCommand(options, on: loop)
            let requests = try EndRequests(on: loop) {
                command.assumeOnLoop { $0.finish(.success) }
            }
            defer { requests.cancel() }
            return await command.serve()
        } catch { return ExitStatus.report(.transport(error)) }
    }

    private func serve() async -> ExitStatus {
        await withCheckedContinuation { continuation in
            completion = continuation
            do throws(IOError) { try start() } catch {
                finish(ExitStatus.report(.transport(error)))
            }
        }
    }

    private func start() throws(IOError) {
        let radio = RadioLoop(
            configuration: options.radio, toolbox: OpenSSLToolbox(), on: loop
        ) { [self] fault, port in
            assumeOnLoop { $0.report(fault, of: port.controller.index) }
        }
        self.radio = radio
        for (index, place) in options.places.enumerated() {
            let capture = try options.captureDirectory.map { directory throws(IOError) in
                try BtsnoopWriter.capture("controller-\(index)", in: directory)
            }
            controllers.append(
                ServedController(
                    place.moniker, port: radio.addController(place.abilities), capture: capture,
                    on: loop
                ) { [self] event in assumeOnLoop { $0.happened(event, to: index) } })
        }
        for controller in controllers { controller.open() }
    }

    private func finish(_ status: ExitStatus) {
        guard let completion = exchange(&completion, with: nil) else { return }
        for controller in controllers { controller.close() }
        controllers = []
        radio?.close()
        completion.resume(returning: status)
    }

    // MARK: What happens

    private func happened(_ event: ServedController.Event, to index: Int) {
        switch event {
        case .listening: reportReadiness()
        case .attached: report("attached", index, "a host connected")
        case .used, .commanded: break
        case .detached(let error): hostLeft(error, index)
        case .failed(let error): finish(ExitStatus.report(.transport(error)))
        }
    }

    private func reportReadiness() {
        let places = controllers.compactMap(\.place)
        guard !isReady, places.count == controllers.count else { return }
        isReady = true
        for exposure in places.compactMap(TransportMoniker.exposure) {
            StandardStreams.writeError("ancs: \(exposure)")
        }
        if options.isJSON {
            let object: JSONValue = [
                "event": "ready", "seed": .string("\(options.radio.seed)"),
                "controllers": .array(places.map { .string($0) }),
            ]
            StandardStreams.writeLine(object.text)
        } else {
            StandardStreams.writeLine("READY " + places.joined(separator: " "))
            StandardStreams.writeError("seed \(options.radio.seed)")
        }
    }

    /// A host has left, which is of interest to the curious, or was disconnected, which nobody expects.
    private func hostLeft(_ error: IOError, _ index: Int) {
        switch error.code {
        case .endOfStream, .hangUp: report("detached", index, error.message)
        case _ where options.isJSON: report("detached", index, error.message)
        // IOError.Code is open: anything else went wrong.
        case _:
            StandardStreams.writeError(
                "controller \(index) disconnected its host: \(TerminalText.visible(error.message))")
        }
    }

    private func report(_ event: String, _ index: Int, _ text: String) {
        if options.isJSON {
            let object: JSONValue = [
                "event": .string(event), "controller": .integer(index), "text": .string(text),
            ]
            StandardStreams.writeLine(object.text)
        } else if options.isVerbose {
            StandardStreams.writeError("controller \(index): \(TerminalText.visible(text))")
        }
    }

    private func report(_ fault: HostFault, of index: Int) {
        if options.isJSON {
            report("fault", index, fault.text)
        } else {
            StandardStreams.writeError("VIOLATION controller \(index): \(fault.text)")
        }
    }
}

extension HostFault {
    fileprivate var text: String {
        switch self {
        case .bufferOverflow: "the host sent more packets than there are buffers"
        case .packetTooLong(let count):
            "the host sent \(counted(count, "octet")) to a smaller buffer"
        case .unknownConnection(let handle):
            "the host sent data for connection \(handle.rawValue), which never existed"
        case .malformedPacket: "the host sent a malformed packet"
        }
    }
}
