"""Files of public git repositories: from a local copy, or by git from the network.

A local copy is a folder with the files, a work tree or a bare git directory. Nothing is kept in the
tree: `clone` writes to a folder that the caller names.
"""

import subprocess
from pathlib import Path


def git(folder, *arguments):
    """Return the output of a git command in a repository, as bytes."""
    return subprocess.run(
        ["git", "-C", str(folder), *arguments], check=True, capture_output=True
    ).stdout


def clone(url, commit, folder):
    """Fetch one commit of a repository to a new bare repository, and return its folder."""
    folder = Path(folder)
    if not (folder / "HEAD").exists():
        folder.mkdir(parents=True, exist_ok=True)
        git(folder, "init", "--quiet", "--bare")
    git(folder, "fetch", "--quiet", "--depth", "1", url, commit)
    return folder


class Snapshot:
    """The files of a repository at a commit.

    folder: a plain folder with the files, or a git repository, bare or not, that has the commit.
    commit: None for a plain folder that may have remains of git.
    """

    def __init__(self, folder, commit):
        self.folder, self.commit = Path(folder), commit
        has_git = (self.folder / "HEAD").exists() or (self.folder / ".git").exists()
        self.is_git = commit is not None and has_git

    def names(self, under=""):
        """Return the sorted paths of all files under a folder; by default of all."""
        if self.is_git:
            where = [under] if under else []
            listed = git(self.folder, "ls-tree", "-r", "-z", "--name-only", self.commit, *where)
            return sorted(filter(None, listed.decode("utf-8", "replace").split("\0")))
        paths = (self.folder / under).rglob("*")
        return sorted(p.relative_to(self.folder).as_posix() for p in paths if p.is_file())

    def text(self, path):
        """Return a file's text."""
        return self.data(path).decode("utf-8")

    def data(self, path):
        """Return a file's bytes."""
        if self.is_git:
            return git(self.folder, "show", f"{self.commit}:{path}")
        return (self.folder / path).read_bytes()
