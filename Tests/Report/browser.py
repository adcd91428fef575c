"""Headless Chromium, driven over a pipe with its DevTools protocol: nothing but Python's own library."""

from __future__ import annotations

import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")


class Failure(Exception):
    """The browser refused a command, or has gone."""


class Browser:
    """A browser with one page. Nothing reaches a network: every address leads nowhere."""

    def __init__(self) -> None:
        program = next((path for name in NAMES if (path := shutil.which(name))), None)
        if program is None:
            raise Failure("there is no Chromium: sudo apt-get install chromium")
        self.profile = tempfile.mkdtemp(prefix="ancs-report-")
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()
        # The protocol is on the descriptors 3 and 4. Both pipes may have these numbers themselves.
        self.process = subprocess.Popen(
            [
                "/bin/sh", "-c", f'exec "$@" 3<&{to_browser} 4>&{from_browser}', "sh",
                program, "--headless=new", "--remote-debugging-pipe", "--no-sandbox",
                "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                "--disable-background-networking", "--disable-component-update", "--disable-sync",
                "--no-first-run", "--proxy-server=127.0.0.1:9", "--host-resolver-rules=MAP * ~NOTFOUND",
                f"--user-data-dir={self.profile}", "about:blank",
            ],
            pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.number = 0
        self.session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Security"):
            self.call(domain + ".enable")
        self.call(
            "Network.emulateNetworkConditions",
            offline=True, latency=0, downloadThroughput=0, uploadThroughput=0,
        )  # fmt: skip

    def close(self) -> None:
        """Ends the browser."""
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.output)
        os.close(self.input)
        shutil.rmtree(self.profile, ignore_errors=True)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Carries out a command, and returns its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") != self.number:
                self.events.append(answer)
                continue
            if "error" in answer:
                raise Failure(f"{method}: {answer['error']['message']}")
            return answer["result"]

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self.buffer:
            data = os.read(self.input, 1 << 20)
            if not data:
                raise Failure("the browser has ended")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def wait(self, method: str) -> None:
        """Waits for an event, and keeps the others."""
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self._receive())

    def open(self, page: pathlib.Path) -> None:
        """Loads a file, and waits until it is complete."""
        self.events.clear()
        self.call("Page.navigate", url=page.resolve().as_uri())
        self.wait("Page.loadEventFired")

    def show(self, width: int, scheme: str, medium: str = "screen") -> None:
        """Gives the page this width, and a scheme of colors."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=900, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        self.call(
            "Emulation.setEmulatedMedia",
            media=medium, features=[{"name": "prefers-color-scheme", "value": scheme}],
        )  # fmt: skip

    def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page, which the page's own policy does not concern."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise Failure(str(result["exceptionDetails"]))
        return result["result"].get("value")

    def picture(self, whole: bool = True) -> bytes:
        """The page as PNG."""
        result = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        return base64.b64decode(result["data"])

    def print(self) -> bytes:
        """The page as PDF."""
        return base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True)["data"])

    def mistakes(self) -> list[str]:
        """What the browser complained about, and what the page tried to load beside itself."""
        found = []
        for event in self.events:
            parameters = event.get("params", {})
            match event.get("method"):
                case "Log.entryAdded":
                    found.append("log: " + parameters["entry"]["text"])
                case "Runtime.consoleAPICalled":
                    found.append("console: " + str(parameters["args"]))
                case "Runtime.exceptionThrown":
                    found.append("exception: " + str(parameters["exceptionDetails"]))
                case "Network.requestWillBeSent" if parameters["type"] != "Document":
                    found.append("request: " + parameters["request"]["url"])
        return found
