"""The site as files, from the small server, and in a notebook cell."""

import http.client
import re
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest

from rosenblatt.lab import DEFAULT_PORT, build, digits, export, server, show

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@contextmanager
def running(port=0):
    with server.listen(port=port) as site:
        thread = threading.Thread(target=site.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield site
        finally:
            site.shutdown()
            thread.join()


def run(*arguments):
    command = [sys.executable, "-m", "rosenblatt", "lab", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def get(site, path, method="GET"):
    connection = http.client.HTTPConnection("127.0.0.1", site.server_address[1], timeout=10)
    connection.request(method, path)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, answer.headers["Content-Type"], body


# ------------------------------------------------------------------------------------------------ building


def test_the_site_is_small_and_needs_nothing_else(tmp_path):
    made = export(tmp_path / "new" / "site")
    assert [path.name for path in made] == ["index.html", "lab.css", "lab.js"]
    assert sum(path.stat().st_size for path in made) < 600_000
    text = "".join(path.read_text("utf-8") for path in made)
    outside = {url for url in re.findall(r"https?://[^\"'` )]+", text) if not url.startswith("http://www.w3.org/")}
    assert outside == set()


def test_modules_are_small_checked_and_joined_in_order():
    for path in build.HERE.glob("*.js"):
        text = path.read_text("utf-8")
        assert text.startswith("// @ts-check\n") and text.count("\n") <= 400, path.name
    text = build.script()
    assert text.index("const rng_js") < text.index("const rows_js") < text.index("const main_js")
    assert {f"{path.stem}_js" for path in build.HERE.glob("*.js")} == set(
        re.findall(r"^const (\w+_js) = \(", text, re.M)
    )


def test_a_circle_and_an_unknown_import_are_refused(tmp_path):
    (tmp_path / "a.js").write_text('import { b } from "./b.js";\nexport const a = 1;\n')
    (tmp_path / "b.js").write_text('import { a } from "./a.js";\nexport const b = 2;\n')
    with pytest.raises(ValueError, match=r"in a circle: a\.js → b\.js → a\.js"):
        build.script(tmp_path, "a.js")
    (tmp_path / "c.js").write_text('import c from "./b.js";\n')
    with pytest.raises(ValueError, match=r"c.js has an import or export that the build does not read: import c"):
        build.script(tmp_path, "c.js")


@pytest.mark.skipif(
    shutil.which("node") is None, reason="node is not on this machine: the browser alone reads the JavaScript"
)
def test_node_reads_the_joined_script(tmp_path):
    (tmp_path / "lab.js").write_text(build.script(), "utf-8")
    checked = subprocess.run(["node", "--check", tmp_path / "lab.js"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("tsc") is None, reason="tsc is not on this machine: npm install --global typescript")
def test_types_of_the_javascript():
    options = [
        "--strict",
        "--noEmit",
        "--allowJs",
        "--checkJs",
        "--target",
        "es2022",
        "--module",
        "es2022",
        "--lib",
        "es2022,dom,dom.iterable",
    ]
    checked = subprocess.run(
        ["tsc", *options, *map(str, build.HERE.glob("*.js"))], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout[-3000:]


def test_export_refuses_a_file_and_missing_digits(tmp_path, monkeypatch):
    (tmp_path / "taken").write_text("")
    with pytest.raises(ValueError, match="taken is a file; name a folder"):
        export(tmp_path / "taken")
    with pytest.raises(ValueError, match="taken is a file; name a folder"):
        export(tmp_path / "taken" / "site" / "deep")
    with pytest.raises(ValueError, match="name a folder"):
        export("")
    monkeypatch.setattr(digits, "has_digits", lambda: False)
    digits.digits_script.cache_clear()
    with pytest.raises(ValueError, match="MNIST is not on this machine"):
        export(tmp_path / "site", mnist=True)


# ------------------------------------------------------------------------------------------------ serving


def test_the_server_gives_the_site_and_nothing_else():
    with running() as site:
        for path in ("/", "/index.html", "/?projector"):
            status, kind, body = get(site, path)
            assert (status, kind) == (200, "text/html; charset=utf-8") and b"lab.js" in body
        assert get(site, "/lab.js")[1:] == ("text/javascript; charset=utf-8", build.script().encode())
        assert get(site, "/lab.css", "HEAD")[::2] == (200, b"")
        for path in ("/../pyproject.toml", "/site/app.js", "/etc/passwd", "/%2e%2e/build.py"):
            assert get(site, path)[0] == 404


def test_the_port_is_fixed_or_the_next_free_one():
    with server.listen() as first, server.listen() as second:
        ports = first.server_address[1], second.server_address[1]
        assert DEFAULT_PORT <= ports[0] < ports[1] < DEFAULT_PORT + server.TRIES
        with pytest.raises(ValueError, match=f"cannot listen at 127.0.0.1 port {ports[0]}"):
            server.listen(port=ports[0])
    for wrong in (True, -1, 70_000, "80"):
        with pytest.raises(ValueError, match="port must be a whole number from 0 to 65535"):
            server.listen(port=wrong)


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["--host", "nowhere.invalid"], 2, "There is no host 'nowhere.invalid'"),
        (["no link"], 2, "A link from the lab has #s=... at its end, but got 'no link'; copy it with Share."),
        (["--mnist"], 2, "--mnist is for --export FOLDER"),
        (["--export", ""], 4, "name a folder"),
    ],
)
def test_what_cannot_be_served_is_said_in_one_sentence(arguments, code, told):
    done = run("--no-browser", *arguments)
    assert done.returncode == code and told in done.stderr and done.stderr.count("\n") == 1


def test_a_taken_port_is_said_in_one_sentence():
    with server.listen(port=0) as first:
        done = run("--no-browser", "--port", str(first.server_address[1]))
    assert done.returncode == 2 and "cannot listen" in done.stderr and "a bug" not in done.stderr


def test_a_link_is_opened_by_its_fragment():
    with server.listen(port=0) as site:
        port = site.server_address[1]
        assert server.address(site, "127.0.0.1", "https://example.org/lab/#s=abc") == f"http://localhost:{port}/#s=abc"
        assert server.address(site, "192.0.2.7", "s=abc") == f"http://192.0.2.7:{port}/#s=abc"
        assert server.address(site, "", "http://h/?projector#s=a").endswith(f"{port}/?projector#s=a")
        assert server.address(site, "::1") == f"http://localhost:{port}/"


def test_the_command_serves_until_ctrl_c():
    process = subprocess.Popen(
        [sys.executable, "-m", "rosenblatt", "lab", "--no-browser", "--port", "0"], stdout=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    url = re.search(r"http://localhost:(\d+)/", process.stdout.readline())
    connection = http.client.HTTPConnection("127.0.0.1", int(url[1]), timeout=10)
    connection.request("GET", "/")
    assert connection.getresponse().status == 200
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 0
    connection.close()
    process.stdout.close()


def test_digits_come_as_a_script_of_their_own(tab, site, browser, monkeypatch, tmp_path):
    """With images that are made up, so that the test needs no MNIST."""
    import base64

    import numpy as np

    pixels = np.random.default_rng(0).integers(0, 256, (2000, 784), np.uint8)
    pixels[200:400, 300:420] = 255  # ones differ from zeros
    monkeypatch.setattr(
        "rosenblatt.lab.writing.digits_script",
        lambda: f'lab.digits("{base64.b64encode(pixels.tobytes()).decode()}", 200);',
    )
    export(tmp_path, mnist=True)
    page = browser.new_page()
    page.goto((tmp_path / "index.html").as_uri() + "?still")
    page.click("[data-set=mnist]")
    page.wait_for_function("lab.app.data.n === 400 && lab.app.runs.length")
    page.select_option("[data-option=view]", "all 784 pixels")
    page.wait_for_function("lab.app.data.d === 784 && lab.app.runs[0]?.stop === 'converged'")
    X, y = pixels[:400] / 255, np.repeat([0, 1], 200)
    order = np.arange(400).reshape(2, 200).T.ravel()  # 0, 1, 0, 1, …
    weights = page.evaluate("Array.from(lab.app.runs[0].path.at(lab.app.last))")
    from rosenblatt import Perceptron

    model = Perceptron(answer="last", tol=None, shuffle=False, max_iter=100).fit(X[order], y[order])
    assert np.allclose(weights, [*model.coef_[0], model.intercept_[0]])
    assert page.locator(".weight-plane image").count() == 1
    page.close()


def test_a_notebook_cell_holds_the_whole_page(browser):
    assert "rosenblatt lab" in repr(show())
    with pytest.raises(ValueError, match="height must be a whole number"):
        show(height="tall")
    page = browser.new_context(offline=True).new_page()
    page.set_content(show(height=700, link="http://localhost/#s=broken")._repr_html_())
    frame = page.frame_locator("iframe")
    frame.locator("body[data-ready=yes]").wait_for()
    assert "damaged" in frame.locator("#toast").inner_text()
    frame.locator("[data-set=xor]").click()
    assert "never stops" in frame.locator("#proof-title").inner_text()
    page.close()
