import Board
import Octets

/// Keeps a value in two pages of flash, the newest in the one that was written longer ago: whatever interrupts a
/// write, the other page still holds the value before.
///
///     0   "ANCS"
///     4   sequence number u32: the page with the higher one is newer
///     8   length of the value u16
///     10  zeros u16
///     12  CRC-32 of the sequence number, the length and the value
///     16  the value
///
/// The header is programmed last: a page without it was not written to its end.
struct FlashStore {
    private static let headerCount = 16
    private static let mark: UInt32 = 0x5343_4E41
    /// The longest value in octets.
    static let limit = Int(BOARD_FLASH_PAGE_SIZE) - headerCount

    /// What was found at the start.
    enum Finding {
        /// Pages that were never written.
        case empty
        /// A value. `isOther` if the other page was not written to its end, or is damaged.
        case value([UInt8], hasDamage: Bool)
        /// Pages that were written, and none of them is whole.
        case damaged
    }

    private struct Copy {
        var page: UInt32
        var sequence: UInt32
        var value: [UInt8]
    }

    /// Where the newest value is.
    private var newest: (page: UInt32, sequence: UInt32)?

    /// Looks at the pages.
    mutating func load() -> Finding {
        var best: Copy?
        var hasDamage = false
        for page in 0..<UInt32(BOARD_FLASH_PAGES) {
            guard let copy = read(page) else {
                hasDamage = hasDamage || !isEmpty(page)
                continue
            }
            if let other = best, other.sequence >= copy.sequence { continue }
            best = copy
        }
        guard let best else { return hasDamage ? .damaged : .empty }
        newest = (best.page, best.sequence)
        return .value(best.value, hasDamage: hasDamage)
    }

    /// Writes a value into the older page; whether the flash took it. Where it did not, the value before stays.
    mutating func save(_ value: [UInt8]) -> Bool {
        guard value.count <= Self.limit else { return false }
        let page = newest.map { 1 - $0.page } ?? 0
        let sequence = (newest?.sequence ?? 0) &+ 1
        guard board_flash_erase(page),
            unsafe board_flash_program(page, Self.headerCount, value, value.count)
        else { return false }
        let header = Self.header(sequence: sequence, value: value)
        guard unsafe board_flash_program(page, 0, header, header.count) else { return false }
        newest = (page, sequence)
        return true
    }

    private func octets(of page: UInt32, at offset: Int, count: Int) -> [UInt8] {
        var octets = [UInt8](repeating: 0, count: count)
        unsafe board_flash_read(page, offset, &octets, count)
        return octets
    }

    /// Nothing was ever written: erased, or as the memory of a new board is.
    private func isEmpty(_ page: UInt32) -> Bool {
        let header = octets(of: page, at: 0, count: 32)
        return header.allSatisfy { $0 == 0xFF } || header.allSatisfy { $0 == 0 }
    }

    private func read(_ page: UInt32) -> Copy? {
        let header = octets(of: page, at: 0, count: Self.headerCount)
        do throws(DecodingError) {
            var rest = header.span
            guard try rest.takeUInt32() == Self.mark else { return nil }
            let sequence = try rest.takeUInt32()
            let count = Int(try rest.takeUInt16())
            guard count <= Self.limit else { return nil }
            let value = octets(of: page, at: Self.headerCount, count: count)
            guard header == Self.header(sequence: sequence, value: value) else { return nil }
            return Copy(page: page, sequence: sequence, value: value)
        } catch { return nil }
    }

    private static func header(sequence: UInt32, value: [UInt8]) -> [UInt8] {
        var checksum = CRC32()
        checksum.add(sequence)
        checksum.add(UInt32(value.count))
        for octet in value { checksum.add(octet) }
        return [UInt8](capacity: headerCount) { output in
            output.append(littleEndian: mark)
            output.append(littleEndian: sequence)
            output.append(littleEndian: UInt16(value.count))
            output.append(littleEndian: UInt16(0))
            output.append(littleEndian: checksum.value)
        }
    }
}

/// The checksum of Ethernet, bit by bit: a table would cost more than the time.
private struct CRC32 {
    private var remainder: UInt32 = 0xFFFF_FFFF
    var value: UInt32 { ~remainder }

    mutating func add(_ octet: UInt8) {
        remainder ^= UInt32(octet)
        for _ in 0..<8 { remainder = remainder >> 1 ^ (remainder & 1 == 0 ? 0 : 0xEDB8_8320) }
    }

    mutating func add(_ number: UInt32) {
        for shift in stride(from: UInt32(0), to: 32, by: 8) {
            add(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}
