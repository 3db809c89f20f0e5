"""Where work runs, and its units: what a worker finds, does and gives back.

A unit is a file and a range of its rows. Whoever works on it reads that range, is held to the hash
of what this process has read there, and returns pairs; they are put together in the order of the
rows. So results are the same bit for bit however many units there are, and whoever did them. What
only some engines need is imported by these alone, and not before they have something to do.
"""
