internal import Octets

// The values of a phone's media on the wire.
extension MediaState {
    /// The attributes that are others than before. What a player does has changed only if it was said again: its
    /// position runs without a word (M12).
    public func attributes(changedSince former: MediaState) -> MediaAttributeSet {
        var changed: MediaAttributeSet = []
        for attribute in MediaAttribute.named where attribute != .playbackInfo {
            if octets(of: attribute, at: .zero) != former.octets(of: attribute, at: .zero) {
                changed.formUnion(MediaAttributeSet(attribute))
            }
        }
        if playback != former.playback || playbackInstant != former.playbackInstant {
            changed.formUnion(MediaAttributeSet(.playbackInfo))
        }
        return changed
    }

    /// The whole value of an attribute, empty for none (M6). What a player does is said as of now (M12).
    func octets(of attribute: MediaAttribute, at now: MonotonicInstant) -> [UInt8] {
        switch attribute {
        case .playerName: playerName?.octets ?? []
        case .bundleIdentifier: bundleIdentifier?.octets ?? []
        case .playbackInfo:
            playback.map {
                PlaybackInfo($0.state, rate: $0.rate, elapsed: position(at: now)).octets
            } ?? []
        case .volume: Self.decimal(volume.map { Int64($0) })
        case .queueIndex: Self.whole(queueIndex)
        case .queueCount: Self.whole(queueCount)
        case .shuffleMode: Self.whole(shuffleMode.map { Int($0.rawValue) })
        case .repeatMode: Self.whole(repeatMode.map { Int($0.rawValue) })
        case .artist: artist?.octets ?? []
        case .album: album?.octets ?? []
        case .title: title?.octets ?? []
        case .duration: Self.decimal(duration?.thousandths)
        // MediaAttribute is open: those without a name have no value.
        default: []
        }
    }

    private static func whole(_ number: Int?) -> [UInt8] {
        var octets: [UInt8] = []
        if let number { octets.append(decimal: number) }
        return octets
    }

    private static func decimal(_ thousandths: Int64?) -> [UInt8] {
        var octets: [UInt8] = []
        if let thousandths { octets.append(thousandths: thousandths) }
        return octets
    }
}
