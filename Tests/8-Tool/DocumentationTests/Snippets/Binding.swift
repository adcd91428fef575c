// swift-format-ignore-file
import ANCSKit

// The code of Documentation/Binding.md.
enum BindingSnippets {
    static func bind(_ adapter: BluetoothAdapter, _ directory: String) async throws {
        let band: BluetoothUUID = "180D"
        let manager = CentralManager(adapter)
        let binding = try AccessoryBinding(
            .init(app: "org.example.band", services: [band], store: BindingStore(directory: directory)),
            manager: manager)
        await binding.launch()        // at each launch of the app
        try await binding.bind()      // the user asks for an accessory
        try await binding.unbind()    // the user unbinds it
    }
}
