"""Attributes of kernels about sub-groups, and the sizes that they may set."""

import re

#: Allowed sizes of sub-groups; a ballot has 128 bits.
SUB_GROUP_SIZES = tuple(1 << k for k in range(8))
#: The size that launches have which set none.
SUB_GROUP_SIZE = 32
EXPECTED_SUB_GROUP = f"a power of two up to {SUB_GROUP_SIZES[-1]}"

#: Text inside parentheses, and the attributes that set a kernel's sub-group size.
PARENTHESES = r"(?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*"
SUB_GROUP_ATTRIBUTE = re.compile(
    rf"(?:__)?(?:intel|qcom)_reqd_sub_group_size(?:__)?\s*\(({PARENTHESES})\)"
)
