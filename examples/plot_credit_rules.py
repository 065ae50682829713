"""
Credit rules as a network of units
==================================

Lecture P sets symbols (rules) against connections (units) with a credit example (row L25). Here the rules become units:
columns at the left are compared with numbers, conditions are made of comparisons, a rule fires if its condition holds
and none before it did, and rules decide. The decisions are those of the rules on every row.
"""

import matplotlib.pyplot as plt

from rosenblatt import explain, from_rules
from rosenblatt.plots import NetworkDisplay

network = from_rules(
    """
    if other_delinquent_accounts > 2 and delinquent_cycles > 1 then deny;
    if other_delinquent_accounts = 0 and (income > 30000 or years_of_credit > 3) then accept;
    otherwise refer
    """
)
NetworkDisplay.from_network(network)
plt.show()

# %%
# And back: which units fired for a customer whose income is exactly the threshold.

customer = {"other_delinquent_accounts": 0, "delinquent_cycles": 0, "income": 30000, "years_of_credit": 4}
print(explain(network, customer))
