"""Spreadsheets: the first sheet is a table like others."""

import zipfile

import pytest

from rosenblatt.sources import open_source

pytest.importorskip("fastexcel", reason="the extra excel is not installed")
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
KINDS = "http://schemas.openxmlformats.org/package/2006/content-types"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PARTS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def write_xlsx(path, rows):
    """The smallest workbook that holds these rows."""
    cells = "".join(
        "<row>" + "".join(
            f"<c><v>{cell}</v></c>" if isinstance(cell, int | float) else f'<c t="inlineStr"><is><t>{cell}</t></is></c>'
            for cell in row
        ) + "</row>"
        for row in rows
    )  # fmt: skip
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{KINDS}"><Default Extension="rels" ContentType="application/vnd.'
        f'openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="{OFFICE}.sheet.'
        f'main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="{OFFICE}.worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{PARTS}"><Relationship Id="r1" Type="{LINKS}/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{SHEET}" xmlns:r="{LINKS}"><sheets><sheet name="one" sheetId="1" '
        'r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PARTS}"><Relationship Id="r1" Type="{LINKS}/worksheet" '
        'Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{SHEET}"><sheetData>{cells}</sheetData></worksheet>',
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return path


def test_a_sheet_is_a_table(tmp_path):
    path = write_xlsx(tmp_path / "t.xlsx", [["age", "kind"], [1.5, "a"], [2.5, "b"]])
    (tmp_path / "without-ending").write_bytes(path.read_bytes())
    for name in (path, tmp_path / "without-ending"):
        source = open_source(name)
        assert source.format == "excel" and source.kind == "frame"
        assert source.read().rows() == [(1.5, "a"), (2.5, "b")] and source.columns == ("age", "kind")
    assert [batch.height for batch in source.batches(1)] == [1, 1]


def test_a_damaged_sheet_is_refused(tmp_path):
    path = write_xlsx(tmp_path / "t.xlsx", [["age", "kind"], [1.5, "a"]])
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(ValueError, match=r"t\.xlsx cannot be read as a spreadsheet"):
        open_source(path).read()
