"""Compiles files, and prints a line for each that fails: file, kind, message, with tabs between them. It runs no code."""
import sys
import warnings

warnings.simplefilter("ignore")
for name in sys.argv[1:]:
    try:
        with open(name, encoding="utf-8-sig") as file:
            compile(file.read(), name, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        message = getattr(error, "msg", None) or str(error) or type(error).__name__
        print(name, "syntax", " ".join(message.split()), sep="\t")
