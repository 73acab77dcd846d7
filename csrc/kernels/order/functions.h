/* The functions that order halves, for the set being compiled. */
#ifndef HALFCL_KERNELS_ORDER_FUNCTIONS_H
#define HALFCL_KERNELS_ORDER_FUNCTIONS_H

#include "kernels/order/columns.h"
#include "kernels/order/extremes.h"
#include "kernels/order/select.h"

static const struct halfcl_order_tools order_tools = {
    extremes_of_rows, extremes_of_columns, keys_of,       halves_of_keys, sort_keys,
    sort_words,       words_of_rows,       rows_of_words, split_indices,
};

#endif
