"""words.py - vocabularies, chat templates, and models to be named. What `gguf
vocab`, `template` and `name` say of them is in tests/cli.
"""

from corpus import Case
from ggufgen import Arr, File, KV, Tensor, arch, strings

TOKENS = "tokenizer.ggml.tokens"
SCORES = "tokenizer.ggml.scores"
TYPES = "tokenizer.ggml.token_type"
TEMPLATE = "tokenizer.chat_template"


def task(name, id, type="u32"):
    return KV(f"tokenizer.ggml.{name}_token_id", type, id)


def vocabulary(big=False):
    """All types of tokens, and texts that are hard to show."""
    tokens = ["<unk>", "<s>", "</s>", "<0x0A>", "\n", "\t\"\\", "[UNK]", "U",
              "a*b", "axb", "\u202e", b"\xff\xfe", "", "a\0b", "\u2581\u4e2d",
              "<|tool|>"]
    types = [2, 3, 3, 6, 1, 1, 1, 1, 4, 1, 5, 1, 1, 0, 7, 3]
    scores = [0.0] * 4 + [-float(i) for i in range(11)] + [float("nan")]
    return File([
        arch(), KV(TOKENS, "arr", strings(*tokens)),
        KV(TYPES, "arr", Arr("i32", types)),
        KV(SCORES, "arr", Arr("f32", scores)),
        KV("tokenizer.ggml.merges", "arr", strings("a b", "\u0120 t", "a *")),
        task("eot", 2), task("bos", 1), task("eos", 2), task("unknown", 0),
        KV("tokenizer.ggml.seperator_token_id", "u32", 99),
        task("mask", -1, "i32"), task("padding", 2 ** 63, "u64"),
        task("cls", 0.5, "f32"),
        task("x\x1b[31m", 6, "u8")], big=big)


def arrays(scores, types):
    return File([arch(), KV(TOKENS, "arr", strings("a", "b", "c")),
                 KV(SCORES, "arr", scores), KV(TYPES, "arr", types)])


CHAT = ("{#- a {{ comment.__doc__ }} #}\n"
        "{{- bos_token }}{% for m in messages %}<|start|>{{ m['role'] }}\n"
        "{{ m.content + eos_token }}<|end|>{% endfor %}\n")
DANGER = ("import os\n"
          "{% import 'x' as y %}{%- include \"z\" -%}\n"
          "{{ ''.__class__.__mro__ }} __class__\n"
          "{{ '}}' ~ x|attr('\\x5f\\x5finit') }}{{ os.popen('id') }}\n"
          "{{ 'the import of eval' }}{{ \"\\\"\" ~ lipsum.__class__ }}\n"
          "{{ role.system }}{{ attr }}{% set from = os %}\x1b[31m")


def templates():
    """The default comes last; one has no name, one no text."""
    return File([
        arch(), KV(TOKENS, "arr", strings("<|start|>", "<|end|>", "<|end",
                                          "x", "<s>")),
        KV(TYPES, "arr", Arr("i32", [3, 3, 3, 1, 1])), task("bos", 4),
        KV("tokenizer.chat_templates", "arr",
           strings("tool_use", "gone", "default", "lost")),
        KV(TEMPLATE + ".tool_use", "str", "tools: <|end|><|end|><s>"),
        KV(TEMPLATE + ".danger", "str", DANGER),
        KV(TEMPLATE + ".", "str", ""),
        KV(TEMPLATE + ".number", "u32", 1),
        KV(TEMPLATE, "str", CHAT)])


def named(layers, *more):
    """A model of 1 MiB of Q8_0 and little else."""
    return File([arch(), *more],
                [Tensor(f"blk.{i}.ffn_up.weight", [1024, 1024], "Q8_0")
                 for i in range(layers)] + [Tensor("output_norm.weight", [8])])


def experts():
    return File([arch(), KV("general.file_type", "u32", 1)],
                [Tensor("blk.0.ffn_up_exps.weight", [100, 100, 8], "F16"),
                 Tensor("blk.0.attn_q.weight", [100, 100], "F16")])


def cases():
    models = {
        "vocab": vocabulary(), "vocab-big": vocabulary(True),
        "short": arrays(Arr("i32", [-1, -2]), Arr("i32", [1, 1, 1, 1])),
        "kinds": arrays(strings("a", "b", "c"), Arr("f32", [1.0] * 3)),
        "twice": File([arch(), KV(TOKENS, "arr", strings("a")),
                       KV(TOKENS, "arr", strings("b"))]),
        "templates": templates(),
        "unnamed": File([arch(), KV(TEMPLATE + ".a", "str", "A"),
                         KV(TEMPLATE + ".b", "str", "B")]),
        "plain": named(1),
        "keys": named(1, KV("general.basename", "str", "Tiny Model"),
                      KV("general.finetune", "str", "Instruct"),
                      KV("general.version", "str", "1.0"),
                      KV("general.size_label", "str", "1M"),
                      KV("general.file_type", "u32", 7)),
        "titled": named(2, KV("general.name", "str", "Tiny 3 2M Chat"),
                        KV("general.file_type", "u32", 15)),
        "long": named(1, KV("general.basename", "str", "n" * 300)),
        "mmproj": named(1, KV("general.type", "str", "mmproj")),
        "lora": named(1, KV("general.type", "str", "adapter")),
        "experts": experts(),
    }
    shard = named(1, KV("split.no", "u16", 1), KV("split.count", "u16", 3))
    return [Case(f"words/words-{name}.gguf", what)
            for name, what in models.items()] + [
        Case("words/words-shard.gguf", shard, "SPLIT", "kv[2].value",
             alone=True)]
