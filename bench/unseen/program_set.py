"""Whole programs of public repositories, found by a rule, and made float16 by another.

    python bench/unseen/program_set.py fetch FOLDER --development        by git from the network
    python bench/unseen/program_set.py fetch FOLDER --held-out --mirror /folder/of/repositories

The table, programs.csv, names each program's repository, commit, path, licence, copyright, and the
sha256 of its files. `fetch` writes each to a folder of its own: as it is (double), and as
narrowing.py makes it (half). Nothing of them is kept here.

The rule
- The search: an index of public repositories by parts of their names, whose answers come in the
  order of the number of files. For solvers: numerical-methods, numerical-methods-python,
  numerical-analysis-python, python-numerical, computational-physics-python, ode-solver, pde-solver,
  hydro_examples. For filters: kalman-filter-python, kalman, particle-filter, filters-python,
  dsp-python, PythonRobotics. For statistics: statistics, python-statistics, statistics-python,
  monte-carlo-python, regression-numpy, numpy-, TheAlgorithms. Of the answers those whose names
  promise Python were taken, before anything in them was read: REPOSITORIES. The kinds take turns: a
  solver, a filter, statistics.
- Of a repository, its Python files in sorted order; at most MOST of one are accepted.
- Accepted: MIT or BSD by the text of the repository's licence file; 50 lines or more; imports
  NumPy, and beyond that only the standard library, Matplotlib, and modules beside it; reads no file
  and no keyboard; as it is, it runs twice within 5 seconds of processor time without a display,
  prints a number with a fraction or draws, and prints the same both times with the generators
  seeded; as float16 by `narrowing.narrow` it runs within 10 seconds, and makes float16 arrays or
  scalars.
- The first 20 are held out, the next 10 are for development.

`choose_programs.py` applies the rule and writes the table; it counts what is rejected, and why. Of
the repositories 71 have another licence or none, and 7 could not be had. Of the files of the others
418 do not import NumPy, 374 are short, 116 import other packages, 33 give no number with a
fraction, 21 are not Python 3, 12 do not run in time, 7 make nothing in float16, 2 read files, and 1
runs as it is but not in float16.
"""

import argparse
import ast
import csv
import hashlib
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import narrowing
import sources

TABLE = Path(__file__).with_name("programs.csv")
HELD_OUT, DEVELOPMENT = 20, 10
MOST = 4  # programs of one repository
LINES = 50

#: Repositories by kind, in the order of the search.
REPOSITORIES = {
    "solvers": """
        djeada/Numerical-Methods SerbaC6/numerical-methods-algo-visualizer
        EsauPR/CIMAT-Numerical-Methods Krasnovvvvv/numerical-methods-in-physics
        Artevil131/Practicing-numerical-methods-modelling-ml-model-training-and-simulations
        ChorokLeeDev/numerical-methods-derivative-pricing AlexHendersonEng/numerical-methods
        gulbord/numerical-methods qntlb/numerical-methods-lecture LilFloppa/numerical-methods
        maciej-klimek/numerical-methods aevalenc/Numerical-Methods
        llueveYescampa/llueveYescampa-Numerical-Methods-with-Python davidrpugh/numerical-methods
        jgaloguz/numerical-methods nicolezattarin/Numerical-Methods
        cfgnunes/numerical-methods-python ryan-charette/numerical-methods-python
        25sc06005-hub/numerical-methods-python Ayushburman/Numerical-methods-python
        rocialba-creator/numerical-methods-python matthewrosse/numerical-methods-python
        matheus-amancio/numerical-methods-python CesarSosa19/numerical-methods-python
        tianne12/Numerical-Methods-Python Azrul16/Numerical-Methods-Python
        archphy/numerical-methods-python josgard94/numerical-methods-python
        AlexNedyalkov/Numerical-methods-Python wxf1988682-cmd/numerical-methods-python
        priyamaathur/Numerical-Methods-Python
        Harsh-Udai/Numerical-Methods-Python-Implementation JordinaGR/numerical-methods-python
        JahangirAZE/Numerical-Methods-Python katyatrufanova/numerical-methods-python
        tolgasimsir/Numerical-Methods-Python Diego-TD/numerical-methods-python
        YuvalMeron1997/numerical-methods-python stevenktruong/numerical-methods-python
        astrobarnett/numerical-analysis-python euneestella/numerical-analysis-python
        JanuaryZeng/numerical-analysis-Python Prof-Iz/Numerical-Analysis-Python
        k200383/Numerical-analysis-python dorbenit/Numerical-Analysis-Python-Toolkit
        flogriesser/Numerical-Analysis-Python moatas19m/Numerical-Analysis-Python-scripts
        sheikhmishar/Numerical-Analysis-Python john-s-butler-dit/Numerical-Analysis-Python
        alexnat009/python-numerical-methods
        cjekel/Introduction-to-Python-Numerical-Analysis-for-Engineers-and-Scientist
        jbub/python-numerical-math PyNumAl/Python-Numerical-Analysis
        facuolivamar/python-numerical-methods iamboorrito/Python-Numerical-Analysis
        mrfatihasci/python-numerical-methods wzm727069/Python-Numerical-Algorithms
        lion137/Python-Numerical-Algorithms kylehovey/python-numerical-stability-analysis
        SujeethJinesh/Computational-Physics-Python
        jyothischandran1597/computational-physics-python ah92zub/Computational-Physics-Python
        konstgav/computational-physics-python RMeli/ODE-Solver sucharush/ODE-solvers
        dtu-act/numerical-pde-solvers egparish/Numerical-PDE-Solvers ricktjwong/pde-solver
        zingale/hydro_examples
    """.split(),
    "filters": """
        shangjie-li/kalman-filter-python rocheparadox/Kalman-Filter-Python-for-mpu6050
        VictorHugoRodriguez/Extended-Kalman-Filter-Python cristian-frincu/Kalman-Filter-Python
        BjoernGit/Kalman-Filter-Python MapleNSteel/Kalman-Filter-Python
        Silverlined/Kalman-Filter-Python
        goktugyildirim/Kalman-Filter-Python-Cpp-Implementation
        saikaushik0410/Kalman-filter-Python Ashok93/kalman-filter-python
        tchittesh/kalman-filter-python-demo rlabbe/Kalman-and-Bayesian-Filters-in-Python
        moeuu/Rotating-shield-particle-filter jhtariq/entropic-particle-filter
        jonasnebl/graph-particle-filter johankre/toa-particle-filter lsa-pucrs/particle-filter
        changmin-yu/particle-filtering-playground jelfring/particle-filter-tutorial
        sesh4robotics/Discrete-Time-Filters-Python stillwater-sc/mp-dsp-python
        yuanhsiangchang/DSP-Python 00Spartacus/DSP-Python-and-Algorithm-C-Lab-codes
        AtsushiSakai/PythonRobotics
    """.split(),
    "statistics": """
        SungchulLee/statistics_book_writing djeada/Statistics-Notes
        RudrenduPaul/python-statistics-for-data-science-ml-ai-engineers pyh3887/Python-Statistics
        chris-mooncake/Python-Statistics-Tools Amedar-Asterisk/U-Statistics-python
        leungwingkwan/Statistics-Python-Programs Carlo-Broschi/statistics-python-for-students
        syuoni/statistics-python umarprogrammer19/SmartEDA-Statistics-Python-Library
        alejogs4/statistics-python OdinsBeard82/probability-statistics-python
        rgsk/z-statistics-python NuMetriq/nonparametric-statistics-python
        veerendrababum/Statistics-Python-Practice Vipeen21/bayesian-statistics-python
        mvelezg99/probability-statistics-python tim-day-387/monte-carlo-python
        fmgrlab/monte-carlo-python AlexanderCarnes/monte-carlo-python
        leog13man/Diffusion-Monte-Carlo-Python roy-eugene049/Monte-Carlo-Python-Demos
        bbonch/linear-regression-numpy fabio2k3/Linear-Regression-Numpy-without-Sklearn-
        kavyanshi-singh/linear-regression-numpy YongxinCao12138/logistic-regression-numpy
        luqmancrit/Polynomial-Logistic-Regression-Numpy- lbovboe/numpy-projects
        ddbourgin/numpy-ml mylife126/Numpy-Machine-LearningAlgorithm-Implementations
        SamLubbers/ml-numpy-examples TzuChieh/NumPy-ML serge-sans-paille/numpy-benchmarks
        djeada/Numpy-Tutorials TheAlgorithms/Python
    """.split(),
}

#: Modules that a program may import, beside NumPy, its own and the standard library's.
LIBRARIES = {"numpy", "matplotlib", "pylab", "mpl_toolkits"}
#: Functions that read what is not there.
READERS = {"input", "raw_input", "open", "loadtxt", "genfromtxt", "fromfile", "memmap", "imread",
           "load", "system", "popen", "Popen", "urlopen", "connect"}  # fmt: skip


@dataclass
class Program:
    """A program of the table."""

    name: str
    set: str  # held-out or development
    repository: str
    commit: str
    path: str
    licence: str
    copyright: str
    sha256: str

    @property
    def script(self):
        """The program's path inside its folder."""
        return PurePosixPath(self.path).name


def read_table():
    """Return the programs of the table."""
    with open(TABLE, encoding="utf-8", newline="") as file:
        return [Program(**row) for row in csv.DictReader(file)]


# ---------------------------------------------------------------- files of a program


def modules_of(tree):
    """Return the modules that a program imports; "." for relative ones."""
    modules = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add("." if node.level else (node.module or "").split(".")[0])
    return modules


def own_files(module, folder, names):
    """Return the files of a module beside a program: its file, or those of its folder."""
    file = str(folder / f"{module}.py")
    inside = str(folder / module) + "/"
    return [file] if file in names else sorted(
        n for n in names if n.startswith(inside) and n.endswith(".py"))  # fmt: skip


def files_of(snapshot, path, names):
    """Return the paths of a program and of the modules beside it that it imports."""
    folder, files, queue = PurePosixPath(path).parent, [], [path]
    while queue:
        file = queue.pop()
        if file in files:
            continue
        files.append(file)
        try:
            modules = modules_of(ast.parse(snapshot.text(file)))
        except (SyntaxError, ValueError):
            continue
        for module in modules - {"."} - sys.stdlib_module_names - LIBRARIES:
            queue += own_files(module, folder, names)
    return sorted(files)


def digest(snapshot, files):
    """Return the sha256 of the bytes of a program's files, in the order of their paths."""
    total = hashlib.sha256()
    for file in files:
        total.update(snapshot.data(file))
    return total.hexdigest()


def write(snapshot, path, files, folder):
    """Write a program's files to folder/double and, narrowed, to folder/half."""
    start = PurePosixPath(path).parent
    for file in files:
        text = snapshot.text(file)
        for kind, version in (("double", text), ("half", narrowing.narrow(text))):
            place = Path(folder) / kind / PurePosixPath(file).relative_to(start)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(version, encoding="utf-8")


# ---------------------------------------------------------------- fetching


def repository_folder(mirror, repository):
    """Return the git directory of a repository in a mirror: OWNER+NAME/repo or OWNER/NAME."""
    owner, _, name = repository.partition("/")
    for place in (f"{owner}+{name}/repo", f"{owner}/{name}", f"{owner}/{name}.git"):
        folder = Path(mirror) / place
        if (folder / "HEAD").exists() or (folder / ".git").exists():
            return folder
    return None


def snapshot_of(program, mirror):
    """Return the files of a program's repository, fetched by git if there is no mirror."""
    if mirror is None:
        name = f"{program.repository.replace('/', '+')}-{program.commit[:12]}"
        folder = Path(tempfile.gettempdir()) / "unseen-programs" / name
        sources.clone(f"https://github.com/{program.repository}.git", program.commit, folder)
    else:
        folder = repository_folder(mirror, program.repository)
        if folder is None:
            raise FileNotFoundError(f"fetch: --mirror: expected {program.repository} in {mirror}")
    return sources.Snapshot(folder, program.commit)


def fetch(programs, folder, mirror=None):
    """Write programs to a folder; raise ValueError if one has other bytes than in the table."""
    for program in programs:
        snapshot = snapshot_of(program, mirror)
        files = files_of(snapshot, program.path, set(snapshot.names()))
        if digest(snapshot, files) != program.sha256:
            raise ValueError(
                f"fetch: {program.name}: expected sha256 {program.sha256}, got another"
            )
        place = Path(folder) / program.name
        write(snapshot, program.path, files, place)
        (place / "script").write_text(program.script, encoding="utf-8")


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=["fetch"])
    parser.add_argument("folder")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--development", action="store_const", dest="set", const="development")
    which.add_argument("--held-out", action="store_const", dest="set", const="held-out")
    parser.add_argument("--mirror", help="a folder of git repositories, as OWNER+NAME/repo")
    options = parser.parse_args(arguments)
    programs = [p for p in read_table() if p.set == options.set]
    fetch(programs, options.folder, options.mirror)
    print(f"{len(programs)} programs in {options.folder}")


if __name__ == "__main__":
    main()
