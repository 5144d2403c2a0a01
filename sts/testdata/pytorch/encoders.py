"""Makes sentence encoders and cross-encoders with random weights and the
architectures of real ones, exports them to ONNX as Hugging Face directories, and
writes what PyTorch computes with them.

  encoders.py small OUT TOKENIZERS STOPWORDS   one of each kind, with expected.json,
                                               and cross-encoders with cross.json
  encoders.py bert OUT HIDDEN LAYERS HEADS VOCAB   one BERT for measurements

TOKENIZERS is the folder of tokenizer files with expected.json, the token ids
that Hugging Face's library gives; STOPWORDS a JSON list. Written for torch 1.13
(Debian's python3-torch); the onnx package is not needed.
"""
import json
import math
import os
import string
import sys
import unicodedata
import warnings

import torch
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(2)
warnings.filterwarnings("ignore", category=torch.jit.TracerWarning)  # Constants are meant to be constants.


def additive(mask, dtype):
    """[batch, key] of 0 and 1 as what is added to scores."""
    return (1.0 - mask[:, None, None, :].to(dtype)) * torch.finfo(dtype).min


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.heads = c["num_attention_heads"]
        h = c["hidden_size"]
        self.q, self.k, self.v, self.o = (nn.Linear(h, h) for _ in range(4))

    def forward(self, x, bias):
        b, n, h = x.shape
        split = lambda t: t.view(b, n, self.heads, h // self.heads).transpose(1, 2)
        q, k, v = split(self.q(x)), split(self.k(x)), split(self.v(x))
        scores = q @ k.transpose(-1, -2) / math.sqrt(h // self.heads) + bias
        return self.o((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, h))


class Layer(nn.Module):
    """BERT's: normalized after each half."""

    def __init__(self, c):
        super().__init__()
        h = c["hidden_size"]
        self.attention = Attention(c)
        self.up, self.down = nn.Linear(h, c["intermediate_size"]), nn.Linear(c["intermediate_size"], h)
        self.norm1, self.norm2 = nn.LayerNorm(h, eps=1e-12), nn.LayerNorm(h, eps=1e-12)

    def forward(self, x, bias):
        x = self.norm1(x + self.attention(x, bias))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


class Bert(nn.Module):
    """BERT, and with offset positions RoBERTa and XLM-R, with relative ones MPNet."""

    def __init__(self, c):
        super().__init__()
        h = c["hidden_size"]
        self.c, self.kind = c, c["model_type"]
        self.words = nn.Embedding(c["vocab_size"], h)
        self.places = nn.Embedding(c["max_position_embeddings"], h)
        if self.kind == "bert":
            self.types = nn.Embedding(2, h)
            self.pooler = nn.Linear(h, h)
            self.register_buffer("position_ids", torch.arange(c["max_position_embeddings"])[None])
        if self.kind == "mpnet":
            self.relative = nn.Embedding(c["relative_attention_num_buckets"], c["num_attention_heads"])
        self.norm = nn.LayerNorm(h, eps=1e-12)
        self.layers = nn.ModuleList(Layer(c) for _ in range(c["num_hidden_layers"]))

    def relative_bias(self, n):
        buckets, longest = self.c["relative_attention_num_buckets"] // 2, 128
        at = torch.arange(n)
        distance = -(at[None, :] - at[:, None])
        side = (distance < 0).to(torch.long) * buckets
        distance = distance.abs()
        exact = buckets // 2
        far = exact + (torch.log(distance.float() / exact) / math.log(longest / exact) * (buckets - exact)).to(torch.long)
        far = torch.min(far, torch.full_like(far, buckets - 1))
        return self.relative(side + torch.where(distance < exact, distance, far)).permute(2, 0, 1)[None]

    def forward(self, input_ids, attention_mask, token_type_ids=None):
        if self.kind == "bert":
            x = self.words(input_ids) + self.types(token_type_ids) + self.places(self.position_ids[:, : input_ids.shape[1]])
        else:
            pad = self.c["pad_token_id"]
            real = input_ids.ne(pad).int()
            x = self.words(input_ids) + self.places((torch.cumsum(real, dim=1).type_as(real) * real).long() + pad)
        x = self.norm(x)
        bias = additive(attention_mask, x.dtype)
        if self.kind == "mpnet":
            bias = bias + self.relative_bias(input_ids.shape[1])
        for layer in self.layers:
            x = layer(x, bias)
        if self.kind == "bert":
            return x, torch.tanh(self.pooler(x[:, 0]))
        return x


class Classifier(nn.Module):
    """A head on the first token: BERT's on the pooler, RoBERTa's its own."""

    def __init__(self, c, classes):
        super().__init__()
        self.kind, self.body = c["model_type"], Bert(c)
        if self.kind != "bert":
            self.dense = nn.Linear(c["hidden_size"], c["hidden_size"])
        self.classify = nn.Linear(c["hidden_size"], classes)

    def forward(self, input_ids, attention_mask, token_type_ids=None):
        if self.kind == "bert":
            return self.classify(self.body(input_ids, attention_mask, token_type_ids)[1])
        return self.classify(torch.tanh(self.dense(self.body(input_ids, attention_mask)[:, 0])))


class ModernLayer(nn.Module):
    def __init__(self, c, i):
        super().__init__()
        h, self.heads = c["hidden_size"], c["num_attention_heads"]
        self.local = c["local_attention"] if i % c["global_attn_every_n_layers"] else None
        self.theta = c["local_rope_theta"] if self.local else c["global_rope_theta"]
        self.norm1 = nn.LayerNorm(h, eps=1e-5, elementwise_affine=True) if i else nn.Identity()
        self.norm2 = nn.LayerNorm(h, eps=1e-5)
        self.qkv, self.o = nn.Linear(h, 3 * h, bias=False), nn.Linear(h, h, bias=False)
        self.up, self.down = nn.Linear(h, 2 * c["intermediate_size"], bias=False), nn.Linear(c["intermediate_size"], h, bias=False)

    def forward(self, x, bias):
        b, n, h = x.shape
        d = h // self.heads
        q, k, v = self.qkv(self.norm1(x)).view(b, n, 3, self.heads, d).transpose(1, 3).unbind(2)
        at = torch.arange(n)
        angle = at[:, None].float() * (1.0 / self.theta ** (torch.arange(0, d, 2).float() / d))[None]
        angle = torch.cat([angle, angle], -1)
        turn = lambda t: t * angle.cos() + torch.cat([-t[..., d // 2 :], t[..., : d // 2]], -1) * angle.sin()
        scores = turn(q) @ turn(k).transpose(-1, -2) / math.sqrt(d) + bias
        if self.local:
            far = (at[None, :] - at[:, None]).abs() > self.local // 2
            scores = scores.masked_fill(far, torch.finfo(x.dtype).min)
        x = x + self.o((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, h))
        value, gate = self.up(self.norm2(x)).chunk(2, -1)
        return x + self.down(F.gelu(value) * gate)


class ModernBert(nn.Module):
    def __init__(self, c):
        super().__init__()
        h = c["hidden_size"]
        self.words, self.norm, self.final = nn.Embedding(c["vocab_size"], h), nn.LayerNorm(h), nn.LayerNorm(h)
        self.layers = nn.ModuleList(ModernLayer(c, i) for i in range(c["num_hidden_layers"]))

    def forward(self, input_ids, attention_mask):
        x = self.norm(self.words(input_ids))
        bias = additive(attention_mask, x.dtype)
        for layer in self.layers:
            x = layer(x, bias)
        return self.final(x)


def randomize(model):
    """Weights with which every part of a model shows in what it gives."""
    for name, p in model.named_parameters():
        if "norm" in name or "final" in name:
            nn.init.normal_(p, 1.0 if name.endswith("weight") else 0.0, 0.2)
        elif p.dim() == 2 and ("words" in name or "places" in name or "types" in name or "relative" in name):
            nn.init.normal_(p, 0, 0.5)
        else:
            nn.init.normal_(p, 0, 1.2 / math.sqrt(p.shape[-1]))


def write(path, value):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        json.dump(value, f, ensure_ascii=False)


def export(model, c, out, onnx_path="model.onnx"):
    names = ["input_ids", "attention_mask"] + (["token_type_ids"] if c["model_type"] == "bert" else [])
    outputs = ["last_hidden_state"] + (["pooler_output"] if c["model_type"] == "bert" else [])
    if isinstance(model, Classifier):
        outputs = ["logits"]
    ids = torch.randint(5, c["vocab_size"], (2, 7))
    args = (ids, torch.ones_like(ids)) + ((torch.zeros_like(ids),) if c["model_type"] == "bert" else ())
    axes = {n: {0: "batch_size"} for n in outputs}
    axes.update({n: {0: "batch_size", 1: "sequence_length"} for n in names + ["last_hidden_state"] if n in names + outputs})
    os.makedirs(os.path.dirname(os.path.join(out, onnx_path)), exist_ok=True)
    torch.onnx.export(model, args, os.path.join(out, onnx_path), input_names=names, output_names=outputs,
                      dynamic_axes=axes, opset_version=14, do_constant_folding=True)
    write(os.path.join(out, "config.json"), c)


def modules(out, pooling, normalize=True, max_length=64, **sbert):
    kinds = ["Transformer", "Pooling"] + (["Normalize"] if normalize else [])
    write(out + "/modules.json", [{"idx": i, "name": str(i), "path": "" if i == 0 else f"{i}_{k}", "type": "sentence_transformers.models." + k}
                                  for i, k in enumerate(kinds)])
    write(out + "/1_Pooling/config.json", pooling)
    write(out + "/sentence_bert_config.json", {"max_seq_length": max_length, "do_lower_case": False, **sbert})


def pool_model(hidden, pooling, used):
    """As sentence-transformers does; used are the tokens that count."""
    x = hidden[used]
    parts = []
    if pooling.get("pooling_mode_cls_token"):
        parts.append(hidden[0])
    if pooling.get("pooling_mode_max_tokens"):
        parts.append(x.max(0).values)
    if pooling.get("pooling_mode_mean_tokens"):
        parts.append(x.mean(0))
    if pooling.get("pooling_mode_mean_sqrt_len_tokens"):
        parts.append(x.sum(0) / math.sqrt(len(x)))
    if pooling.get("pooling_mode_weightedmean_tokens"):
        w = torch.arange(1, len(hidden) + 1).float()[used]
        parts.append((x * w[:, None]).sum(0) / w.sum())
    if pooling.get("pooling_mode_lasttoken"):
        parts.append(hidden[-1])
    return torch.cat(parts)


def content_tokens(words, parts, stop):
    """Which tokens of a text are part of no stop word (CRScore, section 3.3)."""
    is_punct = lambda ch: ch in string.punctuation or unicodedata.category(ch)[0] == "P"
    punct = lambda s: s != "" and all(map(is_punct, s))
    trim = lambda s: "" if s == "" or punct(s) else s[next(i for i, ch in enumerate(s) if not is_punct(ch)) : len(s) - next(i for i, ch in enumerate(s[::-1]) if not is_punct(ch))]
    groups = []  # the number of a word, its tokens, its text
    for i, (word, part) in enumerate(zip(words, parts)):
        if not groups or groups[-1][0] != word or punct(part) or punct(groups[-1][2]):
            groups.append([word, [], ""])
        groups[-1][1].append(i)
        groups[-1][2] += part
    keep = [i for _, tokens, text in groups if (trim(text) or text).lower() not in stop for i in tokens]
    return keep or list(range(len(words)))


def bertscore(a, b):
    """P, R and F1 of Zhang et al. 2020 for the token vectors of two texts, special tokens
    at their ends: they may be matched and weigh 0 in the means. A negative cosine counts 0,
    as in bert-score for every text that is padded."""
    a, b = a / a.norm(dim=-1, keepdim=True), b / b.norm(dim=-1, keepdim=True)
    cosines = (a @ b.T).clamp(min=0)
    p, r = cosines.max(1).values[1:-1].mean().item(), cosines.max(0).values[1:-1].mean().item()
    return [round(x, 7) for x in (p, r, 2 * p * r / (p + r))]


def small(out, tokenizers, stopwords):
    with open(os.path.join(tokenizers, "expected.json"), encoding="utf-8") as f:
        reference = json.load(f)
    with open(stopwords, encoding="utf-8") as f:
        stop = set(json.load(f))
    base = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 32}
    mean = {"word_embedding_dimension": 16, "pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True,
            "pooling_mode_max_tokens": False, "pooling_mode_mean_sqrt_len_tokens": False}
    cls = {**mean, "pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}
    rope = {"local_attention": 8, "global_attn_every_n_layers": 3, "global_rope_theta": 160000.0, "local_rope_theta": 10000.0}
    # name: tokenizer, architecture, pooling, place of the model, normalize
    kinds = {
        "bert": ("bert", {"model_type": "bert", "max_position_embeddings": 64, "pad_token_id": 0}, mean, "onnx/model.onnx", True),
        "mpnet": ("mpnet", {"model_type": "mpnet", "max_position_embeddings": 66, "pad_token_id": 1, "relative_attention_num_buckets": 32}, cls, "model.onnx", True),
        "roberta": ("roberta", {"model_type": "roberta", "max_position_embeddings": 66, "pad_token_id": 1},
                    {**mean, "pooling_mode_mean_tokens": False, "pooling_mode_mean_sqrt_len_tokens": True}, "onnx/model.onnx", False),
        "xlmr": ("xlmr", {"model_type": "xlm-roberta", "max_position_embeddings": 66, "pad_token_id": 1},
                 {**mean, "pooling_mode_max_tokens": True, "pooling_mode_cls_token": True}, "model.onnx", True),
        "modernbert": ("modernbert", {"model_type": "modernbert", "num_hidden_layers": 3, "max_position_embeddings": 64, **rope},
                       {**mean, "pooling_mode_mean_tokens": False, "pooling_mode_weightedmean_tokens": True, "pooling_mode_lasttoken": True}, "onnx/model.onnx", False),
    }
    expected, scores = {}, {}
    for seed, (name, (tok, arch, pooling, path, normalize)) in enumerate(kinds.items()):
        torch.manual_seed(20240914 + seed)
        with open(os.path.join(tokenizers, tok + ".json"), encoding="utf-8") as f:
            tokenizer = json.load(f)
        vocab = tokenizer["model"]["vocab"]
        top = max(vocab.values()) if isinstance(vocab, dict) else len(vocab) - 1
        c = {**base, **arch, "vocab_size": max([top] + [a["id"] for a in tokenizer["added_tokens"]]) + 1}
        model = (ModernBert if name == "modernbert" else Bert)(c).eval()
        randomize(model)
        dir = os.path.join(out, name)
        with torch.no_grad():
            export(model, c, dir, path)
            write(os.path.join(dir, "tokenizer.json"), tokenizer)
            modules(dir, pooling, normalize)
            rows, states = [], []
            for ids, words, parts in zip(*(reference[key][tok] for key in ("ids", "words", "parts"))):
                body = ids[1:-1][:62]
                if not body:
                    rows.append(None)
                    states.append(None)
                    continue
                t = torch.tensor([ids[:1] + body + ids[-1:]])
                result = model(t, torch.ones_like(t), torch.zeros_like(t)) if name == "bert" else model(t, torch.ones_like(t))
                hidden = (result[0] if isinstance(result, tuple) else result)[0]
                states.append(hidden)
                keep = [1 + i for i in content_tokens(words[1:-1][:62], parts[1:-1][:62], stop)]
                unit = lambda v: [round(x, 7) for x in (v / v.norm()).tolist()]
                rows.append({"cut": len(ids) > 64, "paper": unit(hidden[keep].mean(0)),
                             "model": unit(pool_model(hidden, pooling, torch.ones(t.shape[1], dtype=torch.bool)))})
            expected[name] = rows
            # Each text with the one before it, without those that BERTScore would trim.
            usable = [i for i, text in enumerate(reference["texts"]) if states[i] is not None and text == text.strip()]
            scores[name] = [[i, k] + bertscore(states[i], states[k]) for k, i in zip(usable, usable[1:])]
    write(os.path.join(out, "expected.json"), {"texts": reference["texts"], "vectors": expected, "bertscore": scores})


def cross(out, tokenizers):
    with open(os.path.join(tokenizers, "expected.json"), encoding="utf-8") as f:
        reference = json.load(f)
    base = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 32}
    # tokenizer, special tokens of a pair, architecture, logits to similarity
    kinds = {
        "cross-bert": ("bert", 3, {"model_type": "bert", "max_position_embeddings": 64, "pad_token_id": 0, "type_vocab_size": 2,
                                   "architectures": ["BertForSequenceClassification"], "id2label": {"0": "LABEL_0"}}, lambda x: torch.sigmoid(x[0])),
        "cross-roberta": ("roberta", 4, {"model_type": "roberta", "max_position_embeddings": 66, "pad_token_id": 1, "type_vocab_size": 1,
                                         "architectures": ["RobertaForSequenceClassification"],
                                         "id2label": {"0": "contradiction", "1": "Entailment", "2": "neutral"}}, lambda x: x.softmax(-1)[1]),
    }
    values = {}
    for seed, (name, (tok, special, arch, similarity)) in enumerate(kinds.items()):
        torch.manual_seed(20261127 + seed)
        with open(os.path.join(tokenizers, tok + ".json"), encoding="utf-8") as f:
            tokenizer = json.load(f)
        c = {**base, **arch, "vocab_size": max([max(tokenizer["model"]["vocab"].values())] + [a["id"] for a in tokenizer["added_tokens"]]) + 1}
        model = Classifier(c, len(arch["id2label"])).eval()
        randomize(model)
        dir = os.path.join(out, name)
        with torch.no_grad():
            export(model, c, dir, "onnx/model.onnx")
            write(os.path.join(dir, "tokenizer.json"), tokenizer)
            values[name] = []
            for (a, b, most), pair in zip(reference["pairs"], reference["paired"][tok]):
                n, m = (len(reference["ids"][tok][text]) - 2 for text in (a, b))
                ids, types = torch.tensor([pair["ids"]]), torch.tensor([pair["types"]])
                logits = model(ids, torch.ones_like(ids), types)[0]
                values[name].append({"value": round(similarity(logits).item(), 7), "cut": n + m + special > most} if n and m else None)
    write(os.path.join(out, "cross.json"), {"texts": reference["texts"], "pairs": reference["pairs"], "values": values})


def bert(out, hidden, layers, heads, vocab):
    torch.manual_seed(1)
    c = {"model_type": "bert", "hidden_size": hidden, "num_hidden_layers": layers, "num_attention_heads": heads,
         "intermediate_size": 4 * hidden, "max_position_embeddings": 512, "vocab_size": vocab, "pad_token_id": 0}
    model = Bert(c).eval()
    with torch.no_grad():
        export(model, c, out)


if __name__ == "__main__":
    if sys.argv[1] == "small":
        small(*sys.argv[2:])
        cross(*sys.argv[2:4])
    else:
        bert(sys.argv[2], *map(int, sys.argv[3:]))
