"""What endings of names mean, for files whose content does not say it."""

MARKDOWN = frozenset({"md", "markdown", "mdx", "mdown", "mkd", "qmd"})
TEXT = frozenset({"txt", "text", "rst", "org", "adoc", "asciidoc", "log", "tex", "srt", "vtt", "ics", "vcf", "textile"})
DELIMITED = frozenset({"csv", "tsv", "tab"})
SESSIONS = frozenset({"jsonl", "ndjson"})
HTML = frozenset({"html", "htm", "xhtml"})
MAIL = frozenset({"eml", "mht", "mhtml"})
WORD = frozenset({"docx", "docm", "dotx", "dotm"})
CODE = frozenset({
    "py", "pyi", "js", "mjs", "cjs", "jsx", "ts", "tsx", "java", "kt", "kts", "scala", "groovy", "c", "h", "cc",
    "cpp", "cxx", "hpp", "hh", "m", "mm", "cs", "fs", "vb", "go", "rs", "swift", "rb", "php", "pl", "pm", "lua",
    "r", "jl", "hs", "ml", "mli", "ex", "exs", "erl", "clj", "cljs", "lisp", "el", "scm", "dart", "zig", "nim", "d",
    "pas", "f90", "asm", "s", "sh", "bash", "zsh", "fish", "ps1", "bat", "cmd", "sql", "graphql", "proto", "thrift",
    "css", "scss", "sass", "less", "vue", "svelte", "json", "json5", "jsonc", "yaml", "yml", "toml", "ini", "cfg",
    "conf", "properties", "env", "xml", "xsd", "xsl", "gradle", "cmake", "mk", "tf", "hcl", "nix", "dockerfile",
    "makefile", "diff", "patch", "ipynb",
})  # fmt: skip

MIME_OF = {
    "tsv": "text/tab-separated-values",
    "tab": "text/tab-separated-values",
    "py": "text/x-python",
    "js": "text/javascript",
    "mjs": "text/javascript",
    "css": "text/css",
    "json": "application/json",
    "ipynb": "application/json",
    "xml": "application/xml",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "toml": "application/toml",
    "sql": "application/sql",
    "jsonl": "application/x-ndjson",
    "ndjson": "application/x-ndjson",
    "ics": "text/calendar",
    "vcf": "text/vcard",
    "rst": "text/x-rst",
}

_WHOLE_NAMES = frozenset({"makefile", "dockerfile"})


def ending_of(name: str) -> str:
    """Give the ending of a name in lower case and without its dot; `Makefile` and `Dockerfile` are endings, too."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1].lower()
    if last in _WHOLE_NAMES:
        return last
    return last.rpartition(".")[2] if "." in last.lstrip(".") else ""
