/// The parts of Linux that Swift's Glibc module leaves out.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

/// How many words the command line has, with the name of the program.
int clinux_argument_count(void);

/// A word of the command line, the name of the program first; `NULL` where there is none. It lasts as long as the
/// process.
const char *clinux_argument(int index);

/// Makes a terminal raw (no echo, no translation, eight bits) and sets any speed in bits per second.
///
/// `termios` only knows a fixed list of speeds; `termios2` with `BOTHER` takes a number.
/// Returns 0, or -1 with `errno`.
int clinux_terminal_make_raw(int descriptor, uint32_t speed, int hardware_flow_control);

/// The speed in bits per second that a terminal is set to, or 0 with `errno`.
uint32_t clinux_terminal_speed(int descriptor);

/// Opens the HCI User Channel of controller `hci<index>`: this process alone talks to it.
///
/// Returns a non-blocking descriptor on which one read or write is one packet with its H4 indicator,
/// or -1 with `errno` (EPERM: CAP_NET_ADMIN is missing; EBUSY: the interface is up, which it also is
/// while another process has the channel, or is being set up; ENODEV: there is none; EUSERS: another
/// process is about to have it; EAFNOSUPPORT: the kernel has no Bluetooth).
int clinux_hci_user_channel_open(uint16_t index);

/// Asks for the interface `hci<index>`: its Bluetooth address, least significant octet first, goes into
/// `address`. Returns 1 if it is up, 0 if not, -1 with `errno`.
int clinux_hci_interface(uint16_t index, uint8_t address[6]);

/// A connection of the kernel's host: the peer's address, least significant octet first, and its state as
/// in the kernel's include/net/bluetooth/bluetooth.h, where BT_CONNECTED is 1 and BT_CONFIG 7.
struct clinux_hci_connection {
    uint8_t address[6];
    uint16_t state;
};

/// Lists the connections of the kernel's host at `hci<index>`. Returns how many, or -1 with `errno`.
int clinux_hci_connections(uint16_t index, struct clinux_hci_connection *connections, int capacity);

/// Takes the interface down, as `hciconfig down` does; its connections end. Returns 0, or -1 with `errno`
/// (EPERM: CAP_NET_ADMIN is missing; EBUSY: a process has the HCI User Channel).
int clinux_hci_take_down(uint16_t index);

/// Opens a pseudo-terminal, both sides non-blocking and raw, and puts the path of the side that looks
/// like a serial port into `path`.
///
/// Returns 0, or -1 with `errno` and both descriptors closed.
int clinux_pseudo_terminal_open(
    int *controlling_side, int *serial_side, char *path, size_t path_capacity);

/// Accepts a connection; the new descriptor is non-blocking and closed on exec. -1 with `errno`.
int clinux_accept(int descriptor);

/// The text of an error number, cut to `capacity`, always ended by a zero.
void clinux_error_text(int error_number, char *text, size_t capacity);

/// Names the calling thread; Linux keeps 15 octets.
void clinux_name_thread(const char *name);

/// The memory of this process goes into no file when it crashes, and no other process of the user may read it.
/// prctl(2), PR_SET_DUMPABLE.
void clinux_forbid_dumps(void);

/// From now on a signal writes its number, as one octet, to `descriptor` instead of what it did. Of the
/// signals that ask a process to end (SIGHUP, SIGINT, SIGQUIT, SIGTERM) only the first does; the second,
/// whichever of them it is, ends the process as it does by default.
///
/// The former action is kept for `clinux_signal_restore`. Returns 0, or -1 with `errno`.
int clinux_signal_redirect(int signal_number, int descriptor);

/// Undoes `clinux_signal_redirect`; a signal that was ignored before ends the process if that was asked to
/// end meanwhile. Returns 0, or -1 with `errno`.
int clinux_signal_restore(int signal_number);

/// The next signal that asks the process to end is the first one again.
void clinux_signal_forget_request(void);

/// If a second signal ends the process, a terminal first gets these settings, where there are any, and a
/// text of at most 64 octets. For one terminal at a time.
void clinux_terminal_keep(int descriptor, const struct termios *settings, const char *text);

/// Undoes `clinux_terminal_keep`.
void clinux_terminal_release(void);

/// Starts a program, without a shell: `arguments[0]` names it, and is looked for in PATH where it has no slash;
/// both lists end with a null pointer. It leads a session of its own, has all signals unblocked and as by default,
/// `standard_input`, /dev/null as standard output and error and no other descriptor, and `/` as its directory.
///
/// Returns a descriptor that becomes readable when it has ended, see pidfd_open(2), or -1 with `errno`.
int clinux_spawn(
    char *const arguments[], char *const environment[], int standard_input, pid_t *process);

/// Makes a pipe, both ends closed on exec. Only writing does not block: a program expects that reading waits.
/// Returns 0, or -1 with `errno`.
int clinux_pipe(int ends[2]);

/// Takes note of the end of a program that `clinux_spawn` started, after which its number may be another's.
/// Returns its exit status, or 0 with the signal that ended it in `signal_number`, which is 0 otherwise; -1 where
/// it has not ended.
int clinux_reap(pid_t process, int *signal_number);

/// write(2) to a pipe that may have lost its reader: that is EPIPE alone, and no SIGPIPE.
ssize_t clinux_write_to_pipe(int descriptor, const void *octets, size_t count);
