// Two UARTs with interrupts: the first leads to the controller, the second is the console. A ring takes the
// octets of each direction. While the ring of a receiver is full, its interrupt is off and the octet
// stays in the UART: a real board has RTS for that (Core Vol 4, Part A, 4), QEMU does not send more.
#include "board.h"
#include "drivers.h"
#include "registers.h"

enum {
    HCI = 0,
    CONSOLE = 1,
    RING_SIZE = 256, // a power of two
    CONSOLE_PATIENCE = 200 * 1000 * 1000, // ns that the console may keep the firmware waiting
};

typedef struct {
    // Free-running; one side writes `head`, the other `tail`.
    volatile uint32_t head, tail;
    volatile uint8_t octets[RING_SIZE];
} Ring;

static Ring received[2], sending[2];

static uint32_t count(const Ring *ring) { return ring->head - ring->tail; }
static void put(Ring *ring, uint8_t octet) {
    ring->octets[ring->head % RING_SIZE] = octet;
    ring->head++;
}
static uint8_t take(Ring *ring) {
    uint8_t octet = ring->octets[ring->tail % RING_SIZE];
    ring->tail++;
    return octet;
}

void serial_start(void) {
    for (int line = HCI; line <= CONSOLE; line++) {
        UART_BAUD_DIVIDER(line) = 25; // 1 Mbit/s, which is not far from what chips do at 921,600
        UART_CONTROL(line) = UART_CONTROL_TX | UART_CONTROL_RX | UART_CONTROL_TX_INTERRUPT
            | UART_CONTROL_RX_INTERRUPT;
    }
    NVIC_ENABLE = 0xF; // interrupts 0 to 3: received and sent of each
}

// MARK: Receiving

static void receive(int line) {
    UART_INTERRUPTS(line) = UART_INTERRUPT_RX;
    while (UART_STATE(line) & UART_STATE_RX_FULL) {
        if (count(&received[line]) == RING_SIZE) {
            UART_CONTROL(line) &= ~(uint32_t)UART_CONTROL_RX_INTERRUPT;
            return;
        }
        put(&received[line], (uint8_t)UART_DATA(line));
    }
}

void hci_received(void) { receive(HCI); }
void console_received(void) { receive(CONSOLE); }

static size_t read(int line, uint8_t *octets, size_t limit) {
    size_t taken = 0;
    while (taken < limit && count(&received[line]) > 0) octets[taken++] = take(&received[line]);
    if (taken > 0 && !(UART_CONTROL(line) & UART_CONTROL_RX_INTERRUPT)) {
        __asm__ volatile("cpsid i" ::: "memory");
        UART_CONTROL(line) |= UART_CONTROL_RX_INTERRUPT;
        receive(line);
        __asm__ volatile("cpsie i" ::: "memory");
    }
    return taken;
}

size_t board_hci_read(uint8_t *octets, size_t limit) { return read(HCI, octets, limit); }

int board_console_read(void) {
    uint8_t octet;
    return read(CONSOLE, &octet, 1) == 1 ? octet : -1;
}

void board_sleep(int64_t deadline) {
    while (board_now() < deadline) {
        // With interrupts off, one that comes after the look at the rings still ends the sleep.
        __asm__ volatile("cpsid i" ::: "memory");
        bool isQuiet = count(&received[HCI]) == 0 && count(&received[CONSOLE]) == 0;
        if (isQuiet) __asm__ volatile("wfi" ::: "memory");
        __asm__ volatile("cpsie i" ::: "memory");
        if (!isQuiet) return;
    }
}

// MARK: Sending

static void send(int line) {
    UART_INTERRUPTS(line) = UART_INTERRUPT_TX;
    while (count(&sending[line]) > 0 && !(UART_STATE(line) & UART_STATE_TX_FULL))
        UART_DATA(line) = take(&sending[line]);
}

void hci_sent(void) { send(HCI); }
void console_sent(void) { send(CONSOLE); }

// Puts an octet into the ring and gets an idle line going.
static void write(int line, uint8_t octet) {
    put(&sending[line], octet);
    __asm__ volatile("cpsid i" ::: "memory");
    send(line);
    __asm__ volatile("cpsie i" ::: "memory");
}

void board_hci_write(const uint8_t *octets, size_t size) {
    for (size_t i = 0; i < size; i++) {
        while (count(&sending[HCI]) == RING_SIZE) __asm__ volatile("wfi");
        write(HCI, octets[i]);
    }
}

void board_console_write(const uint8_t *octets, size_t size) {
    int64_t limit = board_now() + CONSOLE_PATIENCE;
    for (size_t i = 0; i < size; i++) {
        while (count(&sending[CONSOLE]) == RING_SIZE) {
            if (board_now() > limit) return;
            __asm__ volatile("wfi");
        }
        write(CONSOLE, octets[i]);
    }
}

// MARK: The last words

static void put_now(uint8_t octet) {
    while (UART_STATE(CONSOLE) & UART_STATE_TX_FULL) {}
    UART_DATA(CONSOLE) = octet;
}

void serial_put_now(const char *text) {
    __asm__ volatile("cpsid i" ::: "memory");
    while (count(&sending[CONSOLE]) > 0) put_now(take(&sending[CONSOLE]));
    while (*text) put_now((uint8_t)*text++);
}

void serial_put_hexadecimal(const char *text, uint32_t number) {
    serial_put_now(text);
    for (int shift = 28; shift >= 0; shift -= 4) put_now((uint8_t)"0123456789abcdef"[number >> shift & 0xF]);
}
