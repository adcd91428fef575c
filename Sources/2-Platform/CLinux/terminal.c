// <termios.h> and <asm/termbits.h> define the same names differently, so this file does not include
// CLinux.h: it only needs the kernel's view.
#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <stdint.h>
#include <sys/ioctl.h>

int clinux_terminal_make_raw(int descriptor, uint32_t speed, int hardware_flow_control) {
    struct termios2 settings;
    if (ioctl(descriptor, TCGETS2, &settings) < 0) return -1;
    // The flags listed in cfmakeraw(3), plus IXOFF, so that 0x11 and 0x13 are data in both directions.
    settings.c_iflag &= ~(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON | IXOFF);
    settings.c_oflag &= ~OPOST;
    settings.c_lflag &= ~(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
    settings.c_cflag &= ~(CSIZE | PARENB | CSTOPB | CRTSCTS | CBAUD | (CBAUD << IBSHIFT));
    settings.c_cflag |= CS8 | CREAD | CLOCAL | BOTHER | (BOTHER << IBSHIFT);
    if (hardware_flow_control) settings.c_cflag |= CRTSCTS;
    settings.c_ispeed = speed;
    settings.c_ospeed = speed;
    settings.c_cc[VMIN] = 1;
    settings.c_cc[VTIME] = 0;
    return ioctl(descriptor, TCSETS2, &settings);
}

uint32_t clinux_terminal_speed(int descriptor) {
    struct termios2 settings;
    if (ioctl(descriptor, TCGETS2, &settings) < 0) return 0;
    return settings.c_ospeed;
}

int clinux_terminal_size(int descriptor, uint16_t *columns, uint16_t *rows) {
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) < 0) return -1;
    *columns = size.ws_col;
    *rows = size.ws_row;
    return 0;
}
