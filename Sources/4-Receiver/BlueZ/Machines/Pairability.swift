package import DBus
/// Makes an adapter pairable while something pairs: the kernel makes no bond otherwise.
package struct Pairability: Sendable {
    /// The adapter that was made so.
    private var adapter: ObjectPath?

    package init() {}

    /// Something pairs. Returns the call that is needed.
    package mutating func begin(
        at adapter: ObjectPath?, _ adapters: [ObjectPath: AdapterObject]
    ) -> BusCall? {
        guard let adapter, adapters[adapter]?.isPairable == false else { return nil }
        self.adapter = adapter
        return .set("Pairable", true, of: AdapterObject.interface, at: adapter)
    }

    /// Nothing pairs any more. Returns the call that restores the adapter, if it is still there.
    package mutating func end(_ adapters: [ObjectPath: AdapterObject]) -> BusCall? {
        guard let adapter = exchange(&self.adapter, with: nil), adapters[adapter] != nil else {
            return nil
        }
        return .set("Pairable", false, of: AdapterObject.interface, at: adapter)
    }
}
