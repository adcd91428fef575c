extension HCI {
    /// A vendor-specific command of virtual controllers: nothing is heard for a time, and then all is well
    /// again.
    ///
    /// Only a controller with ``ControllerAbilities/isVirtual`` may get it. To any other, its opcode may mean
    /// anything.
    public struct VirtualFade: HCICommand, PDUStructure {
        /// The opcode, in the group of vendor-specific commands.
        public static let opcode = HCIOpcode.virtualFade

        /// The connection that stands for the whole radio.
        public static var wholeRadio: ConnectionHandle { ConnectionHandle(rawValue: 0x0FFF) }

        /// The connection, or ``wholeRadio``.
        public var handle: ConnectionHandle
        /// The length of the fade in milliseconds, at most a day.
        public var milliseconds: UInt64

        package static let layout = inOrder(Self.init) { ($0.handle, $0.milliseconds) }
    }
}
