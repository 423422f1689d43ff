"""Which lowering an attention takes."""

from pumice.lowering.attention import AttentionLowering
from pumice.lowering.attention_row import MOST_QUERIES, AttentionRowLowering
from pumice.lowering.attention_words import WordAttentionLowering, suits_words
from pumice.lowering.expression import IsStored
from pumice.lowering.steps import Step
from pumice.ops.attention import operands_of
from pumice.schedule.items import Group
from pumice.target import Target


def lower_attention(group: Group, is_stored: IsStored, target: Target) -> list[Step]:
    """Return the launches of an attention group."""
    root = group.root
    if root.sources[0].shape[-2] <= MOST_QUERIES:
        return AttentionRowLowering(group, is_stored, target).lower()
    if suits_words(operands_of(root.sources, root.argument), target):
        return WordAttentionLowering(group, is_stored, target).lower()
    return AttentionLowering(group, is_stored, target).lower()
