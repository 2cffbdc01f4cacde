"""notes.py - what each file of the corpus is, in a few words.

One line is a pattern for names without the group and .gguf, and the words, in
which {0} is what the first parentheses matched. What a file says beside it, in
its group's module, comes first.
"""

import re

CLEAN = r"""
(bloom|falcon|gemma|gpt2|gptj|gptneox|mamba|mamba2|mpt|qwen2|rwkv|whisper|llama)	a model of {0} with all that it needs, and nothing to find
label-(.*)	general.file_type is {0}, and the tensors agree
llama-align-64	general.alignment is 64, and so is the layout
llama-data	tensors and vocabulary of a llama with its data
llama-odd-tensors	a scalar, a tensor of no elements, one with a name of 63 bytes, one of a high number
llama-reversed	the last tensor comes first
set/llama-0000(.)-of-.*	shard {0} of a set in which nothing is to be found
"""

CONFIG = r"""
config-deepseek2	latent attention, a dense block, then experts
config-gemma3	a sliding window in most layers, and another rope in these
config-head-80	heads of 80 elements
config-jamba	attention in some layers, a state in the others
config-layers	no layer is like the one before, the first has no attention
config-llama	the hyperparameters of Llama 3 8B
config-mamba	a state and no attention
config-no-blocks	the same as llama without its count of layers
config-phi3	a sliding window
config-phimoe	experts
config-short-array	an array for each layer that is shorter than the layers
config-too-many	2^20 + 1 layers
config-unknown	an architecture that nobody knows, with an escape in its name
config-whisper	layers of an encoder and of a decoder
"""

FEATURES = r"""
features-v1	everything the format has, in version 1
features-v2	everything the format has, in version 2
features-v3	everything the format has, in version 3
features-v3-big	everything the format has, big-endian
"""

GOOD = r"""
align-(\d+)	general.alignment is {0}
c07-empty	no key, no tensor: valid
c14-keys-.	random keys: valid
c18-zero-dim-.	random tensors with a dimension of 0: valid
c26-tensors-.	random tensors without data: valid
c(27|33)-align-1-.	random tensors packed by an alignment of 1: valid
c32-data-.	random tensors with their data: valid
dims	tensors of one to four dimensions
empty-big	24 bytes, big-endian
empty-v2	24 bytes of version 2
llama-big	a small llama, big-endian
llama-f16	a small llama in F16
llama-shuffled	a small llama, its last tensor first
llama	a small llama with its vocabulary
long	strings about as long as a reader's buffer
many	500 keys and 500 tensors
one-key	one key, no tensor
one-tensor	one key, one tensor
per-layer	head counts as an array with one for each layer
"""

HEX = r"""
arrays	arrays of truth values, strings, nothing, arrays
big-endian	a key, an array and a tensor, big-endian
fugg	big-endian, the magic the other way round
layout	tensors and padding, worked out by hand
minimal	24 bytes: no key, no tensor
scalars	a key of each type
shard	the second of two shards, whose name does not say so
string-cut	a string one byte longer than the file
version-1	keys and a tensor in version 1
version-2	a key and a tensor in version 2, aligned to 8
"""

SPOILT = r"""
c01-bad-magic	another magic
c02-version-0	version 0
c03-version-1	version 1 on what is version 3
c04-version-4	version 4
c05-n-kv	2^64 - 1 keys
c06-n-tensors	2^64 - 1 tensors
c08-key-size-.	random keys whose length is 2^64 - 1
c09-empty-key-.	random keys, all of them empty
c10-type-.	random keys, all of type 13
c11-duplicate-.	random keys, each twice
c(12|24|29)-align-13-.	a random model with an alignment of 13
c13-align-i32-.	a random model with an alignment of type INT32
c15-long-name-.	random tensors with names of 64 bytes and more
c16-five-dims-.	random tensors of five dimensions
c17-dim-.	random tensors with a dimension of -1
c19-elements-.	random tensors of more elements than 2^63
c20-bytes-.	random tensors whose elements can be counted, but not their bytes
c21-type-.	random tensors of the first type that there is not
c22-offset-.	random tensors at 2^64 - 1
c23-one-name-.	random tensors, all of one name
c(25|30)-packed-.	random tensors without padding between, and no alignment that says so
c28-byte-missing-.	random tensors, the last byte missing
c31-sum-.	two tensors that together have over 2^64 bytes
"""

STARTS = r"""
e01-empty	no byte at all
e02-magic	the magic and no more
e02-magic-(.)	{0} bytes of the magic
e03-cut-(\d+)	the first {0} bytes of a header
e03-v1-cut-(\d+)	the first {0} bytes of a header of version 1
e04-fu	a magic half turned round
e04-fugg	the magic the other way round, of a little-endian file
e04-fug	three bytes of it
e04-gg	two bytes of the magic, then a zero
e04-lower	the magic in small letters
e05-lfs	the first line of a Git LFS pointer
e06-version-(\d+)	version {0}
e07-v1	version 1
e08-big	big-endian
e09-tensors-2e55	2^55 - 1 tensors, none of which is there
e09-tensors-2e63	2^63 tensors, none of which is there
e09-tensors-max	2^64 - 1 tensors, none of which is there
e10-big	2^40 tensors, big-endian, none of which is there
e10-least-tensors	three of the smallest tensor infos
e10-one-tensor	one tensor that is not there
e10-one-too-many	four tensors, in the bytes of three of the smallest
e11-keys-2e55	2^55 - 1 keys, none of which is there
e11-keys-2e63	2^63 keys, none of which is there
e11-keys-max	2^64 - 1 keys, none of which is there
e12-both	2^64 - 1 keys and as many tensors
e12-keys-2e40	2^40 keys, none of which is there
e12-least-keys	three of the smallest keys
e12-one-key	one key that is not there
e12-one-too-many	four keys, in the bytes of three of the smallest
e12-v1-key-too-many	four keys, in the bytes of three of the smallest of version 1
e12-v1-keys	2^32 - 1 keys in version 1
e12-v1-least	three of the smallest keys and tensor infos of version 1
e12-v1-least-tensors	three of the smallest tensor infos of version 1
e12-v1-one-too-many	four tensors, in the bytes of three of the smallest of version 1
e12-v1-tensors	2^32 - 1 tensors in version 1
"""

KEYS = r"""
e13-key-2e63	a key of 2^63 bytes
e13-key-gib	a key of 1 GiB, which is not there
e13-key-max	a key of 2^64 - 1 bytes
e13-key-over-gib	a key of a byte more than 1 GiB
e13-v1-key-max	a key of 2^32 - 1 bytes in version 1
e14-key-all	a key that takes the rest of the file
e14-key-one-short	a key one byte longer than the rest of the file
e14-key-short	a key of 1000 bytes, of which few are there
e14-no-room	a key that has no room for a type
e15-key-empty	a key that is empty
e16-key-long	a key of 65536 bytes
e17-key-space	a key with capitals and a space
e18-alias-first	a key that C takes for general.alignment, before it
e18-alias-last	a key that C takes for general.alignment, after it
e18-nul-differs	general.alignment twice, once ended by a NUL, with other values
e18-nul-ended	general.alignment ended by a NUL
e18-nul-twice	general.alignment and two NULs, which is another key
e19-key-twice	a key twice, of different types
e20-template-twice	two chat templates
e21-type-(\d+)	a value of type {0}
e21-type-cut	the file ends within the type of a key
e21-value-cut	the file ends within a value
e21-value-gone	the file ends before a value
e22-bool	a truth value that is 2
e23-bools	an array of truth values that are neither 0 nor 1
e24-length-cut	the file ends within the length of a string
e24-string-2e62	a string of 2^62 bytes
e24-string-2e63	a string of 2^63 bytes
e24-string-gib	a string of 1 GiB, which is not there
e24-string-max	a string of 2^64 - 1 bytes
e24-string-over-gib	a string of a byte more than 1 GiB
e24-string-short	a string one byte longer than the file
e25-utf8	a string that is not UTF-8
e26-nul	an architecture with a NUL within
e27-escape	a name that commands a terminal
"""

ARRAYS = r"""
e28-(u32|u8|u64)-max	an array of 2^64 - 1 elements of type {0}
e28-(u32|u8|u64)-2e(\d+)	an array of 2^{1} elements of type {0}, more than memory has bytes
e29-bool-short	an array of 4 truth values, of which 2 are there
e29-u8-2e30	an array of 2^30 bytes, of which few are there
e29-u8-all	an array that takes the rest of the file
e29-u8-one-short	an array one byte longer than the rest of the file
e30-arr-2e27	2^27 arrays in 64 bytes
e30-arr-(\d+)	{0} arrays in about 60 bytes, at least 12 for each
e30-str-2e27	2^27 strings in 64 bytes
e30-str-(\d+)	{0} strings in 64 bytes, at least 8 for each
e30-token-long	a string in an array that goes past the end
e30-v1-arr-(\d+)	{0} arrays in 64 bytes of version 1, at least 8 for each
e30-v1-str-(\d+)	{0} strings in 64 bytes of version 1, at least 4 for each
e31-nested	an array in an array
e32-depth-16-empty	arrays 16 deep, the inmost empty
e32-depth-(\d+)	arrays {0} deep
e33-cut-(\d+)	the file ends {0} bytes after an array begins
e33-elem-max	an array of elements of type 2^32 - 1
e33-elem-(\d+)	an array of elements of type {0}
e33-inner-count	an array in an array that has 2^64 - 1 elements
e33-inner-elem	an array in an array with elements of type 99
"""

ALIGNMENTS = r"""
e34-minus-(.*)	general.alignment is -1, of type {0}
e34-zero-(.*)	general.alignment is 0, of type {0}
e35-align-(\d+)	general.alignment is {0}, while the layout follows 32
e36-align-2e(\d+)	general.alignment is 2^{0}, and no tensor
e37-(i32|u64)	general.alignment of type {0}
e37-(arr|bool|f32|f64|str)	general.alignment of type {0}, which is no integer
e37-later-key-first	general.alignment is 0, and a later key has no type
e37-string-then-zero	general.alignment twice, a string and 0
e37-third-differs	general.alignment three times, the third another
e37-zero-then-string	general.alignment twice, 0 and a string
e38-2e(\d+)	general.alignment is 2^{0}, before a tensor
e38-2e(\d+)-no-tensor	general.alignment is 2^{0}, and no tensor
e38-max	general.alignment is 2^64 - 1, before a tensor
e38-max-no-tensor	general.alignment is 2^64 - 1, and no tensor
e38-max-nothing	general.alignment is 2^64 - 1, before a tensor without elements
"""

TENSORS = r"""
e39-name-2e63	a tensor's name of 2^63 bytes
e39-name-max	a tensor's name of 2^64 - 1 bytes
e39-name-1000	a tensor's name of 1000 bytes, of which few are there
e39-name-(\d\d)	a tensor's name of {0} bytes; llama.cpp takes 63
e40-name-empty	a tensor without a name
e41-name-twice	two tensors of one name
e42-name-nul	names of tensors that are one name to C
e43-name-path	names of tensors that are paths, options, formats
e43-name-paths	names of tensors that are paths
e44-0d	a tensor without dimensions
e44-0d-block	a tensor without dimensions, of a type with blocks
e44-0d-unknown	a tensor without dimensions, of an unknown type
e45-5d	five dimensions
e45-9d	nine dimensions
e45-cut-(\d+)	the last {0} bytes of a tensor info are missing
e45-n-dims-9	nine dimensions by their number
e45-n-dims-max	2^32 - 1 dimensions
e46-zero	a tensor of no elements
e46-zero-rows	a tensor of no rows
e47-dim-2e63	a dimension of 2^63
e47-dim-max	a dimension of 2^64 - 1
e47-dim-max-ok	a dimension of 2^63 - 1, the largest there is
e47-dim-of-zero	a dimension of 2^64 - 1 in a tensor of no elements
e47-dim-second	a second dimension of 2^63
e48-2e33	2^66 elements, the product of 2^33 and 2^33
e48-2e63	2^63 elements, the first number that is too large
e48-product	2^64 elements, which wrap to none
e48-unknown-type	2^64 elements of an unknown type
e49-blocks	2^63 elements in blocks of 32
e49-product	2^64 - 2 elements
e49-third	more than 2^63 elements by the third dimension
e50-f32-2e62	elements that can be counted, but not their bytes, in F32
e50-f32-pad	bytes that can be counted, but not with padding
e50-f64-2e61	elements that can be counted, but not their bytes, in F64
e51-bytes	bytes past 2^64 that wrap to few
e52-f32-max	as many bytes as can be counted, which end past 2^64 in the file
e52-q4-0	elements whose product with the bytes of a block wraps, in Q4_0
e52-q8-0	elements whose product with the bytes of a block wraps, in Q8_0
e52-q8-0-max	as many elements as there can be, in Q8_0
e53-zero-fits	no elements, the other dimension 2^62
e53-zero-last	2^124 elements before a last dimension of 0
e53-zero-strides	no elements, the other dimensions 2^62 each
e55-type-(\d+)	a tensor of type {0}, which there is not
e56-nvfp4	a row of 32 in blocks of 64
e56-q4-0	a row of 31 in blocks of 32
e56-q4-k	a row of 32 in blocks of 256
e56-q4-k-rows	rows of 128 in blocks of 256, two of which would fit
"""

PLACES = r"""
e54-sum	two tensors that end past 2^64 in the file
e54-sum-fits	two tensors that end just below 2^64 in the file
e57-end	a tensor that ends past 2^64
e57-end-fits	a tensor that ends just below 2^64
e57-end-padded	a tensor that ends below 2^64, but not with padding
e57-offset-1	a tensor at an offset of 1
e57-offset-2e63	a tensor at an offset of 2^63
e57-offset-32	a tensor at an offset of -32
e57-offset-max	a tensor at an offset of 2^64 - 1
e57-opaque-offset	a tensor of an unknown type at 2^64 - 1
e58-all-missing	none of the data is there
e58-byte-missing	the last byte of the data is missing
e58-half-missing	half of the data is missing
e59-no-padding	the last tensor is not padded
e60-padding	padding that is not zero
e60-trailing	3000 bytes after the last tensor
e61-data-as-info	two tensors by their number, so that data is read as an info
e65-newlines	a key and a value of 20000 lines
e66-scores	scores of tokens of another type, and too few
e66-scores-short	fewer scores than tokens
e66-tokens-bytes	tokens that are an array of bytes
e66-types-long	more token types than tokens
e68-block-count-(\d+)	block_count is {0}
e69-head-count	no heads
e70-bos	a first token that is one past the last
e70-bos-max	a first token of number 2^32 - 1
e71-(inf|nan)	rope.freq_base is {0}
e72-name-index	a control vector whose number of layers fills memory
e73-split	shard 7 of 1, with -5 tensors
e73-split-65536	shard 0 of 65536
e73-split-arrays	keys of a split that are arrays
e73-split-no-1	shard 1 of 1, counted from 0
e73-split-strings	keys of a split that are strings
e73-split-tensors	shard 0 of 1, with another number of tensors
e73-split-wide	keys of a split in wider types
e77-zip	a model that is an archive too
"""

BIG = r"""
e19-past-4gib	a tensor that begins past 4 GiB
e67-token-2e31	a token of more than 2^31 bytes
e78-one-tebibyte	a tensor of 1 TiB, all of it a hole
"""

ODD = r"""
d01-gap	a gap between two tensors
d01-gap-first	a gap before the first tensor
d02-overlap	two tensors that overlap by half
d02-reversed	the second tensor lies first
d02-same-place	two tensors in the same place
d02-unaligned	a tensor at an offset that is not aligned
d02-unordered	three tensors in another order than their data
d03-last-unpadded	the last tensor is not padded
d04-no-padding	no tensor, and no padding after the keys
d04-some-padding	no tensor, and five bytes after the keys
d05-align-(\d+)	general.alignment is {0}, and so is the layout
d05-align-([iu]\d+)	general.alignment of type {0}
d05-align-twice	general.alignment twice, with other values
d05-align-twice-same	general.alignment twice, the same in two types
d05-align-unheeded	general.alignment is 64, but the layout follows 32
d05-align-zero	general.alignment is 0
d06-padding	padding that is not zero
d07-trailing	3000 bytes after the last tensor
d07-trailing-model	another model after the last tensor
d08-embedded	a model within an archive, at byte 513
d09-big	big-endian
d09-big-v(.)	big-endian, of version {0}, which had no such form
d09-fugg-big	big-endian, the magic the other way round
d09-fugg-little	little-endian, the magic the other way round
d10-v(.)	version {0}
d11-align-twice	general.alignment twice, once ended by a NUL, with other values
d11-nul-ended	every name and string ends in a NUL, which is counted
d12-control	names and values that command a terminal
d12-float	floats that are not numbers, or infinite, or tiny
d12-key	a key that is not UTF-8
d12-name	a tensor's name that is not UTF-8
d12-tokens	tokens that are not UTF-8
d12-value	a value that is not UTF-8
d13-empty-key	a key that is empty
d13-keys	keys with capitals, slashes, dashes, or of 70000 bytes
d13-no-architecture	no architecture
d13-spared	a key that the architecture can do without is missing
d14-block-count-(.*)	block_count of type {0}
d14-count-per-layer	block_count as an array
d14-freq-base-f64	rope.freq_base of type FLOAT64
d14-per-layer	head counts for each layer as INT32
d14-per-layer-u64	head counts for each layer as UINT64
d15-empty-(.*)	an empty array of type {0}
d15-nested	arrays of numbers in an array
d15-nested-deeper	arrays in arrays of several types and depths
d15-nested-odd	arrays in arrays, with odd strings and truth values
d16-name-(\d+)	a tensor's name of {0} bytes; llama.cpp takes 63
d17-0d	a tensor without dimensions
d17-([58])d	a tensor of {0} dimensions
d18-only-zero	a tensor of no elements, and no other
d18-zero-1-0	a tensor of no rows, before another
d18-zero-at-start	a tensor of no elements, where the first one begins
d18-zero-block	a tensor of no elements, of a type with blocks
d18-zero-inside	a tensor of no elements, within another one
d18-zero-last	a tensor of no elements, after another
d18-zero-middle	a tensor of no elements, between two
d19-key-thrice	a key three times, with other types and values
d19-key-twice	a key twice, the same
d19-tensor-differs	two tensors of one name that differ
d19-tensor-twice	two tensors of one name that are the same
d20-fork-types	tensors of the types of forks, and of removed ones
d20-opaque-last	a last tensor of an unknown type
d20-opaque-zero	a tensor of no elements after one of an unknown type
d21-row-meta	a fork's type with extra bytes in each row
d22-undersized	a tensor that begins before the one before it ends
d23-file-type-missing	no general.file_type
d23-file-type-strange	weights, and a general.file_type that nobody knows
d23-file-type-unknown	a general.file_type that nobody knows
d23-file-type-wrong	a general.file_type that most bytes are not of
d24-no-version	blocks, and no general.quantization_version
d25-one-file	a language model and an encoder of images in one
d28-bos-ordinary	a first token that is an ordinary one
d28-bos-wide	a first token of type UINT64
d28-pre-unknown	a pre-tokenizer that nobody knows
d28-token-ids	special tokens that are not in the vocabulary
d28-token-types	all tokens of the ordinary type
d28-types-strange	token types, some of which there are not
d29-bool	truth values that are neither 0 nor 1
d30-big-header	a vocabulary of 40000 tokens
d31-block-names	tensors with names that are nearly those of blocks
d31-block-past	tensors of a block more than are counted
d31-blocks-past	tensors of two blocks more than are counted
d31-further-layer	a layer that predicts further tokens, without tensors
d31-no-attn-norm	the first block lacks its attn_norm
d31-no-attn-q	the first block lacks its attn_q
d31-no-block	the second of two blocks has no tensor
d31-no-blocks	512 blocks, two of which have tensors
d31-no-embedding	no token_embd
d31-no-output-norm	no output_norm
d31-shape-deep	an output_norm of three dimensions
d31-shape-embedding	embedding_length is twice that of the tensors
d31-shape-feed	feed_forward_length is less than that of the tensors
d31-shape-tokens	an embedding more than there are tokens
d32-expert-groups	experts that do not go into their groups
d32-expert-groups-used	all groups of experts are in use
d32-experts-idle	experts, of which none is in use
d32-experts-unsaid	experts, and nothing of how many are in use
d32-experts-used	more experts in use than there are
d32-merges-missing	a tokenizer that goes by merges, without them
d32-merges-type	merges that are numbers
d32-model-unknown	a tokenizer that llama.cpp does not know
d32-no-model	tokens without tokenizer.ggml.model
d32-no-tokenizer	no key of a tokenizer
d32-no-tokens	tokenizer.ggml.model without tokens
d32-rope-half	half of each head is rotated
"""

SETS = r"""
d26-header-cut/m-0000(.).*	shard {0} of two, the second of which ends within its header
d26-stale/m-0000(.)-of-00002	shard {0} of two, beside which another set has left one
d26-stale/m-00003-of-00003	the last of three shards, the others of which are gone
d26-missing-first/.*	the second of two shards, without the first
d26-missing-most/.*	one shard of 300
d26-missing/m-0000(.).*	shard {0} of three, the second of which is missing
d26-normal/m-0000(.).*	shard {0} of three, as llama-gguf-split makes them
d26-odd-stem/.*-0000(.)-of-00002	shard {0} of a set whose stem looks like a shard's name
d26-opaque/m-0000(.).*	shard {0} of two, with a tensor of an unknown type
d26-renamed/count-0	split.count is 0
d26-renamed/count-65536	split.count is 65536
d26-second-u32/m-0000(.).*	shard {0} of two, the second with keys in UINT32
d26-(u32|u64)/m-0000(.).*	shard {1} of two, with keys of type {0}
"""

WORDS = r"""
words-experts	a model of experts, to be named
words-keys	a model with all keys that name it
words-kinds	scores that are strings, token types that are floats
words-long	a model with a name of 300 bytes
words-lora	an adapter, to be named
words-mmproj	an encoder of images, to be named
words-plain	a model without a name
words-shard	the second shard of three, to be named
words-short	fewer scores than tokens, and more token types
words-templates	several chat templates, one of which is not to be trusted
words-titled	a model whose name says all
words-twice	two vocabularies
words-unnamed	chat templates with names, and no other
words-vocab	tokens of all types, some hard to show
words-vocab-big	tokens of all types, big-endian
"""

WORKED = r"""
worked-align(\d+)	tensor infos that end at 470, aligned to {0}
worked-arrays	arrays whose places were worked out
worked-layout	tensors whose places were worked out
worked-mix	tensors of several types, whose sizes were worked out
worked-scalars	a key of each type, whose places were worked out
worked-versions-(.*)	one model in the form {0}
worked-written	what another program wrote
"""

WRONG = r"""
7z	a 7-Zip archive
almost	one letter of the magic is another
binary	bytes that mean nothing
elf	a program for Linux
empty	no byte at all
escape	text that commands a terminal
(ggjt|ggla|ggmf|ggml)\.bin	a file of {0}, before there was GGUF
gzip	something packed by gzip
html	a web page
html-bom	a web page that begins with a byte order mark
html-space	a web page that begins with spaces
json-error	an error of a server, in JSON
lfs-pointer	a Git LFS pointer
llamafile	a llamafile
npy	an array of NumPy
pickle\.pt	a pickle of Python
pytorch\.pt	a model of PyTorch
safetensors	a model in safetensors
space	a space before the magic
tar	a tar archive
text	an error of a server, as text
truncated-data	a download that ends within the data
truncated-header	a download that ends within the tensor infos
truncated-keys	a download that ends within the keys
xz	something packed by xz
zeros	zeros, as of a download that was begun
zip	a zip archive
zstd	something packed by zstd
"""

GROUPS = {"clean": (CLEAN,), "config": (CONFIG,), "features": (FEATURES,),
          "good": (GOOD,), "hex": (HEX,), "big": (BIG,),
          "hostile": (SPOILT, STARTS, KEYS, ARRAYS, ALIGNMENTS, TENSORS,
                      PLACES),
          "odd": (ODD, SETS), "words": (WORDS,), "worked": (WORKED,),
          "wrong": (WRONG,)}


def lines(group):
    """(pattern, words) of a group."""
    for text in GROUPS[group]:
        for line in text.strip().splitlines():
            yield line.split("\t")


def note(name):
    """The words for file `name`, which must be those of one line."""
    group, rest = name.split("/", 1)
    rest = rest[:-5] if rest.endswith(".gguf") else rest
    found = [(m, words) for pattern, words in lines(group)
             for m in [re.fullmatch(pattern, rest)] if m]
    if len(found) != 1:
        raise SystemExit(f"{name}: {len(found)} lines of notes.py are of it")
    return found[0][1].format(*found[0][0].groups())


def check(names):
    """Every line must be of a file."""
    for group in GROUPS:
        mine = [n.split("/", 1)[1] for n in names if n.startswith(group + "/")]
        mine = [n[:-5] if n.endswith(".gguf") else n for n in mine]
        for pattern, _ in lines(group):
            if not any(re.fullmatch(pattern, n) for n in mine):
                raise SystemExit(f"notes.py: no file of {group} is {pattern}")
