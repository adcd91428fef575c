#include <lazy_library.h>

#pragma GCC visibility push(hidden)
#include "CMosquitto.h"
#pragma GCC visibility pop

#define FUNCTION(result, name, parameters, arguments) \
    LAZY_FUNCTION("libmosquitto.so.1", result, name, parameters, arguments)

FUNCTION(int, mosquitto_connect,
    (struct mosquitto *mosq, const char *host, int port, int keepalive), (mosq, host, port, keepalive))
FUNCTION(void, mosquitto_connect_callback_set,
    (struct mosquitto *mosq, void (*on_connect)(struct mosquitto *, void *, int)), (mosq, on_connect))
FUNCTION(void, mosquitto_destroy, (struct mosquitto *mosq), (mosq))
FUNCTION(int, mosquitto_disconnect, (struct mosquitto *mosq), (mosq))
FUNCTION(int, mosquitto_int_option, (struct mosquitto *mosq, enum mosq_opt_t option, int value), (mosq, option, value))
FUNCTION(int, mosquitto_lib_init, (void), ())
FUNCTION(void, mosquitto_log_callback_set,
    (struct mosquitto *mosq, void (*on_log)(struct mosquitto *, void *, int, const char *)), (mosq, on_log))
FUNCTION(int, mosquitto_loop_misc, (struct mosquitto *mosq), (mosq))
FUNCTION(int, mosquitto_loop_read, (struct mosquitto *mosq, int max_packets), (mosq, max_packets))
FUNCTION(int, mosquitto_loop_write, (struct mosquitto *mosq, int max_packets), (mosq, max_packets))
FUNCTION(
    void, mosquitto_message_callback_set,
    (struct mosquitto *mosq, void (*on_message)(struct mosquitto *, void *, const struct mosquitto_message *)),
    (mosq, on_message))
FUNCTION(struct mosquitto *, mosquitto_new, (const char *id, bool clean_session, void *obj), (id, clean_session, obj))
FUNCTION(
    int, mosquitto_publish,
    (struct mosquitto *mosq, int *mid, const char *topic, int payloadlen, const void *payload, int qos, bool retain),
    (mosq, mid, topic, payloadlen, payload, qos, retain))
FUNCTION(void, mosquitto_publish_callback_set,
    (struct mosquitto *mosq, void (*on_publish)(struct mosquitto *, void *, int)), (mosq, on_publish))
FUNCTION(int, mosquitto_socket, (struct mosquitto *mosq), (mosq))
FUNCTION(const char *, mosquitto_strerror, (int mosq_errno), (mosq_errno))
FUNCTION(int, mosquitto_subscribe, (struct mosquitto *mosq, int *mid, const char *sub, int qos), (mosq, mid, sub, qos))
FUNCTION(
    int, mosquitto_tls_set,
    (struct mosquitto *mosq, const char *cafile, const char *capath, const char *certfile, const char *keyfile, int (*pw_callback)(char *, int, int, void *)),
    (mosq, cafile, capath, certfile, keyfile, pw_callback))
FUNCTION(void, mosquitto_user_data_set, (struct mosquitto *mosq, void *obj), (mosq, obj))
FUNCTION(int, mosquitto_username_pw_set,
    (struct mosquitto *mosq, const char *username, const char *password), (mosq, username, password))
FUNCTION(bool, mosquitto_want_write, (struct mosquitto *mosq), (mosq))
FUNCTION(
    int, mosquitto_will_set,
    (struct mosquitto *mosq, const char *topic, int payloadlen, const void *payload, int qos, bool retain),
    (mosq, topic, payloadlen, payload, qos, retain))
