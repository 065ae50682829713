"""The files we know by name.

A file is named by its path inside the data folder without the ending of its compression, such as
`mnist/train-images-idx3-ubyte` or `libsvm/a9a`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class KnownFile:
    """A file we know: its name, the checksum of its content, and its public home if it has one.

    Attributes
    ----------
    name : str
        Its path in the data folder, without the ending of its compression.
    sha256 : str
        Of the decompressed content; for LIBSVM text of the canonical lines (see `checksum`).
    url : str or None
        Where it can be downloaded.
    libsvm : bool
        Whether it is LIBSVM text.
    ending : str
        The ending it is expected with in the data folder.

    Examples
    --------
    >>> FILES["libsvm/a9a"].sha256[:8]
    '76b604b2'
    """

    name: str
    sha256: str
    url: str | None = None
    libsvm: bool = False
    ending: str = ".xz"


#: The checksum of every file.
_CHECKSUMS = {
    "mnist/train-images-idx3-ubyte": "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
    "mnist/train-labels-idx1-ubyte": "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
    "mnist/t10k-images-idx3-ubyte": "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
    "mnist/t10k-labels-idx1-ubyte": "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
    "libsvm/a9a": "76b604b2c3f738783537bd3b32893eae66af54b8a41aee534fac1ecea45c1535",
    "libsvm/a9a.t": "0c3135eb9b9d83a4fa007d6e1a3b719f029db78884dafd5a46a4d7eeb4c2b018",
    "libsvm/mushrooms-agaricus.train": "61c714923f4ce313f422296d906e7916f5c6e0f067755446e54f63d4386b6337",
    "libsvm/mushrooms-agaricus.test": "fdb369fa89f6023078cc8214320f434788d4f1d7e4eb57c6b0241a8ee304be78",
    "libsvm/reuters-lasvm": "40b52736343ac96a3132b9c828a5134ca8c032e2243e661338681529555dfa5d",
    "libsvm/reuters-lasvm.t": "06bdba88fb18c65bfd6345c3bc31416b97fd3456ede9dc2b46f2e154dd1aeacd",
    "20newsgroups/20news-bydate.tar": "fcb54592bedeffcb683b5288683d197ae1b56aeb558320495c11d2cc344129b7",
    "sms-spam/SMSSpamCollection": "7d039a24a6083ed9ef0f806ebad56bbb976e3aeb8de05669173bfdc4996c239d",
    "inria-person/train-images-idx3-ubyte": "ea04429ba297dabab15e24bd0826d6d330def252b24c107318dc6979c760000c",
    "inria-person/train-labels-idx1-ubyte": "b387e5f57499ccd7c181c7156c9589feb06dc3b7b13b691edded6802972edde8",
    "inria-person/test-images-idx3-ubyte": "45502327b16c368573692f87b0d3e8b4988ab33d59d49611ef8bd1edf15328cf",
    "inria-person/test-labels-idx1-ubyte": "63cccbc70e27dbec94b2383b5f908b618aaaf7e473499bf0525a3e3039b48423",
}
#: The public homes of those that have one.
_HOMES = {
    **{name: f"https://storage.googleapis.com/cvdf-datasets/{name}.gz" for name in _CHECKSUMS if "mnist/" in name},
    "libsvm/a9a": "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary/a9a",
    "libsvm/a9a.t": "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary/a9a.t",
}

#: Every file that `locate` knows, by name.
FILES = {
    name: KnownFile(
        name,
        sha256,
        _HOMES.get(name),
        libsvm=name.startswith("libsvm/"),
        ending=".gz" if name.startswith("mnist/") else ".xz",
    )
    for name, sha256 in _CHECKSUMS.items()
}
