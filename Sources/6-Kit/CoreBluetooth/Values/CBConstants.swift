// The keys of Core Bluetooth's dictionaries. What they are spelled like is nobody's business but that of programs which
// write the text instead of the name, as some do.

/// The name of the device: a `String`.
public let CBAdvertisementDataLocalNameKey = "kCBAdvDataLocalName"
/// The manufacturer data, which start with the company identifier: `Data`.
public let CBAdvertisementDataManufacturerDataKey = "kCBAdvDataManufacturerData"
/// Data of services: a `[CBUUID: Data]`.
public let CBAdvertisementDataServiceDataKey = "kCBAdvDataServiceData"
/// The services: an array of `CBUUID`.
public let CBAdvertisementDataServiceUUIDsKey = "kCBAdvDataServiceUUIDs"
/// Services in the overflow area: an array of `CBUUID`.
public let CBAdvertisementDataOverflowServiceUUIDsKey = "kCBAdvDataHashedServiceUUIDs"
/// The transmit power in dBm: an `NSNumber`.
public let CBAdvertisementDataTxPowerLevelKey = "kCBAdvDataTxPowerLevel"
/// Whether it accepts connections: an `NSNumber`. Missing at bluetoothd, which does not tell it.
public let CBAdvertisementDataIsConnectable = "kCBAdvDataIsConnectable"
/// The services that it solicits: an array of `CBUUID`.
public let CBAdvertisementDataSolicitedServiceUUIDsKey = "kCBAdvDataSolicitedServiceUUIDs"

/// Whether the user is warned if Bluetooth is off; no effect on Linux.
public let CBCentralManagerOptionShowPowerAlertKey = "kCBInitOptionShowPowerAlert"
/// The name by which a program's state is restored; no effect on Linux.
public let CBCentralManagerOptionRestoreIdentifierKey = "kCBInitOptionRestoreIdentifier"
/// The peripherals that were restored; never on Linux.
public let CBCentralManagerRestoredStatePeripheralsKey = "kCBRestoredPeripherals"
/// The services of a scan that was restored; never on Linux.
public let CBCentralManagerRestoredStateScanServicesKey = "kCBRestoredScanServices"
/// The options of a scan that was restored; never on Linux.
public let CBCentralManagerRestoredStateScanOptionsKey = "kCBRestoredScanOptions"

/// Whether a scan reports a peripheral every time it is received: an `NSNumber`.
public let CBCentralManagerScanOptionAllowDuplicatesKey = "kCBScanOptionAllowDuplicates"
/// Solicited services that a scan looks for: an array of `CBUUID`.
public let CBCentralManagerScanOptionSolicitedServiceUUIDsKey = "kCBScanOptionSolicitedServiceUUIDs"

/// Whether an app in the background tells its user about a connection; no effect on Linux.
public let CBConnectPeripheralOptionNotifyOnConnectionKey = "kCBConnectOptionNotifyOnConnection"
/// Whether an app in the background tells its user about a disconnection; no effect on Linux.
public let CBConnectPeripheralOptionNotifyOnDisconnectionKey =
    "kCBConnectOptionNotifyOnDisconnection"
/// Whether an app in the background tells its user about values; no effect on Linux.
public let CBConnectPeripheralOptionNotifyOnNotificationKey = "kCBConnectOptionNotifyOnNotification"
/// Whether Bluetooth Classic is connected, too; no effect on Linux.
public let CBConnectPeripheralOptionEnableTransportBridgingKey =
    "kCBConnectOptionEnableTransportBridging"
/// Whether the device has to be allowed to receive notifications; no effect on Linux.
public let CBConnectPeripheralOptionRequiresANCS = "kCBConnectOptionRequiresANCS"
/// How long to wait before connecting; no effect on Linux.
public let CBConnectPeripheralOptionStartDelayKey = "kCBConnectOptionStartDelay"
/// Whether the manager connects again when a link was lost: an `NSNumber`.
public let CBConnectPeripheralOptionEnableAutoReconnect = "kCBConnectOptionEnableAutoReconnect"

/// Characteristic Extended Properties; its value is an `NSNumber`.
public let CBUUIDCharacteristicExtendedPropertiesString = "2900"
/// Characteristic User Description; its value is a `String`.
public let CBUUIDCharacteristicUserDescriptionString = "2901"
/// Client Characteristic Configuration; its value is an `NSNumber`.
public let CBUUIDClientCharacteristicConfigurationString = "2902"
/// Server Characteristic Configuration; its value is an `NSNumber`.
public let CBUUIDServerCharacteristicConfigurationString = "2903"
/// Characteristic Presentation Format; its value is `Data`.
public let CBUUIDCharacteristicFormatString = "2904"
/// Characteristic Aggregate Format; its value is `Data`.
public let CBUUIDCharacteristicAggregateFormatString = "2905"
/// Valid Range; its value is `Data`.
public let CBUUIDCharacteristicValidRangeString = "2906"
/// Observation Schedule; its value is `Data`.
public let CBUUIDCharacteristicObservationScheduleString = "2910"
/// The characteristic with the number of a service of L2CAP.
public let CBUUIDL2CAPPSMCharacteristicString = "ABDD3056-28FA-441D-A470-55A75A52553A"

/// Whether the user is warned if Bluetooth is off; no effect on Linux.
public let CBPeripheralManagerOptionShowPowerAlertKey = "kCBInitOptionShowPowerAlert"
/// The name by which a program's state is restored; no effect on Linux.
public let CBPeripheralManagerOptionRestoreIdentifierKey = "kCBInitOptionRestoreIdentifier"
/// The services that were restored; never on Linux.
public let CBPeripheralManagerRestoredStateServicesKey = "kCBRestoredServices"
/// The advertisement that was restored; never on Linux.
public let CBPeripheralManagerRestoredStateAdvertisementDataKey = "kCBRestoredAdvertisement"
