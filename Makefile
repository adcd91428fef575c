.PHONY: demo release deb install uninstall firmware test simulate fuzz bench check docs build clean

demo: ## A phone and an accessory talk over Bluetooth in software: only Swift is needed
	@Scripts/demo.sh

firmware: ## The accessory of Examples/Firmware on an emulated Cortex-M4, with a virtual iPhone
	@Scripts/firmware.sh run

release: ## The tool as it is shipped, at .build/ancs: with Swift's runtime in it, stripped
	@Scripts/release.sh

deb: release ## A Debian package of it, in .build
	@Scripts/deb.sh

install: ## What `make release` has built, with units, completions and manual pages: PREFIX=/usr/local DESTDIR=
	@PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) Scripts/install.sh install

uninstall: ## Removes what `make install` with the same PREFIX has installed
	@PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) Scripts/install.sh uninstall

test: ## Everything that must pass before a change lands
	@Scripts/test.sh

simulate: ## Whole phones and accessories in virtual time under faults: SEEDS=1-1000, SNOOP=DIRECTORY
	@Scripts/simulate.sh

fuzz: ## What comes from outside, with libFuzzer: SECONDS=3600 a target, TARGET=consumer, INPUT=FILE
	@FUZZ_SECONDS=$(SECONDS) FUZZ_TARGET=$(TARGET) FUZZ_INPUT=$(INPUT) Scripts/fuzz.sh

bench: ## Speed and memory, as ratios within one run
	@Scripts/bench.sh

check: ## `make test`, then the slower checks: release, thread sanitizer, fuzzing, documentation
	@Scripts/test.sh
	@Scripts/check.sh

docs: ## The documentation of every library, as static web pages
	@Scripts/docs.sh

build:
	@Scripts/setup.sh build
	swift build

clean:
	rm -rf .build .build-* .venv .fuzz
