/* ------------------------------------------------------------ lanes of sub-groups */

/* Sub-groups are so many successive work-items: hc_item() is the number of the own one in its
   work-group, hc_items() how many that has. */
HCI_FUNCTION unsigned int hc_sub_group_local_id(unsigned int lanes)
{
    return hc_item() % lanes;
}
HCI_FUNCTION unsigned int hc_sub_group_id(unsigned int lanes)
{
    return hc_item() / lanes;
}
HCI_FUNCTION unsigned int hc_sub_group_size(unsigned int lanes)
{
    unsigned int left = hc_items() - hc_item() / lanes * lanes;
    return left < lanes ? left : lanes;
}
HCI_FUNCTION unsigned int hc_max_sub_group_size(unsigned int lanes)
{
    return hc_items() < lanes ? hc_items() : lanes;
}
HCI_FUNCTION unsigned int hc_num_sub_groups(unsigned int lanes)
{
    return (hc_items() + lanes - 1) / lanes;
}

/* The lane so many before the own one, or behind it; beyond all lanes if there is none. */
HCI_FUNCTION unsigned int hc_lane_before(unsigned int count, unsigned int lanes)
{
    return count > hc_item() % lanes ? lanes : hc_item() % lanes - count;
}
HCI_FUNCTION unsigned int hc_lane_behind(unsigned int count, unsigned int lanes)
{
    return count < lanes ? hc_item() % lanes + count : lanes;
}
/* A lane of two values, of which the second begins at lane `lanes`; an own one if there is
   none. */
HCI_FUNCTION unsigned int hc_lane_before_of_two(unsigned int count, unsigned int lanes)
{
    unsigned int lane = hc_item() % lanes;
    return count > lane + lanes ? lane : lane + lanes - count;
}
HCI_FUNCTION unsigned int hc_lane_behind_of_two(unsigned int count, unsigned int lanes)
{
    return count < 2 * lanes ? hc_item() % lanes + count : 2 * lanes;
}
/* The lane behind the own one by a count, around in its cluster. */
HCI_FUNCTION unsigned int hc_lane_rotated(int count, unsigned int size, unsigned int lanes)
{
    unsigned int lane = hc_item() % lanes;
    return lane / size * size + (lane % size + (unsigned int)count) % size;
}
HCI_FUNCTION int hc_elect(unsigned int lanes)
{
    return hc_item() % lanes == 0;
}
