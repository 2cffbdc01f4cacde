/* pre_tokenizers.c - the pre-tokenizers of llama.cpp v0.5.0: the names that
 * llama_vocab (src/llama-vocab.cpp) loads a byte-pair vocabulary under.
 */
#include "model/pre_tokenizers.h"

#include <string.h>

/* In the order of their bytes: they are searched by halving. */
static const char *const pre_tokenizer_names[] = {
    "a.x-4.0",
    "afmoe",
    "bailingmoe",
    "bailingmoe2",
    "bloom",
    "chameleon",
    "chatglm-bpe",
    "codeshell",
    "cohere2moe",
    "command-r",
    "dbrx",
    "deepseek-coder",
    "deepseek-llm",
    "deepseek-r1-qwen",
    "deepseek-v3",
    "default",
    "exaone",
    "exaone-moe",
    "exaone4",
    "f2llmv2",
    "falcon",
    "falcon-h1",
    "falcon3",
    "gemma4",
    "gigachat",
    "glm4",
    "gpt-2",
    "gpt-4o",
    "gpt3-finnish",
    "granite-docling",
    "granite-embed-multi-311m",
    "granite-embed-multi-97m",
    "grok-2",
    "hunyuan",
    "hunyuan-dense",
    "hy_v4",
    "jais",
    "jais-2",
    "jina-de",
    "jina-es",
    "jina-v1-en",
    "jina-v2-code",
    "jina-v2-de",
    "jina-v2-es",
    "jina-v5-nano",
    "joyai-llm",
    "kanana2",
    "kimi-k2",
    "kormo",
    "laguna",
    "lfm2",
    "llada-moe",
    "llama-bpe",
    "llama-v3",
    "llama3",
    "llama4",
    "megrez",
    "mellum",
    "mellum2",
    "midm-2.0",
    "minerva-7b",
    "minicpm5",
    "minimax-m2",
    "modern-bert",
    "mpt",
    "olmo",
    "phi-2",
    "pixtral",
    "poro-chat",
    "qwen2",
    "qwen35",
    "refact",
    "roberta-bpe",
    "sarvam-moe",
    "seed-coder",
    "smaug-bpe",
    "smollm",
    "solar-open",
    "spark2_5",
    "stablelm2",
    "starcoder",
    "superbpe",
    "talkie",
    "tekken",
    "tiny_aya",
    "trillion",
    "ufakzeka",
    "viking",
    "whitespace",
    "youtu",
};

static int compare_name(ggk_str name, const char *with)
{
    size_t len = strlen(with);
    int order = memcmp(name.ptr, with, name.len < len ? name.len : len);

    return order != 0 ? order : (name.len > len) - (name.len < len);
}

bool ggki_pre_tokenizer_is_known(ggk_str name)
{
    size_t low = 0;
    size_t high = sizeof pre_tokenizer_names / sizeof pre_tokenizer_names[0];

    while (name.len > 0 && low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_name(name, pre_tokenizer_names[middle]);
        if (order == 0)
            return true;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}
