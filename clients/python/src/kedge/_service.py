"""Talk with the decision service: ask, deploy, tell, close. The standard library is enough."""

from __future__ import annotations

import array
import contextlib
import http.client
import io
import json
import os
import random
import struct
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from pathlib import Path
from typing import Any, Callable, Iterator, Sequence

from ._error import KedgeError


class ServiceError(KedgeError):
    """What the service answers instead of a reply. Nothing has changed.

    type is a word such as "stale-epoch", status that of HTTP, errors point at what is wrong with a message.
    """

    def __init__(self, problem: dict, status: int) -> None:
        self.type = str(problem.get("type", "")).rpartition("/")[2]
        self.status = status
        self.detail = problem.get("detail", "")
        self.state = problem.get("state")
        self.errors = problem.get("errors") or []
        self.retryable = bool(problem.get("retryable"))
        super().__init__(": ".join(text for text in (problem.get("title", f"HTTP {status}"), self.detail) if text))


class Unreachable(KedgeError):
    """The service did not answer in time. What was sent may have arrived; the same again is safe."""


def connect(url: str = "http://127.0.0.1:7070", *, key: str | None = None, keep: str | os.PathLike | None = None, patience: float = 30.0,
            max_age: float | None = None, on_stale: Callable[[Offer], None] | None = None) -> Service:
    """The service at an address.

    key is one of the service's keys; without it that of the variable KEDGE_KEY, if there is one. keep is a folder in which the last
    good decision of every loop is kept: ask answers it while the service does not, and the safe decision once it is older than max_age
    seconds; then on_stale is called. Calls are repeated for patience seconds: the service knows decisions by their number and batches by their name.
    """
    return Service(url, key or os.environ.get("KEDGE_KEY"), keep, patience, max_age, on_stale)


class Service:
    """A connection to the decision service."""

    def __init__(self, url: str, key: str | None, keep: str | os.PathLike | None, patience: float, max_age: float | None, on_stale: Callable[[Offer], None] | None) -> None:
        self.url = url.rstrip("/")
        self.keep = Path(keep) if keep is not None else None
        self.patience = patience
        self.max_age = max_age
        self.on_stale = on_stale
        self._key = key

    def __repr__(self) -> str:
        return f"kedge.connect({self.url!r})"

    def loop(self, name: str) -> Loop:
        """One loop of the service."""
        return Loop(self, name)

    def loops(self) -> list[str]:
        """The names of all loops."""
        return [one["loop"] for one in self.call("GET", "/v1/loops")["loops"]]

    def create(self, name: str, spec: str, mode: str = "shadow") -> Loop:
        """Make a loop of a spec, given as text in YAML. The same again changes nothing."""
        self.call("POST", "/v1/loops", {"name": name, "spec": spec, "mode": mode})
        return self.loop(name)

    def call(self, method: str, path: str, body: Any = None, *, content: bytes | None = None, kind: str = "application/json", hold: float = 0.0) -> Any:
        """Send a message until there is an answer, as JSON or as it stands. hold is how many seconds the service was asked to wait with it."""
        if content is None and body is not None:
            try:
                content = json.dumps(body, allow_nan=False).encode()
            except ValueError:
                raise KedgeError("a number is not finite; leave that person out, or give None for a trait that is not known") from None
        until, wait = time.monotonic() + self.patience + hold, 0.05
        while True:
            try:
                return self._try(method, path, content, kind, max(0.1, until - time.monotonic()))
            except (Unreachable, ServiceError) as error:
                if isinstance(error, ServiceError) and not error.retryable:
                    raise
                if time.monotonic() + wait > until:
                    raise
            time.sleep(wait * (0.5 + random.random()))
            wait = min(2 * wait, 2.0)

    def _try(self, method: str, path: str, content: bytes | None, kind: str, timeout: float) -> Any:
        request = urllib.request.Request(self.url + path, data=content, method=method)
        if content is not None:
            request.add_header("Content-Type", kind)
        if self._key:
            request.add_header("Authorization", "Bearer " + self._key)
        try:
            try:
                with _opener.open(request, timeout=timeout) as reply:
                    return json.loads(reply.read() or b"null")
            except urllib.error.HTTPError as error:
                with error:
                    raise ServiceError(_problem(error), error.code) from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Unreachable(f"{self.url}: {getattr(error, 'reason', error)}") from error


class _Still(urllib.request.HTTPRedirectHandler):
    """Follows nobody: a command that is sent on as a question is answered and not done, and a key is for this service alone."""

    def redirect_request(self, *args: Any) -> None:
        return None


_opener = urllib.request.build_opener(_Still)


def _problem(error: urllib.error.HTTPError) -> dict:
    """What a reply says that is none. A gateway answers in its own words, and the same message may be taken later."""
    problem = {"title": f"HTTP {error.code}", "retryable": error.code in (502, 503, 504)}
    if error.code // 100 == 3:
        problem["detail"] = f"the service has moved to {error.headers.get('Location')}"
    text = error.read()
    try:
        told = json.loads(text)
    except ValueError:
        return problem
    return {**problem, **told} if isinstance(told, dict) else problem


class Offer(dict):
    """The decision to deploy: a dict of what the service answered, whose keys are attributes too.

    stale is true if the service did not answer and this is the last good one, age seconds old; or, beyond max_age, the safe decision.
    """

    stale: bool = False
    age: float = 0.0

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class Loop:
    """One loop: a rule that decides for people who are elsewhere."""

    def __init__(self, service: Service, name: str) -> None:
        self.service = service
        self.name = name
        self.epoch: str | None = None  # of the newest offer; messages of another are refused

    def __repr__(self) -> str:
        return f"{self.service!r}.loop({self.name!r})"

    def ask(self, after_k: int | None = None, wait: float = 0.0) -> Offer:
        """The decision to deploy; with after_k the first after that one, waiting up to wait seconds."""
        body = {} if after_k is None else {"after_k": after_k, "wait": f"{int(1000 * wait)}ms"}
        try:
            offer = Offer(self._call("POST", "/ask", body, hold=wait))
        except (Unreachable, ServiceError) as error:
            if isinstance(error, ServiceError) and not error.retryable or self.service.keep is None:
                raise
            return self._kept(error)
        self.epoch = offer["epoch"]
        self._keep(offer)
        return offer

    def deploy(self, k: int, u: Sequence[float], *, correct: bool = False) -> dict:
        """Say what went live for decision k. It may differ from what was decided."""
        body = {"u": _vector(u), "epoch": self.epoch}
        if correct:
            body["correct"] = True
        return self._call("PUT", f"/decisions/{k}/deployment", _given(body))

    def tell(self, k: int, people: Any = None, *, batch: str = "all", state: Sequence[str] | None = None, trait: Sequence[str] | None = None,
             weight: str | None = None, id: str | None = None, p: Any = None, d: Any = None, w: Any = None, ids: Any = None, observed_at: str | None = None) -> dict:
        """Tell people who answered decision k, one a row, under a name of the batch; the same again changes nothing.

        Either p (states), d (traits, None or a row of NaN where they are not known), w (weights) and ids as lists or arrays; or people, a data frame or a dict of columns, of which state and
        trait name columns, and weight and id one each.
        """
        if people is not None:
            p, d = _columns(people, state), _columns(people, trait) if trait else None
            w = _column(people, weight) if weight else None
            ids = _column(people, id) if id else None
        body = {"p": _rows(p), "d": None if d is None else _traits(d), "w": None if w is None else _vector(w), "id": None if ids is None else _names(ids)}
        path = f"/decisions/{k}/batches/{urllib.parse.quote(batch, safe='')}"
        query = urllib.parse.urlencode(_given({"epoch": self.epoch, "observed_at": observed_at}))
        if body["id"] is None and len(body["p"]) >= 1000 and (body["d"] is None or all(row is not None for row in body["d"])):
            return self._call("PUT", f"{path}?{query}", content=npz({"p": body["p"], "d": body["d"], "w": body["w"]}), kind="application/x-npz")
        return self._call("PUT", f"{path}?{query}", _given(body))

    def metric(self, k: int, name: str, value: float, *, se: float = 0.0, n: float | None = None) -> dict:
        """Tell a number that a guardrail of the kind external waits for, with its standard error and how many it is of; the verdict on it."""
        body = _given({"epoch": self.epoch, "value": float(value), "se": float(se), "n": n})
        return self._call("PUT", f"/decisions/{k}/metrics/{urllib.parse.quote(name, safe='')}", body)

    def close(self, k: int, *, rows: int | None = None, batches: Sequence[str] | None = None) -> dict:
        """Have the loop learn from decision k: one step of its rule, or the reasons why there is none. Refused unless rows and batches are there."""
        expect = _given({"rows": rows, "batches": None if batches is None else list(batches)})
        return self._call("POST", f"/decisions/{k}/close", _given({"epoch": self.epoch, "expect": expect or None}))

    def abandon(self, k: int, reason: str = "") -> dict:
        """Give decision k up without learning from it."""
        return self._call("POST", f"/decisions/{k}/abandon", _given({"epoch": self.epoch, "reason": reason}))

    def status(self) -> dict:
        """How the loop stands."""
        return self._call("GET", "")

    def explain(self, k: int) -> dict:
        """Why decision k is what it is, in numbers and in words."""
        return self._call("GET", f"/decisions/{k}/explain")

    def health(self) -> list[dict]:
        """How the loop is, in cards with words and what to do."""
        return self._call("GET", "/health")["cards"]

    def log(self, after: int = 0) -> Iterator[dict]:
        """All events after one, page by page."""
        while True:
            page = self._call("GET", f"/log?after={after}")
            if not page:
                return
            yield from page
            after = page[-1]["seq"]

    @contextlib.contextmanager
    def round(self) -> Iterator[Round]:
        """A round: asks, and closes at its end. An exception abandons the decision with its text as the reason; so does a round without a deployment."""
        r = Round(self, self.ask())
        try:
            yield r
        except BaseException as error:
            if not r.stale:
                with contextlib.suppress(KedgeError):
                    self.abandon(r.k, f"{type(error).__name__}: {error}"[:500])
            raise
        if r.stale:
            return
        if r.live is None:
            self.abandon(r.k, "nothing was deployed")
        else:
            r.outcome = self.close(r.k)

    def _call(self, method: str, path: str, body: Any = None, **more: Any) -> Any:
        return self.service.call(method, f"/v1/loops/{urllib.parse.quote(self.name, safe='')}{path}", body, **more)

    def _file(self) -> Path:
        assert self.service.keep is not None
        return self.service.keep / (urllib.parse.quote(self.name, safe="") + ".json")

    def _keep(self, offer: Offer) -> None:
        if self.service.keep is None:
            return
        self.service.keep.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self.service.keep, prefix=".offer-")
        with os.fdopen(handle, "w") as file:
            json.dump({"kept_at": time.time(), "offer": offer}, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, self._file())

    def _kept(self, error: KedgeError) -> Offer:
        try:
            kept = json.loads(self._file().read_text())
            offer = Offer(kept["offer"])
            offer.stale, offer.age = True, max(0.0, time.time() - kept["kept_at"])
        except (OSError, ValueError, KeyError, TypeError):
            raise error from None
        if self.service.max_age is not None and offer.age > self.service.max_age:
            if offer.get("safe"):
                offer["u"], offer["basis"] = offer["safe"], "safe"
            if self.service.on_stale is not None:
                self.service.on_stale(offer)
        return offer


class Round:
    """One decision from ask to close."""

    def __init__(self, loop: Loop, offer: Offer) -> None:
        self.loop = loop
        self.offer = offer
        self.k: int = offer["k"]
        self.u: list[float] = offer["u"]
        self.stale = offer.stale
        self.live: list[float] | None = None
        self.outcome: dict | None = None

    def deployed(self, u: Sequence[float] | None = None) -> dict:
        """Say what went live; without an argument what was decided."""
        live = _vector(self.u if u is None else u)
        reply = self.loop.deploy(self.k, live)
        self.live = live
        return reply

    def metric(self, name: str, value: float, **how: Any) -> dict:
        """Tell a number for a guardrail; see Loop.metric."""
        return self.loop.metric(self.k, name, value, **how)

    def tell(self, people: Any = None, **how: Any) -> dict:
        """Tell people who answered; see Loop.tell."""
        return self.loop.tell(self.k, people, **how)


def npz(arrays: dict) -> bytes:
    """An archive of float64 arrays, given as lists of numbers or of rows; those that are None are left out."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, rows in arrays.items():
            if rows is None:
                continue
            nested = bool(rows) and isinstance(rows[0], (list, tuple))
            if nested and any(len(row) != len(rows[0]) for row in rows):
                raise KedgeError(f"{name} has rows of different lengths")
            flat = array.array("d", (value for row in rows for value in row) if nested else rows)
            if sys.byteorder == "big":
                flat.byteswap()
            shape = (len(rows), len(rows[0])) if nested else (len(rows),)
            head = repr({"descr": "<f8", "fortran_order": False, "shape": shape}).encode()
            head += b" " * (-(len(head) + 11) % 64) + b"\n"
            archive.writestr(zipfile.ZipInfo(name + ".npy"), b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + flat.tobytes())
    return out.getvalue()


def _given(body: dict) -> dict:
    return {key: value for key, value in body.items() if value is not None}


def _plain(values: Any) -> Any:
    """Lists of what lists, arrays, series and frames hold."""
    for method in ("tolist", "to_list"):
        if hasattr(values, method):
            return getattr(values, method)()
    return list(values)


def _vector(values: Any) -> list[float]:
    try:
        return [float(value) for value in _plain(values)]
    except (TypeError, ValueError) as error:
        raise KedgeError(f"want a list of numbers: {error}") from None


def _rows(values: Any) -> list:
    if values is None:
        raise KedgeError("want the states of people, as p or as columns of a frame (state=[…])")
    return [None if row is None else _vector(row) for row in _plain(values)]


def _traits(values: Any) -> list:
    """Rows of traits. Arrays have no None: a row of nothing but NaN is somebody whose trait is not known."""
    return [None if row is None or row and all(value != value for value in row) else row for row in _rows(values)]


def _names(values: Any) -> list[str]:
    """Who people are. A column of whole numbers of which one is missing has become one of floats, and what is missing is nobody's name."""
    names = []
    for row, value in enumerate(_plain(values)):
        if value is None or value != value or str(value) in ("", "<NA>"):
            raise KedgeError(f"row {row} has no id; leave that person out, or give no ids")
        whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
        names.append(str(int(value)) if whole else str(value))
    return names


def _column(frame: Any, name: str) -> list:
    try:
        return _plain(frame[name])
    except (KeyError, TypeError, IndexError) as error:
        raise KedgeError(f"there is no column {name!r}: {error}") from None


def _columns(frame: Any, names: Sequence[str] | None) -> list:
    if not names:
        raise KedgeError("a frame needs state=[…], the columns of the states")
    if isinstance(names, str):
        names = [names]
    return [list(row) for row in zip(*(_column(frame, name) for name in names))]
