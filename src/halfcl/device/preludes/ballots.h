/* ------------------------------------------------------------ ballots of sub-groups */

/* A ballot has a bit for each of 128 lanes, in four numbers of 32 bits. */
#define HC_LOW(ballot) (HC_PART(ballot, 0) | (hci_ulong)HC_PART(ballot, 1) << 32)
#define HC_HIGH(ballot) (HC_PART(ballot, 2) | (hci_ulong)HC_PART(ballot, 3) << 32)

HCI_FUNCTION hc_ballot_bits hc_bits_of(hci_ulong low, hci_ulong high)
{
    return HC_BALLOT((unsigned int)low, (unsigned int)(low >> 32), (unsigned int)high,
                     (unsigned int)(high >> 32));
}

/* The bits of the first lanes. */
HCI_FUNCTION hci_ulong hc_bits_below(unsigned int count)
{
    return count < 64 ? ((hci_ulong)1 << count) - 1 : ~(hci_ulong)0;
}
HCI_FUNCTION hc_ballot_bits hc_lanes_below(unsigned int count)
{
    return hc_bits_of(hc_bits_below(count), count > 64 ? hc_bits_below(count - 64) : 0);
}
/* The bits of lanes from the first number on, below the second one. */
HCI_FUNCTION hc_ballot_bits hc_lanes_between(unsigned int first, unsigned int end)
{
    hc_ballot_bits a = hc_lanes_below(first), b = hc_lanes_below(end);
    return hc_bits_of(HC_LOW(b) & ~HC_LOW(a), HC_HIGH(b) & ~HC_HIGH(a));
}

HCI_FUNCTION hc_ballot_bits hc_sub_group_eq_mask(unsigned int lanes)
{
    unsigned int lane = hc_sub_group_local_id(lanes);
    return hc_lanes_between(lane, lane + 1);
}
HCI_FUNCTION hc_ballot_bits hc_sub_group_ge_mask(unsigned int lanes)
{
    return hc_lanes_between(hc_sub_group_local_id(lanes), lanes);
}
HCI_FUNCTION hc_ballot_bits hc_sub_group_gt_mask(unsigned int lanes)
{
    return hc_lanes_between(hc_sub_group_local_id(lanes) + 1, lanes);
}
HCI_FUNCTION hc_ballot_bits hc_sub_group_le_mask(unsigned int lanes)
{
    return hc_lanes_below(hc_sub_group_local_id(lanes) + 1);
}
HCI_FUNCTION hc_ballot_bits hc_sub_group_lt_mask(unsigned int lanes)
{
    return hc_lanes_below(hc_sub_group_local_id(lanes));
}

HCI_FUNCTION int hc_ballot_bit_extract(hc_ballot_bits b, unsigned int lane, unsigned int lanes)
{
    (void)lanes;
    return (int)((lane & 64 ? HC_HIGH(b) : HC_LOW(b)) >> (lane & 63) & 1);
}
HCI_FUNCTION int hc_inverse_ballot(hc_ballot_bits b, unsigned int lanes)
{
    return hc_ballot_bit_extract(b, hc_sub_group_local_id(lanes), lanes);
}
HCI_FUNCTION unsigned int hc_count_below(hc_ballot_bits b, unsigned int count)
{
    hc_ballot_bits below = hc_lanes_below(count);
    return (unsigned int)(HC_COUNT(HC_LOW(b) & HC_LOW(below)) +
                          HC_COUNT(HC_HIGH(b) & HC_HIGH(below)));
}
HCI_FUNCTION unsigned int hc_ballot_bit_count(hc_ballot_bits b, unsigned int lanes)
{
    return hc_count_below(b, lanes);
}
HCI_FUNCTION unsigned int hc_ballot_inclusive_scan(hc_ballot_bits b, unsigned int lanes)
{
    return hc_count_below(b, hc_sub_group_local_id(lanes) + 1);
}
HCI_FUNCTION unsigned int hc_ballot_exclusive_scan(hc_ballot_bits b, unsigned int lanes)
{
    return hc_count_below(b, hc_sub_group_local_id(lanes));
}
/* The first and the last lane with a bit; 0 and 127 if none has. */
HCI_FUNCTION unsigned int hc_ballot_find_lsb(hc_ballot_bits b, unsigned int lanes)
{
    hc_ballot_bits below = hc_lanes_below(lanes);
    hci_ulong low = HC_LOW(b) & HC_LOW(below), high = HC_HIGH(b) & HC_HIGH(below);
    hci_ulong bits = low ? low : high;
    return bits ? (low ? 63 : 127) - (unsigned int)hci_leading_zeros(bits & (0 - bits)) : 0;
}
HCI_FUNCTION unsigned int hc_ballot_find_msb(hc_ballot_bits b, unsigned int lanes)
{
    hc_ballot_bits below = hc_lanes_below(lanes);
    hci_ulong low = HC_LOW(b) & HC_LOW(below), high = HC_HIGH(b) & HC_HIGH(below);
    hci_ulong bits = high ? high : low;
    return bits ? (high ? 127 : 63) - (unsigned int)hci_leading_zeros(bits) : 127;
}
