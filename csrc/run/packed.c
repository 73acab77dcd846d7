#include <string.h>

#include "exact/sum.h"

/* Loads word k of an array with any alignment: data from a network need not be aligned. */
static uint64_t load_word(const char *words, size_t k)
{
    uint64_t word;
    memcpy(&word, words + k * sizeof word, sizeof word);
    return word;
}

static void store_word(char *words, size_t k, uint64_t word)
{
    memcpy(words + k * sizeof word, &word, sizeof word);
}

/* Returns the words that contain a state's limbs, the lowest first. */
static void words_of_state(const halfcl_fold_state *state, uint64_t *words)
{
    const int64_t *limb = state->sum.limb;
    words[0] = (uint64_t)limb[0] | (uint64_t)limb[1] << 32;
    words[1] = (uint64_t)limb[2] | (uint64_t)limb[3] << 32;
    words[2] = (uint64_t)limb[4];
}

/* Returns the sign extension of a word in two's complement. */
static uint64_t sign_word(uint64_t word)
{
    return word >> 63 ? UINT64_MAX : 0;
}

void halfcl_pack_sums(const halfcl_fold_state *states, size_t n,
                      const halfcl_packed_sums *packed)
{
    for (size_t k = 0; k < n; ++k) {
        uint64_t words[HALFCL_PACKED_WORDS];
        words_of_state(&states[k], words);
        for (int w = 0; w < packed->words; ++w)
            store_word(packed->word[w], k, words[w]);
        /* A sum that is not zero, and becomes zero when others are added, had terms of both
         * signs: merging states records the same. */
        const bool is_some = !exact_sum_is_zero(&states[k].sum);
        packed->seen[k] = (uint8_t)(states[k].seen | (is_some ? SEEN_PLUS | SEEN_MINUS : 0));
    }
}

void halfcl_unpack_sums(const halfcl_packed_sums *packed, size_t n, halfcl_fold_state *states)
{
    const uint64_t low_half = UINT32_MAX;
    for (size_t k = 0; k < n; ++k) {
        uint64_t words[HALFCL_PACKED_WORDS], word = 0;
        for (int w = 0; w < HALFCL_PACKED_WORDS; ++w) {
            word = w < packed->words ? load_word(packed->word[w], k) : sign_word(word);
            words[w] = word;
        }
        halfcl_fold_state state = {.seen = packed->seen[k]};
        for (int w = 0; w < 2; ++w) {
            state.sum.limb[2 * w] = (int64_t)(words[w] & low_half);
            state.sum.limb[2 * w + 1] = (int64_t)(words[w] >> 32);
        }
        state.sum.limb[4] = (int64_t)words[2];
        states[k] = state;
    }
}

void halfcl_add_packed_sums(const halfcl_packed_sums *to, const halfcl_packed_sums *other,
                            size_t n)
{
    for (size_t k = 0; k < n; ++k) {
        uint64_t carry = 0, term = 0;
        for (int w = 0; w < to->words; ++w) {
            term = w < other->words ? load_word(other->word[w], k) : sign_word(term);
            const uint64_t sum = load_word(to->word[w], k) + term, total = sum + carry;
            carry = (sum < term) | (total < sum);
            store_word(to->word[w], k, total);
        }
        to->seen[k] |= other->seen[k];
    }
}
