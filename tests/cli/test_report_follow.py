"""`report --follow`: a recorded stream, replayed slowly, as a browser sees it; hostile requests."""

import http.client
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from urllib.parse import urlsplit

from support import DATA, ETSCOPE, INPUT, OK, USAGE, run

STREAM = (DATA / "captures" / "finished.bin").read_bytes()
LOG = (DATA / "captures" / "uart.log").read_bytes()
PROGRAM = DATA / "mlp_portable" / "model.pte"
RECORD = DATA / "mlp_portable" / "model.etrecord"
PATIENCE = 20


class Follower:
    """The running command and its address."""

    def __init__(self, *words, stdin=subprocess.DEVNULL):
        self.process = subprocess.Popen([ETSCOPE, "report", "--follow", *map(str, words)],
                                        stdin=stdin, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        line = self.process.stdout.readline().decode()
        found = re.search(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/$", line.strip())
        if not found:
            raise AssertionError(line + self.process.stderr.read().decode())
        self.address = found[0]
        parts = urlsplit(self.address)
        self.host, self.port, self.path = parts.netloc, parts.port, parts.path

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def get(self, what="", method="GET", host=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        path = what if what.startswith("/") else self.path + what
        connection.request(method, path, headers={"Host": host or self.host})
        answer = connection.getresponse()
        return answer, answer.read().decode()

    def send(self, data):
        """What is answered to these bytes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as client:
            client.sendall(data)
            answer = b""
            while piece := client.recv(65536):
                answer += piece
        return answer

    def wait_for(self, text):
        """The first page with the text."""
        late = time.monotonic() + PATIENCE
        while time.monotonic() < late:
            page = self.get()[1]
            if text in page:
                return page
            time.sleep(0.1)
        raise AssertionError(text)

    def ends(self):
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out.decode(), err.decode()


class FollowTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class Replay(FollowTest):
    def pipe(self):
        path = self.folder / "uart"
        os.mkfifo(path)
        return path

    def test_page_grows_with_the_stream_and_ends_with_it(self):
        pipe, last = self.pipe(), self.folder / "last.html"
        with Follower(pipe, "--program", PROGRAM, "--etrecord", RECORD, "-o", last) as follower:
            self.assertIn("Waiting for the first frames", follower.get()[1])
            with open(pipe, "wb", buffering=0) as device:
                device.write(STREAM[:1400])
                first = follower.wait_for("in 1 run")
                self.assertIn("uart: trace, an ETDump", first)
                self.assertIn("permute_copy", first)
                device.write(STREAM[1400:2100])
                follower.wait_for("median of 2 runs")
                answer, state = follower.get("state")
                self.assertEqual(answer.getheader("Cache-Control"), "no-store")
                self.assertRegex(state, r'^\{"page":\d+\}$')
                device.write(STREAM[2100:])
            page = follower.wait_for("median of 3 runs")
            code, out, _ = follower.ends()
            self.assertEqual((code, "wrote" in out), (OK, True))
        html = last.read_text()
        self.assertIn("median of 3 runs", html)
        self.assertIn("connect-src 'self'", page)
        self.assertRegex(page, r'<script data-page="\d+" data-last>')
        self.assertIn("connect-src 'none'", html)
        self.assertNotIn("data-page", html)
        self.assertEqual(len(re.findall("<script data-page=", page)), 1)

    def test_last_report_is_that_of_the_recovered_trace(self):
        pipe, last = self.pipe(), self.folder / "last.html"
        with Follower(pipe, "-o", last) as follower:
            pipe.write_bytes(STREAM)
            self.assertEqual(follower.ends()[0], OK)
        (self.folder / "c.bin").write_bytes(STREAM)
        trace = self.folder / "uart"
        trace.unlink()
        self.assertEqual(run("recover", self.folder / "c.bin", "-o", trace).returncode, OK)
        again = self.folder / "again.html"
        done = run("report", trace, "--no-siblings", "-o", again)
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertTrue(last.read_text() == again.read_text())

    def test_log_on_standard_input(self):
        with Follower("-", stdin=subprocess.PIPE) as follower:
            follower.process.stdin.write(LOG)
            follower.process.stdin.flush()
            page = follower.wait_for("median of 2 runs")
            self.assertIn("<h1>standard input</h1>", page)
            follower.process.stdin.close()
            follower.process.stdin = None
            self.assertEqual(follower.ends()[0], OK)

    def test_log_that_is_standard_input(self):
        """A file that does not grow: its end is the stream's."""
        path = self.folder / "uart.log"
        path.write_bytes(LOG)
        with open(path, "rb") as log, Follower("-", "-o", self.folder / "r.html",
                                               stdin=log) as follower:
            self.assertEqual(follower.ends()[0], OK)
        self.assertIn("median of 2 runs", (self.folder / "r.html").read_text())

    def test_file_that_grows(self):
        path = self.folder / "capture.bin"
        path.write_bytes(STREAM[:1400])
        with Follower(path) as follower:
            follower.wait_for("in 1 run")
            with open(path, "ab") as capture:
                capture.write(STREAM[1400:])
            follower.wait_for("median of 3 runs")
            self.assertEqual(follower.ends()[0], OK)

    def test_signals_end_it_with_the_report(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            path, last = self.folder / "capture.bin", self.folder / f"{number}.html"
            path.write_bytes(STREAM[:2100])
            with Follower(path, "-o", last) as follower:
                follower.wait_for("median of 2 runs")
                follower.process.send_signal(number)
                late = threading.Timer(1, follower.process.send_signal, [number])
                late.start()
                self.assertEqual(follower.ends()[0], OK)
                late.cancel()
            self.assertIn("median of 2 runs", last.read_text())

    def test_stream_without_frames(self):
        with Follower("-", stdin=subprocess.PIPE) as follower:
            follower.process.stdin.write(b"nothing of interest\n")
            follower.process.stdin.close()
            follower.process.stdin = None
            code, _, err = follower.ends()
        self.assertEqual((code, "no whole frame of a stream arrived" in err), (INPUT, True))

    def test_misuse(self):
        for words, reason in ((["--follow", "-", DATA], "reads one stream"),
                              (["--follow", "-", "--format", "json"], "excludes --format"),
                              (["--follow", "-", "-o", "-"], "-o needs a file"),
                              (["--port", "80", PROGRAM, "-o", "x"], "--port needs --follow"),
                              (["--follow", "-", "--port", "70000"], "--port")):
            done = run("report", *words, stdin=b"")
            self.assertEqual((done.returncode, reason in done.stderr.decode()), (USAGE, True),
                             done.stderr)
        done = run("report", "--follow", self.folder / "nothing")
        self.assertEqual(done.returncode, INPUT)


class Hostile(FollowTest):
    def setUp(self):
        super().setUp()
        path = self.folder / "capture.bin"
        path.write_bytes(STREAM[:1400])
        self.follower = Follower(path)
        self.addCleanup(self.follower.__exit__)

    def test_only_who_knows_the_address_gets_an_answer(self):
        follower = self.follower
        codes = [follower.get(what)[0].status for what in ("/", "/state", "/favicon.ico", "x",
                                                           "../state", "state/", "?x")]
        self.assertEqual(codes, [404] * 7)
        self.assertEqual(follower.get()[0].status, 200)

    def test_other_hosts_and_methods_are_refused(self):
        follower = self.follower
        for host in ("evil.example", f"evil.example:{follower.port}", "127.0.0.1", "localhost",
                     f"127.0.0.1:{follower.port}.evil.example", f"127.0.0.1:{follower.port}0"):
            answer, body = follower.get(host=host)
            self.assertEqual((answer.status, body), (403, ""), host)
        self.assertEqual(follower.get(host=f"localhost:{follower.port}")[0].status, 200)
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "HEAD", "get"):
            answer, body = follower.get(method=method)
            self.assertEqual((answer.status, body), (405, ""), method)

    def test_malformed_requests(self):
        host = f"Host: {self.follower.host}\r\n".encode()
        for request in (b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"\0" * 100 + b"\r\n\r\n",
                        b"GET / HTTP/2\r\n" + host + b"\r\n", b"GET / HTTP/1.1\r\n" + 2 * host + b"\r\n",
                        b"GET http://x/ HTTP/1.1\r\n" + host + b"\r\n", b"A" * 5000):
            self.assertTrue(self.follower.send(request).startswith(b"HTTP/1.1 400 "), request[:40])

    def test_many_and_silent_clients_do_not_stop_it(self):
        silent = [socket.create_connection(("127.0.0.1", self.follower.port)) for _ in range(12)]
        try:
            for client in silent:
                client.sendall(b"GET / HT")
            self.assertEqual(self.follower.get()[0].status, 200)
        finally:
            for client in silent:
                client.close()
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(self.follower.get()[0].status))
                   for _ in range(40)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(answers, [200] * 40)

    def test_clients_that_go_away_do_not_stop_it(self):
        request = f"GET {self.follower.path} HTTP/1.1\r\nHost: {self.follower.host}\r\n\r\n"
        for _ in range(30):
            with socket.create_connection(("127.0.0.1", self.follower.port)) as client:
                client.sendall(request.encode())
        with socket.create_connection(("127.0.0.1", self.follower.port)):
            self.assertEqual(self.follower.get()[0].status, 200)

    def test_nobody_else_can_connect(self):
        """It listens on the loopback address alone."""
        if not os.path.exists("/proc/net/tcp"):
            self.skipTest("no /proc/net/tcp")
        with open("/proc/net/tcp", encoding="ascii") as table:
            here = [line.split()[1] for line in table.readlines()[1:]
                    if int(line.split()[1].split(":")[1], 16) == self.follower.port
                    and line.split()[3] == "0A"]
        self.assertEqual([each.split(":")[0] for each in here], ["0100007F"])


if __name__ == "__main__":
    unittest.main()
