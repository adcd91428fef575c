internal import HCITransports
internal import LinuxIO

// The transport of the controller.
extension SystemDriver {
    func openTransport() { transport.open { [weak self] event in self?.received(event) } }

    private func received(_ event: HCITransport.Event) {
        switch event {
        case .received(let packets):
            step {
                update { machine, now in
                    for packet in packets { machine.receive(packet, at: now) }
                }
            }
        case .opened: step { update { machine, now in machine.start(at: now) } }
        case .closed(let error): step { ended(error) }
        case .listening(let place):
            step {
                report(.listening(at: place))
                if let exposure = TransportMoniker.exposure(of: place) {
                    report(.warning(DeviceWarning(.transport, exposure)))
                }
            }
        case .notice(let text): step { report(.warning(DeviceWarning(.transport, text))) }
        }
    }

    private func ended(_ error: IOError) {
        guard !isClosed else { return }
        guard transport.moniker.isRemovableDevice, let step = returning.lost(error, at: loop.now)
        else { return update { machine, now in machine.transportClosed(error, at: now) } }
        switch step.news {
        case .lost: update { machine, now in machine.transportLost(error, at: now) }
        case .obstacle:
            update { machine, now in machine.transportLost(nil, at: now) }
            report(.warning(DeviceWarning(.transport, error.message)))
        case nil: update { machine, now in machine.transportLost(nil, at: now) }
        }
        returnTimer?.deadline = loop.now + step.pause
    }

    /// The device is back, but cannot be used: it may still be starting.
    func controllerNotReady() {
        transport.close()
        ended(IOError(.hangUp, "\(transport.moniker) is back, but cannot be set up"))
    }
}
