"""Serves the files of a folder on 127.0.0.1, with ranges of bytes, to try data on servers. Not for other machines."""
import argparse
import email.utils
import os
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PIECE = 64 * 1024


class QuietServer(ThreadingHTTPServer):
    """Clients may close a connection at any time."""

    def handle_error(self, request, client_address):
        pass


class FileServer:
    """Serves the files of a folder while it is in use as a context. Counts requests and sent bytes."""

    def __init__(self, folder, bytes_per_second=None, latency=0.0):
        self.folder = folder
        self.rate = bytes_per_second
        self.latency = latency
        self.lock = threading.Lock()
        self.free_at = 0.0  # when the link has sent everything that was given to it
        self.reset()

    def reset(self):
        with self.lock:
            self.requests = self.bytes = 0

    def take_turn(self, count):
        """Waits until the link may send `count` bytes."""
        if not self.rate:
            return
        with self.lock:
            now = time.monotonic()
            self.free_at = max(self.free_at, now) + count / self.rate
            wait = self.free_at - now
        if wait > 0.002:
            time.sleep(wait)

    def __enter__(self):
        self.server = QuietServer(("127.0.0.1", 0), self.handler())
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def handler(self):
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def log_message(self, *_):
                pass

            def do_GET(self):
                owner.answer(self)

        return Handler

    def answer(self, request):
        time.sleep(self.latency)
        path = os.path.join(self.folder, os.path.basename(request.path))
        if not os.path.isfile(path):
            request.send_error(404)
            return
        status = os.stat(path)
        begin, end = 0, status.st_size
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", request.headers.get("Range", ""))
        if asked:
            begin = int(asked[1])
            end = min(end, int(asked[2]) + 1) if asked[2] else end
        request.send_response(206 if asked else 200)
        request.send_header("Content-Length", end - begin)
        if asked:
            request.send_header("Content-Range", f"bytes {begin}-{end - 1}/{status.st_size}")
        request.send_header("ETag", f'"{status.st_mtime_ns:x}-{status.st_size:x}"')
        request.send_header("Last-Modified", email.utils.formatdate(status.st_mtime, usegmt=True))
        request.end_headers()
        request.wfile.flush()
        with self.lock:
            self.requests += 1
        with open(path, "rb") as file:
            while begin < end:
                count = min(PIECE, end - begin)
                self.take_turn(count)
                sent = os.sendfile(request.connection.fileno(), file.fileno(), begin, count)
                begin += sent
                with self.lock:
                    self.bytes += sent


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--url-file", help="write the server's URL to this file when it is ready")
    parser.add_argument("--megabytes", type=float, help="limit of megabytes per second of all answers together")
    parser.add_argument("--latency", type=float, default=0, help="seconds before each answer")
    parser.add_argument("--seconds", type=float, default=3600, help="end after this time (default %(default)s)")
    options = parser.parse_args()
    rate = options.megabytes * 1e6 if options.megabytes else None
    with FileServer(options.folder, rate, options.latency) as server:
        print(server.url, flush=True)
        if options.url_file:
            with open(options.url_file + ".new", "w", encoding="utf-8") as file:
                file.write(server.url)
            os.rename(options.url_file + ".new", options.url_file)
        time.sleep(options.seconds)
