"""Tunes one network from Maia 1500 that imitates players of every rating from 1100 to 1900: the rating is a plane of its input.

    uv sync --project crates/python --locked --no-install-project --group train
    crates/python/.venv/bin/python research/train_policy.py maia-1500.pb.gz POSITIONS… --output FOLDER

The teacher is the mixture of the Maias 1100, 1500 and 1900 that `crates/policy/src/mixed.rs` computes; their answers stand in the
positions, which `crates/tools/src/bin/make_positions.rs` writes. Plane 110 of Lc0's classical input is always 0. Here it holds
(rating - 1500) / 400, so Lc0 plays the network as 1500. The value head is smaller than Maia's and starts anew.

The folder receives three files at each report: `tuned.pb.gz`, with weights rounded as `pack_policy.py` rounds them,
`unrounded.pb.gz`, with the same weights before that, and `tuned.json`: settings, hashes and figures. The figures are those of the
mean weights, rounded, on the positions of one game in 50, which are kept back. `make bench-policy-quality ONE=FOLDER` measures
the network on moves of people.

`--smoke` trains 200 steps on little, and exits with 1 if the loss does not fall.
"""

import argparse
import functools
import gzip
import hashlib
import json
import os
import pathlib
import sys
import time

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")

import jax
import jax.numpy as jnp
import numpy as np
import zopfli.gzip
from jax import lax

import pack_policy as pb

PLANE, CENTRE, SCALE, FROM, TO = 110, 1500, 400, 1100, 1900
NET_CONDITIONING = 900
RATINGS = jnp.array([1100.0, 1500.0, 1900.0])
SHARE = 0.1
VALUE_CHANNELS, VALUE_WIDTH, VALUE_WEIGHT = 8, 64, 0.3
RATE, DECAY, WARM_UP, MEAN = 2.5e-4, 0.01, 100, 0.999
# Positions that go through the network together: as many as the processor's cache holds.
CHUNK = 32
# Weights are rounded to 2·110 + 1 values: with Maia's 2·127 + 1 the file is a little larger than 0.6 MB.
STEPS = 110
HELD_OUT = 50
MOVES = 96
RECORD = np.dtype(
    [
        ("boards", "u1", (104, 8)),
        ("flags", "u1"),
        ("clock", "u1"),
        ("made_up", "u1"),
        ("count", "u1"),
        ("game", "<u4"),
        ("wdl", "<f4", (3, 3)),
        ("moves", "<u2", MOVES),
        ("probabilities", "<u2", (MOVES, 3)),
    ]
)
LICENSE = (
    "GPL-3.0. Derived from maia-1500 of the Maia project, Computational Social Science Lab, University of Toronto "
    "(https://github.com/CSSLab/maia-chess); R. McIlroy-Young, S. Sen, J. Kleinberg, A. Anderson: Aligning Superhuman AI with "
    "Human Behavior: Chess as a Model System, KDD 2020. Changed for Centipawn in November 2026: tuned on the answers of Maia 1100, "
    "1500 and 1900, with the rating as a plane of the input and a smaller value head, by research/train_policy.py."
)


def outputs_of_moves():
    """For each move, from + 64·to + 4096·promotion, its output: 73·from + plane, as `Step::plane` in `index.rs` numbers planes."""
    rays = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]
    jumps = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]
    planes = {(x * n, y * n): 7 * ray + n - 1 for ray, (x, y) in enumerate(rays) for n in range(1, 8)}
    planes |= {jump: 56 + index for index, jump in enumerate(jumps)}
    table = np.zeros(4 * 4096, np.int32)
    for start in range(64):
        for end in range(64):
            files, ranks = end % 8 - start % 8, end // 8 - start // 8
            table[start + 64 * end] = 73 * start + planes.get((files, ranks), 0)
            if ranks == 1 and abs(files) < 2:
                # Bishop, rook and queen; a knight's promotion is the plain move.
                for promotion, role in ((1, 1), (2, 0), (3, 2)):
                    table[start + 64 * end + 4096 * promotion] = 73 * start + 64 + 3 * (files + 1) + role
    return jnp.array(table)


OUTPUTS = outputs_of_moves()


def folded(data, side):
    """Weights [side, side, inputs, outputs] and biases of a convolution, its batch normalisation included."""
    block = pb.parse(data)
    weights = pb.numbers(pb.get(block, pb.WEIGHTS))
    optional = lambda number: pb.numbers(pb.get(block, number)) if pb.get(block, number) else None
    variances, biases = optional(pb.VARIANCES), optional(pb.BIASES)
    outputs = (variances if variances is not None else biases).size
    weights, biases = weights.reshape(outputs, -1), np.zeros(outputs) if biases is None else biases
    if variances is not None:
        scale = optional(pb.GAMMAS) / np.sqrt(variances + pb.EPSILON)
        weights, biases = weights * scale[:, None], optional(pb.BETAS) + scale * (biases - optional(pb.MEANS))
    weights = weights.reshape(outputs, -1, side, side).transpose(2, 3, 1, 0)
    return {"w": jnp.array(weights, jnp.float32), "b": jnp.array(biases, jnp.float32)}


def unfolded(layer):
    """The same convolution as a message of the format."""
    weights = np.asarray(layer["w"], np.float64).transpose(3, 2, 0, 1)
    return pb.serialise([[pb.WEIGHTS, 2, pb.fine(weights.ravel())], [pb.BIASES, 2, pb.fine(np.asarray(layer["b"], np.float64))]])


def dense(weights, biases):
    weights, biases = pb.numbers(weights), pb.numbers(biases)
    return {"w": jnp.array(weights.reshape(biases.size, -1).T, jnp.float32), "b": jnp.array(biases, jnp.float32)}


def undense(layer):
    return [pb.fine(np.asarray(numbers, np.float64).ravel()) for numbers in (layer["w"].T, layer["b"])]


def load(net, random):
    """The weights of a Maia, with a new value head."""
    weights = pb.parse(pb.get(net, pb.NET_WEIGHTS))
    blocks = []
    for block in (pb.parse(value) for number, _, value in weights if number == pb.RESIDUAL):
        se = pb.parse(pb.get(block, 3))
        convolutions = {f"conv{number}": folded(pb.get(block, number), 3) for number in (pb.CONV1, pb.CONV2)}
        blocks.append(convolutions | {f"se{n + 1}": dense(pb.get(se, 2 * n + 1), pb.get(se, 2 * n + 2)) for n in (0, 1)})
    policy = folded(pb.get(weights, pb.POLICY), 3)
    new = lambda *shape: jnp.array(random.normal(0.0, np.sqrt(2.0 / np.prod(shape[:-1])), shape), jnp.float32)
    return {
        "input": folded(pb.get(weights, pb.INPUT), 3),
        "blocks": blocks,
        "policy1": folded(pb.get(weights, pb.POLICY1), 3),
        "policy": {"w": policy["w"][..., : pb.MOVE_PLANES], "b": policy["b"][: pb.MOVE_PLANES]},
        "value": {"w": new(1, 1, policy["w"].shape[2], VALUE_CHANNELS), "b": jnp.zeros(VALUE_CHANNELS)},
        "value1": {"w": new(64 * VALUE_CHANNELS, VALUE_WIDTH), "b": jnp.zeros(VALUE_WIDTH)},
        "value2": {"w": new(VALUE_WIDTH, 3) * 0.1, "b": jnp.zeros(3)},
    }


def save(net, parameters):
    """The fields of a network: those of `net` with these weights."""
    weights = pb.parse(pb.get(net, pb.NET_WEIGHTS))
    # Lc0 expects all 80 planes of the policy.
    missing = 80 - pb.MOVE_PLANES
    policy = {"w": jnp.pad(parameters["policy"]["w"], ((0, 0),) * 3 + ((0, missing),))}
    policy["b"] = jnp.pad(parameters["policy"]["b"], (0, missing))
    for number, layer in ((pb.INPUT, parameters["input"]), (pb.POLICY1, parameters["policy1"]), (pb.POLICY, policy)):
        pb.put(weights, number, unfolded(layer))
    pb.put(weights, pb.VALUE, unfolded(parameters["value"]))
    for first, name in ((pb.IP1_VALUE, "value1"), (pb.IP2_VALUE, "value2")):
        for offset, numbers in enumerate(undense(parameters[name])):
            pb.put(weights, first + offset, numbers)
    residual = (field for field in weights if field[0] == pb.RESIDUAL)
    for field, block in zip(residual, parameters["blocks"]):
        se = [[number, 2, layer] for number, layer in enumerate(undense(block["se1"]) + undense(block["se2"]), 1)]
        parts = [unfolded(block["conv1"]), unfolded(block["conv2"]), pb.serialise(se)]
        field[2] = pb.serialise([[number, 2, part] for number, part in enumerate(parts, 1)])
    conditioning = enumerate((PLANE, CENTRE, SCALE, FROM, TO), 1)
    fields = [list(field) for field in net]
    pb.put(fields, pb.NET_LICENSE, LICENSE.encode())
    pb.put(fields, NET_CONDITIONING, pb.serialise([[number, 0, value] for number, value in conditioning]))
    pb.put(fields, pb.NET_WEIGHTS, pb.serialise(weights))
    return fields


def convolve(x, layer):
    same = lax.conv_general_dilated(x, layer["w"], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return same + layer["b"]


def planes(batch, ratings):
    """The input [positions, ranks, files, 112]."""
    bits = lambda numbers, count: (numbers[..., None] >> jnp.arange(count, dtype=jnp.uint8)) & 1
    boards = bits(batch["boards"], 8).transpose(0, 2, 3, 1).astype(jnp.float32)
    clock = batch["clock"].astype(jnp.float32)[:, None]
    rating = ((ratings - CENTRE) / SCALE)[:, None]
    rest = jnp.concatenate([bits(batch["flags"], 5).astype(jnp.float32), clock, rating, jnp.ones_like(clock)], 1)
    return jnp.concatenate([boards, jnp.broadcast_to(rest[:, None, None], boards.shape[:3] + (8,))], 3)


def network(parameters, batch, ratings):
    """Logits of the moves of each record, and of win, draw and loss."""
    x = jax.nn.relu(convolve(planes(batch, ratings), parameters["input"]))
    for block in parameters["blocks"]:
        y = convolve(jax.nn.relu(convolve(x, block["conv1"])), block["conv2"])
        gains = jax.nn.relu(y.mean((1, 2)) @ block["se1"]["w"] + block["se1"]["b"]) @ block["se2"]["w"] + block["se2"]["b"]
        scale, shift = jnp.split(gains[:, None, None], 2, 3)
        x = jax.nn.relu(jax.nn.sigmoid(scale) * y + shift + x)
    logits = convolve(jax.nn.relu(convolve(x, parameters["policy1"])), parameters["policy"]).reshape(len(x), -1)
    logits = jnp.take_along_axis(logits, OUTPUTS[batch["moves"]], 1)
    is_move = jnp.arange(MOVES) < batch["count"][:, None]
    # The dense layer takes the squares of one channel after those of another.
    value = jax.nn.relu(convolve(x, parameters["value"])).transpose(0, 3, 1, 2).reshape(len(x), -1)
    value = jax.nn.relu(value @ parameters["value1"]["w"] + parameters["value1"]["b"])
    return jnp.where(is_move, logits, -1e9), value @ parameters["value2"]["w"] + parameters["value2"]["b"]


def parts(ratings):
    """The part of each Maia in the mixture for each rating."""
    linear = jnp.maximum(0.0, 1.0 - jnp.abs(ratings[:, None] - RATINGS) / SCALE)
    return SHARE + (1.0 - 3.0 * SHARE) * linear


def figures(parameters, batch, ratings, teacher=None):
    """Of each position: divergence from the teacher, cross-entropy of the value, total variation. The teacher is the mixture, or
    one of the three Maias."""
    mixture = parts(ratings) if teacher is None else jnp.eye(3)[teacher] * jnp.ones((len(ratings), 1))
    wanted = jnp.einsum("nmt,nt->nm", batch["probabilities"].astype(jnp.float32), mixture)
    wanted /= wanted.sum(1, keepdims=True)
    logits, value = network(parameters, batch, ratings)
    answer = jax.nn.log_softmax(logits)
    divergence = jnp.sum(wanted * (jnp.log(jnp.maximum(wanted, 1e-9)) - answer), 1)
    wdl = jnp.einsum("ntw,nt->nw", batch["wdl"], mixture)
    variation = 0.5 * jnp.abs(wanted - jnp.exp(answer)).sum(1)
    return divergence, -jnp.sum(wdl * jax.nn.log_softmax(value), 1), variation


def rounded(parameters):
    """The weights as `pack_policy.py` will round them; gradients pass as if they were not."""

    def coarse(w, steps):
        largest = jnp.maximum(jnp.abs(w).max(tuple(range(w.ndim - 1)), keepdims=True), 1e-12)
        return w + lax.stop_gradient(jnp.round(w / largest * steps) * largest / steps - w)

    def layer(path, w):
        names = [str(getattr(part, "key", "")) for part in path]
        if names[-1] != "w" or names[-2] in ("se1", "se2", "value2"):
            return w
        return coarse(w, pb.VALUE_STEPS if names[-2] == "value1" else STEPS)

    return jax.tree_util.tree_map_with_path(layer, parameters)


@functools.partial(jax.jit, static_argnames="is_rounded", donate_argnums=1)
def add_gradient(parameters, sums, batch, ratings, is_rounded):
    """Adds the gradient of the loss of a chunk, and its two losses."""

    def loss(parameters):
        divergence, value, _ = figures(rounded(parameters) if is_rounded else parameters, batch, ratings)
        return divergence.mean() + VALUE_WEIGHT * value.mean(), (divergence.mean(), value.mean())

    return jax.tree.map(jnp.add, sums, jax.grad(loss, has_aux=True)(parameters))


@functools.partial(jax.jit, donate_argnums=0)
def update(state, gradient, rate):
    """One step of AdamW."""
    parameters, mean, first, second, count = state
    count += 1
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradient)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradient)
    change = lambda p, m, v: rate * (
        m / (1 - 0.9**count) / (jnp.sqrt(v / (1 - 0.999**count)) + 1e-8) + DECAY * (p.ndim > 1) * p
    )
    parameters = jax.tree.map(lambda p, m, v: p - change(p, m, v), parameters, first, second)
    # The mean reaches as far back as there are steps, and at most some 1,000.
    keep = jnp.minimum(MEAN, (1.0 + count) / (10.0 + count))
    mean = jax.tree.map(lambda m, p: keep * m + (1 - keep) * p, mean, parameters)
    return parameters, mean, first, second, count


def step(state, records, ratings, rate, is_rounded):
    """One step for these positions, chunk by chunk: XLA is slow at convolutions inside its loops."""
    sums = jax.tree.map(jnp.zeros_like, (state[0], (jnp.zeros(()), jnp.zeros(()))))
    size = min(CHUNK, len(records))
    chunks = range(0, len(records), size)
    for at in chunks:
        sums = add_gradient(state[0], sums, fields_of(records[at : at + size]), ratings[at : at + size], is_rounded)
    gradient, losses = jax.tree.map(lambda sum: sum / len(chunks), sums)
    return update(state, gradient, rate), losses


def fields_of(records):
    return {name: np.ascontiguousarray(records[name]) for name in RECORD.names}


compute = jax.jit(figures, static_argnames="teacher")


def measure(parameters, records, ratings, teacher=None):
    """Means over positions: divergence, cross-entropy of the value, total variation."""
    sums = np.zeros(3)
    for at in range(0, len(records) - len(records) % CHUNK, CHUNK):
        answers = compute(parameters, fields_of(records[at : at + CHUNK]), ratings[at : at + CHUNK], teacher=teacher)
        sums += [float(answer.mean()) for answer in answers]
    return (sums / max(1, len(records) // CHUNK)).tolist()


def train(arguments, net, records, kept, random, publish):
    """Trains, and publishes the mean weights with the figures so far at each report. Returns all figures."""
    parameters = load(net, random)
    zeros = jax.tree.map(jnp.zeros_like, parameters)
    state = (parameters, jax.tree.map(jnp.copy, parameters), zeros, jax.tree.map(jnp.copy, zeros), jnp.zeros(()))
    ratings = jnp.array(random.uniform(FROM, TO, len(kept)), jnp.float32)
    own = measure(parameters, kept, jnp.full(len(kept), float(CENTRE)), teacher=1)[0]
    print(f"divergence of the start from Maia 1500: {own:.5f}", flush=True)
    if own > 0.01:
        sys.exit("The initial network does not give the answers of Maia 1500 that the positions contain.")
    log, begin, sums = [], time.monotonic(), []

    def report(count, mean):
        divergence, value, variation = measure(jax.jit(rounded)(mean), kept, ratings)
        log.append({"seen": count * arguments.batch, "kl": divergence, "value": value, "tv": variation})
        recent = "; training: KL {:.4f}, value {:.4f}".format(*np.mean(sums, 0)) if sums else ""
        print(
            f"{time.monotonic() - begin:.0f} s, {count * arguments.batch} seen: KL {divergence:.4f}, value {value:.4f}, "
            f"TV {variation:.4f}{recent}",
            flush=True,
        )
        sums.clear()
        publish(mean, log)

    report(0, state[1])
    order, steps = np.empty(0, int), max(1, arguments.seen // arguments.batch)
    for count in range(steps):
        done = count / steps
        if arguments.minutes:
            done = max(done, (time.monotonic() - begin) / 60 / arguments.minutes)
        if done >= 1:
            break
        if len(order) < arguments.batch:
            order = np.concatenate([order, random.permutation(len(records))])
        chosen, order = order[: arguments.batch], order[arguments.batch :]
        rate = RATE * min(1.0, (count + 1) / WARM_UP) * 0.5 * (1 + np.cos(np.pi * done))
        asked = random.uniform(FROM, TO, arguments.batch).astype(np.float32)
        state, losses = step(state, records[np.sort(chosen)], asked, np.float32(rate), is_rounded=bool(done >= 2 / 3))
        sums.append([float(loss) for loss in losses])
        if (count + 1) % arguments.report == 0:
            report(count + 1, state[1])
    if sums:
        report(int(state[4]), state[1])
    return log


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("network", type=pathlib.Path, metavar="MAIA_1500.pb.gz")
    parser.add_argument("positions", nargs="+", type=pathlib.Path, metavar="POSITIONS", help="files of make_positions")
    parser.add_argument("--output", type=pathlib.Path, metavar="FOLDER", help="where the network goes")
    parser.add_argument("--seen", type=int, default=10_000_000, help="positions to learn from, repetitions included")
    parser.add_argument("--minutes", type=float, help="finish after this many minutes, regardless of positions seen")
    parser.add_argument("--batch", type=int, default=256, help="positions in a step")
    parser.add_argument("--report", type=int, default=250, metavar="STEPS", help="steps from one report to the next")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--smoke", action="store_true", help="200 small steps; the loss must fall")
    arguments = parser.parse_args()
    if arguments.smoke:
        arguments.batch, arguments.seen, arguments.report = 16, 200 * 16, 100
    net, random = pb.parse(gzip.decompress(arguments.network.read_bytes())), np.random.default_rng(arguments.seed)
    records = np.concatenate([np.memmap(path, RECORD, "r") for path in arguments.positions])
    is_kept = records["game"] % HELD_OUT == 0
    # The smoke test is about what is learnt at all.
    kept = records[:512] if arguments.smoke else records[is_kept]
    print(f"{len(records)} positions, {is_kept.sum()} of them kept back", flush=True)
    hash_of = lambda path: hashlib.sha256(path.read_bytes()).hexdigest()
    provenance = {
        "network": hash_of(arguments.network),
        "positions": [hash_of(path) for path in arguments.positions],
        "settings": {name: value for name, value in vars(arguments).items() if isinstance(value, (int, float))},
        "versions": {"jax": jax.__version__, "numpy": np.__version__},
    }

    def publish(mean, log):
        if not arguments.output:
            return
        arguments.output.mkdir(parents=True, exist_ok=True)
        unpacked = save(net, mean)
        (arguments.output / "unrounded.pb.gz").write_bytes(gzip.compress(pb.serialise(unpacked), 9, mtime=0))
        packed = zopfli.gzip.compress(pb.pack(unpacked, LICENSE, STEPS))
        (arguments.output / "tuned.pb.gz").write_bytes(packed)
        record = {"sha256": hashlib.sha256(packed).hexdigest(), "bytes": len(packed)} | provenance | {"log": log}
        (arguments.output / "tuned.json").write_text(json.dumps(record, indent=1) + "\n")

    log = train(arguments, net, records if arguments.smoke else records[~is_kept], kept, random, publish)
    if arguments.smoke and not all(log[-1][name] < log[0][name] for name in ("kl", "value")):
        sys.exit("The loss did not fall.")


if __name__ == "__main__":
    main()
