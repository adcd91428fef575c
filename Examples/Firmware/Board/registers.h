// The registers of the mps2-an386 that are used. Arm DAI 0386, and the CMSDK Technical Reference Manual
// (DDI 0479) for the UARTs.
#pragma once

#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))

// CMSDK UARTs, at distances of 0x1000.
#define UART_DATA(n) REGISTER(0x40004000u + 0x1000u * (n))
#define UART_STATE(n) REGISTER(0x40004004u + 0x1000u * (n))
#define UART_CONTROL(n) REGISTER(0x40004008u + 0x1000u * (n))
#define UART_INTERRUPTS(n) REGISTER(0x4000400Cu + 0x1000u * (n))
#define UART_BAUD_DIVIDER(n) REGISTER(0x40004010u + 0x1000u * (n))
enum {
    UART_STATE_TX_FULL = 1 << 0,
    UART_STATE_RX_FULL = 1 << 1,
    UART_CONTROL_TX = 1 << 0,
    UART_CONTROL_RX = 1 << 1,
    UART_CONTROL_TX_INTERRUPT = 1 << 2,
    UART_CONTROL_RX_INTERRUPT = 1 << 3,
    UART_INTERRUPT_TX = 1 << 0,
    UART_INTERRUPT_RX = 1 << 1,
};

// FPGAIO: counts at 25 MHz, which is the frequency of the processor too.
#define COUNTER REGISTER(0x40028018u)
enum { COUNTER_NANOSECONDS = 40, PROCESSOR_HERTZ = 25000000 };

// Cortex-M4: System Control Block, SysTick, interrupt controller. ARMv7-M Architecture Reference Manual, B3.
#define SYSTICK_CONTROL REGISTER(0xE000E010u)
#define SYSTICK_RELOAD REGISTER(0xE000E014u)
#define SYSTICK_VALUE REGISTER(0xE000E018u)
#define NVIC_ENABLE REGISTER(0xE000E100u)
#define FAULT_STATUS REGISTER(0xE000ED28u)
#define COPROCESSOR_ACCESS REGISTER(0xE000ED88u)
