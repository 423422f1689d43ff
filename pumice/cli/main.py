"""Arguments of the ``pumice`` command."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

import pumice
from pumice.cli import demo, devices, selftest, tune
from pumice.errors import PumiceError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    options = _parser().parse_args(arguments)
    console = Console()
    try:
        if options.command == "devices":
            return devices.show(console, options.verbose)
        if options.command == "tune":
            return tune.run(options.device, console)
        if options.command == "selftest":
            return selftest.run(
                selftest.Settings(
                    options.device,
                    options.only,
                    options.report,
                    not options.no_switches,
                    options.seconds,
                ),
                console,
            )
        settings = demo.Settings(options.device, options.epochs, options.seed, options.output)
        return demo.run(settings, console)
    except PumiceError as error:
        Console(stderr=True).print(f"pumice: {error}", style="red", markup=False)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pumice",
        description="A tensor library and compiler with PyTorch's names, for the CPU and for any "
        "Vulkan GPU.",
    )
    parser.add_argument("--version", action="version", version=f"pumice {pumice.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    listing = commands.add_parser(
        "devices",
        help="list the devices and what each can do",
        description="List the devices, what each can do, and why one cannot be used.",
    )
    listing.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="features, limits, memory, what is emulated and what is refused",
    )
    testing = commands.add_parser(
        "selftest",
        help="check every operator on a device against the CPU",
        description="Check every operator on a device against the CPU, look for the switches "
        "that cure what fails, and write a report for an issue. The status is 1 if anything fails.",
    )
    testing.add_argument(
        "--device", default="vulkan", help="cpu, vulkan, vulkan:N or vulkan:NAME (default: vulkan)"
    )
    testing.add_argument(
        "--only", default="", metavar="TEXT", help="checks whose name has this text (default: all)"
    )
    testing.add_argument(
        "--report",
        type=Path,
        default=None,
        metavar="PATH",
        help="where the report goes (default: pumice-selftest-DEVICE.md, if anything fails)",
    )
    testing.add_argument(
        "--seconds",
        type=float,
        default=None,
        help="stop with the checks that are done by then (default: do all)",
    )
    testing.add_argument(
        "--no-switches", action="store_true", help="do not look for switches that cure failures"
    )
    _add_tuning(commands)
    _add_training(commands)
    return parser


def _add_tuning(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    tuning = commands.add_parser(
        "tune",
        help="measure how products should be cut on a device",
        description="Measure how matrix products should be cut on a device and keep what was "
        "found for later runs. Results do not change, only times.",
    )
    tuning.add_argument(
        "--device", default="vulkan", help="vulkan, vulkan:N or vulkan:NAME (default: vulkan)"
    )


def _add_training(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    training = commands.add_parser(
        "demo",
        help="train a small network on handwritten digits",
        description="Train a small convolutional network on 1797 handwritten digits.",
    )
    training.add_argument(
        "--device", default="cpu", help="cpu, vulkan, vulkan:N or vulkan:NAME (default: cpu)"
    )
    training.add_argument(
        "--epochs", type=_count, default=10, help="passes over the images (default: 10)"
    )
    training.add_argument(
        "--seed", type=int, default=0, help="of weights and batch order (default: 0)"
    )
    training.add_argument(
        "--output",
        type=Path,
        default=None,
        metavar="PATH",
        help="save the model here (safetensors)",
    )


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return value


if __name__ == "__main__":
    sys.exit(main())
