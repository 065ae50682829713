"""rosenblatt datasets."""

import json

import polars
import pytest

from rosenblatt.cli.main import main
from rosenblatt.verbs import OutputError, export_dataset, list_datasets


def test_list_as_a_table_and_as_json(capsys):
    assert main(["datasets"]) == 0
    assert "breast-cancer" in capsys.readouterr().out
    assert main(["datasets", "list", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in found][:2] == ["iris", "wine"] and found[0]["rows"] == 150


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "arrow", "jsonl", "csv.gz"])
def test_export_writes_what_polars_reads(ending, tmp_path, capsys):
    path = tmp_path / f"wine.{ending}"
    assert main(["datasets", "export", "wine", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["target"] == "grower"
    read = {
        "csv": polars.read_csv, "gz": polars.read_csv, "tsv": lambda p: polars.read_csv(p, separator="\t"),
        "parquet": polars.read_parquet, "arrow": polars.read_ipc, "jsonl": polars.read_ndjson,
    }[ending.split(".")[-1]]  # fmt: skip
    frame = read(path)
    assert frame.shape == (178, 14) and frame.columns[-1] == "grower"


def test_files_with_labels_need_no_target(tmp_path, capsys):
    for ending, told in (("libsvm", "4 columns\n"), ("npz", "4 columns\n"), ("csv", "train with --target species\n")):
        assert main(["datasets", "export", "iris", str(tmp_path / f"iris.{ending}")]) == 0
        assert capsys.readouterr().out.endswith(told)


def test_the_parts_are_the_whole():
    sizes = {one["name"]: one["rows"] for one in list_datasets()}
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "digits.npz")
        parts = [export_dataset("digits", path, part=part).rows for part in ("train", "test")]
    assert sum(parts) == sizes["digits"]


@pytest.mark.slow
def test_every_set_on_this_machine_has_the_size_that_is_listed(tmp_path):
    from rosenblatt.verbs.known_sets import DATASETS, _rows

    for one in list_datasets():
        if one["where"] not in ("here", "bundled"):
            continue
        X, y = _rows(DATASETS[one["name"]].load(), "all")
        columns = 1 if isinstance(X, list) else int(X[:1].reshape(1, -1).shape[1])
        assert (len(y), columns, len(set(y.tolist()))) == (one["rows"], one["columns"], one["classes"]), one["name"]


def test_a_folder_that_does_not_exist_is_exit_code_4(tmp_path, capsys):
    with pytest.raises(OutputError):
        export_dataset("iris", str(tmp_path / "no" / "iris.csv"))
    assert main(["datasets", "export", "iris", str(tmp_path / "no" / "iris.csv")]) == 4
    assert capsys.readouterr().err.count("\n") == 1
