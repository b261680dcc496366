# SPDX-License-Identifier: BSD-3-Clause
# browser.py - headless Chromium by its debugging pipe: real clicks and moves of the mouse, and what the page shows then.

import base64
import fcntl
import json
import os
import shutil
import subprocess

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1300,2400"]


class Browser:
    """One page in a browser of its own; `with Browser(folder) as page: page.open(file)`."""

    def __init__(self, folder):
        self.folder = folder
        self.number = 0
        self.problems = []  # exceptions and errors of the page
        self.loaded = set()  # pages, by their loader's name
        self.downloads = 0  # that are complete and nobody has waited for

    def __enter__(self):
        from_here, self.to_browser = os.pipe()
        self.from_browser, to_here = os.pipe()
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (from_here, to_here)]  # the browser wants them as 3 and 4

        def place_ends():
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self.process = subprocess.Popen([PROGRAM, *FLAGS, "--remote-debugging-pipe", f"--user-data-dir={self.folder}/browser"],
                                        preexec_fn=place_ends, pass_fds=(3, 4), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for end in (from_here, to_here, *ends):
            os.close(end)
        self.answers = os.fdopen(self.from_browser, "rb", buffering=0)
        self.rest = b""
        self.session = None
        return self

    def __exit__(self, *_):
        try:  # it removes what it has made in /tmp, unless it is killed
            os.write(self.to_browser, b'{"id": 0, "method": "Browser.close"}\0')
            self.process.wait(timeout=10)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.to_browser)
        self.answers.close()

    def next_message(self):
        while b"\0" not in self.rest:
            more = self.answers.read(65536)
            assert more, "the browser has gone"
            self.rest += more
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def hear(self, message):
        if message.get("sessionId", self.session) != self.session:  # of a page that was opened before
            return None
        method, values = message.get("method"), message.get("params", {})
        if method == "Page.lifecycleEvent" and values["name"] == "load":
            self.loaded.add(values["loaderId"])
        if method == "Runtime.exceptionThrown":
            self.problems.append(values["exceptionDetails"])
        if method == "Browser.downloadProgress" and values["state"] == "completed":
            self.downloads += 1
        if method == "Log.entryAdded" and values["entry"]["level"] == "error":
            self.problems.append(values["entry"]["text"])
        return method

    def wait_for_download(self):
        """One that a click has begun: it may be complete before the click is answered."""
        while self.downloads == 0:
            self.hear(self.next_message())
        self.downloads -= 1

    def ask(self, method, **values):
        """One command of the protocol, to its answer."""
        return self.result_of(self.answer(method, **values))

    @staticmethod
    def result_of(message):
        assert "error" not in message, message
        return message["result"]

    def answer(self, method, **values):
        self.number += 1
        command = {"id": self.number, "method": method, "params": values}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(command).encode() + b"\0")
        while True:
            message = self.next_message()
            if message.get("id") == self.number:
                return message
            self.hear(message)

    def open(self, file):
        self.open_address(file.resolve().as_uri())

    def open_address(self, address):
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.ask(f"{domain}.enable")
        self.ask("Page.setLifecycleEventsEnabled", enabled=True)
        loader = self.ask("Page.navigate", url=address)["loaderId"]
        while loader not in self.loaded:  # that may be told before the answer
            self.hear(self.next_message())

    def value(self, expression):
        """Of JavaScript in the page. One that is left for another takes its questions along: then the other one is asked."""
        is_left = True
        while is_left:
            answer = self.answer("Runtime.evaluate", expression=expression, returnByValue=True)
            is_left = answer.get("error", {}).get("message") == "Inspected target navigated or closed"
        result = self.result_of(answer)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def picture(self, file, width, height):
        """Of the page as a screen of that size shows it."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        file.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot")["data"]))

    def place(self, expression):
        """In the middle of an element, once that is in view."""
        box = self.value(f"(() => {{ const one = {expression}; one.scrollIntoView({{block: 'nearest'}}); "
                         "const box = one.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()")
        return box

    def mouse(self, kind, x, y, buttons=0):
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, buttons=buttons, clickCount=int(kind != "mouseMoved"),
                 button="none" if kind == "mouseMoved" else "left")

    def click(self, expression):
        x, y = self.place(expression)
        self.mouse("mousePressed", x, y, 1)
        self.mouse("mouseReleased", x, y)

    def draw(self, first, last):
        """Over the page from one element to another, both in view, with the button down."""
        begin, end = (self.place(one) for one in (first, last))
        self.mouse("mousePressed", *begin, 1)
        self.mouse("mouseMoved", *end, 1)
        self.mouse("mouseReleased", *end)

    def choose(self, label, value):
        """An entry of a list. The list itself is drawn by the system, so its choice is made in its place."""
        self.value(f"(() => {{ const list = document.querySelector('select[aria-label={json.dumps(label)}]'); "
                   f"list.value = {json.dumps(value)}; list.dispatchEvent(new Event('change')); }})()")
