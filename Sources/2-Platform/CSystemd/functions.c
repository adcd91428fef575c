#include <lazy_library.h>

#pragma GCC visibility push(hidden)
#include "CSystemd.h"
#pragma GCC visibility pop

#define FUNCTION(result, name, parameters, arguments) \
    LAZY_FUNCTION("libsystemd.so.0", result, name, parameters, arguments)

FUNCTION(sd_bus *, sd_bus_close_unref, (sd_bus *bus), (bus))
FUNCTION(int, sd_bus_get_events, (sd_bus *bus), (bus))
FUNCTION(int, sd_bus_get_fd, (sd_bus *bus), (bus))
FUNCTION(int, sd_bus_get_n_queued_write, (sd_bus *bus, uint64_t *ret), (bus, ret))
FUNCTION(int, sd_bus_get_timeout, (sd_bus *bus, uint64_t *timeout_usec), (bus, timeout_usec))
FUNCTION(int, sd_bus_get_unique_name, (sd_bus *bus, const char **unique), (bus, unique))
FUNCTION(int, sd_bus_interface_name_is_valid, (const char *p), (p))
FUNCTION(int, sd_bus_is_open, (sd_bus *bus), (bus))
FUNCTION(int, sd_bus_is_ready, (sd_bus *bus), (bus))
FUNCTION(int, sd_bus_member_name_is_valid, (const char *p), (p))
FUNCTION(int, sd_bus_message_append_array,
    (sd_bus_message *m, char type, const void *ptr, size_t size), (m, type, ptr, size))
FUNCTION(int, sd_bus_message_append_basic, (sd_bus_message *m, char type, const void *p), (m, type, p))
FUNCTION(int, sd_bus_message_at_end, (sd_bus_message *m, int complete), (m, complete))
FUNCTION(int, sd_bus_message_close_container, (sd_bus_message *m), (m))
FUNCTION(int, sd_bus_message_enter_container, (sd_bus_message *m, char type, const char *contents), (m, type, contents))
FUNCTION(int, sd_bus_message_exit_container, (sd_bus_message *m), (m))
FUNCTION(const sd_bus_error *, sd_bus_message_get_error, (sd_bus_message *m), (m))
FUNCTION(const char *, sd_bus_message_get_interface, (sd_bus_message *m), (m))
FUNCTION(const char *, sd_bus_message_get_member, (sd_bus_message *m), (m))
FUNCTION(const char *, sd_bus_message_get_path, (sd_bus_message *m), (m))
FUNCTION(int, sd_bus_message_get_reply_cookie, (sd_bus_message *m, uint64_t *cookie), (m, cookie))
FUNCTION(const char *, sd_bus_message_get_sender, (sd_bus_message *m), (m))
FUNCTION(const char *, sd_bus_message_get_signature, (sd_bus_message *m, int complete), (m, complete))
FUNCTION(int, sd_bus_message_get_type, (sd_bus_message *m, uint8_t *type), (m, type))
FUNCTION(
    int, sd_bus_message_new_method_call,
    (sd_bus *bus, sd_bus_message **m, const char *destination, const char *path, const char *interface, const char *member),
    (bus, m, destination, path, interface, member))
FUNCTION(int, sd_bus_message_new_method_error,
    (sd_bus_message *call, sd_bus_message **m, const sd_bus_error *e), (call, m, e))
FUNCTION(int, sd_bus_message_new_method_return, (sd_bus_message *call, sd_bus_message **m), (call, m))
FUNCTION(
    int, sd_bus_message_new_signal,
    (sd_bus *bus, sd_bus_message **m, const char *path, const char *interface, const char *member),
    (bus, m, path, interface, member))
FUNCTION(int, sd_bus_message_open_container, (sd_bus_message *m, char type, const char *contents), (m, type, contents))
FUNCTION(int, sd_bus_message_peek_type, (sd_bus_message *m, char *type, const char **contents), (m, type, contents))
FUNCTION(int, sd_bus_message_read_array,
    (sd_bus_message *m, char type, const void **ptr, size_t *size), (m, type, ptr, size))
FUNCTION(int, sd_bus_message_read_basic, (sd_bus_message *m, char type, void *p), (m, type, p))
FUNCTION(int, sd_bus_message_rewind, (sd_bus_message *m, int complete), (m, complete))
FUNCTION(int, sd_bus_message_set_auto_start, (sd_bus_message *m, int b), (m, b))
FUNCTION(int, sd_bus_message_set_destination, (sd_bus_message *m, const char *destination), (m, destination))
FUNCTION(int, sd_bus_message_skip, (sd_bus_message *m, const char *types), (m, types))
FUNCTION(sd_bus_message *, sd_bus_message_unref, (sd_bus_message *m), (m))
FUNCTION(int, sd_bus_new, (sd_bus **ret), (ret))
FUNCTION(int, sd_bus_open_system, (sd_bus **ret), (ret))
FUNCTION(int, sd_bus_open_user, (sd_bus **ret), (ret))
FUNCTION(int, sd_bus_process, (sd_bus *bus, sd_bus_message **r), (bus, r))
FUNCTION(int, sd_bus_send, (sd_bus *bus, sd_bus_message *m, uint64_t *cookie), (bus, m, cookie))
FUNCTION(int, sd_bus_service_name_is_valid, (const char *p), (p))
FUNCTION(int, sd_bus_set_address, (sd_bus *bus, const char *address), (bus, address))
FUNCTION(int, sd_bus_set_bus_client, (sd_bus *bus, int b), (bus, b))
FUNCTION(int, sd_bus_start, (sd_bus *bus), (bus))
FUNCTION(int, sd_id128_get_machine_app_specific, (sd_id128_t app_id, sd_id128_t *ret), (app_id, ret))
FUNCTION(int, sd_notify, (int unset_environment, const char *state), (unset_environment, state))
FUNCTION(int, sd_watchdog_enabled, (int unset_environment, uint64_t *usec), (unset_environment, usec))
