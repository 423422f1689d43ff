"""``pumice demo``: train a small convolutional network on handwritten digits."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from pumice import nn, optim
from pumice.autograd import no_grad
from pumice.data import DataLoader, TensorDataset, load_digits
from pumice.engine.devices import parse_device, runtime_of
from pumice.engine.statistics import statistics
from pumice.interop import save
from pumice.nn import functional
from pumice.tensor.convert import tensor
from pumice.tensor.jit import jit
from pumice.tensor.random import manual_seed
from pumice.tensor.tensor import Tensor

BATCH = 64
LEARNING_RATE = 5e-3

Step = Callable[[Tensor, Tensor], Tensor]


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user chose."""

    device: str = "cpu"
    epochs: int = 10
    seed: int = 0
    output: Path | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the training gave."""

    model: nn.Module
    loss: float
    accuracy: float
    seconds: float
    images: int
    compile_seconds: float
    kernels_compiled: int
    kernels_per_step: float


def build_model(device: object = None) -> nn.Module:
    """Return the untrained network."""
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1, device=device),
        nn.BatchNorm2d(16, device=device),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3, padding=1, device=device),
        nn.BatchNorm2d(32, device=device),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(32 * 4 * 4, 10, device=device),
    )


def training_step(model: nn.Module, optimizer: optim.Optimizer) -> Step:
    """Return a function that trains on one batch and returns the loss."""

    def step(images: Tensor, labels: Tensor) -> Tensor:
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def train(settings: Settings, report: Callable[[int, float], None]) -> Outcome:
    """Train and test; ``report`` is called with the epoch and the loss after each batch."""
    device = parse_device(settings.device)
    runtime_of(device)
    manual_seed(settings.seed)
    model = build_model(device)
    rate = tensor(LEARNING_RATE, device=device)
    optimizer = optim.Adam(model.parameters(), lr=rate)
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, settings.epochs)
    data = load_digits("train", device=device)
    loader = DataLoader(data, BATCH, shuffle=True, seed=settings.seed, drop_last=True)
    step = jit(training_step(model, optimizer))
    compiled, compile_seconds = statistics.kernels_compiled, statistics.compile_seconds
    launches = steps = 0
    loss = float("nan")
    started = time.perf_counter()
    for epoch in range(settings.epochs):
        for images, labels in loader:
            before = statistics.launches
            loss = step(images, labels).item()
            launches += statistics.launches - before
            steps += 1
            report(epoch, loss)
        schedule.step()
    seconds = time.perf_counter() - started
    compile_seconds = statistics.compile_seconds - compile_seconds
    accuracy = measure_accuracy(model, load_digits("test", device=device))
    return Outcome(
        model=model,
        loss=loss,
        accuracy=accuracy,
        seconds=seconds,
        images=steps * BATCH,
        compile_seconds=compile_seconds,
        kernels_compiled=statistics.kernels_compiled - compiled,
        kernels_per_step=launches / steps,
    )


def measure_accuracy(model: nn.Module, data: TensorDataset) -> float:
    """Return the share of images whose digit the model names."""
    images, labels = data.tensors
    model.eval()
    with no_grad():
        right = (model(images).argmax(1) == labels).sum().item()
    model.train()
    return float(right) / len(data)


def run(settings: Settings, console: Console) -> int:
    """Train with a progress bar and print the outcome."""
    device = parse_device(settings.device)
    console.print(f"Training on {device} ({runtime_of(device).name})", markup=False)
    batches = len(load_digits("train")) // BATCH
    columns = (
        TextColumn("epoch {task.fields[epoch]}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("loss {task.fields[loss]:.4f}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console) as progress:
        total = settings.epochs * batches
        task = progress.add_task("train", total=total, epoch=1, loss=float("nan"))

        def report(epoch: int, loss: float) -> None:
            progress.update(task, advance=1, epoch=epoch + 1, loss=loss)

        outcome = train(settings, report)
    console.print(_summary(outcome))
    if settings.output is not None:
        save(outcome.model.state_dict(), settings.output)
        console.print(f"saved {settings.output}", markup=False)
    return 0


def _summary(outcome: Outcome) -> Table:
    table = Table(show_header=False)
    running = max(outcome.seconds - outcome.compile_seconds, 1e-9)
    rows = (
        ("loss of the last batch", f"{outcome.loss:.4f}"),
        ("test accuracy", f"{outcome.accuracy:.2%}"),
        ("training time", f"{outcome.seconds:.1f} s"),
        ("compile time in it", f"{outcome.compile_seconds:.2f} s"),
        ("kernels compiled", str(outcome.kernels_compiled)),
        ("kernels per step", f"{outcome.kernels_per_step:.1f}"),
        ("images per second", f"{outcome.images / running:.0f}"),
    )
    for row in rows:
        table.add_row(*row)
    return table
