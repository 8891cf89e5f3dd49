"""Trains a small captioner, exports it by Optimum, and records PyTorch's captions of 20 pictures: see README.md."""

import gzip
import json
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
from optimum.exporters.onnx import main_export
from PIL import Image
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    GenerationConfig,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
    TrOCRConfig,
    TrOCRForCausalLM,
    ViTConfig,
    ViTImageProcessor,
    ViTModel,
    VisionEncoderDecoderModel,
)

KIND = sys.argv[1]
OUT = Path(__file__).parent / KIND
SIDE, WIDTH, MOST = 32, 24, 16
COLOURS = {
    "red": (220, 30, 30),
    "green": (30, 200, 40),
    "blue": (30, 40, 220),
    "yellow": (230, 220, 40),
    "white": (240, 240, 240),
}
NAMES = list(COLOURS)
START, PAD, END = (0, 0, 0) if KIND == "gpt2" else (2, 1, 2)
SPECIAL = ["<|endoftext|>"] if KIND == "gpt2" else ["<s>", "<pad>", "</s>"]


def caption(top, bottom):
    return f"a {top} picture" if top == bottom else f"{top} above {bottom}"


def tokenizer():
    made = Tokenizer(models.BPE(unk_token=None))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    texts = [caption(top, bottom) for top in NAMES for bottom in NAMES]
    made.train_from_iterator(texts * 20, trainers.BpeTrainer(vocab_size=48, special_tokens=SPECIAL))
    return PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token=SPECIAL[0], eos_token=SPECIAL[-1], pad_token=SPECIAL[PAD]
    )


def decoder(size):
    if KIND == "gpt2":
        return GPT2LMHeadModel(
            GPT2Config(
                vocab_size=size, n_positions=24, n_embd=WIDTH, n_layer=2, n_head=2, add_cross_attention=True,
                is_decoder=True, bos_token_id=0, eos_token_id=0, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0,
            )
        )
    return TrOCRForCausalLM(
        TrOCRConfig(
            vocab_size=size, d_model=WIDTH, decoder_layers=2, decoder_attention_heads=2, decoder_ffn_dim=48,
            max_position_embeddings=24, is_decoder=True, add_cross_attention=True, cross_attention_hidden_size=WIDTH,
            dropout=0, attention_dropout=0, activation_dropout=0,
            bos_token_id=0, pad_token_id=PAD, eos_token_id=END, decoder_start_token_id=START,
        )
    )


def captioner(size):
    encoder = ViTModel(
        ViTConfig(
            hidden_size=WIDTH, num_hidden_layers=1, num_attention_heads=2, intermediate_size=48, image_size=SIDE,
            patch_size=8, hidden_dropout_prob=0, attention_probs_dropout_prob=0,
        ),
        add_pooling_layer=False,
    )
    model = VisionEncoderDecoderModel(encoder=encoder, decoder=decoder(size))
    said = {"decoder_start_token_id": START, "bos_token_id": 0, "eos_token_id": END, "pad_token_id": PAD}
    for name, value in said.items():
        setattr(model.config, name, value)
    model.generation_config = GenerationConfig(**said, max_length=MOST)
    return model


def halves(width, height, top, bottom):
    pixels = np.zeros((height, width, 3), np.uint8)
    pixels[: height // 2], pixels[height // 2 :] = top, bottom
    return Image.fromarray(pixels)


def batch(tokens, count=48):
    pictures = np.zeros((count, 3, SIDE, SIDE), np.float32)
    texts = []
    for i in range(count):
        top, bottom = np.random.choice(NAMES), np.random.choice(NAMES)
        bottom = top if np.random.rand() < 0.25 else bottom
        pixels = np.asarray(halves(SIDE, SIDE, COLOURS[top], COLOURS[bottom]), np.float32)
        pixels = pixels + np.random.randn(3) * 12 + np.random.randn(SIDE, SIDE, 1) * 8
        pictures[i] = ((pixels.clip(0, 255) / 255 - 0.5) / 0.5).transpose(2, 0, 1)
        texts.append(tokens(caption(top, bottom)).input_ids + [END])
    labels = np.full((count, max(map(len, texts))), -100)
    for row, text in zip(labels, texts):
        row[: len(text)] = text
    return torch.tensor(pictures), torch.tensor(labels)


def train(model, tokens, steps=600):
    optimiser = torch.optim.AdamW(model.parameters(), lr=4e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 6e-3, steps)
    for _ in range(steps):
        pictures, labels = batch(tokens)
        given = torch.cat([torch.full((len(labels), 1), START), labels.clamp(min=0)[:, :-1]], 1)
        logits = model(pixel_values=pictures, decoder_input_ids=given).logits
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=-100)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()


def recorded(model, tokens, processor):
    random = np.random.RandomState(7)
    near = lambda name: [int(v) for v in np.clip(np.array(COLOURS[name]) + random.randint(-14, 15, 3), 0, 255)]
    for i in range(20):
        top, bottom = random.choice(NAMES), random.choice(NAMES)
        bottom = top if i % 5 == 0 else bottom
        width, height = int(random.randint(40, 160)), int(random.randint(40, 120))
        shown = {"width": width, "height": height, "top": near(top), "bottom": near(bottom)}
        pixels = processor(halves(**shown), return_tensors="pt").pixel_values
        said = model.generate(
            pixels, max_length=MOST, do_sample=False, num_beams=1, output_scores=True, return_dict_in_generate=True
        )
        ids = said.sequences[0].tolist()
        logs = [torch.log_softmax(scores[0], -1)[id].item() for scores, id in zip(said.scores, ids[1:])]
        text = tokens.decode(ids, skip_special_tokens=True)
        yield {**shown, "text": text, "confidence": round(float(np.exp(np.mean(logs))), 6), "tokens": ids}


torch.manual_seed(1)
np.random.seed(2)
tokens = tokenizer()
processor = ViTImageProcessor(
    size={"height": SIDE, "width": SIDE}, image_mean=[0.5] * 3, image_std=[0.5] * 3, resample=2
)
model = captioner(len(tokens))
train(model, tokens)
model.eval()
OUT.mkdir(exist_ok=True)
(OUT / "captions.json").write_text(json.dumps(list(recorded(model, tokens, processor))))
with tempfile.TemporaryDirectory() as folder:
    trained, exported = Path(folder) / "trained", Path(folder) / "exported"
    for part in (model, tokens, processor):
        part.save_pretrained(trained)
    main_export(str(trained), output=str(exported), task="image-to-text-with-past", do_validation=False)
    for name in ("encoder_model.onnx", "decoder_model_merged.onnx"):
        (OUT / f"{name}.gz").write_bytes(gzip.compress((exported / name).read_bytes(), 9, mtime=0))
    for name in ("config.json", "generation_config.json", "preprocessor_config.json", "tokenizer.json"):
        shutil.copy(exported / name, OUT / name)
