"""Policies of the Hugging Face Hub: from the library's cache, and pushed to a hub of our own."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from command_line import done, invoke, refused
from networks import write_network
from plyground import load_policy, make_agent, make_game
from plyground.agents.policies.policy_file import load_policy_file
from plyground.envs.specification import SpecificationError
from plyground.extras.hub.source import FILE, fetch

constants = pytest.importorskip("huggingface_hub.constants")

COMMIT = "0123456789abcdef0123456789abcdef01234567"
START = make_game("tic_tac_toe").initial_position()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """The cache of the library, with a policy that was fetched before; the hub is not reached."""
    folder = tmp_path / "cache" / "models--one--ttt"
    held = folder / "snapshots" / COMMIT
    (held / "others").mkdir(parents=True)
    (folder / "refs").mkdir()
    for name in ("main", "v1"):
        (folder / "refs" / name).write_text(COMMIT)
    write_network(held / FILE, "tic_tac_toe")
    write_network(held / "others" / "c4.onnx", "connect_four")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))  # of processes that are started
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.chdir(tmp_path)
    fetch.cache_clear()
    yield held
    fetch.cache_clear()


@pytest.mark.parametrize(
    "spec",
    [
        "onnx:hf://one/ttt",
        "onnx:hf://one/ttt@v1,temperature=1",
        f"onnx:path=hf://one/ttt@{COMMIT}/{FILE}",
        "ppo:hf://one/ttt",
        "mcts:simulations=8,network=hf://one/ttt",
    ],
)
def test_every_agent_of_policy_files_plays_one_of_the_hub(spec, cache):
    assert START.is_legal(make_agent(spec, "tic_tac_toe").act(START))


def test_a_policy_of_the_hub_is_the_file_and_is_called_by_its_name(cache):
    network = load_policy_file("hf://one/ttt")
    assert network.data == (cache / FILE).read_bytes()
    assert network.source == "hf://one/ttt"
    assert load_policy("hf://one/ttt/others/c4.onnx").network.game.name == "connect_four"
    with pytest.raises(SpecificationError, match="the policy hf://one/ttt is for tic_tac_toe"):
        load_policy("hf://one/ttt", "connect_four")


@pytest.mark.thorough
def test_a_match_in_processes_of_their_own_plays_it(cache):

    done("match", "tic_tac_toe", "onnx:hf://one/ttt", "random")


def test_pull_writes_the_file(cache, tmp_path):
    result = invoke(["pull", "hf://one/ttt@v1", "--out", "mine.onnx"])
    assert result.stdout == "mine.onnx: a policy for tic_tac_toe, played by policy:mine.onnx\n"
    assert (tmp_path / "mine.onnx").read_bytes() == (cache / FILE).read_bytes()


def test_push_writes_file_and_card_into_a_folder(cache, tmp_path):
    write_network(tmp_path / "own.onnx", "tic_tac_toe")
    done("push", "own.onnx", "out/folder")
    assert (tmp_path / "out/folder" / FILE).read_bytes() == (tmp_path / "own.onnx").read_bytes()
    card = (tmp_path / "out/folder/README.md").read_text()
    for name, text in load_policy_file("own.onnx").metadata.items():
        assert f"- `{name}`: {text}\n" in card
    assert "plyground play tic_tac_toe --against policy:policy.onnx\n" in card


def test_a_folder_that_push_wrote_is_pulled_and_pushed(cache, tmp_path):
    write_network(tmp_path / "own.onnx", "tic_tac_toe")
    for words in ("push own.onnx folder", "push folder copy", "pull copy --out mine.onnx"):
        done(words)
    assert (tmp_path / "mine.onnx").read_bytes() == (tmp_path / "own.onnx").read_bytes()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("push own.onnx hf://one/ttt", "hf://one/ttt is not pushed: Token is required"),
        ("push own.onnx hf://ttt", "hf://ttt is not pushed: Invalid HF URI"),
        ("push own.onnx own.onnx", "own.onnx cannot be written: File exists"),
        ("pull hf://one/none --out a.onnx", "hf://one/none cannot be fetched: "),
        ("pull hf://one/ttt/none.onnx --out a.onnx", "cannot be fetched: "),
        ("analyse tic_tac_toe --agent onnx:hf://one/none", "hf://one/none cannot be fetched: "),
    ],
)
def test_what_is_not_there_or_not_allowed_is_said_in_a_sentence(words, sentence, cache, tmp_path):
    write_network(tmp_path / "own.onnx", "tic_tac_toe")
    assert sentence in refused(words)


def test_without_the_library_it_says_what_to_install(cache, tmp_path, monkeypatch):
    write_network(tmp_path / "own.onnx", "tic_tac_toe")
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    for words in ("push own.onnx hf://one/ttt", "pull hf://one/ttt --out a.onnx"):
        assert invoke(words.split()).stderr == (
            'plyground: the Hugging Face Hub needs huggingface_hub: pip install "plyground[hub]"\n'
        )


class Hub(BaseHTTPRequestHandler):
    """The requests by which the library makes a repository, commits to it and fetches a file."""

    files: dict[str, bytes] = {}
    made: list[str] = []

    def answer(self, content: bytes, **headers: str) -> None:
        self.send_response(200)
        headers = {"content-length": str(len(content)), **headers}
        for name, text in headers.items():
            self.send_header(name.replace("_", "-"), text)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def do_POST(self):
        assert self.headers["authorization"] == "Bearer secret"
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        lines = [json.loads(line) for line in body.splitlines()]
        reply, place = {}, f"http://{self.headers['host']}/one/ttt"
        if self.path == "/api/repos/create":
            self.made.append(f"{lines[0]['organization']}/{lines[0]['name']}")
            reply = {"url": place}
        elif "/preupload/" in self.path:
            names = [each["path"] for each in lines[0]["files"]]
            modes = {"uploadMode": "regular", "shouldIgnore": False}
            reply = {"files": [{"path": name, **modes} for name in names]}
        elif "/commit/" in self.path:
            for each in (line["value"] for line in lines if line["key"] == "file"):
                self.files[each["path"]] = base64.b64decode(each["content"])
            reply = {"commitUrl": f"{place}/commit/{COMMIT}", "commitOid": COMMIT}
        self.answer(json.dumps(reply).encode(), content_type="application/json")

    def do_GET(self):
        name = self.path.partition("/one/ttt/resolve/")[2].partition("/")[2]
        if name not in self.files:
            self.send_error(404)
            return
        self.answer(self.files[name], x_repo_commit=COMMIT, etag=f'"{len(self.files[name])}"')

    do_HEAD = do_GET

    def log_message(self, *arguments):
        pass


@pytest.mark.thorough
def test_a_policy_that_was_pushed_is_pulled(tmp_path):
    write_network(tmp_path / "own.onnx", "tic_tac_toe")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    environment = os.environ | {
        "HF_ENDPOINT": f"http://127.0.0.1:{server.server_port}",
        "HF_HOME": str(tmp_path / "home"),
        "HF_TOKEN": "secret",
    }
    outputs = [
        subprocess.run(
            [sys.executable, "-m", "plyground.cli", *words.split()],
            cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True, check=True,
        ).stdout
        for words in ("push own.onnx hf://one/ttt", "pull hf://one/ttt --out again.onnx")
    ]  # fmt: skip
    server.shutdown()
    server.server_close()
    assert outputs[0] == "hf://one/ttt: a policy for tic_tac_toe, played by policy:hf://one/ttt\n"
    assert Hub.made == ["one/ttt"]
    assert sorted(Hub.files) == ["README.md", FILE]
    assert b"--against policy:hf://one/ttt\n" in Hub.files["README.md"]
    assert (tmp_path / "again.onnx").read_bytes() == (tmp_path / "own.onnx").read_bytes()
