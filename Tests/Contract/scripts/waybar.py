#!/usr/bin/python3
"""A module for waybar (`"exec": "waybar.py", "return-type": "json"`): how many notifications the phone shows."""

import json
import signal
import subprocess
import sys

command = ["ancs", "receive", "--json", "--pre-existing", "deliver", "--strip-bidi"]
shown: set[tuple[int, int]] = set()
state, name = "away", "phone"
with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
    signal.signal(signal.SIGTERM, lambda *_: (process.terminate(), sys.exit()))
    for line in process.stdout:
        event = json.loads(line)
        match event["event"]:
            case "session" if event["state"] in ("connected", "encrypted", "subscribed", "ended"):
                state = event["state"]
                if state == "ended":
                    shown.clear()
            case "phone":
                name = event["name"]
            case "added":
                shown.add((event["session"], event["uid"]))
            case "removed":
                shown.discard((event["session"], event["uid"]))
            case _:
                continue
        print(json.dumps({"text": str(len(shown)), "class": state, "tooltip": name}), flush=True)
