// Package docs holds the documentation in the binary, so that a service shows the pages of
// its own version without a network. Nothing but the pages may come in.
package docs

import "embed"

// Files are the pages, Markdown, with README.md as the list of them.
//
//go:embed *.md
var Files embed.FS
