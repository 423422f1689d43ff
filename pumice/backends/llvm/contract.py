"""Matrix products."""

from pumice.backends.llvm.emitter import Emitter
from pumice.kernel.ir import Contract
from pumice.target import Target


def emit_contract(e: Emitter, contract: Contract, target: Target) -> None:
    raise NotImplementedError
