.PHONY: demo mutate quick build release deb install uninstall firmware test simulate fuzz bench check docs clean help

demo: ## A phone and an accessory talk over Bluetooth in software
	@Scripts/demo.sh

quick: ## The tests of the core and the machines, in about a minute: SUITE=NotificationFeedTests
	@Scripts/quick.sh $(SUITE)

build: ## The tool and the libraries, in debug
	@Scripts/setup.sh build
	swift build

firmware: ## The accessory of Examples/Firmware on an emulated Cortex-M4, with a virtual iPhone
	@Scripts/firmware.sh run

release: ## The tool as shipped, .build/ancs: statically linked with Swift's runtime, stripped
	@Scripts/release.sh

deb: release ## A Debian package of the tool, in .build
	@Scripts/deb.sh

install: ## Install the result of `make release`, with units, completions and manual pages: PREFIX=/usr/local DESTDIR=
	@PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) Scripts/install.sh install

uninstall: ## Remove what `make install` with the same PREFIX installed
	@PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) Scripts/install.sh uninstall

test: ## Everything that must pass before a change lands
	@Scripts/test.sh

simulate: ## Complete phones and accessories in virtual time under faults: SEEDS=1-1000, SNOOP=DIRECTORY, WORLD=bluetoothd
	@Scripts/simulate.sh

fuzz: ## Fuzz everything that reads untrusted input: SECONDS=3600 for each target, TARGET=consumer, INPUT=FILE
	@FUZZ_SECONDS=$(SECONDS) FUZZ_TARGET=$(TARGET) FUZZ_INPUT=$(INPUT) Scripts/fuzz.sh

mutate: ## Plants faults in a target, and lists those that its unit tests do not find: TARGET=ANCS, for at most two hours
	@Scripts/mutate.py $(TARGET)

bench: ## Speed and memory, as ratios within one run
	@Scripts/bench.sh

check: ## `make test`, then the slower checks: instructions counted, reports in a browser, release, thread sanitizer, fuzzing, all of the firmware, the package
	@Scripts/test.sh
	@Scripts/check.sh

docs: ## The reference of the libraries, as web pages in .build/docs
	@Scripts/docs.sh

clean: ## Remove all build products
	rm -rf .build .build-* .venv .fuzz

help: ## This list
	@sed -nE 's/^([a-z]+):.*## (.*)/\1\t\2/p' Makefile | expand -t 12
