"""Re-packs Maia networks with coarser numbers, so that several of them fit into the program.

    crates/python/.venv/bin/python research/pack_policy.py maia-1100.pb.gz maia-1500.pb.gz maia-1900.pb.gz maia-2200.pb.gz --output crates/policy/networks

The result stays in Lc0's own format (LINEAR16), which Lc0 and this project read without further ado. Each output channel of a
convolution is divided by its largest weight, which goes into the channel's batch normalisation; what remains is rounded to
2·127 + 1 values with 0 among them. Only the high byte of each number then varies, and gzip leaves less than a byte of it. A
dense layer that ends in ReLU is treated alike: the next layer takes its scale. Biases and small layers stay as they are.

Needs numpy.
"""

import argparse
import gzip
import pathlib
import struct

import numpy as np

STEPS = 127
# The value head is a third of a Maia's numbers, and no move depends on it.
VALUE_STEPS = 63
# Planes of the policy's convolution that are moves; Lc0 reads no others.
MOVE_PLANES = 73
# What Lc0 adds to a variance before it takes the root; with this variance the normalisation divides by 1.
EPSILON = 1e-5
# The networks contain this text, so their bytes change with it. It names the script by its place when they were made.
LICENSE = (
    "GPL-3.0. Derived from {name} of the Maia project, Computational Social Science Lab, University of Toronto "
    "(https://github.com/CSSLab/maia-chess); R. McIlroy-Young, S. Sen, J. Kleinberg, A. Anderson: Aligning Superhuman AI with "
    "Human Behavior: Chess as a Model System, KDD 2020. Changed for Centipawn in November 2026: weights rounded by "
    "scripts/pack_policy.py."
)
# The Maia project published no network above 1900; this one has the same form and was trained by others in the same way.
LICENSES = {
    "maia-2200": (
        "GPL-3.0. Derived from {name} of LeelaNets (https://github.com/CallOn84/LeelaNets), a network of the form of the Maia "
        "project's, trained on the games of players rated 2200 to 2299. Changed for Centipawn in November 2026: weights rounded by "
        "research/pack_policy.py."
    ),
}
# Numbers of fields in Lc0's net.proto.
NET_LICENSE, NET_WEIGHTS = 2, 10
INPUT, RESIDUAL, POLICY, VALUE, POLICY1 = 1, 2, 3, 6, 11
IP1_VALUE, IP1_VALUE_BIAS, IP2_VALUE = 7, 8, 9
CONV1, CONV2 = 1, 2
WEIGHTS, BIASES, MEANS, VARIANCES, GAMMAS, BETAS = 1, 2, 3, 4, 5, 6


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def parse(data):
    """The fields of a protobuf message, in order: [number, wire type, value]."""
    fields, at = [], 0

    def read():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = read()
        if key & 7 == 0:
            value = read()
        else:
            length = {1: 8, 5: 4}.get(key & 7) or read()
            value, at = data[at : at + length], at + length
        fields.append([key >> 3, key & 7, value])
    return fields


def serialise(fields):
    out = bytearray()
    for number, wire, value in fields:
        out += varint(number << 3 | wire)
        out += varint(value) if wire == 0 else (varint(len(value)) if wire == 2 else b"") + value
    return bytes(out)


def get(fields, number):
    return next((value for found, _, value in fields if found == number), None)


def put(fields, number, value):
    """Replaces a field, or adds it."""
    place = next((field for field in fields if field[0] == number), None)
    if place is None:
        fields.append([number, 2, value])
    else:
        place[1:] = [2, value]


def numbers(layer):
    fields = parse(layer)
    low, high = (struct.unpack("<f", get(fields, number))[0] for number in (1, 2))
    t = np.frombuffer(get(fields, 3), "<u2").astype(np.float64) / 65535
    return low * (1 - t) + high * t


def layer(low, high, words):
    floats = [[number, 5, struct.pack("<f", value)] for number, value in ((1, low), (2, high))]
    return serialise(floats + [[3, 2, words.astype("<u2").tobytes()]])


def fine(values):
    """A layer with all 65,536 steps between its least and its largest number."""
    low, high = (float(np.float32(end)) for end in (values.min(), values.max()))
    span = high - low
    return layer(low, high, np.rint((values - low) / span * 65535) if span > 0 else np.zeros(values.size))


def coarse(values, steps):
    """A layer of numbers from -1 to 1 in 2·steps + 1 values. From one to the next are 256 of the format's, so low bytes are 0."""
    high = (65535 / 256 - steps) / steps
    return layer(-1.0, high, (np.rint(values * steps) + steps) * 256)


def pack_convolution(data, steps, used=None):
    block = parse(data)
    weights, biases = numbers(get(block, WEIGHTS)), get(block, BIASES)
    outputs = next(numbers(get(block, n)).size for n in (VARIANCES, BIASES) if get(block, n) is not None)
    weights = weights.reshape(outputs, -1)
    optional = lambda number, default: numbers(get(block, number)) if get(block, number) else np.full(outputs, default)
    biases = optional(BIASES, 0.0)
    if get(block, VARIANCES):
        scale = optional(GAMMAS, 1.0) / np.sqrt(optional(VARIANCES, 1.0) + EPSILON)
        weights = weights * scale[:, None]
        biases = optional(BETAS, 0.0) + scale * (biases - optional(MEANS, 0.0))
    if used is not None:
        weights[used:] = 0
    largest = np.abs(weights).max(axis=1)
    largest[largest == 0] = 1.0
    # A field that is present and 0 would be a range of no width; Lc0 takes 0 for a missing one.
    packed = [
        [WEIGHTS, 2, coarse((weights / largest[:, None]).ravel(), steps)],
        [MEANS, 2, layer(0.0, 0.0, np.zeros(outputs))],
        [VARIANCES, 2, layer(1 - EPSILON, 1 - EPSILON, np.zeros(outputs))],
        [GAMMAS, 2, fine(largest)],
        [BETAS, 2, fine(biases)],
    ]
    return serialise(packed)


def pack(net, license, steps=STEPS):
    """The network of these fields with coarser numbers, as a message."""
    weights = parse(get(net, NET_WEIGHTS))
    for number in (INPUT, POLICY, VALUE, POLICY1):
        put(weights, number, pack_convolution(get(weights, number), steps, MOVE_PLANES if number == POLICY else None))
    for field in weights:
        if field[0] == RESIDUAL:
            block = parse(field[2])
            for number in (CONV1, CONV2):
                put(block, number, pack_convolution(get(block, number), steps))
            field[2] = serialise(block)
    # The value head's first dense layer ends in ReLU, so a factor of a row may wait for the next layer's column.
    bias = numbers(get(weights, IP1_VALUE_BIAS))
    rows = numbers(get(weights, IP1_VALUE)).reshape(bias.size, -1)
    largest = np.abs(rows).max(axis=1)
    put(weights, IP1_VALUE, coarse((rows / largest[:, None]).ravel(), VALUE_STEPS))
    put(weights, IP1_VALUE_BIAS, fine(bias / largest))
    put(weights, IP2_VALUE, fine((numbers(get(weights, IP2_VALUE)).reshape(-1, bias.size) * largest).ravel()))
    put(net, NET_LICENSE, license.encode())
    put(net, NET_WEIGHTS, serialise(weights))
    return serialise(net)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("networks", nargs="+", type=pathlib.Path, metavar="NETWORK.pb.gz")
    parser.add_argument("--output", required=True, type=pathlib.Path, metavar="FOLDER")
    arguments = parser.parse_args()
    for path in arguments.networks:
        name = path.name.removesuffix(".pb.gz")
        license = LICENSES.get(name, LICENSE).format(name=name)
        packed = gzip.compress(pack(parse(gzip.decompress(path.read_bytes())), license), 9, mtime=0)
        (arguments.output / path.name).write_bytes(packed)
        print(f"{path.name}: {path.stat().st_size:,} bytes, packed {len(packed):,}")


if __name__ == "__main__":
    main()
