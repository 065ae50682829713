"""Where rows come from: toy sets whose margin is known, IDX and LIBSVM files, and the field's real sets.

Nothing here imports scikit-learn or scipy before a function that needs them is called.
"""

from .bundled import breast_cancer, digits, iris, wine
from .catalogue import FILES, KnownFile
from .fetch import cache_folder, checksum, download, locate
from .formats import FORMATS
from .idx import read_idx
from .libsvm import read_libsvm
from .matrix import Matrix
from .opening import open_source
from .reading import ReadOptions
from .sets import Split, a9a, mnist, mnist_pair, mushrooms, pedestrians, reuters
from .shapes import and_, circles, or_, spirals, xor
from .source import Source
from .text import newsgroups, newsgroups_tfidf
from .toy import ToySet, blobs, overlapping_blobs, two_points
from .toy_sparse import sparse_separable

__all__ = [
    "FILES",
    "FORMATS",
    "KnownFile",
    "Matrix",
    "ReadOptions",
    "Source",
    "Split",
    "ToySet",
    "a9a",
    "and_",
    "blobs",
    "breast_cancer",
    "cache_folder",
    "checksum",
    "circles",
    "digits",
    "download",
    "iris",
    "locate",
    "mnist",
    "mnist_pair",
    "mushrooms",
    "newsgroups",
    "newsgroups_tfidf",
    "open_source",
    "or_",
    "overlapping_blobs",
    "pedestrians",
    "read_idx",
    "read_libsvm",
    "reuters",
    "sparse_separable",
    "spirals",
    "two_points",
    "wine",
    "xor",
]
