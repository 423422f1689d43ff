"""Which lowering an attention takes."""

from pumice.lowering.attention import AttentionLowering
from pumice.lowering.attention_gradient import lower_attention_gradient
from pumice.lowering.attention_row import MOST_QUERIES, AttentionRowLowering
from pumice.lowering.attention_shared import fits_panels, lower_shared_attention
from pumice.lowering.attention_shared_gradient import lower_shared_gradient
from pumice.lowering.attention_words import WordAttentionLowering, suits_words
from pumice.lowering.expression import IsStored
from pumice.lowering.steps import Step
from pumice.ops.attention import operands_of
from pumice.schedule.items import Group
from pumice.target import Target


def lower_gradient(group: Group, is_stored: IsStored, target: Target) -> list[Step]:
    """Return the launches of a group of attention gradients."""
    if target.local_tiles:
        return lower_attention_gradient(group, is_stored, target)
    return lower_shared_gradient(group, is_stored, target)


def lower_attention(group: Group, is_stored: IsStored, target: Target) -> list[Step]:
    """Return the launches of an attention group."""
    root = group.root
    few = root.sources[0].shape[-2] <= MOST_QUERIES
    if not target.local_tiles and not few and fits_panels(root, target):
        return lower_shared_attention(group, is_stored, target)
    if few or not target.local_tiles:
        return AttentionRowLowering(group, is_stored, target).lower()
    if suits_words(operands_of(root.sources, root.argument), target):
        return WordAttentionLowering(group, is_stored, target).lower()
    return AttentionLowering(group, is_stored, target).lower()
