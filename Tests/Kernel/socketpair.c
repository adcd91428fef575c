/*
 * Preloaded into bluetoothd, this ends it when it makes the socket of AcquireNotify or AcquireWrite, as the bus does
 * under SELinux policies of Fedora and RHEL from before November 2025. Nothing else in bluetoothd makes a pair of
 * sockets of this kind.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int socketpair(int domain, int type, int protocol, int sockets[2])
{
    if (domain == AF_LOCAL && (type & 0xF) == SOCK_SEQPACKET)
        kill(getpid(), SIGKILL);
    return (int)syscall(SYS_socketpair, domain, type, protocol, sockets);
}
