/// Names of appearances and companies.
extension AssignedNumbers {
    /// Assigned Numbers, 2.6: the category in the upper ten bits, with subcategory 0, and the
    /// subcategories that say more than their category does.
    static let appearances: [UInt16: String] = [
        0x0040: "phone", 0x0080: "computer", 0x0081: "desktop computer", 0x0082: "server",
        0x0083: "laptop", 0x0084: "handheld computer", 0x0086: "wearable computer",
        0x0087: "tablet", 0x00C0: "watch", 0x00C1: "sports watch", 0x00C2: "smartwatch",
        0x0100: "clock", 0x0140: "display", 0x0180: "remote control", 0x01C0: "eye-glasses",
        0x0200: "tag", 0x0240: "keyring", 0x0280: "media player", 0x02C0: "barcode scanner",
        0x0300: "thermometer", 0x0340: "heart rate sensor", 0x0341: "heart rate belt",
        0x0380: "blood pressure monitor", 0x03C0: "human interface device", 0x03C1: "keyboard",
        0x03C2: "mouse", 0x03C3: "joystick", 0x03C4: "gamepad", 0x03C5: "digitizer tablet",
        0x03C6: "card reader", 0x03C7: "digital pen", 0x03C8: "barcode scanner",
        0x03C9: "touchpad", 0x03CA: "presentation remote", 0x0400: "glucose meter",
        0x0440: "running sensor", 0x0480: "cycling device", 0x0481: "cycling computer",
        0x0482: "cycling speed sensor", 0x0483: "cycling cadence sensor",
        0x0484: "cycling power sensor", 0x0485: "cycling speed and cadence sensor",
        0x04C0: "control device", 0x0500: "network device", 0x0540: "sensor",
        0x0541: "motion sensor", 0x0542: "air quality sensor", 0x0543: "temperature sensor",
        0x0544: "humidity sensor", 0x0580: "light", 0x05C0: "fan", 0x0600: "HVAC",
        0x0601: "thermostat", 0x0640: "air conditioning", 0x0680: "humidifier",
        0x06C0: "heating", 0x0700: "access control", 0x0740: "motorized device",
        0x0780: "power device", 0x07C0: "light source", 0x0800: "window covering",
        0x0840: "audio sink", 0x0841: "speaker", 0x0842: "soundbar", 0x0880: "audio source",
        0x0881: "microphone", 0x08C0: "motorized vehicle", 0x08C1: "car",
        0x0900: "domestic appliance", 0x0940: "wearable audio device", 0x0941: "earbud",
        0x0942: "headset", 0x0943: "headphones", 0x0944: "neck band", 0x0980: "aircraft",
        0x09C0: "AV equipment", 0x0A00: "display equipment", 0x0A01: "television",
        0x0A40: "hearing aid", 0x0A80: "gaming device", 0x0AC0: "signage",
        0x0C40: "pulse oximeter", 0x0C80: "weight scale", 0x0CC0: "personal mobility device",
        0x0D00: "continuous glucose monitor", 0x0D40: "insulin pump",
        0x0D80: "medication delivery", 0x0DC0: "spirometer", 0x1440: "outdoor sports device",
    ]

    /// Assigned Numbers, 7.1: a few of the thousands.
    static let companies: [UInt16: String] = [
        0x0001: "Nokia", 0x0002: "Intel", 0x0006: "Microsoft", 0x000A: "Qualcomm",
        0x000D: "Texas Instruments", 0x000F: "Broadcom", 0x0030: "STMicroelectronics",
        0x004C: "Apple", 0x0059: "Nordic Semiconductor", 0x0075: "Samsung",
        0x0087: "Garmin", 0x009E: "Bose", 0x00D2: "Dialog Semiconductor", 0x00E0: "Google",
        0x0131: "Cypress Semiconductor", 0x012D: "Sony", 0x0157: "Anhui Huami",
        0x01DA: "Logitech", 0x02E5: "Espressif", 0x0499: "Ruuvi",
        // Reserved for manufacturers without an identifier. Assigned Numbers, 7.1, note.
        0xFFFF: "no company",
    ]
}
