#include "CLinux.h"

// Debian has no Bluetooth headers without libbluetooth-dev. These values are the kernel's interface
// to programs: include/linux/socket.h (AF_BLUETOOTH), include/net/bluetooth/bluetooth.h
// (BTPROTO_HCI) and include/net/bluetooth/hci_sock.h (the rest).
enum {
    CLINUX_AF_BLUETOOTH = 31,
    CLINUX_BTPROTO_HCI = 1,
    CLINUX_HCI_CHANNEL_USER = 1,
};

struct clinux_sockaddr_hci {
    sa_family_t hci_family;
    uint16_t hci_dev;
    uint16_t hci_channel;
};

int clinux_hci_user_channel_open(uint16_t index) {
    int descriptor = socket(
        CLINUX_AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, CLINUX_BTPROTO_HCI);
    if (descriptor < 0) return -1;
    struct clinux_sockaddr_hci address = {
        .hci_family = CLINUX_AF_BLUETOOTH,
        .hci_dev = index,
        .hci_channel = CLINUX_HCI_CHANNEL_USER,
    };
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) < 0) {
        int reason = errno;
        close(descriptor);
        errno = reason;
        return -1;
    }
    return descriptor;
}
