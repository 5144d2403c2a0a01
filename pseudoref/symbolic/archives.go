package symbolic

import (
	"embed"
	"io/fs"
)

//go:embed testdata/*.txtar
var archives embed.FS

// Archives holds small changes with the claims about them, which package cases reads.
func Archives() fs.FS { return archives }
