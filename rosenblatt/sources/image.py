"""Object code as a single piece that runs wherever in memory it stands.

For ELF files of x86-64, and code whose parts refer to one another by their distance alone. What is written to, or
needs anything else, has no image, and is left to LLVM.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import NamedTuple

MAGIC = b"\x7fELF\x02\x01\x01"  # 64 bits, little endian
X86_64 = 62
PROGRAM, SYMBOLS, PLACES = 1, 2, 4  # kinds of sections: content, symbols, places that must be filled in
WRITABLE, IN_MEMORY = 1, 2  # flags of sections
DISTANCE, CALL = 2, 4  # kinds of places: 32 bits of distance to a symbol
UNWINDING = ".eh_frame"  # for debuggers and exceptions


@dataclass(frozen=True)
class Image:
    """The code, and where in it the function begins."""

    code: bytes
    entry: int


class _Section(NamedTuple):
    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_size: int


class _Symbol(NamedTuple):
    name: int
    info: int
    other: int
    section: int
    value: int
    size: int


def image_of(code: bytes, name: str) -> Image | None:
    """The image of a function in an ELF object file; None where it has none."""
    if code[:7] != MAGIC or struct.unpack_from("<H", code, 18)[0] != X86_64:
        return None
    (table,) = struct.unpack_from("<Q", code, 0x28)
    entry_size, count, names = struct.unpack_from("<HHH", code, 0x3A)
    sections = [_Section(*struct.unpack_from("<IIQQQQIIQQ", code, table + n * entry_size)) for n in range(count)]
    titles = sections[names].offset
    starts, image = _laid_out(code, sections, titles)
    (symbol_table,) = (section for section in sections if section.kind == SYMBOLS)
    symbols = [
        _Symbol(*struct.unpack_from("<IBBHQQ", code, at))
        for at in range(symbol_table.offset, symbol_table.offset + symbol_table.size, symbol_table.entry_size)
    ]
    for section in sections:
        if section.kind == PLACES and section.info in starts:
            for at in range(section.offset, section.offset + section.size, section.entry_size):
                if not _filled_in(image, starts, symbols, section.info, *struct.unpack_from("<QQq", code, at)):
                    return None
    words = sections[symbol_table.link].offset
    for symbol in symbols:
        if symbol.section in starts and _word(code, words + symbol.name) == name:
            return Image(bytes(image), starts[symbol.section] + symbol.value)
    return None


def _laid_out(code: bytes, sections: list[_Section], titles: int) -> tuple[dict[int, int], bytearray]:
    """Where each part of the code begins, and all of them one behind the other. What may be written to is left out."""
    starts, image = {}, bytearray()
    for number, section in enumerate(sections):
        constant = section.kind == PROGRAM and section.flags & (IN_MEMORY | WRITABLE) == IN_MEMORY
        if constant and _word(code, titles + section.name) != UNWINDING:
            image += bytes(-len(image) % max(1, section.alignment))
            starts[number] = len(image)
            image += code[section.offset : section.offset + section.size]
    return starts, image


def _filled_in(
    image: bytearray, starts: dict[int, int], symbols: list[_Symbol], section: int, at: int, info: int, addend: int
) -> bool:
    """Write the distance from a place to its symbol; False where it asks for something else."""
    symbol = symbols[info >> 32]
    if info & 0xFFFFFFFF not in (DISTANCE, CALL) or symbol.section not in starts:
        return False
    place = starts[section] + at
    struct.pack_into("<i", image, place, starts[symbol.section] + symbol.value + addend - place)
    return True


def _word(code: bytes, at: int) -> str:
    return code[at : code.index(b"\0", at)].decode()
