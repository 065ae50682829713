"""Proofs on the screen."""

import json

import numpy as np
import pytest

from rosenblatt.cli.main import main


def test_a_bound_of_hundreds_of_digits_is_told_shortly(tmp_path, capsys):
    lines = [f"{size},{label},{label}" for size, label in zip([1e140, 2e140, -1e140, -2e140], [0, 1] * 2, strict=True)]
    (tmp_path / "far.csv").write_text("far,near,label\n" + "\n".join(lines))
    assert main(["separable", str(tmp_path / "far.csv"), "-t", "label"]) == 0
    said = capsys.readouterr().out
    assert "at most 2.001e+281 mistakes" in said and "0.5 (the largest is at most 0.5)" in said
    labels = np.array([0, 1, 2] * 2)
    lines = [f"{1e140 * k},{label},{label}" for k, label in enumerate(labels)]
    (tmp_path / "three.csv").write_text("far,near,label\n" + "\n".join(lines))
    main(["separable", str(tmp_path / "three.csv"), "-t", "label"])
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 110


@pytest.fixture
def line(tmp_path):
    path = tmp_path / "line.csv"
    path.write_text("x,k\n1,a\n1.5,a\n2,b\n2.5,b\n3,c\n3.5,c\n")
    return path


def test_a_certificate_is_verified_for_its_own_question(shell, line):
    through, free = ["--no-intercept"], []
    for asked, file in ((free, "free.json"), (through, "through.json")):
        shell("separable", line, "-t", "k", *asked, "--certificate", file, code=1)
    told = shell.refused("separable", line, "-t", "k", "--verify", "through.json", code=2)
    assert "through the origin only" in told and told.endswith("add --no-intercept to verify it.")
    told = shell.refused("separable", line, "-t", "k", *through, "--verify", "free.json", code=2)
    assert "any hyperplane" in told and told.endswith("leave --no-intercept out to verify it.")
    shown = shell("separable", line, "-t", "k", *through, "--verify", "through.json", code=1)
    assert "6 questions about hyperplanes through the origin: 6 not separable (the certificate holds" in shown
    shown = shell("separable", line, "-t", "k", "--verify", "free.json", code=1)
    assert "6 questions: 5 separable, 1 not separable (the certificate holds" in shown
    for asked, file in ((free, "free.json"), (through, "through.json")):
        found = shell.json("separable", line, "-t", "k", *asked, "--verify", file, code=1)
        assert found["verified"] is True and found["intercept"] is (asked is free)


def test_through_the_origin_is_said_of_two_classes_too(shell, tmp_path):
    (tmp_path / "no.csv").write_text("x,k\n1,a\n2,b\n")
    shown = shell("separable", "no.csv", "-t", "k", "--no-intercept", "--certificate", "no.json", code=1)
    assert "Not separable by a hyperplane through the origin" in shown and "one class times -1, is 0" in shown
    told = shell.refused("separable", "no.csv", "-t", "k", "--verify", "no.json", code=2)
    assert "through the origin only" in told
    (tmp_path / "yes.csv").write_text("x,k\n-1,a\n2,b\n")
    shown = shell("separable", "yes.csv", "-t", "k", "--no-intercept")
    assert "Separable by a hyperplane through the origin" in shown and "without an intercept" in shown
    shown = shell("separable", "yes.csv", "-t", "k")
    assert "origin" not in shown and "without an intercept" not in shown


def test_a_mixed_table_is_not_verified(shell, line, tmp_path):
    for asked, file in (([], "free.json"), (["--no-intercept"], "through.json")):
        shell("separable", line, "-t", "k", *asked, "--certificate", file, code=1)
    free, through = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("free", "through"))
    (tmp_path / "mixed.json").write_text(json.dumps(free | {"pairs": through["pairs"]}))
    for asked in ([], ["--no-intercept"]):
        shown = " ".join(shell("separable", line, "-t", "k", *asked, "--verify", "mixed.json", code=1).split())
        assert "Not verified" in shown and "mixes the two" in shown
        assert shell.json("separable", line, "-t", "k", *asked, "--verify", "mixed.json", code=1)["verified"] is False


def test_what_is_undecided_is_not_called_checked(shell, line, tmp_path):
    shell("separable", line, "-t", "k", "--certificate", "table.json", code=1)
    content = json.loads((tmp_path / "table.json").read_text())
    nothing = {"verdict": "undecided", "reason": "time limit", "margin_upper": 0.1}
    parts = [{key: part[key] for key in ("classes", "fit_intercept", "shape", "digest")} for part in content["rest"]]
    content["rest"][1] = parts[1] | nothing
    (tmp_path / "part.json").write_text(json.dumps(content))
    shown = " ".join(shell("separable", line, "-t", "k", "--verify", "part.json", code=5).split())
    assert "5 separable, 1 undecided (5 proofs hold, checked in exact arithmetic; nothing is proven of the" in shown
    (tmp_path / "other.json").write_text(json.dumps(content | {"rest": [part | nothing for part in parts]}))
    assert "3 proofs hold" in shell("separable", line, "-t", "k", "--verify", "other.json", code=5)
    content["rest"][1] |= {"digest": "", "shape": [1, 1]}
    (tmp_path / "part.json").write_text(json.dumps(content))
    assert "Not verified" in shell("separable", line, "-t", "k", "--verify", "part.json", code=1)

    (tmp_path / "two.csv").write_text("x,k\n1,a\n2,b\n")
    head = {key: content[key] for key in ("format", "protocol")}
    forged = head | nothing | {"classes": ["a", "z"], "fit_intercept": True, "shape": [1, 1], "digest": ""}
    (tmp_path / "forged.json").write_text(json.dumps(forged))
    shown = shell("separable", "two.csv", "-t", "k", "--verify", "forged.json", code=1)
    assert "Not verified" in shown and "holds" not in shown and "at most" not in shown


def test_any_hyperplane_has_a_margin_and_no_bound_on_the_widest(shell, tmp_path):
    (tmp_path / "two.csv").write_text("x,y,k\n" + "".join(f"{n % 2 * 4 + n / 10},{n % 3},{n % 2}\n" for n in range(12)))
    shown = shell("separable", "two.csv", "-t", "k", "--tolerance", 1)
    assert "inf" not in shown and " 0 rows" not in shown and "Margin" in shown


@pytest.mark.parametrize(("option", "value"), [("--tolerance", 1), ("--time-limit", 1), ("--certificate", "o.json")])
def test_what_is_about_the_search_for_a_proof_is_refused_beside_verify(shell, line, option, value):
    shell("separable", line, "-t", "k", "--certificate", "proof.json", code=1)
    told = shell.refused("separable", line, "-t", "k", option, value, "--verify", "proof.json", code=2)
    assert told == f"{option} is about the search for a proof, and --verify checks one; leave one out."


def test_a_refined_certificate_is_verified(shell, tmp_path):
    from rosenblatt import separability

    (tmp_path / "touching.csv").write_text("x,k\n0,a\n1,a\n1,b\n2,b\n")
    separability([[0.0], [1.0], [1.0], [2.0]], ["a", "a", "b", "b"]).refine().save("touching.json")
    shown = shell("separable", "touching.csv", "-t", "k", "--verify", "touching.json", code=1)
    assert "Quasi-complete (the certificate holds" in shown and "b against a" in shown and "Reason" not in shown


def test_undecided_questions_are_not_written(shell, tmp_path):
    shell("datasets", "export", "digits", "digits.npz")
    asked = ("separable", "digits.npz", "--time-limit", 1e-6, "--certificate", "none.json")
    assert "every question is undecided" in shell.refused(*asked, code=3)
    assert not (tmp_path / "none.json").exists()


def test_the_fewest_errors_of_any_hyperplane(shell, tmp_path):
    (tmp_path / "xor.csv").write_text("a,b,k\n0,0,n\n0,1,y\n1,0,y\n1,1,n\n")
    shown = shell("separable", "xor.csv", "-t", "k", "--fewest-errors", "--certificate", "f.json", code=1)
    assert "no linear model can make fewer than 1 error on these 4 rows" in " ".join(shown.split())
    assert "holds" in shell("separable", "xor.csv", "-t", "k", "--verify", "f.json", code=1)
