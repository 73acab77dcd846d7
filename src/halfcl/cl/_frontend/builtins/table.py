"""The table of built-in functions: a line for each kind, with all the names that it is right for.

A line has the family; names, in which a word in braces stands for several texts; signatures (see
`row.Overload`); and where it differs from its family.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from halfcl.cl._frontend.builtins.row import Builtin, Difference, Family, expand, read_overload

FAMILIES: Mapping[str, Family] = {
    "math": Family("math.elementwise", "floating"),
    "integer": Family("integer.{name}", "integer"),
    "relational": Family("relational.predicate", "floating"),
    "selection": Family("relational.{name}"),
    "geometric": Family("geometric.make", "floating"),
    "dot": Family("dots.of_vectors", "byte"),
    "packed dot": Family("dots.of_packed"),
    "shuffle": Family("vectors.shuffle"),
    "conversion": Family("convert.conversion"),
    "vector memory": Family("vectors.{stem}", uniform="never"),
    "half memory": Family("vectors.{stem}", "floating", uniform="never"),
    "prefetch": Family("copies.prefetch", uniform="never"),
    "address space": Family("workitems.to_space", uniform="never"),
    "atomic": Family("atomics.combine", "integer", "never", "atomic"),
    "c11 atomic": Family("atomics.fetch_and_combine", "integer", "never", "atomic"),
    "compiler": Family("integer.{stem}", "integer"),
    "image read": Family("images.read", uniform="never", effect="read"),
    "image write": Family("images.write", uniform="never", effect="write"),
    "image query": Family("images.query"),
    "work-item": Family("workitems.{name}"),
    "local work-item": Family("workitems.{name}", needs_group=True),
    "fence": Family("workitems.fence"),
    "barrier": Family("workitems.barrier", "number", "never", "barrier", "work_group", True),
    "async copy": Family("copies.copy", "number", "never", "copy", "work_group", True),
    "work-group": Family("groups.combination", "number", "always", "exchange", "work_group", True),
    "sub-group": Family("groups.combination", "number", "never", "exchange", "active", True),
    "sub-group query": Family("groups.{name}", "number", "never", "none", "active", True),
    "sub-group block": Family("vectors.{stem}", "integer", "never", "none", "active", True),
    "print": Family("printing.printf", "number", "never", "print", "active"),
}

#: How functions that store a second result through a pointer differ.
_STORING: Difference = {
    "function": "math.with_pointer", "uniform": "never", "effect": "write"
}  # fmt: skip

#: How functions that all items of a sub-group must call differ.
_TOGETHER: Difference = {"convergence": "sub_group"}


def _rows(
    family: str, names: str, signatures: str, device: str = "own", but: Difference | None = None
) -> Iterator[Builtin]:
    """Yield the rows of a line; {name} and {stem} in the interpreter's function are the row's."""
    common = FAMILIES[family]._replace(**(but or {}))
    for pattern in names.split():
        for name, stem, parts in expand(pattern):
            function = common.function.format(name=name, stem=stem.rstrip("_"))
            overloads = [read_overload(s, common.elements, function) for s in signatures.split("|")]
            yield Builtin(name, stem, parts, family, tuple(overloads), device, *common[2:])


_LINES = (
    # math and common functions
    _rows("math", "ceil fabs floor logb rint round sign sqrt trunc", "T(T)"),
    _rows("math", "degrees radians rsqrt", "T(T)", "double"),
    _rows(
        "math",
        """acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt cos cosh cospi erf erfc exp
        exp10 exp2 expm1 lgamma log log10 log1p log2 sin sinh sinpi tan tanh tanpi tgamma""",
        "T(T)", "",
    ),
    _rows("math", "copysign", "T(T, T)"),
    _rows("math", "fdim fmod maxmag minmag nextafter remainder", "T(T, T)"),
    _rows("math", "fmax fmin", "T(T, S)"),
    _rows("math", "step", "T(S, T)", "text"),
    _rows("math", "atan2 atan2pi hypot pow powr", "T(T, T)", ""),
    _rows("math", "fma", "T(T, T, T)"),
    _rows("math", "mad", "T(T, T, T)", "fma"),
    _rows("math", "mix", "T(T, T, S)", "double"),
    _rows("math", "smoothstep", "T(S, S, T)", "double"),
    _rows("math", "max", "T(T, S) | integer T(T, S) = integer.greatest", "text"),
    _rows("math", "min", "T(T, S) | integer T(T, S) = integer.least", "text"),
    _rows("math", "clamp", "T(T, S, S) | integer T(T, S, S) = integer.clamp", "text"),
    _rows("math", "ilogb", "I(T)", "text"),
    _rows("math", "nan", "T(U)"),
    _rows("math", "ldexp", "T(T, I)"),
    _rows("math", "pown rootn", "T(T, I)", ""),
    _rows("math", "modf", "T(T, T*)", but=_STORING),
    _rows("math", "fract", "T(T, T*)", "text", _STORING),
    _rows("math", "sincos", "T(T, T*)", "", _STORING),
    _rows("math", "frexp", "T(T, I*)", but=_STORING),
    _rows("math", "lgamma_r", "T(T, I*)", "", _STORING),
    _rows("math", "remquo", "T(T, T, I*)", "text", _STORING),
    # functions that may be inexact, and are as exact as those without the prefix
    _rows("math", "{native}cos {native}sin {native}tan", "float T(T)", ""),
    _rows("math", "{native}sqrt", "float T(T)", "sqrt"),
    _rows("math", "{native}exp {native}exp2 {native}exp10", "float T(T)", ""),
    _rows("math", "{native}recip", "float T(T)", "recip"),
    _rows("math", "{native}rsqrt", "float T(T)", "double"),
    _rows("math", "{native}log {native}log2 {native}log10", "float T(T)", ""),
    _rows("math", "{native}divide", "float T(T, T)", "divide_wide"),
    _rows("math", "{native}powr", "float T(T, T)", ""),
    # integers
    _rows("integer", "abs", "U(T) = integer.absolute"),
    _rows("integer", "clz ctz popcount", "T(T)"),
    _rows("integer", "abs_diff", "U(T, T)"),
    _rows("integer", "add_sat hadd mul_hi rhadd rotate sub_sat mul24", "T(T, T)"),
    _rows("integer", "mad24 mad_hi mad_sat", "T(T, T, T)"),
    _rows("integer", "upsample", "X(T, X)"),
    _rows("dot", "dot_acc_sat", "X(T, T, X)"),
    _rows("packed dot", "dot_4x8packed_{signs:unsigned}_{result:uint}", "X(X, X)"),
    _rows("packed dot", "dot_4x8packed_{signs:signed}_{result:int}", "X(X, X)"),
    _rows("packed dot", "dot_acc_sat_4x8packed_{signs:unsigned}_{result:uint}", "X(X, X, X)"),
    _rows("packed dot", "dot_acc_sat_4x8packed_{signs:signed}_{result:int}", "X(X, X, X)"),
    # integer functions of the compiler's own
    _rows(
        "compiler", "__builtin_popcount{long} __builtin_parity{long} __builtin_ctz{long}", "int(X)"
    ),
    _rows("compiler", "__builtin_ffs{long}", "int(X)"),
    _rows("compiler", "__builtin_clz{word}", "int(X)"),
    _rows("compiler", "__builtin_bswap{bytes} __builtin_bitreverse{bits}", "X(X)"),
    # relational functions, and what moves bits
    _rows("relational", "isfinite isinf isnan isnormal signbit", "B(T)"),
    _rows("relational", "isequal isnotequal isgreater isgreaterequal isless", "B(T, T)"),
    _rows("relational", "islessequal islessgreater isordered isunordered", "B(T, T)"),
    _rows("relational", "all", "integer int(T) = relational.all_true"),
    _rows("relational", "any", "integer int(T) = relational.any_true"),
    _rows("selection", "bitselect", "T(T, T, T)"),
    _rows("selection", "select", "T(T, T, X)"),
    _rows("shuffle", "shuffle", "X(T, X)"),
    _rows("shuffle", "shuffle2", "X(T, T, X)"),
    # geometric functions
    _rows("geometric", "cross", "T(T, T)", "double"),
    _rows("geometric", "dot", "E(T, T) | byte X(T, X) = dots.of_vectors", "double"),
    _rows("geometric", "{fast}distance", "E(T, T)", ""),
    _rows("geometric", "{fast}length", "E(T)", ""),
    _rows("geometric", "{fast}normalize", "T(T)", ""),
    # conversions
    _rows("conversion", "convert_{type:integer}{width:any_width}{saturates}{mode}", "X(X)"),
    _rows("conversion", "convert_{type:floating}{width:any_width}{saturates:never}{mode}", "X(X)"),
    # memory
    _rows("vector memory", "vload{width}", "X(size_t, E*)", but={"effect": "read"}),
    _rows("vector memory", "vstore{width}", "void(T, size_t, E*)", but={"effect": "write"}),
    _rows(
        "half memory", "vload_half vload{aligned}_half{width}", "X(size_t, half*)",
        but={"effect": "read"},
    ),
    _rows(
        "half memory", "vstore_half{mode} vstore{aligned}_half{width}{mode}",
        "void(T, size_t, half*)", but={"effect": "write"},
    ),
    _rows("prefetch", "prefetch", "void(T*, size_t)"),
    _rows("address space", "to_global to_local to_private", "void*(void*)"),
    _rows("address space", "get_fence", "uint(void*) = workitems.get_fence"),
    _rows("atomic", "{atomic}add {atomic}sub {atomic}min {atomic}max", "E(E*, E)"),
    _rows("atomic", "{atomic}and {atomic}or {atomic}xor", "E(E*, E)"),
    _rows("atomic", "{atomic}inc {atomic}dec", "E(E*)"),
    _rows("atomic", "{atomic}xchg", "number E(E*, E) = atomics.exchange"),
    _rows("atomic", "{atomic}cmpxchg", "E(E*, E, E) = atomics.compare_exchange"),
    # atomics of C11, since OpenCL C 2.0: orders and scopes follow their operands
    _rows("c11 atomic", "atomic_init", "void(A*, E) = atomics.store"),
    _rows("c11 atomic", "atomic_store{explicit}", "void(A*, E, int?, int?) = atomics.store"),
    _rows("c11 atomic", "atomic_load{explicit}", "E(A*, int?, int?) = atomics.load"),
    _rows(
        "c11 atomic", "atomic_exchange{explicit}",
        "E(A*, E, int?, int?) = atomics.exchange_in_order",
    ),
    _rows(
        "c11 atomic", "atomic_compare_exchange_{strength}{explicit}",
        "bool(A*, E*, E, int?, int?, int?) = atomics.compare_exchange_through",
    ),
    _rows("c11 atomic", "atomic_fetch_{fetched}{explicit}", "E(A*, E, int?, int?)"),
    _rows(
        "c11 atomic", "atomic_flag_test_and_set{explicit}",
        "bool(A*, int?, int?) = atomics.test_and_set",
    ),
    _rows("c11 atomic", "atomic_flag_clear{explicit}", "void(A*, int?, int?) = atomics.clear"),
    # images; OpenCL C 1.2 has no level of detail and no sample numbers
    _rows("image read", "read_image{channels}", "X(image, sampler, X) | X(image, X)"),
    _rows("image write", "write_image{channels}", "void(image, X, X)"),
    _rows("image query", "get_image_width get_image_height get_image_depth", "X(image)"),
    _rows("image query", "get_image_dim get_image_array_size", "X(image)"),
    _rows("image query", "get_image_channel_data_type get_image_channel_order", "int(image)"),
    # work-items and synchronisation
    _rows("work-item", "get_work_dim", "uint()"),
    _rows("work-item", "get_global_size get_global_offset", "size_t(uint)"),
    _rows("work-item", "get_global_id", "size_t(uint)", but={"uniform": "never"}),
    _rows("work-item", "get_global_linear_id", "size_t()", but={"uniform": "never"}),
    _rows("local work-item", "get_local_size get_enqueued_local_size", "size_t(uint)"),
    _rows("local work-item", "get_num_groups get_group_id", "size_t(uint)"),
    _rows("local work-item", "get_local_id", "size_t(uint)", but={"uniform": "never"}),
    _rows("local work-item", "get_local_linear_id", "size_t()", but={"uniform": "never"}),
    _rows("fence", "mem_fence read_mem_fence write_mem_fence", "void(uint)"),
    _rows("fence", "atomic_work_item_fence", "void(uint, order, scope)"),
    _rows("barrier", "barrier", "void(uint)"),
    _rows("barrier", "work_group_barrier", "void(uint, int?)"),
    _rows("barrier", "wait_group_events", "void(int, event_t*) = copies.wait"),
    _rows("async copy", "async_work_group_copy", "event(T*, T*, size_t, event)"),
    _rows("async copy", "async_work_group_strided_copy", "event(T*, T*, size_t, size_t, event)"),
    # work-groups
    _rows("work-group", "work_group_{fold:reduce}_{operation:sum}", "T(T)"),
    _rows(
        "work-group", "work_group_{fold:scan}_{operation:sum}", "T(T)", but={"uniform": "never"}
    ),
    _rows("work-group", "work_group_{vote}", "int(int) = groups.vote"),
    _rows(
        "work-group", "work_group_broadcast",
        "T(T, size_t, size_t?, size_t?) = groups.work_group_broadcast",
    ),
    # sub-groups
    _rows(
        "sub-group query", "get_max_sub_group_size get_num_sub_groups get_enqueued_num_sub_groups",
        "uint()", but={"uniform": "arguments"},
    ),
    _rows(
        "sub-group query", "get_sub_group_size get_sub_group_id get_sub_group_local_id", "uint()"
    ),
    _rows(
        "sub-group", "sub_group_barrier", "void(uint, int?) = groups.barrier",
        but={"effect": "barrier", "convergence": "sub_group"},
    ),
    _rows("sub-group", "sub_group_{fold}_{operation:sum}", "T(T)", but=_TOGETHER),
    _rows("sub-group", "sub_group_non_uniform_{fold}_{operation}", "T(T)"),
    _rows("sub-group", "sub_group_clustered_{fold:reduce}_{operation}", "T(T, uint)"),
    _rows("sub-group", "sub_group_{vote}", "int(int) = groups.vote", but=_TOGETHER),
    _rows("sub-group", "sub_group_non_uniform_{vote}", "int(int) = groups.vote"),
    _rows("sub-group", "sub_group_broadcast", "T(T, uint) = groups.broadcast", but=_TOGETHER),
    _rows("sub-group", "sub_group_non_uniform_broadcast", "T(T, uint) = groups.broadcast"),
    _rows("sub-group", "sub_group_broadcast_first", "T(T) = groups.broadcast_first"),
    _rows("sub-group", "{intel}sub_group_shuffle", "T(T, uint) = groups.shuffle"),
    _rows("sub-group", "{intel}sub_group_shuffle_xor", "T(T, uint) = groups.shuffle"),
    _rows("sub-group", "sub_group_shuffle_up", "T(T, uint) = groups.shuffle"),
    _rows("sub-group", "sub_group_shuffle_down", "T(T, uint) = groups.shuffle"),
    _rows("sub-group", "intel_sub_group_shuffle_up", "T(T, T, uint) = groups.shuffle_of_two"),
    _rows("sub-group", "intel_sub_group_shuffle_down", "T(T, T, uint) = groups.shuffle_of_two"),
    _rows(
        "sub-group block", "intel_sub_group_block_read{block}",
        "X(E*) = vectors.block_read", but={"effect": "read"},
    ),
    _rows(
        "sub-group block", "intel_sub_group_block_write{block}",
        "void(E*, X) = vectors.block_write", but={"effect": "write"},
    ),
    _rows("sub-group", "sub_group_rotate", "T(T, int) = groups.rotate"),
    _rows("sub-group", "sub_group_clustered_rotate", "T(T, int, uint) = groups.rotate"),
    _rows("sub-group", "sub_group_non_uniform_all_equal", "int(T) = groups.all_equal"),
    _rows("sub-group", "sub_group_elect", "int() = groups.elect"),
    _rows("sub-group", "sub_group_ballot", "uint4(int) = groups.ballot"),
    _rows("sub-group", "sub_group_inverse_ballot", "int(uint4) = groups.ballot_bit"),
    _rows("sub-group", "sub_group_ballot_bit_extract", "int(uint4, uint) = groups.ballot_bit"),
    _rows("sub-group", "sub_group_ballot_bit_count", "uint(uint4) = groups.count_all"),
    _rows("sub-group", "sub_group_ballot_inclusive_scan", "uint(uint4) = groups.count_up_to"),
    _rows("sub-group", "sub_group_ballot_exclusive_scan", "uint(uint4) = groups.count_before"),
    _rows("sub-group", "sub_group_ballot_find_lsb", "uint(uint4) = groups.find_first"),
    _rows("sub-group", "sub_group_ballot_find_msb", "uint(uint4) = groups.find_last"),
    _rows("sub-group", "get_sub_group_{comparison}_mask", "uint4() = groups.lane_mask"),
    _rows("print", "printf", "int(char*, ...)"),
)  # fmt: skip

#: The rows by name.
TABLE: Mapping[str, Builtin] = {row.name: row for line in _LINES for row in line}
