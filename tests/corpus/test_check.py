#!/usr/bin/env -S python3 -B
"""test_check.py GGUF CORPUS [--write] - what `gguf check` says of every file of
the corpus, under each profile, against check.tsv and rules.tsv beside this.

A line of check.tsv is a file, whether anything in it weighs as error under the
profiles spec and llama.cpp, whether llama.cpp's loader takes it (no, metadata,
yes), whether its model loads, as --json says it, and the rules that it breaks.
Errors, and a model that does not load, make the exit status. --write writes the
lines of this corpus anew, to be read.

ROWS says of the inputs behind the published holes of GGUF readers what a judge
must say of them, whatever the table does: they are numbered as in the corpus.
"""

import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "check.tsv")
PROFILES = ("spec", "llama.cpp", "both")
SEVERITIES = ("note", "warning", "error")
WEIGHT = {"none": 0, "note": 1, "warning": 2, "error": 3}
OPTIONAL = {"worked/worked-llama3.gguf"}  # made where there is a tokenizer

# File, errors under spec and llama.cpp, and the rule that says why.
ROWS = """
e01-empty            1 1  header-truncated
e02-magic            1 1  header-truncated
e03-cut-8            1 1  header-truncated
e03-cut-16           1 1  header-truncated
e03-cut-23           1 1  header-truncated
e04-fugg             1 1  not-gguf
e04-lower            1 1  not-gguf
e05-lfs              1 1  not-gguf
e06-version-0        1 1  version-unknown
e06-version-4        1 1  version-unknown
e07-v1               1 1  version-1
e08-big              0 1  big-endian
e09-tensors-max      1 1  count-impossible
e09-tensors-2e55     1 1  count-impossible
e10-one-too-many     1 1  count-impossible
e11-keys-max         1 1  count-impossible
e12-keys-2e40        1 1  count-impossible
e13-key-max          1 1  string-length
e14-key-short        1 1  header-truncated
e15-key-empty        1 1  key-empty
e16-key-long         1 0  key-long
e17-key-space        1 0  key-chars
e18-alias-first      1 1  key-nul
e18-alias-last       1 1  key-nul
e19-key-twice        1 1  key-duplicate
e20-template-twice   1 1  key-duplicate
e21-type-13          1 1  value-type
e21-type-4294967295  1 1  value-type
e22-bool             1 0  bool-value
e23-bools            1 0  bool-value
e24-string-2e63      1 1  string-length
e25-utf8             1 0  string-utf8
e26-nul              1 1  string-nul
e27-escape           0 0  string-control
e28-u32-max          1 1  count-impossible
e29-u8-2e30          1 1  count-impossible
e30-str-2e27         1 1  count-impossible
e31-nested           0 1  array-nested
e32-depth-100000     1 1  array-depth
e33-elem-99          1 1  array-type
e34-zero-u32         1 1  alignment-zero
e35-align-13         1 1  alignment-not-of-8
e35-align-24         0 1  alignment-not-power-of-2
e35-align-1          1 1  alignment-not-of-8
e35-align-4          1 1  alignment-under-32
e36-align-2e16       0 0  -
e36-align-2e17       0 0  alignment-large
e37-i32              1 1  alignment-type
e37-u64              1 1  alignment-type
e37-arr              1 1  alignment-type
e37-str              1 1  alignment-type
e38-2e31             1 1  alignment-huge
e38-2e31-no-tensor   1 1  alignment-huge
e39-name-63          0 0  -
e39-name-64          0 1  name-64
e39-name-65          1 1  name-long
e40-name-empty       1 1  name-empty
e41-name-twice       1 1  name-duplicate
e42-name-nul         1 1  name-nul
e43-name-paths       0 0  name-path
e44-0d               0 0  -
e45-5d               1 1  dimensions
e45-n-dims-max       1 1  dimensions
e46-zero             0 0  -
e46-zero-rows        0 0  -
e47-dim-max          1 1  dimension-size
e47-dim-2e63         1 1  dimension-size
e48-product          1 1  size-overflow
e49-product          1 1  size-overflow
e50-f32-2e62         1 1  size-overflow
e50-f64-2e61         1 1  size-overflow
e50-f32-pad          1 1  size-overflow
e51-bytes            1 1  size-overflow
e52-q4-0             1 1  data-missing
e52-q8-0             1 1  data-missing
e53-zero-strides     1 1  size-overflow
e54-sum              1 1  size-overflow
e55-type-4           1 1  type-removed
e55-type-31          1 1  type-removed
e55-type-43          1 1  type-unknown
e55-type-2147483648  1 1  type-unknown
e56-q4-0             1 1  row-not-blocks
e56-q4-k             1 1  row-not-blocks
e57-offset-1         1 1  offset-unaligned
e57-offset-32        1 1  offset-range
d01-gap              0 1  gap
d02-overlap          1 1  overlap
d02-unordered        0 1  order
d31-no-embedding     0 1  tensor-missing
d31-no-output-norm   0 1  tensor-missing
d31-no-block         0 1  tensor-missing
d31-no-attn-norm     0 1  tensor-missing
d31-shape-embedding  0 1  tensor-shape
d31-shape-feed       0 1  tensor-shape
d31-shape-tokens     0 1  tensor-shape
d31-shape-deep       0 1  tensor-shape
d31-no-attn-q        0 1  tensor-missing
d31-block-past       0 1  block-past-count
d31-blocks-past      0 1  block-past-count
d31-further-layer    0 0  -
d32-no-tokenizer     0 0  no-tokenizer
d32-no-model         0 0  tokenizer-missing
d32-no-tokens        0 0  tokenizer-missing
d32-model-unknown    0 1  tokenizer-unknown
d32-merges-missing   0 1  tokenizer-merges
d32-merges-type      0 1  tokenizer-merges
d32-rope-half        0 1  rope-dimensions
d32-experts-used     0 1  expert-counts
d32-experts-idle     0 1  expert-counts
d32-experts-unsaid   0 1  expert-counts
d32-expert-groups    0 1  expert-counts
d32-expert-groups-used  0 1  expert-counts
e58-byte-missing     1 1  data-missing
e58-all-missing      1 1  data-missing
e59-no-padding       0 0  padding-missing
e60-trailing         0 0  trailing-bytes
e60-padding          0 0  padding-not-zero
e61-data-as-info     1 1  string-length
e65-newlines         1 0  key-long
e66-scores           0 1  tokens-type
e66-scores-short     0 1  tokens-length
big/e67-token-2e31   0 1  over-1-gib
e68-block-count-0    0 1  parameter-range
e68-block-count-513  0 1  parameter-range
e68-block-count-4294967295  0 1  parameter-range
e69-head-count       0 1  parameter-range
e70-bos              0 1  token-id-range
e71-nan              0 0  float-not-finite
e71-inf              0 0  float-not-finite
e72-name-index       0 1  name-number
e73-split-65536      1 1  split-contradiction
e73-split-no-1       0 1  split-keys
e73-split-tensors    1 1  split-tensors
e73-split-strings    0 1  split-keys
e77-zip              0 0  trailing-bytes
big/e78-one-tebibyte 0 0  trailing-bytes
d26-same-no/m-00001-of-00003      1 1  split-contradiction
d26-alignments/m-00001-of-00002   0 0  -
d26-stale/m-00001-of-00002        0 0  split-stale
d26-data-cut/m-00001-of-00002     1 1  data-missing
d26-header-cut/m-00001-of-00002   1 1  header-truncated
d26-missing/m-00001-of-00003      1 1  split-missing
"""

# Rules that small files break, which are no whole models.
INCOMPLETE = {"architecture-missing", "architecture-unknown", "key-required",
              "no-chat-template", "no-tokenizer",
              "quantization-version-missing"}

# Clean by the description, which has architectures that llama.cpp lacks, and
# says nothing of further tensors.
DESCRIBED = {**dict.fromkeys(("gptj.gguf", "rwkv.gguf", "whisper.gguf"),
                             "architecture-unknown"),
             "llama-odd-tensors.gguf": "tensor-unused"}

# What good files break all the same: how their names begin, the rule, and why.
# Those of c... are models of the reference program's own test, which are random.
EXCEPTIONS = (
    ("empty", "architecture-missing", "it has no key at all"),
    *((name, "architecture-unknown", "its architecture is \"plain\"")
      for name in ("align-", "arrays", "dims", "long", "many", "one-key",
                   "one-tensor", "types", "vocab")),
    ("empty-v1", "version-1", "it is to be of version 1"),
    ("empty-v2", "version-2", "it is to be of version 2"),
    ("empty-big", "big-endian", "it is to be big-endian"),
    ("llama-", "no-tokenizer", "it is only keys and tensors"),
    ("per-layer", "no-tokenizer", "it is only keys"),
    ("llama-big", "big-endian", "it is to be big-endian"),
    ("align-8", "alignment-under-32", "it is to be of alignment 8"),
    ("align-16", "alignment-under-32", "it is to be of alignment 16"),
    ("types", "type-not-described", "it has every type of llama.cpp"),
    ("c", "architecture-missing", "its keys are my_key_0, my_key_1, ..."),
    ("c", "string-control", "its strings are of random bytes"),
    ("c", "type-not-described", "its types are any of llama.cpp's"),
    ("c", "quantization-version-missing", "its types are any"),
    ("c26", "data-missing", "it ends with its tensor infos"),
    ("c27", "data-missing", "it ends with its tensor infos"),
    ("c27", "alignment-not-of-8", "it is to be of alignment 1"),
    ("c33", "alignment-not-of-8", "it is to be of alignment 1"),
    ("c27", "alignment-under-32", "it is to be of alignment 1"),
    ("c33", "alignment-under-32", "it is to be of alignment 1"),
)

# The form of a field that a finding can name.
FIELD = re.compile(
    r"|header\.(magic|version|n_tensors|n_kv)"
    r"|kv\[\d+\]\.(key|key\.len|type|value(\[\d+\])*(\.(len|count|elem_type))?)"
    r"|tensor\[\d+\]\.(name|name\.len|n_dims|ne|ne\[\d\]|type|offset|padding)")


class Tally:
    def __init__(self):
        self.checks = self.failures = 0

    def expect(self, holds, what):
        self.checks += 1
        if not holds:
            self.failures += 1
            if self.failures <= 100:
                print(what)


def rows():
    """(file, errors, rule) of ROWS."""
    for line in ROWS.strip().splitlines():
        name, spec, llama, rule = line.split()
        group = ("" if name.startswith("big/")
                 else "odd/" if name.startswith("d") else "hostile/")
        yield f"{group}{name}.gguf", (int(spec), int(llama)), rule


def read_table(path):
    with open(path, encoding="ascii") as f:
        lines = [x for x in f.read().splitlines() if not x.startswith("#")]
    columns = lines[0].split("\t")
    table = {}
    for line in lines[1:]:
        row = dict(zip(columns, line.split("\t")))
        table[row[columns[0]]] = row
    return table


def names_of(corpus):
    """The files that were made, but for lists beside them."""
    for folder, _, files in sorted(os.walk(corpus)):
        for name in sorted(files):
            path = os.path.relpath(os.path.join(folder, name), corpus)
            if os.sep in path and not name.endswith(".tsv"):
                yield path


def run(gguf, corpus, profile, names):
    """Exit status and report of one check of many files."""
    command = [gguf, "check", "--json", "--profile", profile, "--max",
               "1000000", *(os.path.join(corpus, n) for n in names)]
    child = subprocess.run(command, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, check=False, timeout=600)
    if child.returncode not in (0, 1) or child.stderr:
        raise SystemExit(f"exit {child.returncode}: {child.stderr[:500]!r}")
    files = json.loads(child.stdout)["files"]
    if len(files) != len(names):
        raise SystemExit(f"{len(files)} reports on {len(names)} files")
    return child.returncode, dict(zip(names, files))


def judge_rules(t, gguf, rules):
    child = subprocess.run([gguf, "check", "--rules", "--json"],
                           stdout=subprocess.PIPE, check=True)
    found = {r["rule"]: r for r in json.loads(child.stdout)["rules"]}
    t.expect(list(found) == list(rules), "other rules than in rules.tsv")
    for name, r in found.items():
        weights = rules.get(name, {})
        t.expect((r["spec"], r["llama_cpp"])
                 == (weights.get("spec"), weights.get("llama.cpp")),
                 f"{name}: weighs {r['spec']}, {r['llama_cpp']}")
        t.expect(r["meaning"] and r["fix"], f"{name}: says nothing")


def broken_rules(report):
    return sorted({f["rule"] for f in report["findings"]})


def weight(finding, profile):
    spec = WEIGHT[finding["spec"]]
    llama = WEIGHT[finding["llama_cpp"]]
    return {"spec": spec, "llama.cpp": llama,
            "both": max(spec, llama)}[profile]


def judge_findings(t, name, report, size):
    """Each has its place and its sentence."""
    for f in report["findings"]:
        label = f"{name}: {f['rule']}: {f}"
        t.expect("more" not in f, label)
        t.expect(f["text"], label)
        t.expect(FIELD.fullmatch(f.get("field", "")), label)
        t.expect("field" not in f or "offset" in f, label)
        if f["shard"] == 0 and "d26" not in name:
            t.expect(f.get("offset", 0) <= size, label)


def judge_report(t, name, profile, report, row, rules):
    label = f"{name}, {profile}"
    wanted = [r for r in row["rules"].split(",") if r != "-"
              and weight({"spec": rules[r]["spec"],
                          "llama_cpp": rules[r]["llama.cpp"]}, profile)]
    t.expect(broken_rules(report) == wanted,
             f"{label}: breaks {broken_rules(report)}, not {wanted}")
    for one in ("spec", "llama.cpp"):
        counts = report.get(one.replace(".", "_"))
        t.expect((counts is not None) == (profile in (one, "both")), label)
        if counts is None:
            continue
        for severity in SEVERITIES:
            n = sum(weight(f, one) == WEIGHT[severity]
                    for f in report["findings"])
            t.expect(counts[severity + "s"] == n,
                     f"{label}: counts {counts[severity + 's']} {severity}s, "
                     f"tells {n}")
        t.expect((counts["errors"] > 0) == (row[one] == "1"),
                 f"{label}: {counts['errors']} errors, not {row[one]}")
    if profile != "spec":
        judge_loader(t, label, report, row)


def judge_loader(t, label, report, row):
    loads = report["llama_cpp_loads"]
    t.expect(loads == row["loads"], f"{label}: loads {loads}")
    model = report["llama_cpp_model"]
    t.expect(model == row["model"], f"{label}: the model loads: {model}")
    t.expect(("llama_cpp_reason" in report) == (loads != "yes"), label)
    errors, warnings = (report["llama_cpp"][s] for s in ("errors", "warnings"))
    t.expect(loads != "no" or errors > 0,
             f"{label}: the loader refuses it, the profile does not")
    t.expect(loads != "metadata" or errors + warnings > 0,
             f"{label}: the loader lacks data, the profile does not")


def exit_status(row, profile):
    spec = profile != "llama.cpp" and row["spec"] == "1"
    llama = profile != "spec" and (row["llama.cpp"] == "1" or
                                   row["model"] == "no")
    return int(spec or llama)


def judge_profile(t, gguf, corpus, profile, table, rules, names):
    """All files of one exit status in one process."""
    one = {n: table[n] for n in names}
    for status in (0, 1):
        some = [n for n, row in one.items()
                if exit_status(row, profile) == status]
        if not some:
            continue
        code, reports = run(gguf, corpus, profile, some)
        t.expect(code == status, f"{profile}: exit {code}, not {status}")
        for name, report in reports.items():
            judge_report(t, name, profile, report, one[name], rules)
            judge_findings(t, name, report,
                           os.path.getsize(os.path.join(corpus, name)))


def judge_rows(t, table):
    for name, errors, rule in rows():
        row = table.get(name)
        t.expect(row is not None, f"{name} is not in check.tsv")
        if row is None:
            continue
        found = (int(row["spec"]), int(row["llama.cpp"]))
        t.expect(found == errors, f"{name}: {found}, but should be {errors}")
        broken = set(row["rules"].split(",")) - {"-"}
        t.expect(rule in broken or (rule == "-" and broken <= INCOMPLETE),
                 f"{name}: breaks {broken}, not {rule}")


def judge_table(t, table, rules):
    """What the table must say, whatever the program does."""
    judge_rows(t, table)
    seen = {r for row in table.values() for r in row["rules"].split(",")}
    for rule in rules:
        # What breaks these is in tests/cli/test_values.py.
        t.expect(rule in seen or rule.startswith("numbers-"),
                 f"no file breaks {rule}")
    for name, row in table.items():
        group, name = name.split("/", 1)
        broken = set(row["rules"].split(",")) - {"-"}
        if group == "clean":
            wanted = {DESCRIBED[name]} if name in DESCRIBED else set()
            t.expect(broken == wanted and row["loads"] == "yes",
                     f"clean/{name}: breaks {broken}")
        for rule in broken if group == "good" else ():
            t.expect(any(name.startswith(start) and rule == one
                         for start, one, _ in EXCEPTIONS),
                     f"good/{name}: breaks {rule}")
    good = [(name.split("/")[1], row["rules"].split(","))
            for name, row in table.items() if name.startswith("good/")]
    for start, rule, _ in EXCEPTIONS:
        t.expect(any(name.startswith(start) and rule in broken
                     for name, broken in good),
                 f"no good/{start}... breaks {rule} any more")


def write_table(gguf, corpus, names):
    _, reports = run(gguf, corpus, "both", names)
    table = read_table(TABLE) if os.path.exists(TABLE) else {}
    for name, r in reports.items():
        table[name] = {
            "name": name, "spec": str(int(r["spec"]["errors"] > 0)),
            "llama.cpp": str(int(r["llama_cpp"]["errors"] > 0)),
            "loads": r["llama_cpp_loads"], "model": r["llama_cpp_model"],
            "rules": ",".join(broken_rules(r)) or "-"}
    with open(TABLE, "w", encoding="ascii") as f:
        f.write("name\tspec\tllama.cpp\tloads\tmodel\trules\n")
        for name in sorted(table):
            f.write("\t".join(table[name].values()) + "\n")


def main(args):
    write = args[2:] == ["--write"]
    if len(args) != 2 + write:
        raise SystemExit(__doc__)
    gguf, corpus = args[:2]
    names = list(names_of(corpus))
    if write:
        write_table(gguf, corpus, names)
        return 0
    t = Tally()
    rules = read_table(os.path.join(HERE, "rules.tsv"))
    table = read_table(TABLE)
    big = os.path.isdir(os.path.join(corpus, "big"))
    wanted = {n for n in table if n.startswith("big/") == big}
    for what, missing in (("made", wanted - set(names) - OPTIONAL),
                          ("in check.tsv", set(names) - set(table))):
        t.expect(not missing, f"not {what}: {sorted(missing)[:3]}")
    names = [n for n in names if n in table]
    judge_rules(t, gguf, rules)
    judge_table(t, table, rules)
    for profile in PROFILES:
        judge_profile(t, gguf, corpus, profile, table, rules, names)
    print(f"{t.checks} checks, {t.failures} failures")
    return 1 if t.failures or not names else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
