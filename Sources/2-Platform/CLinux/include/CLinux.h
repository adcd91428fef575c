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

/// The number of arguments of the command line, including the name of the program.
int clinux_argument_count(void);

/// An argument of the command line, counted from the name of the program; `NULL` if there is none. Valid
/// until the process ends.
const char *clinux_argument(int index);

/// An environment variable and its value, `NAME=VALUE`; `NULL` after the last. Valid until the environment changes.
const char *clinux_environment_entry(int index);

/// Makes a terminal raw (no echo, no translation, eight bits) and sets any speed in bits per second.
///
/// `termios` only knows a fixed list of speeds; `termios2` with `BOTHER` takes a number.
/// Returns 0, or -1 with `errno`.
int clinux_terminal_make_raw(int descriptor, uint32_t speed, int hardware_flow_control);

/// The speed of a terminal in bits per second, or 0 with `errno`.
uint32_t clinux_terminal_speed(int descriptor);

/// The size of a terminal: a column or row count of 0 is unknown. Returns 0, or -1 with `errno`.
///
/// Swift programs do not use `struct winsize`: which module has it depends on the version of glibc.
int clinux_terminal_size(int descriptor, uint16_t *columns, uint16_t *rows);

/// Opens the HCI User Channel of controller `hci<index>`, for the exclusive use of this process.
///
/// Returns a non-blocking descriptor on which each read or write is one packet with its H4 indicator, or -1
/// with `errno` (EPERM: CAP_NET_ADMIN is missing; EBUSY: the interface is up, or is being set up, or another
/// process has the channel; ENODEV: it does not exist; EUSERS: another process is opening the channel;
/// EAFNOSUPPORT: the kernel has no Bluetooth).
int clinux_hci_user_channel_open(uint16_t index);

/// Reads the interface `hci<index>`: stores its Bluetooth address, least significant octet first, in
/// `address`. Returns 1 if it is up, 0 if not, -1 with `errno`.
int clinux_hci_interface(uint16_t index, uint8_t address[6]);

/// A connection of the kernel's host: the peer's address, least significant octet first; its state as in
/// the kernel's include/net/bluetooth/bluetooth.h, where BT_CONNECTED is 1 and BT_CONFIG 7; its handle; its
/// type as in include/net/bluetooth/hci.h, where LE_LINK is 0x80; whether this machine established it; and whether
/// it is encrypted.
struct clinux_hci_connection {
    uint8_t address[6];
    uint16_t state;
    uint16_t handle;
    uint8_t type;
    uint8_t is_outgoing;
    uint8_t is_encrypted;
};

/// Opens a raw HCI socket of `hci<index>`, beside the kernel's host, that is given the Command Status of one
/// command and the events of Bluetooth Low Energy. Sending a command needs CAP_NET_RAW.
///
/// Returns the descriptor, which is non-blocking, or -1 with `errno`.
int clinux_hci_raw_open(uint16_t index, uint16_t opcode);

/// Lists the connections of the kernel's host on `hci<index>`. Returns their number, or -1 with `errno`.
int clinux_hci_connections(uint16_t index, struct clinux_hci_connection *connections, int capacity);

/// What a controller says of itself: Read Local Version Information, Core Vol 4, Part E, 7.4.1.
struct clinux_hci_version {
    /// `HCI_Version`.
    uint8_t version;
    /// `Company_Identifier` of the maker.
    uint16_t company;
};

/// Reads what the kernel knows of the controller `hci<index>`, without privileges and without sending anything
/// to it. Returns 0, or -1 with `errno`.
int clinux_hci_read_version(uint16_t index, struct clinux_hci_version *version);

/// Takes the interface down, as `hciconfig down` does; its connections end. Returns 0, or -1 with `errno`
/// (EPERM: CAP_NET_ADMIN is missing; EBUSY: a process has the HCI User Channel).
int clinux_hci_take_down(uint16_t index);

/// Opens a pseudo-terminal, both sides non-blocking and raw, and stores the path of the side that looks like
/// a serial port in `path`.
///
/// Returns 0, or -1 with `errno` and both descriptors closed.
int clinux_pseudo_terminal_open(
    int *controlling_side, int *serial_side, char *path, size_t path_capacity);

/// Accepts a connection; the new descriptor is non-blocking and closed on exec. -1 with `errno`.
int clinux_accept(int descriptor);

/// Stores the text of an error number in `text`, cut to `capacity` and always terminated.
void clinux_error_text(int error_number, char *text, size_t capacity);

/// Names the calling thread; Linux keeps 15 octets.
void clinux_name_thread(const char *name);

/// Excludes the memory of this process from core dumps, and from other processes of the user. prctl(2),
/// PR_SET_DUMPABLE.
void clinux_forbid_dumps(void);

/// From now on, a signal writes its number as one octet to `descriptor`, instead of its previous action. Of
/// the signals that request the end of a process (SIGHUP, SIGINT, SIGQUIT, SIGTERM) only the first does so;
/// the second, whichever it is, ends the process as it does by default.
///
/// The previous action is kept for `clinux_signal_restore`. Returns 0, or -1 with `errno`.
int clinux_signal_redirect(int signal_number, int descriptor);

/// Undoes `clinux_signal_redirect`. If the end of the process was requested meanwhile, a signal that was
/// ignored before ends it by default. Returns 0, or -1 with `errno`.
int clinux_signal_restore(int signal_number);

/// The next signal that requests the end of the process counts as the first one again.
void clinux_signal_forget_request(void);

/// If a second signal ends the process, a terminal first gets these settings, if not `NULL`, and a text of at
/// most 64 octets. For one terminal at a time.
void clinux_terminal_keep(int descriptor, const struct termios *settings, const char *text);

/// Undoes `clinux_terminal_keep`.
void clinux_terminal_release(void);

/// Starts a program without a shell: `arguments[0]` is its name, which is looked up in PATH unless it has a
/// slash; both lists end with a null pointer. The program runs in a new session, with all signals unblocked
/// and reset to their default actions, `standard_input`, `output` as standard output and error, or /dev/null
/// if it is negative, no other descriptors, and in `directory`.
///
/// If `is_guarded`, `process` is a process of its own that guards the program: when the program ends, it kills
/// everything that the program has left behind, in whatever session or process group, and then ends as the program
/// did. SIGTERM is passed on to the program and its group, and SIGUSR1 kills them. It does so too when the
/// calling thread ends, also because its process is killed. Otherwise `process` is the program. The guard keeps the
/// descriptor `lease` open as long as it lives, if that is not negative.
///
/// Returns a descriptor that becomes readable when the program has ended, see pidfd_open(2), or -1 with
/// `errno`.
int clinux_spawn(
    char *const arguments[], char *const environment[], int standard_input, int output,
    const char *directory, int is_guarded, int lease, pid_t *process);

/// Creates a pipe, both ends closed on exec. Only the end of this process is non-blocking, the writing or the
/// reading one: a program expects its own to wait.
/// Returns 0, or -1 with `errno`.
int clinux_pipe(int ends[2], int is_for_writing);

/// Stops a guard made by `clinux_spawn`, which somebody else may have stopped, and kills its children: those of its
/// program and the orphans that the kernel has given to it. Their children become its own, so call this several times.
void clinux_kill_children(pid_t guard);

/// Creates a directory with mode 0700, which a process of its own, `keeper`, deletes with its contents, wherever it was
/// moved to, as soon as no process has the returned descriptor open any more, also after SIGKILL. The descriptor is
/// closed on exec.
/// Returns -1 with `errno` if the directory cannot be created, or exists.
int clinux_keep_directory(const char *path, pid_t *keeper);

/// Lets a process made by this one go on if it is stopped, waits until it has ended, and returns its status.
int clinux_await(pid_t process);

/// Deletes a directory with its contents, as far as that is permitted. Symbolic links are not followed. Returns -1 with
/// `errno` if something is left.
int clinux_remove_tree(const char *path);

/// Collects the status of a program started by `clinux_spawn`; after that, its process ID may be reused.
/// Returns its exit status, or 0 with the signal that ended it in `signal_number`, which is 0 otherwise; -1
/// if it has not ended.
int clinux_reap(pid_t process, int *signal_number);

/// write(2) to a pipe that may have no reader: that results in EPIPE, without SIGPIPE.
ssize_t clinux_write_to_pipe(int descriptor, const void *octets, size_t count);
