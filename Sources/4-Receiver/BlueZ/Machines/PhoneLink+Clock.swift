internal import ANCSEvents
internal import DBus

// The phone's Current Time service. Its values come by `StartNotify`, and so are broadcast to all programs:
// the time is no secret.
extension PhoneLink {
    /// Reads the time and the zone, one after the other, and has the time notified. If a reading is under
    /// way, that one counts.
    mutating func readClock() {
        guard state == .available, !isReadingClock else { return }
        isReadingClock = true
        call(.readClock(.currentTime))
    }

    mutating func clockRead(_ characteristic: BluetoothUUID, _ result: BusResult) {
        let value = (try? result.get())?.first?.octets
        if let value { report(.clockValue(characteristic, value)) }
        switch characteristic {
        // Without a time there is no service, or no access to it.
        case .currentTime where value != nil: call(.readClock(.localTimeInformation))
        case .localTimeInformation where !isFollowingClock: call(.followClock)
        case _: clockReadingEnded()
        }
    }

    mutating func clockFollowed(_ result: BusResult) {
        switch result {
        case .success: isFollowingClock = true
        // It was requested before the link was lost.
        case .failure(let error): isFollowingClock = error.isInProgress
        }
        clockReadingEnded()
    }

    private mutating func clockReadingEnded() {
        isReadingClock = false
        report(.clockRead)
    }

    /// The time was broadcast, because the phone notified it or because it was read.
    mutating func receiveClock(_ value: [UInt8]) {
        guard isFollowingClock, state == .available else { return }
        report(.clockValue(.currentTime, value))
    }

    mutating func stopFollowingClock() {
        if exchange(&isFollowingClock, with: false) { call(.unfollowClock) }
    }
}
