"""Operations on whole matrices: which lowering each takes."""

from collections.abc import Callable

from pumice.graph.node import Node
from pumice.lowering.cholesky import lower_cholesky
from pumice.lowering.expression import IsStored
from pumice.lowering.householder import lower_qr
from pumice.lowering.jacobi import lower_jacobi
from pumice.lowering.lu import lower_lu
from pumice.lowering.permutation import lower_permutation
from pumice.lowering.steps import Step
from pumice.lowering.triangular import lower_triangular
from pumice.ops.definition import OpDef
from pumice.ops.orthogonal import EIGEN, QR, SINGULAR
from pumice.ops.triangular import CHOLESKY, LU, PERMUTATION, TRIANGULAR
from pumice.schedule.items import Group
from pumice.target import Target

_LOWERINGS: dict[OpDef, Callable[[Node, IsStored, Target], list[Step]]] = {
    TRIANGULAR: lower_triangular,
    LU: lower_lu,
    CHOLESKY: lower_cholesky,
    PERMUTATION: lower_permutation,
    QR: lower_qr,
    EIGEN: lower_jacobi,
    SINGULAR: lower_jacobi,
}


def lower_matrices(group: Group, is_stored: IsStored, target: Target) -> list[Step]:
    """Return the launches of an operation on matrices."""
    node = group.root
    steps = _LOWERINGS[node.op](node, is_stored, target) if node.numel else []
    return [step for step in steps if step.items]
