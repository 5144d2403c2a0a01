package system

import (
	"os"
	"strings"

	"golang.org/x/sys/windows"
)

// Colors reports whether a terminal understands the escape sequences of colours. Windows has
// its console understand them only when asked.
func Colors(terminal *os.File) bool {
	console := windows.Handle(terminal.Fd())
	var mode uint32
	if windows.GetConsoleMode(console, &mode) != nil {
		return false
	}
	return mode&windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING != 0 ||
		windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}

// Signs reports whether terminals show signs beyond ASCII. Windows' own console takes all
// characters, but its fonts lack most signs; newer terminals name themselves.
func Signs() bool {
	return os.Getenv("WT_SESSION") != "" || os.Getenv("TERM_PROGRAM") != "" || os.Getenv("ConEmuTask") != "" ||
		strings.HasPrefix(os.Getenv("TERM"), "xterm")
}
