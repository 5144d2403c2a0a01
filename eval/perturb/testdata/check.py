"""Compiles each file that standard input names, and prints a line for each that fails: file, tab, error."""
import sys
import warnings

warnings.simplefilter("ignore")
for name in sys.stdin.read().splitlines():
    try:
        with open(name, encoding="utf-8") as file:
            compile(file.read(), name, "exec")
    except (SyntaxError, ValueError) as error:
        print(name, type(error).__name__, sep="\t")
