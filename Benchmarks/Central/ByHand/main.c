// What a program does that is a Central at bluetoothd by hand, with sd-bus: a scan for a service, a connection, the
// objects of the device, and 1,000 reads. Prints the processor time that it took, in microseconds.
//
//     central-by-hand ADDRESS SIGNALS
//
// SIGNALS are `all` that bluetoothd sends, with one match rule, or only the `needed` ones.
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <time.h>

#define SERVICE "org.bluez"
#define ADAPTER "/org/bluez/hci0"
#define HEART_RATE "180D"
#define READS 1000

static char device[256], characteristic[256];
static int is_connected, is_resolved;

static void check(int result, const char *what) {
    if (result >= 0) return;
    fprintf(stderr, "central-by-hand: cannot %s: %s\n", what, strerror(-result));
    exit(1);
}

static void keep(char place[sizeof device], const char *path) {
    check(snprintf(place, sizeof device, "%s", path) < (int)sizeof device ? 0 : -ENAMETOOLONG, "keep a path");
}

// Notes the device, the characteristic and whether its services are resolved, from one object's interfaces.
static void read_properties(sd_bus_message *message, const char *path, const char *interface) {
    check(sd_bus_message_enter_container(message, 'a', "{sv}"), "read properties");
    while (sd_bus_message_enter_container(message, 'e', "sv") > 0) {
        const char *name, *text;
        check(sd_bus_message_read_basic(message, 's', &name), "read a name");
        if (!strcmp(interface, "org.bluez.Device1") && !strcmp(name, "Connected"))
            check(sd_bus_message_read(message, "v", "b", &is_connected), "read a property");
        else if (!strcmp(interface, "org.bluez.Device1") && !strcmp(name, "ServicesResolved"))
            check(sd_bus_message_read(message, "v", "b", &is_resolved), "read a property");
        else if (!strcmp(interface, "org.bluez.GattCharacteristic1") && !strcmp(name, "UUID")) {
            check(sd_bus_message_read(message, "v", "s", &text), "read a property");
            if (strstr(text, "2A38") || strstr(text, "2a38")) keep(characteristic, path);
        } else
            check(sd_bus_message_skip(message, "v"), "skip a property");
        sd_bus_message_exit_container(message);
    }
    sd_bus_message_exit_container(message);
}

static void read_interfaces(sd_bus_message *message) {
    const char *path, *interface;
    check(sd_bus_message_read_basic(message, 'o', &path), "read a path");
    check(sd_bus_message_enter_container(message, 'a', "{sa{sv}}"), "read interfaces");
    while (sd_bus_message_enter_container(message, 'e', "sa{sv}") > 0) {
        check(sd_bus_message_read_basic(message, 's', &interface), "read an interface");
        if (!strcmp(interface, "org.bluez.Device1")) keep(device, path);
        read_properties(message, path, interface);
        sd_bus_message_exit_container(message);
    }
    sd_bus_message_exit_container(message);
}

static void read_objects(sd_bus *bus) {
    sd_bus_message *reply;
    check(
        sd_bus_call_method(
            bus, SERVICE, "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", NULL, &reply, NULL),
        "get the objects");
    check(sd_bus_message_enter_container(reply, 'a', "{oa{sa{sv}}}"), "read objects");
    while (sd_bus_message_enter_container(reply, 'e', "oa{sa{sv}}") > 0) {
        read_interfaces(reply);
        sd_bus_message_exit_container(reply);
    }
    sd_bus_message_unref(reply);
}

static int signalled(sd_bus_message *message, void *data, sd_bus_error *error) {
    (void)data, (void)error;
    const char *interface;
    if (sd_bus_message_is_signal(message, NULL, "InterfacesAdded"))
        read_interfaces(message);
    else if (sd_bus_message_is_signal(message, NULL, "PropertiesChanged")) {
        check(sd_bus_message_read_basic(message, 's', &interface), "read an interface");
        read_properties(message, sd_bus_message_get_path(message), interface);
    }
    return 0;
}

static void listen(sd_bus *bus, const char *what) {
    char rule[256];
    snprintf(rule, sizeof rule, "type='signal',sender='" SERVICE "'%s", what);
    check(sd_bus_add_match(bus, NULL, rule, signalled, NULL), "listen");
}

static void process(sd_bus *bus) {
    while (sd_bus_process(bus, NULL) > 0) {}
}

static void call(sd_bus *bus, const char *path, const char *interface, const char *member) {
    check(sd_bus_call_method(bus, SERVICE, path, interface, member, NULL, NULL, NULL), member);
}

int main(int count, char **arguments) {
    if (count != 3) return 2;
    sd_bus *bus;
    sd_bus_message *reply;
    check(sd_bus_new(&bus), "make a connection");
    check(sd_bus_set_address(bus, arguments[1]), "use the address");
    check(sd_bus_set_bus_client(bus, 1), "be a client");
    check(sd_bus_start(bus), "connect");
    if (!strcmp(arguments[2], "all"))
        listen(bus, "");
    else {
        listen(bus, ",interface='org.freedesktop.DBus.ObjectManager'");
        listen(bus, ",member='PropertiesChanged',arg0='org.bluez.Device1'");
    }
    read_objects(bus);
    check(
        sd_bus_call_method(
            bus, SERVICE, ADAPTER, "org.bluez.Adapter1", "SetDiscoveryFilter", NULL, NULL, "a{sv}", 2,
            "Transport", "s", "le", "UUIDs", "as", 1, HEART_RATE),
        "set the filter");
    call(bus, ADAPTER, "org.bluez.Adapter1", "StartDiscovery");
    for (process(bus); !*device; process(bus)) check(sd_bus_wait(bus, UINT64_MAX), "wait");
    call(bus, ADAPTER, "org.bluez.Adapter1", "StopDiscovery");
    call(bus, device, "org.bluez.Device1", "Connect");
    for (process(bus); !is_resolved || !*characteristic; process(bus)) check(sd_bus_wait(bus, UINT64_MAX), "wait");
    for (int number = 0; number < READS; number++) {
        const void *value;
        size_t length;
        check(
            sd_bus_call_method(
                bus, SERVICE, characteristic, "org.bluez.GattCharacteristic1", "ReadValue", NULL, &reply, "a{sv}", 0),
            "read");
        check(sd_bus_message_read_array(reply, 'y', &value, &length), "read the value");
        if (length != 1) return 1;
        sd_bus_message_unref(reply);
        process(bus);
    }
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    printf("%lld\n", (long long)time.tv_sec * 1000000 + time.tv_nsec / 1000);
    call(bus, device, "org.bluez.Device1", "Disconnect");
    // The next program begins without a link.
    for (process(bus); is_connected; process(bus)) check(sd_bus_wait(bus, UINT64_MAX), "wait");
    sd_bus_flush_close_unref(bus);
    return 0;
}
