"""What the generated code may use of a CPU, read from `Target.identity`.

The identity is ``llvm version|triple|cpu|features``, features comma separated as LLVM writes them.
"""

from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Machine:
    """Instruction set facts.

    Attributes
    ----------
    triple, cpu, features : str
        For LLVM.
    vector_bits : int
        Width of the registers to fill.
    wide_masks, narrow_masks : bool
        Whether masked loads and stores of 32/64-bit, of 8/16-bit elements are instructions.
    gather, scatter : bool
        Whether 32/64-bit gathers, scatters are instructions.
    fused : bool
        Fused multiply-add.
    half : bool
        Conversion between float16 and float32.
    scales : bool
        Whether scaling by powers of two is an instruction.
    """

    triple: str
    cpu: str
    features: str
    vector_bits: int
    wide_masks: bool
    narrow_masks: bool
    gather: bool
    scatter: bool
    fused: bool
    half: bool
    scales: bool = False

    @property
    def mask_registers(self) -> bool:
        """Whether a mask takes a register of its own, a bit for each lane."""
        return self.narrow_masks

    @property
    def is_x86(self) -> bool:
        return self.triple.startswith(("x86_64", "i686", "i386"))


@lru_cache(maxsize=64)
def machine_of(identity: str) -> Machine:
    """Return the facts of a CPU target's identity."""
    _, triple, cpu, features = identity.split("|")
    present = {name[1:] for name in features.split(",") if name.startswith("+")}
    if triple.startswith(("aarch64", "arm64")):
        return Machine(
            triple, cpu, features, 128, False, False, False, False, fused=True, half=True
        )
    wide = {"avx512f", "avx512bw", "avx512dq", "avx512vl"} <= present
    avx = "avx" in present
    return Machine(
        triple,
        cpu,
        features,
        vector_bits=512 if wide else 256 if avx else 128,
        wide_masks=avx,
        narrow_masks=wide,
        gather="avx2" in present,
        scatter=wide,
        fused="fma" in present,
        half="f16c" in present,
        scales=wide,
    )
