"""The memory layouts by name: one module each, all with the functions of `contract.Layout`."""

from rosenblatt.engine.layouts import csr, dense
from rosenblatt.engine.layouts.contract import Layout as Layout

LAYOUTS: dict[str, Layout] = {layout.LAYOUT: layout for layout in (dense, csr)}
