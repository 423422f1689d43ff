"""Code for a target, as pure functions: testable without a device.

Stage: 6 of 7.
Takes: `Kernel`, `Target`.
Gives: `Artifact`.
"""
