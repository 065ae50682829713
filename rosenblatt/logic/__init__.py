"""Threshold logic: units of whole-number weights, networks and machines of them, and rules turned into them."""
