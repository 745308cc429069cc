"""Policy networks: they predict which moves humans play.

>>> from centipawn import policy
>>> network = policy.Network()
>>> network.levels
(600, 2200)
>>> likeliest = network.probabilities("startpos", rating=1500)
>>> next(iter(likeliest)), round(sum(likeliest.values()), 6)
('e2e4', 1.0)
>>> table = network.evaluate_many(["startpos", "startpos moves e2e4"], top=1)
>>> table["row"].tolist()
[0, 1]
"""

from ._centipawn import Network

__all__ = ["Network"]
