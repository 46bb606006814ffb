"""The page's server does what its owner asks in the browser it opened, and nothing for anybody else.

Other sites, other users of the machine, names that are made to lead here, links, forms and frames: none of them spends,
reads or runs anything.
"""

import hashlib
import json
import os
import re
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from discreet.ledger import Ledger
from discreet.ledger.file import exclusive_lock
from discreet.samplers.bits import Bits
from discreet.testing import CountedBits, FixedBits, HashedBits
from discreet.web.guard import HEADERS, MAX_BODY, TOKEN_BITS, draw_token
from discreet.web.site import AT_ONCE
from tests.cli.command import SCRIPT
from tests.contracts.source import PACKAGE
from tests.support.browser import Served, Watched, serving

PAGE = PACKAGE / "web" / "page"
MARKUP = "<img src=x onerror=alert(1)><script>alert(2)</script>"


@dataclass(frozen=True)
class Place:
    """A page that may release, the ledger it would charge, and a request that would be released."""

    served: Served
    ledger: Ledger
    asked: dict[str, object]

    def priced(self) -> dict[str, object]:
        """The request, with what its price came with: sent to `/api/release` by its owner, it would be charged."""
        status, told = self.served.ask("price", self.asked)
        assert status == 200, told
        return {**self.asked, "request_id": told["request_id"], "digest": told["digest"]}

    def spent(self) -> Fraction:
        return self.ledger.spent(MARKUP).epsilon


@contextmanager
def opened(folder: Path, *options: str, categories: Sequence[str] = ("yes", MARKUP)) -> Iterator[Place]:
    ledger = Ledger.create(folder / "l.db", dataset=MARKUP, epsilon=100)
    (folder / "votes.csv").write_text("vote\n" + "yes\n" * 60 + f"{MARKUP}\n" * 40, encoding="utf-8")
    asked: dict[str, object] = {"source": "votes.csv", "column": "vote", "epsilon": "1/2", "dataset": MARKUP}
    asked |= {"mechanism": "geometric", "again": True}
    with serving("--ledger", "l.db", *options, folder=folder) as served:
        yield Place(served, ledger, {**asked, "categories": [*categories]})


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with opened(tmp_path_factory.mktemp("page"), "--allow-release") as place:
        yield place


STRANGERS: dict[str, tuple[int, dict[str, str | None]]] = {
    "no token": (403, {"X-Discreet-Token": None}),
    "another token": (403, {"X-Discreet-Token": "0" * 32}),
    "a token that is no text": (403, {"X-Discreet-Token": "\xff\xfe"}),
    "another site": (403, {"Origin": "http://evil.example"}),
    "a site without a name": (403, {"Origin": "null"}),
    "another port of this machine": (403, {"Origin": "http://127.0.0.1:1"}),
    "a page that the browser calls foreign": (403, {"Sec-Fetch-Site": "cross-site"}),
    "a page of another port": (403, {"Sec-Fetch-Site": "same-site"}),
    "a form": (415, {"Content-Type": "application/x-www-form-urlencoded"}),
    "a form of texts": (415, {"Content-Type": "text/plain"}),
    "nothing said of the body": (415, {"Content-Type": None}),
    "a name that leads here": (421, {"Host": "evil.example"}),
    "a name that leads here, with our port": (421, {"Host": "evil.example:PORT"}),
    "this machine by another name": (421, {"Host": "127.0.0.1.nip.io:PORT"}),
    "our name without the port": (421, {"Host": "127.0.0.1"}),
    "no name": (421, {"Host": ""}),
}


@pytest.mark.parametrize("who", STRANGERS)
def test_a_stranger_is_turned_away_and_nothing_is_spent(who: str, place: Place) -> None:
    body, head = json.dumps(place.priced()), place.ledger.head()
    status, changes = STRANGERS[who]
    headers: dict[str, str | None] = {**place.served.headers, **changes}
    sent = {name: text.replace("PORT", str(place.served.port)) for name, text in headers.items() if text is not None}
    response, answer = place.served.send("POST", "/api/release", body, **sent)
    assert (response.status, answer) == (status, b"")
    assert place.ledger.head() == head


def test_the_owner_is_let_in_and_pays_once_however_often_it_asks(place: Place) -> None:
    """What the strangers sent would have been charged: the tests above can say no."""
    asked, before = place.priced(), place.spent()
    host = {"Host": f"localhost:{place.served.port}", "Origin": f"http://localhost:{place.served.port}"}
    for headers in (place.served.headers, place.served.headers | host | {"Sec-Fetch-Site": "same-origin"}):
        response, answer = place.served.send("POST", "/api/release", json.dumps(asked), **headers)
        assert response.status == 200
        charge = place.ledger.find(str(asked["request_id"]))
        assert charge is not None
        assert charge.outcome == json.loads(answer)["text"]
    assert place.spent() - before == Fraction(1, 2)


def test_all_who_ask_for_one_request_at_once_get_the_one_receipt(place: Place) -> None:
    asked, before, together = place.priced(), place.spent(), threading.Barrier(6)

    def ask(_: int) -> tuple[int, str]:
        together.wait()
        status, answer = place.served.ask("release", asked)
        return status, answer["text"]

    with ThreadPoolExecutor(6) as pool:
        [(status, _)] = set(pool.map(ask, range(6)))
    assert status == 200
    assert place.spent() - before == Fraction(1, 2)


@pytest.mark.parametrize("change", [{"epsilon": "1"}, {"categories": [MARKUP, "yes"]}, {"digest": "0" * 64}])
def test_only_what_was_priced_is_charged(change: dict[str, object], place: Place) -> None:
    asked, head = place.priced() | change, place.ledger.head()
    status, answer = place.served.ask("release", asked)
    assert (status, answer["error"]["message"]) == (400, "the release was not confirmed")
    assert place.ledger.head() == head


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
@pytest.mark.parametrize("what", ["release", "price", "budgets", "facts", "upload", "create_budget"])
def test_nothing_but_a_post_is_answered(method: str, what: str, place: Place) -> None:
    head = place.ledger.head()
    response, answer = place.served.send(method, f"/api/{what}", json.dumps(place.asked), **place.served.headers)
    assert response.status in {404, 405}
    assert b"ledger" not in answer
    assert place.ledger.head() == head


@pytest.mark.parametrize("path", ["/", "/main.js", "/page.css", "/nothing", "/api/nothing", "/api/plan"])
@pytest.mark.parametrize("host", [None, "evil.example"])
def test_every_answer_tells_the_browser_what_not_to_do(path: str, host: str | None, place: Place) -> None:
    own = {} if host is None else {"Host": host}
    for method in ("GET", "POST"):
        response, _ = place.served.send(method, path, **own)
        for name, value in HEADERS.items():
            assert response.headers.get_all(name) == [value]
        assert response.headers["server"] is None


@pytest.mark.parametrize(
    "path",
    [
        *("/../answers.py", "/%2e%2e/answers.py", "/..%2fanswers.py"),
        *("//etc/passwd", "/page/../../guard.py", "/index.html/"),
    ],
)
def test_no_file_but_the_pages_own_is_served(path: str, place: Place) -> None:
    response, answer = place.served.send("GET", path)
    assert response.status == 404
    assert b"import" not in answer


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b"{",
        b"\xff",
        b"[" * 100_000,
        b'{"prior": 1, "n": "10", "epsilon": "1"}',
        b'{"prior": "1,1", "n": 10, "epsilon": "1"}',
        b'{"prior": "1,1", "n": "1e400", "epsilon": "1"}',
        b'{"prior": "1,1", "n": "10", "epsilon": "nan"}',
        b'{"prior": "1,1", "n": "10", "epsilon": NaN}',
        b'{"prior": "1,1", "n": "10", "epsilon": "1", "surprise": "1"}',
        b'{"prior": "", "n": "10", "epsilon": "1"}',
        b'{"prior": "1,1", "n": "10", "epsilon": "1", "\\ud800": "1"}',
        b'{"prior": "1,1", "n": "10", "epsilon": "1", "worst_case": "yes"}',
    ],
)
def test_bad_questions_get_one_clear_sentence(body: bytes, place: Place) -> None:
    status, answer = place.served.ask("plan", body)
    error = answer["error"]
    assert (status, error["kind"]) == (400, "InvalidInput")
    assert error["message"]
    assert error["hint"]
    assert "\n" not in error["message"] + error["hint"]


def test_a_question_that_says_it_is_too_long_is_refused_before_it_is_sent(place: Place) -> None:
    for path, kind, size in (
        ("/api/infer", "application/json", MAX_BODY + 1),
        ("/api/upload", "application/octet-stream", 2 << 30),
        ("/api/upload", "application/octet-stream", 10**40),
    ):
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{place.served.port}\r\nContent-Type: {kind}\r\n"
        request = f"{head}X-Discreet-Token: {place.served.token}\r\nContent-Length: {size}\r\n\r\n"
        assert raw(place.served, request.encode()).startswith((b"HTTP/1.1 413", b"HTTP/1.1 400"))


def test_a_question_that_does_not_say_how_long_it_is_is_cut_short(place: Place) -> None:
    """Nothing is held but what fits: a piece that is too much ends it."""
    token = f"X-Discreet-Token: {place.served.token}\r\n"
    head = (
        f"POST /api/infer HTTP/1.1\r\nHost: 127.0.0.1:{place.served.port}\r\nContent-Type: application/json\r\n{token}"
    )
    size = MAX_BODY + 1
    body = f"{head}Transfer-Encoding: chunked\r\n\r\n{size:x}\r\n".encode() + b"x" * size + b"\r\n0\r\n\r\n"
    with socket.create_connection(("127.0.0.1", place.served.port), timeout=30) as wire:
        wire.sendall(body)
        answer = b""
        while b"too long" not in answer and (piece := wire.recv(1 << 16)):
            answer += piece
    assert answer.startswith(b"HTTP/1.1 400")
    assert b"too long" in answer


def test_ctrl_c_ends_a_question_that_nobody_could_wait_for(tmp_path: Path) -> None:
    """This price takes more than the minute in which the server has to end. Who asked for it goes on waiting."""
    with ExitStack() as asking:
        with opened(tmp_path, "--allow-release", categories=[f"c{i}" for i in range(10_000)]) as place:
            waiting = asking.enter_context(closing(HTTPConnection("127.0.0.1", place.served.port, timeout=60)))
            waiting.request("POST", "/api/price", json.dumps(place.asked), place.served.headers)
            assert place.served.ask("facts", {})[0] == 200, "the server is past what came before"
        assert waiting.getresponse().status >= 500, "not a price"
    assert place.ledger.verify().rows == 1


def ask_in_vain(served: Served, what: str, asked: dict[str, object]) -> None:
    """A question whose answer nobody waits for."""
    with closing(HTTPConnection("127.0.0.1", served.port, timeout=1)) as connection:
        connection.request("POST", f"/api/{what}", json.dumps(asked), served.headers)
        with pytest.raises(TimeoutError):
            connection.getresponse()


def test_ctrl_c_waits_for_a_release_that_was_begun(tmp_path: Path) -> None:
    with ExitStack() as held, opened(tmp_path, "--allow-release") as place:
        priced = place.priced()
        held.enter_context(exclusive_lock(tmp_path / "l.db", "l.db", 0))  # the charge has to wait
        ask_in_vain(place.served, "release", priced)
        threading.Timer(3, held.pop_all().close).start()  # after Ctrl-C, and longer than the server waits for clients
    charge = place.ledger.find(str(priced["request_id"]))
    assert charge is not None
    assert charge.outcome is not None


def test_it_leaves_no_file_with_the_token_behind(tmp_path: Path) -> None:
    """However it is asked to end: a machine that is shut down says SIGTERM."""
    own = {**os.environ, "TMPDIR": str(tmp_path), "BROWSER": "true"}
    with subprocess.Popen([SCRIPT, "serve"], env=own, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        token = server.stdout.readline().decode().strip().partition("#token=")[2]
        while not [file for file in tmp_path.rglob("*.html") if token in file.read_text(encoding="utf-8")]:
            assert server.poll() is None
        server.send_signal(signal.SIGTERM)
        assert server.wait(timeout=60) == 0
    assert list(tmp_path.iterdir()) == []


def assert_unguessable(draw: Callable[[Bits], str]) -> None:
    """Every bit of the token is a bit that was drawn, and there are at least 128: 2^-128 is nobody's luck."""
    known = CountedBits(HashedBits("a token"))
    token = draw(known)
    assert known.used >= 128
    assert int(token, 16) == HashedBits("a token").draw_bits(known.used)
    for place in range(known.used):
        text = "".join("1" if i == place else "0" for i in range(known.used))
        assert int(draw(FixedBits(text)), 16) == int(text, 2)
    assert len({len(draw(FixedBits(bit * known.used))) for bit in "01"}) == 1


def test_the_token_is_all_of_the_bits_that_were_drawn_for_it(place: Place, tmp_path: Path) -> None:
    assert_unguessable(draw_token)
    with serving(folder=tmp_path) as other:
        assert place.served.token != other.token
        assert len(place.served.token) == len(other.token) == TOKEN_BITS // 4


@pytest.mark.parametrize(
    "draw",
    [
        lambda bits: f"{bits.draw_bits(16):04x}",
        lambda bits: f"{bits.draw_bits(16):064x}",
        lambda bits: draw_token(bits)[:4],
        lambda bits: hashlib.sha256(bits.draw_bits(16).to_bytes(2, "big")).hexdigest(),
        lambda bits: f"{bits.draw_bits(16) * ((1 << 256) - 1) // 0xFFFF:064x}",
        lambda bits: f"{bits.draw_bits(256) & 0xFFFF:064x}",
        lambda bits: "0" * 64,
    ],
    ids=["16 bits", "16 bits padded", "cut short", "16 bits hashed", "16 bits stretched", "masked", "fixed"],
)
def test_a_token_of_fewer_bits_is_found_out(draw: Callable[[Bits], str]) -> None:
    with pytest.raises((AssertionError, EOFError)):
        assert_unguessable(draw)


def raw(served: Served, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", served.port), timeout=30) as wire:
        wire.sendall(request)
        return wire.recv(1 << 16)


def test_two_names_or_two_tokens_are_none(place: Place) -> None:
    own = f"Host: 127.0.0.1:{place.served.port}\r\n"
    token = f"X-Discreet-Token: {place.served.token}\r\n"
    rest = "Content-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
    start = "POST /api/facts HTTP/1.1\r\n"
    assert raw(place.served, (start + own + token + rest).encode()).startswith(b"HTTP/1.1 200")
    for headers in (own + own + token, own + "Host: evil.example\r\n" + token, own + token + token, token):
        assert not raw(place.served, (start + headers + rest).encode()).startswith(b"HTTP/1.1 200")


def test_slow_connections_keep_nobody_waiting_and_are_closed(place: Place) -> None:
    """More of them than a process may have files by default would be closed before they are as many."""
    with ExitStack() as stack:
        slow = [
            stack.enter_context(socket.create_connection(("127.0.0.1", place.served.port), timeout=60))
            for _ in range(200)
        ]
        for i, wire in enumerate(slow):
            wire.sendall(b"POST /api/facts HTTP/1.1\r\nHost: 1"[: i % 36])
        assert place.served.ask("facts", {})[0] == 200
        for wire in slow:
            assert wire.recv(1) == b"", "whoever does not say what it wants is not waited for"
        assert place.served.ask("facts", {})[0] == 200


@pytest.mark.soak
def test_questions_that_take_long_keep_no_quick_one_waiting_and_end_with_who_asked(tmp_path: Path) -> None:
    """Each of these prices takes more than a minute. Were they not stopped, the last one would not have its turn."""
    with opened(tmp_path, "--allow-release", categories=[f"c{i}" for i in range(10_000)]) as place:
        for _ in range(AT_ONCE + 1):
            ask_in_vain(place.served, "price", place.asked)
            assert place.served.ask("facts", {})[0] == 200
        assert place.served.ask("plan", {"prior": "1,1", "n": "9", "epsilon": "1"})[0] == 200


def test_there_is_no_socket_to_talk_through(place: Place) -> None:
    request = (
        f"GET /api/facts HTTP/1.1\r\nHost: 127.0.0.1:{place.served.port}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    assert not raw(place.served, request.encode()).startswith(b"HTTP/1.1 101")


def test_it_listens_on_the_loopback_address_alone(place: Place) -> None:
    table = Path("/proc/net/tcp")
    if not table.exists():
        pytest.skip("this system does not list its sockets in /proc")
    listening = [line.split() for line in table.read_text(encoding="ascii").splitlines()[1:]]
    port = f"{place.served.port:04X}"
    found = [row[1] for row in listening if row[3] == "0A" and row[1].endswith(f":{port}")]
    assert found == [f"0100007F:{port}"]


def test_a_page_that_was_not_allowed_to_releases_nothing(tmp_path: Path, place: Place) -> None:
    with opened(tmp_path) as closed:
        asked_for = {"price": place.asked, "release": place.priced(), "check": {}, "columns": {}, "create_budget": {}}
        assert upload(closed, "t.csv", b"vote\nyes\n")[0] == 400
        for what, asked in asked_for.items():
            status, answer = closed.served.ask(what, asked)
            assert status == 400
            assert "--allow-release" in answer["error"]["hint"]
    assert closed.ledger.verify().rows == 1


@pytest.mark.parametrize("file", sorted(PAGE.iterdir()), ids=lambda file: file.name)
def test_the_page_makes_no_markup_runs_no_text_and_asks_nobody_else(file: Path) -> None:
    text = file.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
    for bad in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "javascript:"):
        assert bad not in text
    assert not re.search(r"https?://|@import|\son\w+\s*=|<script>|<style|\sstyle=", text)


class Elsewhere(BaseHTTPRequestHandler):
    """Another site."""

    page = b""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(self.page)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def elsewhere() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.mark.xdist_group("browser")
def test_another_site_in_the_same_browser_gets_and_spends_nothing(
    place: Place, elsewhere: str, tab: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, head = f"http://127.0.0.1:{place.served.port}", place.ledger.head()
    tab.open(place.served)
    monkeypatch.setattr(Elsewhere, "page", f'<iframe src="{own}/" id="frame"></iframe>'.encode())
    other = tab.page.context.new_page()
    other.goto(elsewhere)
    attempt = """async ([own, body, token]) => {
        const json = { "content-type": "application/json" };
        const tries = [
            ["/api/release", { method: "POST", body, headers: json }],
            ["/api/release", { method: "POST", body, headers: { ...json, "x-discreet-token": token } }],
            ["/api/release", { method: "POST", body, mode: "no-cors" }],
            ["/api/facts", { method: "POST", body: "{}", credentials: "include" }],
            ["/", {}],
        ];
        const found = [];
        for (const [path, how] of tries) found.push(await fetch(own + path, how).then((r) => r.type, () => "refused"));
        found.push(document.getElementById("frame").contentDocument === null ? "refused" : "framed");
        return found;
    }"""
    body = json.dumps(place.priced())
    found = other.evaluate(attempt, [own, body, place.served.token])  # even one that has learnt the token
    assert found == ["refused"] * 6
    assert [frame.url for frame in other.frames[1:]] != [f"{own}/"], "it was framed"
    assert place.ledger.head() == head
    other.close()


WORKER = b"""
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => event.respondWith((async () => {
    const seen = `${event.request.url} ${[...event.request.headers].join(" ")}`;
    const open = await caches.open("seen");
    await open.put(`/seen/${Math.random()}`, new Response(seen));
    return fetch(event.request);
})()));
"""
REGISTER = b"<script>navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready)</script>"


class Before(BaseHTTPRequestHandler):
    """A site that had the port before, and leaves a service worker behind."""

    def do_GET(self) -> None:
        script = self.path == "/worker.js"
        self.send_response(200)
        self.send_header("Content-Type", "text/javascript" if script else "text/html")
        self.end_headers()
        self.wfile.write(WORKER if script else REGISTER)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.mark.xdist_group("browser")
def test_a_service_worker_of_a_site_that_had_the_port_gets_no_token(tab: Watched, tmp_path: Path) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Before)
    port = server.server_port
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for host in ("127.0.0.1", "localhost"):
        tab.page.goto(f"http://{host}:{port}/")
        tab.page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
    server.shutdown()
    server.server_close()
    seen = """async () => {
        const kept = await caches.open("seen");
        return Promise.all((await kept.keys()).map(async (key) => (await kept.match(key)).text()));
    }"""
    with serving("--port", str(port), folder=tmp_path) as served:
        tab.open(served)
        assert tab.page.evaluate("() => navigator.serviceWorker.controller") is None
        assert tab.page.evaluate(seen) == []
        # The worker is there, and would have got it: the test can say no.
        tab.page.goto(f"http://127.0.0.1:{port}/#token={served.token}")
        tab.page.wait_for_selector("body[data-ready]")
        assert any(served.token in text for text in tab.page.evaluate(seen))


@pytest.mark.xdist_group("browser")
def test_a_file_whose_name_or_header_is_a_script_is_shown_and_not_run(
    place: Place, tab: Watched, tmp_path: Path
) -> None:
    name = "<img src=x onerror=alert(1)>.csv"
    (tmp_path / name).write_text(f'"{MARKUP}","b"\n{MARKUP},2\n', encoding="utf-8")
    tab.open(place.served)
    tab.turn("data")
    tab.page.set_input_files("#data [name=file]", tmp_path / name)
    tab.page.wait_for_selector("#data table")
    assert MARKUP in tab.page.inner_text("#data table")
    assert name in tab.page.inner_text("#data .status")
    tab.turn("question")
    tab.page.select_option("#question [name=column]", MARKUP)
    tab.page.fill("#question [name=categories]", f"yes\nno\n{MARKUP}")
    tab.page.click("#question form button:not([type=button])")
    tab.page.wait_for_selector("#question .secret")
    assert tab.page.locator("main img, main script").count() == 0
    assert tab.wrongs == []


@pytest.mark.xdist_group("browser")
def test_a_file_of_2_gb_is_refused_before_it_is_sent(place: Place, tab: Watched, tmp_path: Path) -> None:
    with (tmp_path / "large.csv").open("wb") as file:
        file.truncate(2 << 30)
    tab.open(place.served)
    tab.turn("data")
    sent: list[str] = []
    tab.page.on("request", lambda request: sent.append(request.url))  # the icon may still be on its way
    tab.page.set_input_files("#data [name=file]", tmp_path / "large.csv")
    tab.page.wait_for_selector("#data .drop .error")
    assert "256 MiB" in tab.page.inner_text("#data .drop .error")
    assert not any("/api/" in address for address in sent)


def upload(place: Place, name: str, content: bytes, **changes: str) -> tuple[int, bytes]:
    headers = place.served.headers | {"Content-Type": "application/octet-stream", "X-Discreet-File": name} | changes
    response, answer = place.served.send("POST", "/api/upload", content, **headers)
    return response.status, answer


def test_a_table_that_was_handed_over_is_on_no_disk_and_goes_with_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = b"a-very-private-row"
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with opened(tmp_path, "--allow-release") as place:
        status, answer = upload(place, "t.csv", b"vote\n" + secret + b"\nyes\n")
        assert status == 200
        first = {"upload": json.loads(answer)["upload"]}
        assert place.served.ask("columns", first)[1]["columns"] == [{"name": "vote", "type": "text"}]
        for file in tmp_path.rglob("*"):
            assert not file.is_file() or secret not in file.read_bytes()
        assert upload(place, "u.csv", b"vote\nno\n")[0] == 200
        status, told = place.served.ask("columns", first)
        assert (status, told["error"]["parameter"]) == (400, "file")


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"X-Discreet-Token": "0" * 64}, 403),
        ({"Content-Type": "application/json"}, 415),
        ({"Content-Type": "text/plain"}, 415),
        ({"Origin": "http://evil.example"}, 403),
        ({"X-Discreet-File": ""}, 400),
        ({"X-Discreet-File": "..%2F..%2Fetc%2Fpasswd"}, 400),
        ({"X-Discreet-File": "a%00.csv"}, 400),
    ],
)
def test_no_stranger_hands_a_table_over_and_no_name_leads_elsewhere(
    change: dict[str, str], status: int, place: Place
) -> None:
    assert upload(place, "t.csv", b"vote\nyes\n", **change)[0] == status


@pytest.mark.xdist_group("browser")
def test_names_that_are_scripts_are_shown_and_not_run(place: Place, tab: Watched, tmp_path: Path) -> None:
    tab.open(place.served)
    tab.turn("budgets")
    tab.page.wait_for_selector("#budgets table")
    assert MARKUP in tab.page.inner_text("#budgets")
    status, answer = place.served.ask("release", place.priced())
    assert status == 200
    (tmp_path / "r.json").write_text(answer["text"], encoding="utf-8")
    tab.turn("read")
    tab.page.set_input_files("#read [name=receipts]", tmp_path / "r.json")
    tab.page.wait_for_selector("#read table")
    assert MARKUP in tab.page.inner_text("#read table")
    assert tab.page.locator("main img, main script").count() == 0
    assert tab.wrongs == []


@pytest.mark.xdist_group("browser")
def test_the_browser_would_refuse_a_page_that_made_markup_or_ran_a_text(place: Place, tab: Watched) -> None:
    """The planted faults: had the page a hole, the policy would close it."""
    tab.open(place.served)
    for fault in (
        "document.body.innerHTML = '<b>x</b>'",
        "document.body.append(Object.assign(document.createElement('script'), { text: 'window.ran = 1' }))",
        "document.body.setAttribute('onclick', 'window.ran = 1')",
    ):
        tried = f"() => {{ try {{ {fault}; return 'done'; }} catch {{ return 'refused'; }} }}"
        assert tab.page.evaluate(tried) == "refused"
    sent = tab.page.evaluate("() => fetch('http://127.0.0.1:1/').then(() => 'sent', () => 'refused')")
    assert sent == "refused"
    assert any("Content Security Policy" in wrong for wrong in tab.wrongs)
