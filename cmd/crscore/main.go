// Command crscore judges code-review comments without a reference review.
package main

import (
	"os"

	"crscore/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
