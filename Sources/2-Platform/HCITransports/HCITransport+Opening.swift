internal import LinuxIO
internal import CLinux
internal import Glibc

extension HCITransport {
    /// Opens the transport; what takes time ends in `didOpen` or `finish`.
    func startOpening() throws(IOError) {
        switch moniker {
        case .tcpClient(let host, let port):
            try findAddresses(of: host, port: port) { [self] addresses in
                connect(to: addresses, kind: .tcp)
            }
        case .tcpServer(let host, let port):
            try findAddresses(of: host, port: port) { [self] addresses throws(IOError) in
                let listener = try Listener.tcp(moniker, addresses: addresses, on: loop)
                let address = listener.address
                let host =
                    address.isEveryInterface
                    ? TransportMoniker.everyInterface : host ?? address.host
                let place = TransportMoniker.tcpServer(host: host, port: address.port)
                try accept(from: listener, kind: .tcp, at: place.description)
            }
        case .unixClient(let path): connect(to: [SocketAddress(path: path)], kind: .unix)
        case .unixServer(let path):
            let listener = try Listener.unix(moniker, path: path, on: loop)
            try accept(from: listener, kind: .unix, at: moniker.description)
        case .serial(let path, let speed, let hardwareFlowControl):
            let port = try SerialPort.open(
                path: path, speed: speed, hardwareFlowControl: hardwareFlowControl)
            didOpen(port, kind: .stream)
        case .pseudoTerminal(let link):
            let terminal = try PseudoTerminal(link: link)
            whenClosed { terminal.close() }
            isListening(at: terminal.path)
            didOpen(terminal.controllingSide, kind: .stream)
        case .hciSocket(let index):
            open(UserChannelOpening(index: index, interfaces: interfaces, at: loop.now))
        case .file(let path): didOpen(try DeviceFile.open(path: path), kind: .packets)
        case .virtual(let port): try attach(to: port)
        }
    }

    /// Finds the addresses of a host and continues with them; on another thread if that may block.
    private func findAddresses(
        of host: String?, port: UInt16,
        then next: @escaping @Sendable ([SocketAddress]) throws(IOError) -> Void
    ) throws(IOError) {
        if let addresses = try? SocketAddress.resolve(host: host, port: port, digitsOnly: true) {
            try next(addresses)
            return
        }
        let thread = try startThread(named: "ancs-resolver") { [self] in
            let addresses = resolve(host, port)
            loop.execute { [self] in
                // It was closed meanwhile.
                guard isStillOpening else { return }
                do throws(IOError) { try next(try addresses.get()) } catch { finish(error) }
            }
        }
        pthread_detach(thread)
    }

    private func resolve(_ host: String?, _ port: UInt16) -> Result<[SocketAddress], IOError> {
        do throws(IOError) {
            return .success(try SocketAddress.resolve(host: host, port: port, digitsOnly: false))
        } catch { return .failure(error) }
    }

    private func connect(to addresses: [SocketAddress], kind: PacketLink.Kind) {
        let connector = Connector(
            moniker, addresses: addresses, patience: configuration.connectPatience, on: loop
        ) { [weak self] result in self?.openingEnded(result, kind) }
        isOpening { connector.cancel() }
        connector.start(timeout: configuration.connectTimeout)
    }

    private func accept(
        from listener: Listener, kind: PacketLink.Kind, at place: String
    ) throws(IOError) {
        isOpening { listener.cancel() }
        let gate = kind == .tcp ? configuration.gate : nil
        // Behind a gate it goes on listening.
        if gate != nil { whenClosed { listener.cancel() } }
        try listener.start(behind: gate) { [weak self] result in self?.openingEnded(result, kind) }
        isListening(at: place)
    }

    /// The calls take milliseconds, and the loop has no other work while a controller is being opened.
    private func open(_ opening: UserChannelOpening) {
        guard isStillOpening else { return }
        var opening = opening
        switch opening.attempt(at: loop.now) {
        case .opened(let descriptor):
            if opening.hasTakenDown { notice(opening.notice) }
            didOpen(descriptor, kind: .packets)
        case .failed(let error):
            if opening.isLeftDown { notice(opening.noticeOfFailure) }
            finish(error)
        case .retry(let pause):
            let timer = LoopTimer(on: loop) { [weak self, opening] in self?.open(opening) }
            isOpening { timer.deadline = nil }
            timer.deadline = loop.now + pause
        }
    }

    private func openingEnded(_ result: Result<OwnedDescriptor, IOError>, _ kind: PacketLink.Kind) {
        switch result {
        case .success(let descriptor): didOpen(descriptor, kind: kind)
        case .failure(let error): finish(error)
        }
    }
}
