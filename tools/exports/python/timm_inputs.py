"""The pictures as timm makes them the input of a network."""

import torch
from PIL import Image
from timm.data import create_transform, resolve_data_config

from exporting import PICTURES


def inputs(model):
    transform = create_transform(**resolve_data_config(model.pretrained_cfg))
    return torch.stack([transform(Image.open(path).convert('RGB')) for path in PICTURES])
