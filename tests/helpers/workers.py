"""Worker processes of every kind, and what they are asked: whether NumPy is accelerated there.

Nothing here imports halfcl, nor NumPy before a worker has work: a worker imports this file.
"""

import contextlib
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_all_start_methods, get_context


def is_accelerated(x):
    """In a worker, with an array of float16 for it to unpickle."""
    halfcl = sys.modules.get("halfcl")
    return x.dtype.char == "e" and bool(halfcl and halfcl.accelerated_ufuncs())


def by_pool(method, x):
    with get_context(method).Pool(1) as pool:
        return pool.apply(is_accelerated, (x,))


def by_executor(method, x):
    with ProcessPoolExecutor(1, get_context(method)) as pool:
        return pool.submit(is_accelerated, x).result()


def by_joblib(x):
    import joblib

    with joblib.parallel_config("loky", n_jobs=2):
        return all(joblib.Parallel()(joblib.delayed(is_accelerated)(x) for _ in range(2)))


def by_dask(x):
    import dask

    (result,) = dask.compute(dask.delayed(is_accelerated)(x), scheduler="processes", num_workers=1)
    return result


def by_cluster(x):
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        return client.submit(is_accelerated, x).result()


def by_subprocess(x):
    code = f"import workers, numpy; print(workers.is_accelerated(numpy.array({x.tolist()}, 'e')))"
    return subprocess.check_output([sys.executable, "-c", code], text=True) == "True\n"


METHODS = get_all_start_methods()

WAYS = {
    **{f"multiprocessing, {method}": partial(by_pool, method) for method in METHODS},
    **{f"concurrent.futures, {method}": partial(by_executor, method) for method in METHODS},
    "joblib": by_joblib,
    "dask": by_dask,
    "distributed": by_cluster,
    "subprocess": by_subprocess,
}


def ask(way):
    """By one of `WAYS`, of a worker that does work of float16."""
    import numpy as np

    with contextlib.redirect_stdout(sys.stderr):  # what a cluster has to say
        return WAYS[way](np.ones(3, np.float16))
