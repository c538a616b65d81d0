"""Tests of the service's client with a real kedge serve: the variable KEDGE names the command."""

import http.server
import json
import os
import random
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

import kedge

try:
    import numpy
except ImportError:
    numpy = None

SHOP = """
iterations: 100
model: {decision: "q[2]", state: "p[2]", trait: "d[2]", next: "0.5*p + 0.5*(d - q)", maximize: "dot(p, q)", subject to: "0 <= q <= 20"}
population: {size: 10, law: normal, mean: [10, 8], deviation: [1, 1]}
start: {law: values, values: [3, 3]}
algorithms: [{name: composite, kind: composite, step: 0.1, batch: 10}]
live: {samples: {least: 20, weights: optional, ids: optional, traits: optional}, cap: {norm: 0.5}, safe: [4, 4]}
"""


class Series:
    """A column as NumPy and pandas have them."""

    def __init__(self, values):
        self.values = values

    def tolist(self):
        return list(self.values)


class Server:
    def __init__(self, data, listen="127.0.0.1:0"):
        self.process = subprocess.Popen([os.environ["KEDGE"], "serve", "--data", str(data), "--listen", listen], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = self.process.stdout.readline().split()[-1]

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Service(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name)
        self.server = Server(self.root / "data")
        self.addCleanup(lambda: self.server.kill())
        self.stale = []
        self.service = kedge.connect(self.server.url, keep=self.root / "kept", patience=20)
        self.loop = self.service.create("shop", SHOP, mode="live")

    def people(self, u, n=50):
        draw = random.Random(1)
        d = [[draw.gauss(10, 1), draw.gauss(8, 1)] for _ in range(n)]
        return [[wish - price for wish, price in zip(row, u)] for row in d], d

    def test_rounds_find_the_best_prices(self):
        for _ in range(40):
            with self.loop.round() as r:
                live = [round(price, 2) for price in r.u]
                r.deployed(live)
                p, d = self.people(live)
                r.tell(p=p, d=d)
            self.assertEqual(r.outcome["outcome"], "step")
        # the best prices are half of what people want on average, which 50 of them say to 0.14 each
        mean = [sum(column) / len(column) for column in zip(*d)]
        for price, want in zip(live, mean):
            self.assertAlmostEqual(price, want / 2, delta=0.05)
        self.assertEqual(self.loop.status()["turns"], 40)
        self.assertEqual([event["kind"] for event in self.loop.log()][:2], ["created", "opened"])
        self.assertIn("u", self.loop.explain(2))
        self.assertEqual(self.service.loops(), ["shop"])

    def test_one_content_in_every_form(self):
        p, d = self.people([3, 3], 1500)
        k = self.loop.ask().k
        self.loop.deploy(k, (3, 3))
        got = self.loop.tell(k, p=p, d=d, observed_at="2099-01-01T00:00:00Z")  # as NPZ
        columns = {"a": [row[0] for row in p], "b": [row[1] for row in p], "x": [row[0] for row in d], "y": [row[1] for row in d]}
        again = self.loop.tell(k, columns, state=["a", "b"], trait=["x", "y"], observed_at="2099-01-01T00:00:00Z")
        frame = self.loop.tell(k, {name: Series(values) for name, values in columns.items()}, state=["a", "b"], trait=["x", "y"], observed_at="2099-01-01T00:00:00Z")
        self.assertEqual(got["content"], frame["content"])
        as_json = self.service.call("PUT", f"/v1/loops/shop/decisions/{k}/batches/json", {"p": p, "d": d, "observed_at": "2099-01-01T00:00:00Z"})
        self.assertEqual(got["content"], again["content"])
        self.assertEqual(got["content"], as_json["content"])
        with self.assertRaises(kedge.ServiceError) as caught:
            self.loop.tell(k, p=p[:30], d=d[:30])
        self.assertEqual((caught.exception.type, caught.exception.status), ("batch-conflict", 409))

    @unittest.skipIf(numpy is None, "needs NumPy")
    def test_arrays_of_numpy(self):
        when = "2099-01-01T00:00:00Z"
        k = self.loop.ask().k
        self.loop.deploy(k, numpy.array([3, 3], dtype=numpy.float32))
        for n in (30, 1500):  # as JSON and as NPZ
            p, d = self.people([3, 3], n)
            lists = self.loop.tell(k, batch=f"lists-{n}", p=p, d=d, w=[1.5] * n, observed_at=when)
            for name, order in {"rows": "C", "columns": "F"}.items():
                states = numpy.array(p, order=order)
                arrays = self.loop.tell(k, batch=f"{name}-{n}", p=states, d=numpy.array(d, order=order), w=numpy.full(n, 1.5), observed_at=when)
                self.assertEqual(arrays["content"], lists["content"])
            wide = numpy.column_stack([numpy.array(p), numpy.array(d)])
            part = self.loop.tell(k, batch=f"part-{n}", p=wide[:, :2], d=wide[:, 2:], w=numpy.full(n, 1.5), observed_at=when)
            self.assertEqual(part["content"], lists["content"])
        ids = self.loop.tell(k, batch="ids", p=[[1, 2], [3, 4]], d=[[5, 6], None], ids=["7", "8"], observed_at=when)
        known = numpy.array([[5, 6], [numpy.nan, numpy.nan]])
        self.assertEqual(self.loop.tell(k, batch="known", p=numpy.array([[1, 2], [3, 4]]), d=known, ids=numpy.array([7, 8]), observed_at=when)["content"], ids["content"])
        self.assertEqual(ids["without_trait"], 1)
        with self.assertRaises(kedge.KedgeError) as caught:
            self.loop.tell(k, batch="nan", p=numpy.array([[1, numpy.nan]]), d=numpy.array([[1, 2]]))
        self.assertIn("not finite", str(caught.exception))

    def test_keys(self):
        made = self.service.call("POST", "/v1/keys", {"rights": ["read", "ask", "tell", "admin"], "loops": ["*"]})
        with self.assertRaises(kedge.ServiceError) as caught:
            self.loop.ask()
        self.assertEqual((caught.exception.type, caught.exception.status), ("unauthenticated", 401))
        admin = kedge.connect(self.server.url, key=made["key"], patience=20)
        asks = admin.call("POST", "/v1/keys", {"rights": ["ask"], "loops": ["sh*"]})
        os.environ["KEDGE_KEY"] = asks["key"]
        self.addCleanup(os.environ.pop, "KEDGE_KEY", None)
        loop = kedge.connect(self.server.url, patience=20).loop("shop")
        k = loop.ask().k
        with self.assertRaises(kedge.ServiceError) as caught:
            loop.deploy(k, [3, 3])
        self.assertEqual((caught.exception.type, caught.exception.status), ("forbidden", 403))
        self.assertNotIn(asks["key"], str(caught.exception) + repr(loop))
        admin.loop("shop").deploy(k, [3, 3])
        admin.call("DELETE", f"/v1/keys/{asks['prefix']}", {"reason": "test"})
        with self.assertRaises(kedge.ServiceError) as caught:
            loop.ask()
        self.assertIn("revoked", str(caught.exception))

    def test_an_exception_abandons(self):
        with self.assertRaises(ZeroDivisionError):
            with self.loop.round() as r:
                r.deployed()
                1 / 0
        self.assertEqual(self.service.call("GET", f"/v1/loops/shop/decisions/{r.k}")["why"], "ZeroDivisionError: division by zero")
        with self.loop.round() as r:
            pass
        self.assertEqual(self.service.call("GET", f"/v1/loops/shop/decisions/{r.k}")["state"], "abandoned")

    def test_mistakes(self):
        k = self.loop.ask()["k"]
        for message, call in {
            "want a list of numbers": lambda: self.loop.deploy(k, ["cheap", 3]),
            "no column 'c'": lambda: self.loop.tell(k, {"a": [1]}, state=["c"]),
            "state=[…]": lambda: self.loop.tell(k, {"a": [1]}),
            "different lengths": lambda: self.loop.tell(k, p=[[1, 2]] * 999 + [[1]], d=[[1, 2]] * 1000),
        }.items():
            with self.assertRaises(kedge.KedgeError) as caught:
                call()
            self.assertIn(message, str(caught.exception))
        with self.assertRaises(kedge.ServiceError) as caught:
            self.loop.tell(k, p=[[1, 2], [1]], d=[[1, 2], [1, 2]])
        self.assertEqual(caught.exception.errors[0]["pointer"], "/p/1")

    def test_a_service_that_comes_back(self):
        offer, listen = self.loop.ask(), self.server.url.partition("//")[2]
        self.server.kill()
        impatient = kedge.connect(self.server.url, keep=self.root / "kept", patience=0.2)
        kept = impatient.loop("shop").ask()
        self.assertEqual((kept.u, kept.k, kept.stale), (offer.u, offer.k, True))
        with impatient.loop("shop").round() as r:
            self.assertTrue(r.stale)
        old = kedge.connect(self.server.url, keep=self.root / "kept", patience=0.2, max_age=0.0, on_stale=self.stale.append).loop("shop").ask()
        self.assertEqual((old.u, old.basis), ([4, 4], "safe"))
        self.assertEqual(self.stale, [old])
        with self.assertRaises(kedge.Unreachable):
            kedge.connect(self.server.url, patience=0.2).loop("shop").ask()
        later = threading.Timer(0.5, lambda: setattr(self, "server", Server(self.root / "data", listen)))
        later.start()
        again = self.loop.ask()  # repeated until somebody answers
        self.assertEqual((again, again.stale), (offer, False))
        later.join()


class Answering(unittest.TestCase):
    """What stands between a client and the service, played by a server that answers what a test says."""

    def served(self, answer, patience=5.0):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                answer(self, body)

            do_POST = do_PUT = do_DELETE = do_GET

            def log_message(self, *args):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return kedge.connect(f"http://127.0.0.1:{server.server_port}", key="secret", patience=patience)

    @staticmethod
    def reply(handler, status, text, length=None, **headers):
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(text) if length is None else length))
        handler.end_headers()
        handler.wfile.write(text)

    def test_commands_are_not_made_questions(self):
        """A redirect makes a question of a command, whose answer passes for a loop that was made; and the key goes wherever it points."""
        arrived = []

        def there(handler, body):
            arrived.append((handler.command, handler.headers.get("Authorization")))
            self.reply(handler, 200, b'{"loops": []}')

        moved = self.served(there).url
        for status in (301, 302, 303, 307, 308):
            here = self.served(lambda handler, body: self.reply(handler, status, b"", Location=moved + handler.path))
            for call in (lambda: here.create("shop", "spec"), here.loops):
                with self.assertRaises(kedge.ServiceError) as caught:
                    call()
                self.assertEqual(caught.exception.status, status)
                self.assertIn(moved, str(caught.exception))
        self.assertEqual(arrived, [])

    def test_what_breaks_off_is_repeated(self):
        """A reply that ends early, and a gateway that is busy in words of its own, are no answers."""
        for broken in (
            lambda handler: self.reply(handler, 200, b'{"loops"', length=100),
            lambda handler: self.reply(handler, 503, b'{"title"', length=100),
            lambda handler: handler.wfile.write(b"nonsense\r\n\r\n"),
            lambda handler: self.reply(handler, 503, b'{"message": "Service Unavailable"}'),
            lambda handler: self.reply(handler, 502, b"[]"),
        ):
            calls = []

            def answer(handler, body):
                calls.append(body)
                broken(handler) if len(calls) < 3 else self.reply(handler, 200, b'{"loops": [{"loop": "shop"}]}')

            self.assertEqual(self.served(answer).loops(), ["shop"])
            self.assertEqual(len(calls), 3)
        with self.assertRaises(kedge.Unreachable):
            self.served(lambda handler, body: self.reply(handler, 200, b'{"loops"', length=100), patience=0.2).loops()

    def test_waiting_is_no_silence(self):
        """A service that was asked to wait for longer than patience has not gone away."""
        def answer(handler, body):
            time.sleep(1.0)
            self.reply(handler, 200, b'{"k": 2, "epoch": "e", "u": [1]}')

        loop = self.served(answer, patience=0.3).loop("shop")
        self.assertEqual(loop.ask(after_k=1, wait=1.0).k, 2)

    def test_names_of_people(self):
        """Where one id is missing, whole numbers come as floats; a missing one is not a person who is called nan or None."""
        told = []

        def answer(handler, body):
            told.append(json.loads(body)["id"])
            self.reply(handler, 200, b"{}")

        loop = self.served(answer).loop("shop")
        for ids in ([7, 8], [7.0, 8.0], ["7", "8"], Series([7.0, 8.0])):
            loop.tell(1, p=[[1], [2]], ids=ids)
        self.assertEqual(told, [["7", "8"]] * 4)
        for missing in (None, float("nan"), ""):
            with self.assertRaises(kedge.KedgeError) as caught:
                loop.tell(1, p=[[1], [2]], ids=[7.0, missing])
            self.assertIn("row 1 has no id", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
