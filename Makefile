.PHONY: demo test simulate bench check docs build clean

demo: ## A phone and an accessory talk over Bluetooth in software: only Swift is needed
	@Scripts/demo.sh

test: ## Everything that must pass before a change lands
	@Scripts/test.sh

simulate: ## Whole phones and accessories in virtual time under faults: SEEDS=1-1000, SNOOP=DIRECTORY
	@Scripts/simulate.sh

bench: ## Speed and memory, as ratios within one run
	@Scripts/bench.sh

check: ## `make test`, then the slower checks: release, thread sanitizer, documentation
	@Scripts/test.sh
	@Scripts/check.sh

docs: ## The documentation of every library, as static web pages
	@Scripts/docs.sh

build:
	@Scripts/setup.sh build
	swift build

clean:
	rm -rf .build .build-* .venv
