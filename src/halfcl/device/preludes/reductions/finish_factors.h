/* Combine chunks' products into results, or into products of fewer chunks. */
HCR_KERNEL hck(hci_ulong results, hci_ulong n, hci_ulong chunks, HCR_GLOBAL const hci_long *in,
               hci_ulong in_0, HCR_GLOBAL hcr_out *out, HCR_LAST)
{
    hci_ulong own = (hci_ulong)HCR_GROUP_X * HCR_GROUP + HCR_ITEM;
    hci_ulong result = own % results, chunk = own / results;
    if (own >= results * chunks)
        return;
    hcr_product p = hcr_one();
    for (hci_ulong c = chunk; c < n; c += chunks) {
        hcr_packed words;
        for (int k = 0; k < HCR_WORDS; ++k)
            words.word[k] = in[in_0 + (k * n + c) * results + result];
        hcr_product q = hcr_unpack_product(&words);
        hcr_merge(&p, &q);
    }
    hcr_store_product(&p, result, results, chunk, chunks, out, HCR_LAST_ARGUMENTS);
}
