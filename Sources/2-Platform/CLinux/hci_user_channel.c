#include "CLinux.h"

#include <endian.h>
#include <string.h>
#include <sys/ioctl.h>

// Debian has no Bluetooth headers without libbluetooth-dev. These values are the kernel's interface
// to programs: include/linux/socket.h (AF_BLUETOOTH), include/net/bluetooth/bluetooth.h
// (BTPROTO_HCI) and include/net/bluetooth/hci_sock.h (the rest).
enum {
    CLINUX_AF_BLUETOOTH = 31,
    CLINUX_BTPROTO_HCI = 1,
    CLINUX_HCI_CHANNEL_RAW = 0,
    CLINUX_HCI_CHANNEL_USER = 1,
    CLINUX_HCI_CHANNEL_CONTROL = 3,
    CLINUX_HCI_DEV_NONE = 0xFFFF,
    CLINUX_SOL_HCI = 0,
    CLINUX_HCI_FILTER = 2,
    CLINUX_HCI_EVENT_PACKET = 4,
    CLINUX_COMMAND_STATUS = 0x0F,
    CLINUX_LE_META = 0x3E,
    CLINUX_HCI_UP = 1 << 0,
    // include/net/bluetooth/hci.h: HCI_LM_ENCRYPT.
    CLINUX_HCI_ENCRYPTED = 0x0004,
};

#define CLINUX_HCIDEVDOWN _IOW('H', 202, int)
#define CLINUX_HCIGETDEVINFO _IOR('H', 211, int)
#define CLINUX_HCIGETCONNLIST _IOR('H', 212, int)

struct clinux_hci_dev_info {
    uint16_t dev_id;
    char name[8];
    uint8_t address[6];
    uint32_t flags;
    uint8_t type;
    uint8_t features[8];
    uint32_t packet_types;
    uint32_t link_policy;
    uint32_t link_mode;
    uint16_t acl_mtu;
    uint16_t acl_packets;
    uint16_t sco_mtu;
    uint16_t sco_packets;
    uint32_t statistics[10];
};

struct clinux_hci_conn_info {
    uint16_t handle;
    uint8_t address[6];
    uint8_t type;
    uint8_t is_outgoing;
    uint16_t state;
    uint32_t link_mode;
};

struct clinux_hci_filter {
    uint32_t packet_types;
    uint32_t events[2];
    uint16_t opcode;
};

struct clinux_sockaddr_hci {
    sa_family_t hci_family;
    uint16_t hci_dev;
    uint16_t hci_channel;
};

static int open_hci_socket(void) {
    return socket(CLINUX_AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, CLINUX_BTPROTO_HCI);
}

static int close_with(int descriptor, int result) {
    int reason = errno;
    close(descriptor);
    errno = reason;
    return result;
}

static int bind_to(int descriptor, uint16_t index, uint16_t channel) {
    struct clinux_sockaddr_hci address = {
        .hci_family = CLINUX_AF_BLUETOOTH,
        .hci_dev = index,
        .hci_channel = channel,
    };
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) < 0) {
        return close_with(descriptor, -1);
    }
    return descriptor;
}

int clinux_hci_user_channel_open(uint16_t index) {
    int descriptor = open_hci_socket();
    if (descriptor < 0) return -1;
    return bind_to(descriptor, index, CLINUX_HCI_CHANNEL_USER);
}

int clinux_hci_raw_open(uint16_t index, uint16_t opcode) {
    int descriptor = open_hci_socket();
    if (descriptor < 0) return -1;
    struct clinux_hci_filter filter = {
        .packet_types = 1u << CLINUX_HCI_EVENT_PACKET,
        .events = {1u << CLINUX_COMMAND_STATUS, 1u << (CLINUX_LE_META - 32)},
        .opcode = htole16(opcode),
    };
    if (setsockopt(descriptor, CLINUX_SOL_HCI, CLINUX_HCI_FILTER, &filter, sizeof filter) < 0) {
        return close_with(descriptor, -1);
    }
    return bind_to(descriptor, index, CLINUX_HCI_CHANNEL_RAW);
}

int clinux_hci_interface(uint16_t index, uint8_t address[6]) {
    int descriptor = open_hci_socket();
    if (descriptor < 0) return -1;
    struct clinux_hci_dev_info information = {.dev_id = index};
    if (ioctl(descriptor, CLINUX_HCIGETDEVINFO, &information) < 0) {
        return close_with(descriptor, -1);
    }
    memcpy(address, information.address, sizeof information.address);
    return close_with(descriptor, information.flags & CLINUX_HCI_UP ? 1 : 0);
}

int clinux_hci_connections(uint16_t index, struct clinux_hci_connection *connections, int capacity) {
    enum { LIMIT = 64 };
    // The kernel's list is a header followed by the connections.
    struct {
        uint16_t dev_id;
        uint16_t count;
        struct clinux_hci_conn_info connections[LIMIT];
    } list = {.dev_id = index, .count = LIMIT};
    int descriptor = open_hci_socket();
    if (descriptor < 0) return -1;
    if (ioctl(descriptor, CLINUX_HCIGETCONNLIST, &list) < 0) return close_with(descriptor, -1);
    int count = 0;
    for (int number = 0; number < list.count && count < capacity; number++) {
        memcpy(connections[count].address, list.connections[number].address, 6);
        connections[count].state = list.connections[number].state;
        connections[count].handle = list.connections[number].handle;
        connections[count].type = list.connections[number].type;
        connections[count].is_outgoing = list.connections[number].is_outgoing;
        connections[count].is_encrypted = (list.connections[number].link_mode & CLINUX_HCI_ENCRYPTED) != 0;
        count++;
    }
    return close_with(descriptor, count);
}

static uint16_t little_endian(const uint8_t octets[2]) { return (uint16_t)(octets[0] | octets[1] << 8); }

// Read Controller Information of the management interface: doc/mgmt-api.txt of BlueZ. The kernel allows it to
// every user, and has answered when the write returns.
int clinux_hci_read_version(uint16_t index, struct clinux_hci_version *version) {
    enum { READ_INFO = 0x0004, COMPLETE = 0x0001, STATUS = 0x0002, HEADER = 6, ADDRESS = 6, EVENTS = 64 };
    int descriptor = open_hci_socket();
    if (descriptor < 0) return -1;
    struct clinux_sockaddr_hci address = {
        .hci_family = CLINUX_AF_BLUETOOTH,
        .hci_dev = CLINUX_HCI_DEV_NONE,
        .hci_channel = CLINUX_HCI_CHANNEL_CONTROL,
    };
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) < 0) return close_with(descriptor, -1);
    const uint8_t command[HEADER] = {READ_INFO, 0, (uint8_t)index, (uint8_t)(index >> 8), 0, 0};
    if (write(descriptor, command, sizeof command) != sizeof command) return close_with(descriptor, -1);
    // Events about other things may come before it.
    for (int number = 0; number < EVENTS; number++) {
        uint8_t event[512];
        ssize_t count = read(descriptor, event, sizeof event);
        if (count < 0) return close_with(descriptor, -1);
        if (count < HEADER + 3 || little_endian(event + HEADER) != READ_INFO) continue;
        uint16_t code = little_endian(event);
        if (code == STATUS || (code == COMPLETE && event[HEADER + 2] != 0)) break;
        if (code != COMPLETE || count < HEADER + 3 + ADDRESS + 3) continue;
        const uint8_t *answer = event + HEADER + 3 + ADDRESS;
        version->version = answer[0];
        version->company = little_endian(answer + 1);
        return close_with(descriptor, 0);
    }
    errno = EIO;
    return close_with(descriptor, -1);
}

int clinux_hci_take_down(uint16_t index) {
    int descriptor = open_hci_socket();
    if (descriptor < 0) return -1;
    return close_with(descriptor, ioctl(descriptor, CLINUX_HCIDEVDOWN, (unsigned long)index));
}
