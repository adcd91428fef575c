#!/usr/bin/env bash
# Tests the daemon with a real, headless Home Assistant: its entities, the automations of
# Documentation/HomeAssistant.md, and the buttons. Not part of `make test`: the first run installs 440 MB of
# Python packages to .venv-homeassistant, and needs Python 3.11.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh peers
swift build --product ancs

python=${PYTHON:-python3.11}
requirements=Tests/HomeAssistant/requirements.txt
if ! cmp -s "$requirements" .venv-homeassistant/requirements.txt; then
    echo "Installing Home Assistant in .venv-homeassistant" >&2
    rm -rf .venv-homeassistant
    "$python" -m venv .venv-homeassistant
    .venv-homeassistant/bin/pip install --quiet --disable-pip-version-check -r "$requirements"
    cp "$requirements" .venv-homeassistant/requirements.txt
fi

.venv/bin/python Tests/HomeAssistant/test_home.py -v
