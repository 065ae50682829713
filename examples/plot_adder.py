"""
An adder and a counter
======================

A full adder is two units: the carry is a majority, and the sum is a + b + c - 2 carry >= 0.5. Four of them add two
numbers of four bits.
"""

import matplotlib.pyplot as plt

from rosenblatt.logic.circuits import adder, counter
from rosenblatt.plots import MachineDisplay, NetworkDisplay

four_bits = adder(4)
NetworkDisplay.from_network(four_bits)
plt.show()


# %%
# It adds: 11 + 6.

digits = four_bits([1, 0, 1, 1, 0, 1, 1, 0])
print("1011 + 0110 =", "".join(map(str, digits)), "=", int("".join(map(str, digits)), 2))

# %%
# McCulloch and Pitts's "nets with circles": a counter of eight states remembers its digits by a delay.

three_bits = counter(3)
MachineDisplay.from_machine(three_bits)
plt.show()

for digits in three_bits.run([1] * 9):
    print("".join(map(str, digits)), end=" ")
