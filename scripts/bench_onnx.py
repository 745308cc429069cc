"""ONNX Runtime on the same network as `make bench-policy`: positions per CPU-second in batches of 1, 8 and 64, one thread.

Reads a Maia weight file (residual blocks with squeeze and excitation, convolution policy, WDL value), builds the same graph in
ONNX, and runs it on a position's planes. Arguments: the network, seconds. Needs onnx, onnxruntime and numpy.
"""

import gzip
import resource
import sys
import time

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper


def varint(data, at):
    """A variable-length integer of protobuf, and the place behind it."""
    value = shift = 0
    while True:
        byte, at = data[at], at + 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """Fields of a protobuf message: number -> list of values."""
    found, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            length = {1: 8, 5: 4}.get(key & 7)
            if length is None:
                length, at = varint(data, at)
            value, at = data[at : at + length], at + length
        found.setdefault(key >> 3, []).append(value)
    return found


def layer(data):
    message = fields(data)
    low, high = (np.frombuffer(message[number][0], "<f4")[0] for number in (1, 2))
    t = np.frombuffer(message[3][0], "<u2").astype(np.float32) / 65535
    return low * (1 - t) + high * t


def folded(data, shape):
    block = {number: layer(value[0]) for number, value in fields(data).items()}
    weights = block[1].reshape(shape)
    bias = block.get(2, np.zeros(shape[0], np.float32))
    if 4 in block:
        scale = block.get(5, 1.0) / np.sqrt(block[4] + 1e-5)
        weights, bias = weights * scale[:, None, None, None], block.get(6, 0.0) + scale * (bias - block[3])
    return weights.astype(np.float32), bias.astype(np.float32)


class Graph:
    def __init__(self):
        self.nodes, self.constants = [], []

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(self, kind, *inputs, **attributes):
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def conv(self, x, data, shape):
        weights, bias = folded(data, shape)
        pads = [shape[2] // 2] * 4
        return self.node("Conv", x, self.constant(weights), self.constant(bias), kernel_shape=shape[2:], pads=pads)

    def dense(self, x, weights, bias):
        return self.node("Gemm", x, self.constant(weights), self.constant(bias), transB=1)


def build(path):
    with gzip.open(path) as file:
        weights = fields(fields(file.read())[10][0])
    graph, channels = Graph(), 64
    x = graph.node("Relu", graph.conv("planes", weights[1][0], (channels, 112, 3, 3)))
    for block in map(fields, weights[2]):
        y = graph.node("Relu", graph.conv(x, block[1][0], (channels, channels, 3, 3)))
        y = graph.conv(y, block[2][0], (channels, channels, 3, 3))
        se = {number: layer(value[0]) for number, value in fields(block[3][0]).items()}
        z = graph.node("Flatten", graph.node("GlobalAveragePool", y))
        hidden = graph.node("Relu", graph.dense(z, se[1].reshape(-1, channels), se[2]))
        gains = graph.dense(hidden, se[3].reshape(2 * channels, -1), se[4])
        gains = graph.node("Reshape", gains, graph.constant(np.array([-1, 2 * channels, 1, 1], np.int64)))
        halves = [f"s{len(graph.nodes)}", f"t{len(graph.nodes)}"]
        graph.nodes.append(helper.make_node("Split", [gains], halves, axis=1, num_outputs=2))
        y = graph.node("Add", graph.node("Mul", graph.node("Sigmoid", halves[0]), y), halves[1])
        x = graph.node("Relu", graph.node("Add", x, y))
    policy = graph.node("Relu", graph.conv(x, weights[11][0], (channels, channels, 3, 3)))
    policy = graph.conv(policy, weights[3][0], (80, channels, 3, 3))
    value = graph.node("Flatten", graph.node("Relu", graph.conv(x, weights[6][0], (32, channels, 1, 1))))
    value = graph.node("Relu", graph.dense(value, layer(weights[7][0]).reshape(128, 2048), layer(weights[8][0])))
    value = graph.node("Softmax", graph.dense(value, layer(weights[9][0]).reshape(3, 128), layer(weights[10][0])))
    info = helper.make_tensor_value_info
    inputs = [info("planes", TensorProto.FLOAT, ["batch", 112, 8, 8])]
    outputs = [info(name, TensorProto.FLOAT, None) for name in (policy, value)]
    model = helper.make_graph(graph.nodes, "maia", inputs, outputs, graph.constants)
    return helper.make_model(model, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def start_planes():
    """The start position: it has no history."""
    planes = np.zeros((1, 112, 64), np.float32)
    for rank, pieces in ((0, "RNBQKBNR"), (1, "P" * 8), (6, "p" * 8), (7, "rnbqkbnr")):
        for file, piece in enumerate(pieces):
            planes[0, "PNBRQKpnbrqk".index(piece), rank * 8 + file] = 1
    planes[0, 104:108] = planes[0, 111] = 1
    return planes.reshape(1, 112, 8, 8)


def main():
    path, seconds = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 3.0
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    model = build(path).SerializeToString()
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    planes = {"planes": start_planes()}
    wdl = session.run(None, planes)[1][0]

    def cpu():
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return usage.ru_utime + usage.ru_stime

    print(f"onnxruntime {onnxruntime.__version__} (start position: WDL {wdl.round(4)})")
    for batch in (1, 8, 64):
        positions = {"planes": np.repeat(planes["planes"], batch, axis=0)}
        done, begin, end = 0, cpu(), time.monotonic() + seconds
        while time.monotonic() < end:
            session.run(None, positions)
            done += batch
        print(f"onnxruntime batch {batch:2} {done / (cpu() - begin):6.0f} positions per CPU-second")


main()
