/* What brings halves into order, for the set that is being compiled. */
#ifndef HALFCL_KERNELS_ORDER_TOOLS_H
#define HALFCL_KERNELS_ORDER_TOOLS_H

#include "kernels/order/extremes.h"

static const struct halfcl_order_tools order_tools = {extremes_of_rows, extremes_of_columns};

#endif
