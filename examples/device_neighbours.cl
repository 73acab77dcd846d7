/* The neighbours of each particle, for a list: build with -DMODE=rtz, so that distances are
 * never too great. To nearest, by -DMODE=rte, pairs are lost. */

/* How far apart two places are that lie in cells by so many apart; behind is in the lower cell.
 * Each operation is non-decreasing in what was rounded before it: the order matters. */
hc_half along(hc_half ahead, hc_half behind, int cells)
{
    hc_half far = HC_IN(convert_half, MODE)(cells);
    return HC_IN(add, MODE)(ahead, HC_IN(sub, MODE)(far, behind));
}

hc_half square(hc_half from, hc_half to, int cells)
{
    hc_half gap = cells < 0 ? along(from, to, -cells) : along(to, from, cells);
    return HC_IN(mul, MODE)(gap, gap);
}

/* Particles are in the order of their cells, of which there are side x side, at the ends of the box
 * joined: those of cell k are start[k] to start[k + 1]. place: within the cell, x and y of each. */
kernel void neighbours(global const int *cell, global const hc_half *place, global const int *start,
                       global const int *side, global const hc_half *limit, global const int *most,
                       global int *list, global int *count)
{
    int i = (int)get_global_id(0), n = side[0], found = 0;
    for (int dx = -1; dx <= 1; ++dx) {
        for (int dy = -1; dy <= 1; ++dy) {
            int other = (cell[2 * i] + dx + n) % n * n + (cell[2 * i + 1] + dy + n) % n;
            for (int j = start[other]; j < start[other + 1]; ++j) {
                hc_half squared = HC_IN(add, MODE)(square(place[2 * i], place[2 * j], dx),
                                                   square(place[2 * i + 1], place[2 * j + 1], dy));
                if (j != i && hc_islessequal(squared, limit[0])) {
                    if (found < most[0]) {
                        list[i * most[0] + found] = j;
                    }
                    ++found;
                }
            }
        }
    }
    count[i] = found;
}
