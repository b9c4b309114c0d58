# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium to test pages with, driven over pipes with the standard library only."""
import base64
import json
import os
import shutil
import subprocess
import tempfile

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def find_chromium():
    """The path of an installed Chromium, or None."""
    given = os.environ.get("JOSTLE_TEST_CHROMIUM")
    return given or next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One tab. Messages are JSON with a NUL byte behind each (--remote-debugging-pipe)."""

    def __init__(self, chromium, width=1400, height=900):
        self.profile = tempfile.mkdtemp(prefix="jostle-browser-")
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()

        def hand_over():  # Chromium reads from descriptor 3 and writes to 4.
            read, write = os.dup(to_read), os.dup(from_write)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(
            [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--remote-debugging-pipe", f"--user-data-dir={self.profile}",
             f"--window-size={width},{height}", "about:blank"],
            preexec_fn=hand_over, close_fds=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.commands = os.fdopen(to_write, "wb", buffering=0)
        self.answers = os.fdopen(from_read, "rb")
        self.number = 0
        self.problems = []  # what the console complained about
        self.session = None
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        attached = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")
        self.resize(width, height)

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (OSError, EOFError):
            pass
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def receive(self):
        message = bytearray()
        while (byte := self.answers.read(1)) != b"\0":
            if not byte:
                raise EOFError("Chromium has ended")
            message += byte
        message = json.loads(message)
        self.note(message)
        return message

    def note(self, message):
        parameters = message.get("params", {})
        if message.get("method") == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description", details["text"]))
        elif message.get("method") == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.problems.append(parameters["entry"]["text"])
        elif message.get("method") == "Runtime.consoleAPICalled" and parameters["type"] == "error":
            self.problems.append(str(parameters["args"]))

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.commands.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                break
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def open(self, path):
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        while self.receive().get("method") != "Page.loadEventFired":
            pass
        self.settle()

    def resize(self, width, height, mobile=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=mobile)

    def prefer(self, scheme):
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def run(self, script):
        """The value of a JavaScript expression; promises are waited for."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True,
                           returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description"))
        return answer["result"].get("value")

    def settle(self):
        """Waits until what was asked for is drawn."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def key(self, key):
        code, text = {"Enter": (13, "\r"), "Tab": (9, None)}.get(key, (0, None))
        known = {"windowsVirtualKeyCode": code, "code": key} if code else {}
        for kind in ("keyDown", "keyUp"):
            typed = {"text": text} if text and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, **known, **typed)
        self.settle()

    def point(self, x, y):
        """Moves the pointer there."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.settle()

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.settle()

    def scripts(self, allowed):
        self.call("Emulation.setScriptExecutionDisabled", value=not allowed)

    def screenshot(self, path=None):
        data = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        if path:
            with open(path, "wb") as file:
                file.write(data)
        return data
