"""Small faults, one change of the syntax tree each, and a sample of them that two trees have in common."""

import ast
import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

FOLDERS = ("src/recollect/engine", "src/recollect/storage")
_A_FUNCTION = 2  # at most as many faults of one function are in a sample

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_COMPARISONS: dict[type[ast.cmpop], tuple[tuple[str, type[ast.cmpop]], ...]] = {
    ast.Lt: (("boundary", ast.LtE), ("comparison", ast.GtE)),
    ast.LtE: (("boundary", ast.Lt), ("comparison", ast.Gt)),
    ast.Gt: (("boundary", ast.GtE), ("comparison", ast.LtE)),
    ast.GtE: (("boundary", ast.Gt), ("comparison", ast.Lt)),
    ast.Eq: (("comparison", ast.NotEq),),
    ast.NotEq: (("comparison", ast.Eq),),
    ast.Is: (("comparison", ast.IsNot),),
    ast.IsNot: (("comparison", ast.Is),),
    ast.In: (("comparison", ast.NotIn),),
    ast.NotIn: (("comparison", ast.In),),
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
}
_UNCHANGED = {"annotation", "returns", "decorator_list", "type_params"}


@dataclass(frozen=True)
class Fault:
    """One change of one place: in the same function of another tree it has the same name, digest and number."""

    path: str
    function: str
    digest: str
    number: int
    kind: str
    first_line: int
    last_line: int
    statement_line: int
    start: int
    end: int
    text: str

    @property
    def key(self) -> str:
        """What it is called in every tree, unless two files have the same function."""
        return f"{self.function} {self.digest} {self.number}"

    @property
    def place(self) -> str:
        """What it is called in its own tree."""
        return f"{self.path} {self.key}"

    def applied_to(self, source: bytes) -> bytes:
        """Put the fault into the text of its file."""
        return source[: self.start] + self.text.encode() + source[self.end :]


def faults_of(path: str, source: bytes) -> Iterator[Fault]:
    """Give every fault of the functions of a file, in order."""
    starts = [0, *(at + 1 for at, byte in enumerate(source) if byte == ord("\n"))]
    for name, function in _functions(ast.parse(source)):
        digest = hashlib.sha256(ast.dump(function).encode()).hexdigest()[:12]
        first = function.body[0].lineno
        for number, (kind, node, text, statement) in enumerate(_changes(function)):
            start, end = starts[node.lineno - 1] + node.col_offset, starts[_last(node) - 1] + (node.end_col_offset or 0)
            in_body = node.lineno >= first
            yield Fault(
                path, name, digest, number, kind,
                node.lineno if in_body else first, _last(node) if in_body else first, statement if in_body else first,
                start, end, text,
            )  # fmt: skip


class Tree:
    """The faults of a working tree."""

    def __init__(self, folder: Path, folders: Sequence[str] = FOLDERS) -> None:
        self._folder = folder
        self._faults: dict[str, list[Fault]] = defaultdict(list)
        for file in sorted(file for name in folders for file in (folder / name).rglob("*.py")):
            for fault in faults_of(file.relative_to(folder).as_posix(), file.read_bytes()):
                self._faults[fault.key].append(fault)

    def compiles(self, fault: Fault) -> bool:
        """Tell whether Python reads the file with the fault in it."""
        try:
            compile(fault.applied_to((self._folder / fault.path).read_bytes()), fault.path, "exec")
        except SyntaxError:
            return False
        return True

    def all(self) -> list[Fault]:
        """Give every fault."""
        return [fault for same in self._faults.values() for fault in same]

    def find(self, other: Fault) -> Fault | None:
        """Find a fault of another tree here: in the same file, or in the only one that has this function."""
        same = self._faults.get(other.key, [])
        found = [fault for fault in same if fault.path == other.path] or (same if len(same) == 1 else [])
        return found[0] if found else None


def sample(tree: Tree, also: Sequence[Tree], amount: int, seed: int) -> list[Fault]:
    """Draw faults that all trees have, a few of a function at most."""
    common = [fault for fault in tree.all() if all(other.find(fault) for other in also)]
    Random(seed).shuffle(common)
    drawn: list[Fault] = []
    taken: Counter[tuple[str, str]] = Counter()
    for fault in common:
        if len(drawn) < amount and taken[fault.path, fault.function] < _A_FUNCTION and tree.compiles(fault):
            taken[fault.path, fault.function] += 1
            drawn.append(fault)
    return drawn


def _functions(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, _Function]]:
    """Give functions and methods that do something; what is inside them belongs to them."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.")
        elif isinstance(child, _Function):
            does = [
                one for one in child.body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
            ]
            if does:
                yield prefix + child.name, child
        elif isinstance(child, ast.If | ast.Try | ast.With):
            yield from _functions(child, prefix)


_Here = tuple[str, ast.expr | ast.stmt, ast.expr | str]
_Change = tuple[str, ast.expr | ast.stmt, str, int]


def _changes(node: ast.AST, statement: int = 0, *, default: bool = False) -> Iterator[_Change]:
    """Give kind, place, new text and the line of the statement of each change below a node."""
    if isinstance(node, ast.stmt):
        statement = node.lineno
    if isinstance(node, ast.stmt | ast.expr):
        for kind, place, new in _changes_here(node):
            text = new if isinstance(new, str) else f"({ast.unparse(new)})"
            yield "default" if default else kind, place, text, statement
    elif isinstance(node, ast.comprehension):
        for condition in node.ifs:
            yield "condition", condition, f"(not ({ast.unparse(condition)}))", statement
    for field, value in ast.iter_fields(node):
        if field in _UNCHANGED or isinstance(node, ast.JoinedStr):  # inside these, places are not known before 3.12
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _changes(child, statement, default=default or field in {"defaults", "kw_defaults"})


def _changes_here(node: ast.stmt | ast.expr) -> Iterator[_Here]:
    if isinstance(node, ast.expr):
        yield from _of_an_expression(node)
    else:
        yield from _of_a_statement(node)
    match node:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) if not _is_changed_anyway(test):
            yield "condition", test, f"(not ({ast.unparse(test)}))"


def _of_an_expression(node: ast.expr) -> Iterator[_Here]:
    match node:
        case ast.Compare(left=left, ops=[first, *others], comparators=comparators):
            for kind, other in _COMPARISONS[type(first)]:
                yield kind, node, ast.Compare(left, [other(), *others], comparators)
        case ast.BoolOp(op=op, values=values):
            yield "boolean", node, ast.BoolOp(ast.And() if isinstance(op, ast.Or) else ast.Or(), values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "negation", node, operand
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            yield "arithmetic", node, ast.BinOp(left, _ARITHMETIC[type(op)](), right)
        case ast.Constant(value=bool(value)):
            yield "constant", node, repr(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield "constant", node, f"({value + 1!r})"
            yield "constant", node, f"({value - 1!r})"


def _of_a_statement(node: ast.stmt) -> Iterator[_Here]:
    match node:
        case ast.Return(value=value) if value is not None and not _is_none(value):
            yield "return", node, "return None"
        case ast.AugAssign(target=target, op=op, value=value) if type(op) in _ARITHMETIC:
            yield "arithmetic", node, ast.unparse(ast.AugAssign(target, _ARITHMETIC[type(op)](), value))
        case ast.Break():
            yield "loop", node, "continue"
        case ast.Continue():
            yield "loop", node, "break"
    if _can_be_dropped(node):
        yield "dropped", node, "pass"


def _can_be_dropped(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(value=ast.Call() | ast.Await()) | ast.Raise() | ast.Delete() | ast.AugAssign():
            return True
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            return True
    return False


def _is_changed_anyway(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) or (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not))


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _last(node: ast.expr | ast.stmt) -> int:
    return node.end_lineno or node.lineno
