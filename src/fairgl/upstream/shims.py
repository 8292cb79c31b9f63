"""What is changed around the released library so that it runs at all, one named row per change.

A shim changes the surroundings, never a formula. Each says what it changes and why no number can change by it; one that
could would say so, and is not used for a stored run. :mod:`fairgl.upstream.surroundings` applies them inside the child
process and counts how often each was used, so that a record lists the shims that a class really needed.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Patch:
    """A line of a copy of the library that is made empty: file, line number, a word that must stand there."""

    file: str
    line: int
    word: str


@dataclass(frozen=True)
class Shim:
    """One change around the library.

    Attributes:
        name: Short name.
        changes: What it changes.
        harmless: Why no number can change by it.
        numbers: Whether a number can change all the same, beyond rounding.
        patches: Lines that are made empty in a copy of the library, for shims that are edits.
    """

    name: str
    changes: str
    harmless: str
    numbers: bool = False
    patches: tuple[Patch, ...] = ()


# Packages that files of the library import at the top. Absent ones are stood in for.
STAND_INS = ("dgl", "torch_scatter", "torch_sparse", "torch_cluster", "gdown", "cytoolz", "six", "psutil")

SHIMS = {
    shim.name: shim
    for shim in (
        Shim(
            "own file",
            "imports the file of one class instead of the whole package, whose first line imports all of them",
            "the files do not call each other",
        ),
        Shim(
            "stand-ins",
            f"empty modules in place of packages that are absent ({', '.join(STAND_INS)})",
            "anything in a stand-in raises an error when it is called, so a run that ends well called nothing of it; "
            "the "
            "one exception is cytoolz.curry, a function that waits for missing arguments, which is written out",
        ),
        Shim(
            "devices",
            '`.cuda()` and `.to("cuda")` leave a tensor or a model where it is, on the CPU',
            "the same operations in the same order; only the rounding of another processor differs",
        ),
        Shim(
            "walk operator",
            "uniform random walks in plain tensor code, in place of the compiled operator of torch_cluster",
            "with p = q = 1, which is hard-coded, the operator draws each next node uniformly among the neighbours; "
            "so does this, from another stream of random numbers",
        ),
        Shim(
            "workers",
            "walks and subgraphs are made in the process itself, not in worker processes",
            "the same walks in law and the same subgraphs; two runs with one seed become comparable bit by bit",
        ),
        Shim(
            "removed argument",
            '`LogisticRegression(multi_class="auto")`: the argument is dropped, scikit-learn 1.8 removed it',
            "what it asked for is the only behaviour left, and the fitted probe enters no score",
        ),
        Shim(
            "sparse attribute",
            "`.A` of a SciPy matrix means `.toarray()` again, as before SciPy 1.14",
            "the same array under its old name",
        ),
        Shim(
            "half to single",
            "SciPy is handed float32 copies of float16 arrays, which it no longer accepts",
            "every float16 number is a float32 number",
        ),
        Shim(
            "own pickles",
            "`torch.load` reads files that hold more than tensors, as before torch 2.6",
            "only files that this run wrote into its own temporary folder are read",
        ),
        Shim(
            "group matrices",
            "the similarity matrices of the groups are computed with whole arrays, not in a loop over all their "
            "entries",
            "the same matrices and counts, which a demonstration compares entry by entry; minutes become milliseconds",
        ),
        Shim(
            "item of a float",
            "scikit-learn's AUC is handed over as a NumPy number, as before scikit-learn 1.6",
            "the same value with the method `.item()`, used for a printed line",
        ),
        Shim(
            "comment",
            "one comment is removed: torch-geometric 2.8 takes it for the signature of a layer, and it lacks an "
            "argument",
            "it is a comment; older versions did not read it that way",
            patches=(Patch("debiasing/GUIDE.py", 281, "propagate_type"),),
        ),
        Shim(
            "name os",
            "the second `import os` inside two constructors is removed: it made the name local, so that its first use "
            "fails",
            "the name then means the standard module, as it was meant to; without this the two classes cannot be "
            "created "
            "under any version of Python",
            patches=(Patch("debiasing/InFoRM_GNN.py", 465, "os"), Patch("debiasing/REDRESS.py", 716, "os")),
        ),
        Shim(
            "folders",
            "the folders `data` and `models_save` exist in the run's own temporary folder",
            "they only receive files",
        ),
    )
}


def names(without: tuple[str, ...] = ()) -> tuple[str, ...]:
    """All shims but some."""
    for name in without:
        if name not in SHIMS:
            raise ValueError(f"no shim {name!r}; there are {', '.join(SHIMS)}")
    return tuple(name for name in SHIMS if name not in without)
