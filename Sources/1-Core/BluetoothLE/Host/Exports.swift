// The types below the host, so that a program needs only `import BluetoothLE`.
@_exported public import BluetoothTypes
