"""Speed and memory beside peers, on the same work in the same run: `make bench`."""
