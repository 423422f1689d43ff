"""Text of a graph: one line per node, sources first.

Example::

    %0 = buffer f32[3, 4]
    %1 = constant f32[3, 4] value=2.0
    %2 = mul f32[3, 4] %0 %1
"""

from collections.abc import Sequence

from pumice.graph.node import Node
from pumice.graph.walk import topological
from pumice.ops import structure
from pumice.ops.structure import Constant


def node_type(node: Node) -> str:
    """Return dtype and shape, ``float32[3, 4]``."""
    return f"{node.dtype.name}{list(node.shape)}"


def print_graph(roots: Sequence[Node]) -> str:
    """Return the text of everything the roots need; the last line names the roots."""
    names: dict[Node, str] = {}
    lines = []
    for node in topological(roots):
        name = names[node] = f"%{len(names)}"
        if node.value is not None:
            lines.append(f"{name} = buffer {node_type(node)}")
            continue
        words = [f"{name} = {node.op.name}", node_type(node)]
        words += [names[source] for source in node.sources]
        if isinstance(node.argument, Constant):
            words.append(f"value={node.argument.value!r}")
        elif node.argument is not None and node.op is not structure.LEAF:
            words.append(f"{{{node.argument}}}")
        lines.append(" ".join(words))
    lines.append("return " + " ".join(names[root] for root in roots))
    return "\n".join(lines)
