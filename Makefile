.PHONY: demo firmware test simulate fuzz bench check docs build clean

demo: ## A phone and an accessory talk over Bluetooth in software: only Swift is needed
	@Scripts/demo.sh

firmware: ## The accessory of Examples/Firmware on an emulated Cortex-M4, with a virtual iPhone
	@Scripts/firmware.sh run

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
