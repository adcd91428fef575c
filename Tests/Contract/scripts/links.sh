#!/bin/sh
# What a capture shows of its links: "INTERVAL ms" of each, "encrypted", "paired", and the names of the devices.
set -eu
ancs decode --json "$1" | sed -nE \
    -e 's/.*"kind":"connection","state":"connected","intervalMilliseconds":([0-9.]+).*/\1 ms/p' \
    -e 's/.*"kind":"encryption","enabled":true.*/encrypted/p' \
    -e 's/.*"kind":"pairing","state":"succeeded".*/paired/p' \
    -e 's/.*"name":"([^"]*)".*"kind":"name".*/name \1/p' \
    -e 's/.*"kind":"connection","state":"disconnected".*/disconnected/p'
