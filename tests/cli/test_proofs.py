"""Proofs on the screen."""

import numpy as np

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
