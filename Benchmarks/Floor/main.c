// The floor: what a notification costs an accessory and a phone that do nothing but what the protocol and the
// kernel make them do. Three processes, joined by Unix sockets that carry H4: a phone, the controllers and the
// air between the two, and an accessory. Each waits for its socket with epoll, as a program does that also has
// timers, reads, copies, and writes once for what one read brought.
//
//     phone      ACL: Notification Source value          ─▶ accessory
//     accessory  ACL: Get Notification Attributes (eight) ─▶ phone
//     phone      ACL: Write Response, Data Source value  ─▶ accessory, which writes a line to standard output
//
// The controllers answer each ACL packet with HCI_Number_Of_Completed_Packets. The next notification follows
// when the answer to the last one has gone. No host, no pairing, no check of anything.
//
//     floor COUNT
//
// Standard error: CPU µs of the accessory and of the phone for a notification, notifications per second, and
// the median and the 99th percentile of a fetch in µs, from the write of the command to the whole answer.
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { acl = 0x02, event = 0x04, att_header = 12 };
enum { write_request = 0x12, write_response = 0x13, notification = 0x1B };
enum { notification_source = 0x2A, control_point = 0x2D, data_source = 0x30 };

static const char *const values[] = {
    "com.apple.MobileSMS", "Friend", "", "A message of the day, which took a while to write.", "50",
    "20261121T093000", "Reply", "Clear",
};

static const char *const names[] = {
    "app", "title", "subtitle", "message", "messageSize", "date", "positive", "negative",
};

static double seconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void fail(const char *what) {
    perror(what);
    _exit(1);
}

/// A socket with what was read and not taken, and what is to be written.
struct link {
    int socket, epoll;
    size_t start, end, out_count;
    uint8_t in[4096], out[4096];
};

static struct link *open_link(int socket) {
    struct link *link = calloc(1, sizeof *link);
    if (link == NULL) fail("calloc");
    struct epoll_event interest = {.events = EPOLLIN};
    link->socket = socket;
    link->epoll = epoll_create1(0);
    if (epoll_ctl(link->epoll, EPOLL_CTL_ADD, socket, &interest) < 0) fail("epoll_ctl");
    return link;
}

static void flush(struct link *link) {
    if (link->out_count == 0) return;
    if (write(link->socket, link->out, link->out_count) != (ssize_t)link->out_count) fail("write");
    link->out_count = 0;
}

/// Waits and reads; false at the end of the stream.
static bool receive(struct link *link) {
    struct epoll_event ready;
    memmove(link->in, link->in + link->start, link->end - link->start);
    link->end -= link->start;
    link->start = 0;
    if (epoll_wait(link->epoll, &ready, 1, -1) < 0) fail("epoll_wait");
    ssize_t count = read(link->socket, link->in + link->end, sizeof link->in - link->end);
    if (count <= 0) return false;
    link->end += (size_t)count;
    return true;
}

/// The next whole H4 packet, or NULL.
static const uint8_t *take(struct link *link, size_t *count) {
    const uint8_t *packet = link->in + link->start;
    size_t there = link->end - link->start;
    if (there < 3) return NULL;
    *count = packet[0] == event ? 3u + packet[2] : there < 5 ? 5 : 5u + packet[3] + 256u * packet[4];
    if (there < *count) return NULL;
    link->start += *count;
    return packet;
}

/// A PDU of ATT with a handle, where it has one, in L2CAP in ACL in H4.
static void send_att(struct link *link, uint8_t opcode, uint16_t handle, const void *value, size_t count) {
    uint8_t *out = link->out + link->out_count;
    size_t pdu = 1 + (handle != 0 ? 2u : 0u) + count, data = 4 + pdu;
    const uint8_t header[] = {
        acl, 0x40, 0x00, (uint8_t)data, (uint8_t)(data >> 8), (uint8_t)pdu, (uint8_t)(pdu >> 8), 4, 0, opcode,
        (uint8_t)handle, (uint8_t)(handle >> 8),
    };
    size_t header_count = 9 + pdu - count;
    memcpy(out, header, header_count);
    memcpy(out + header_count, value, count);
    link->out_count += header_count + count;
}

// MARK: The air

static void forward(struct link *from, struct link *to) {
    static const uint8_t completed[] = {event, 0x13, 5, 1, 0x40, 0x00, 1, 0};
    const uint8_t *packet;
    size_t count;
    while ((packet = take(from, &count)) != NULL) {
        memcpy(from->out + from->out_count, completed, sizeof completed);
        from->out_count += sizeof completed;
        memcpy(to->out + to->out_count, packet, count);
        to->out_count += count;
    }
    flush(from);
    flush(to);
}

static void run_air(int phone, int accessory) {
    struct link *links[] = {open_link(phone), open_link(accessory)};
    int both = epoll_create1(0);
    for (uint32_t side = 0; side < 2; side++) {
        struct epoll_event interest = {.events = EPOLLIN, .data.u32 = side};
        if (epoll_ctl(both, EPOLL_CTL_ADD, links[side]->socket, &interest) < 0) fail("epoll_ctl");
    }
    while (true) {
        struct epoll_event ready[2];
        int count = epoll_wait(both, ready, 2, -1);
        for (int index = 0; index < count; index++) {
            uint32_t side = ready[index].data.u32;
            if (!receive(links[side])) return;
            forward(links[side], links[1 - side]);
        }
    }
}

// MARK: The phone

static size_t compose_answer(uint8_t *answer, const uint8_t *command) {
    uint8_t *out = answer;
    memcpy(out, command, 5);
    out += 5;
    for (uint8_t id = 0; id < 8; id++) {
        size_t count = strlen(values[id]);
        *out++ = id;
        *out++ = (uint8_t)count;
        *out++ = (uint8_t)(count >> 8);
        memcpy(out, values[id], count);
        out += count;
    }
    return (size_t)(out - answer);
}

static void announce(struct link *link, uint32_t uid) {
    uint8_t value[8] = {0, 0, 4, 1};
    memcpy(value + 4, &uid, 4);
    send_att(link, notification, notification_source, value, sizeof value);
    flush(link);
}

static double run_phone(int socket, uint32_t count) {
    struct link *link = open_link(socket);
    double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
    uint32_t uid = 0;
    announce(link, uid);
    while (uid < count && receive(link)) {
        const uint8_t *packet;
        size_t octets;
        bool is_answered = false;
        while ((packet = take(link, &octets)) != NULL) {
            if (packet[0] != acl || packet[9] != write_request) continue;
            uint8_t answer[512];
            size_t answer_octets = compose_answer(answer, packet + att_header);
            send_att(link, write_response, 0, NULL, 0);
            send_att(link, notification, data_source, answer, answer_octets);
            is_answered = true;
        }
        flush(link);
        if (is_answered && ++uid < count) announce(link, uid);
    }
    return seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
}

// MARK: The accessory

static void fetch(struct link *link, const uint8_t *uid) {
    uint8_t command[] = {
        0, 0, 0, 0, 0, 0, 1, 0, 1, 2, 0, 1, 3, 0, 4, 4, 5, 6, 7,
    };
    memcpy(command + 1, uid, 4);
    send_att(link, write_request, control_point, command, sizeof command);
    flush(link);
}

/// A line of JSON, without a look at what the values are.
static void print(const uint8_t *answer, size_t count) {
    char line[1024];
    char *out = line;
    *out++ = '{';
    for (size_t offset = 5; offset + 3 <= count;) {
        uint8_t id = answer[offset];
        size_t length = answer[offset + 1] + 256u * answer[offset + 2];
        size_t name = strlen(names[id & 7]);
        *out++ = '"';
        out = (char *)memcpy(out, names[id & 7], name) + name;
        out = (char *)memcpy(out, "\":\"", 3) + 3;
        out = (char *)memcpy(out, answer + offset + 3, length) + length;
        out = (char *)memcpy(out, "\",", 2) + 2;
        offset += 3 + length;
    }
    out[-1] = '}';
    *out++ = '\n';
    if (write(STDOUT_FILENO, line, (size_t)(out - line)) < 0) fail("write");
}

static double run_accessory(int socket, uint32_t count, double *fetches) {
    struct link *link = open_link(socket);
    double start = seconds(CLOCK_PROCESS_CPUTIME_ID), asked = 0;
    uint32_t answered = 0;
    while (answered < count && receive(link)) {
        const uint8_t *packet;
        size_t octets;
        while ((packet = take(link, &octets)) != NULL) {
            if (packet[0] != acl || packet[9] != notification) continue;
            if (packet[10] == notification_source) {
                asked = seconds(CLOCK_MONOTONIC);
                fetch(link, packet + att_header + 4);
            } else {
                fetches[answered++] = seconds(CLOCK_MONOTONIC) - asked;
                print(packet + att_header, octets - att_header);
            }
        }
    }
    return seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
}

// MARK: The run

static int compare(const void *one, const void *other) {
    double difference = *(const double *)one - *(const double *)other;
    return (difference > 0) - (difference < 0);
}

int main(int argc, char **argv) {
    uint32_t count = argc == 2 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
    if (count == 0) {
        fputs("usage: floor COUNT\n", stderr);
        return 2;
    }
    int phone[2], accessory[2], result[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, phone) < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, accessory) < 0
        || pipe(result) < 0)
        fail("socketpair");
    pid_t air = fork();
    if (air == 0) {
        close(phone[0]);
        close(accessory[0]);
        run_air(phone[1], accessory[1]);
        _exit(0);
    }
    close(phone[1]);
    close(accessory[1]);
    if (fork() == 0) {
        close(accessory[0]);
        double used = run_phone(phone[0], count);
        if (write(result[1], &used, sizeof used) != sizeof used) fail("write");
        _exit(0);
    }
    close(phone[0]);
    double *fetches = calloc(count, sizeof *fetches);
    if (fetches == NULL) fail("calloc");
    double start = seconds(CLOCK_MONOTONIC);
    double used = run_accessory(accessory[0], count, fetches);
    double duration = seconds(CLOCK_MONOTONIC) - start, phone_used;
    if (read(result[0], &phone_used, sizeof phone_used) != sizeof phone_used) fail("read");
    close(accessory[0]);
    while (wait(NULL) > 0) {}
    qsort(fetches, count, sizeof *fetches, compare);
    fprintf(
        stderr, "%.2f %.2f %.0f %.1f %.1f\n", used * 1e6 / count, phone_used * 1e6 / count, count / duration,
        fetches[count / 2] * 1e6, fetches[(size_t)count * 99 / 100] * 1e6);
    return 0;
}
