package phrase

import (
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/tree"
)

// levels are the names by which logging calls are known.
var levels = map[string]string{
	"trace": "trace", "debug": "debug", "info": "info", "warn": "warning", "warning": "warning", "error": "error", "exception": "error",
	"information": "info", "verbose": "debug", "loginformation": "info", "logwarning": "warning", "logerror": "error", "logdebug": "debug",
	"logtrace": "trace", "logcritical": "error", "fatal": "fatal", "critical": "critical", "severe": "error", "fine": "debug",
	"notice": "notice", "log": "",
}

// logging returns the level of a logging call.
func logging(call tree.Node) (level string, ok bool) {
	c := tree.Callee(call)
	name := strings.ToLower(tree.LastName(c))
	for _, suffix := range []string{"f", "ln", "w", "context"} { // Errorf, Println, Infow, ErrorContext
		if _, ok := levels[strings.TrimSuffix(name, suffix)]; ok {
			name = strings.TrimSuffix(name, suffix)
		}
	}
	level, ok = levels[name]
	receiver := strings.ToLower(c[:len(c)-len(tree.LastName(c))])
	logs := strings.Contains(receiver, "log") || strings.Contains(receiver, "console") || strings.Contains(receiver, "tracing")
	return level, ok && logs
}

// printing tells whether a call writes to the standard output.
func printing(call tree.Node) bool { return slices.Contains(printers, tree.Callee(call)) }

// printers are the calls that write to the standard output.
var printers = strings.Fields("print console.log System.out.println System.out.print fmt.Println fmt.Printf puts printf println " +
	"println! print! eprintln! eprint! dbg! var_dump e.printStackTrace Console.WriteLine Console.Write Console.Error.WriteLine " +
	"System.err.println NSLog debugPrint")

// Assertion tells whether a call checks something in a test.
func Assertion(call tree.Node) bool {
	c := tree.Callee(call)
	name := strings.ToLower(tree.LastName(c))
	return strings.HasPrefix(name, "assert") || strings.HasPrefix(name, "xctassert") || strings.HasPrefix(strings.ToLower(c), "assert.") ||
		slices.ContainsFunc(tree.Chain(call), func(l tree.Node) bool {
			return slices.Contains([]string{"Should", "assertThat", "expect"}, tree.CalledName(l))
		}) ||
		strings.HasPrefix(name, "expect_") || name == "expect" || strings.HasPrefix(c, "expect(") ||
		strings.HasPrefix(call.Text(), "expect(") || name == "verify"
}
