"""Untrained networks of PyTorch that answer differently to different pictures, so that comparing their answers says something."""

import numpy
import torch
from PIL import Image, ImageOps

from exporting import PICTURES

torch.set_num_threads(2)


def seeded():
    torch.manual_seed(0)
    numpy.random.seed(0)


def pixels(width, height):
    """The pictures in the middle of grey, N×3×H×W of 0..1."""
    rows = [numpy.asarray(ImageOps.pad(Image.open(path).convert('RGB'), (width, height), color=(114,) * 3)) for path in PICTURES]
    return torch.from_numpy(numpy.stack(rows).transpose(0, 3, 1, 2).copy()).float() / 255


@torch.no_grad()
def enlivened(model, batch):
    """Gives batch normalisation the means and spreads of the pictures: those it begins with let values die away."""
    norms = [each for each in model.modules() if isinstance(each, torch.nn.modules.batchnorm._BatchNorm)]
    for each in norms:
        each.momentum = None
        each.reset_running_stats()
        each.train()
    for _ in range(2):
        model(batch)
    for each in norms:
        each.momentum = 0.1
    return model.eval()


@torch.no_grad()
def spread(layer, values, *, deviation, highest=None):
    """
    Scales a last layer so that its `values` of the pictures, as they are now, spread by `deviation` within a picture; of each picture
    0.1 % then lie above `highest` at least.
    """
    rows = values.float().flatten(1)
    factor = deviation / max(float(rows.std(1).mean()), 1e-9)
    layer.weight.mul_(factor)
    if layer.bias is None:
        return
    layer.bias.mul_(factor)
    if highest is None:
        layer.bias.sub_(float(rows.mean()) * factor)
    else:
        layer.bias.add_(highest - factor * min(float(torch.quantile(row, 0.999)) for row in rows))


def caught(layer, run):
    """What a layer gives while `run` runs, the last time."""
    return caught_all(layer, run)[-1]


@torch.no_grad()
def caught_all(layer, run):
    """What a layer gives each time while `run` runs."""
    seen = []
    handle = layer.register_forward_hook(lambda _, __, output: seen.append(output))
    try:
        run()
    finally:
        handle.remove()
    return seen
