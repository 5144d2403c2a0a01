package smells

import (
	"bytes"
	"strings"
	"unicode"

	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
)

// Output that was left in after debugging. What a program tells its user looks much
// the same, so that anything that speaks for it counts.

var (
	ecmaDebug  = kinds("console.log", "console.debug", "console.dir", "console.trace", "console.table", "alert")
	debugCalls = map[lang.Name]set{
		lang.Python:     kinds("print", "pprint", "pprint.pprint", "breakpoint", "pdb.set_trace", "ipdb.set_trace"),
		lang.Java:       kinds("System.out.println", "System.out.print", "System.out.printf", "e.printStackTrace", "ex.printStackTrace"),
		lang.JavaScript: ecmaDebug, lang.TypeScript: ecmaDebug, lang.TSX: ecmaDebug,
		lang.Go:     kinds("fmt.Println", "fmt.Printf", "fmt.Print", "println", "print", "spew.Dump"),
		lang.CSharp: kinds("Console.WriteLine", "Console.Write", "Debugger.Break"),
		lang.PHP:    kinds("var_dump", "print_r", "var_export", "dd", "dump", "debug_print_backtrace"),
		lang.Ruby:   kinds("puts", "p", "pp", "binding.pry", "binding.irb", "byebug"),
		lang.Rust:   kinds("println", "print", "dbg"),
	}
	// surelyDebug are those that no user is meant to see.
	surelyDebug = kinds("breakpoint", "pdb.set_trace", "ipdb.set_trace", "e.printStackTrace", "ex.printStackTrace", "console.trace", "spew.Dump",
		"Debugger.Break", "debug_print_backtrace", "binding.pry", "binding.irb", "byebug", "dbg", "debugger")
)

// programMarks are what is found in a file that is run by people, by language.
var (
	ecmaProgram  = regexp.MustCompile(`\bprocess\.(?:argv|exit|stdout)\b|\b(?:require\(|from )['"](?:yargs|commander|minimist|inquirer|chalk|meow|command-line-args|shelljs|gulp|ora)['"]`)
	programMarks = map[lang.Name]*regexp.Regexp{
		lang.Python: regexp.MustCompile(`(?m)^if\s+__name__\s*==|^\s*(?:import|from) (?:argparse|click|optparse|getopt|fire|docopt|typer|distutils|setuptools|cmd)\b|` +
			`\bsys\.(?:argv|exit)\b|\b(?:raw_)?input\(`),
		lang.Java:       regexp.MustCompile(`\bstatic void main\s*\(`),
		lang.JavaScript: ecmaProgram, lang.TypeScript: ecmaProgram, lang.TSX: ecmaProgram,
		lang.Go:     regexp.MustCompile(`(?m)^package main\b|\bflag\.Parse\(|\bcobra\.Command\b`),
		lang.CSharp: regexp.MustCompile(`\bstatic (?:async )?(?:void|int|Task(?:<int>)?) Main\s*\(`),
		lang.PHP:    regexp.MustCompile(`\$argv\b|\bPHP_SAPI\b`),
		lang.Ruby:   regexp.MustCompile(`(?m)\bARGV\b|\bOptionParser\b|\$PROGRAM_NAME\b|__FILE__ ==|== __FILE__|\bThor\b|^\s*(?:task|namespace) |\bexit\b`),
		lang.Rust:   regexp.MustCompile(`\bfn main\(|\bclap\b|\bstructopt\b|\benv::args\b`),
	}
)

var (
	// shows is in the name of a function or class that is there to print.
	shows = regexp.MustCompile(`(?i)print|show|display|dump|report|usage|help|list|debug|trace|output|render|describe|summar|banner|echo|warn|verbose|menu|prompt|notify|command|console|runner|cli\b|(?:^|[._])main$|(?:^|[._])(?:log|cmd)|logger`)
	// guards is in the condition of output that is asked for.
	guards = regexp.MustCompile(`(?i)debug|verbos|emit|print|show|quiet|silent|trace|dry_?run|noisy|log|interactive|isatty`)
	// waived tells in a comment that the output is meant, or that a linter shall be silent.
	waived = regexp.MustCompile(`(?i)eslint-disable|noqa|nolint|NOSONAR|(?:pylint|rubocop): ?disable|(?:#|//|\*).*\b(?:print|show|display|output|log|report|tell|inform)`)
)

// maxPrints is the number of calls in a file above which they are what it does.
const maxPrints = 5

func debugPrint(v *visitor, n *syntax.Node) {
	name := "print"
	switch v.kind(n).name {
	case "debugger_statement":
		name = "debugger"
	case "print_statement":
		if strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(v.text(n), "print")), ">>") {
			return
		}
	case "exec_statement":
		return
	default:
		if !v.named(n, debugCalls[v.lang]) {
			return
		}
		name = strings.TrimSuffix(v.callee(n), "!") // a macro of Rust
		if !debugCalls[v.lang][name] || v.lang == lang.Python && strings.Contains(v.text(n), "file=") {
			return
		}
		if (name == "print_r" || name == "var_export") && strings.HasSuffix(strings.ReplaceAll(v.text(n), " ", ""), ",true)") {
			return // it returns the text
		}
	}
	if first, last := v.f.Lines(n); !v.inside(first, last) || !surelyDebug[name] && (v.forUsers(n) || v.occurs(name) > maxPrints) {
		return
	}
	v.say(n, "", fill{"call": name})
}

// forUsers tells whether something speaks for output that is meant to be seen.
func (v *visitor) forUsers(n *syntax.Node) bool {
	if shows.MatchString(v.around(0).function) || v.isProgram() || v.isProse(n) {
		return true
	}
	if before, behind := v.beside(n); waived.Match(before) || waived.Match(behind) {
		return true
	}
	for up := 1; up < maxUp; up++ {
		s := v.around(up)
		if s.node == nil {
			break
		}
		if s.kind.role.IsFunction() {
			head := v.f.Source[s.node.StartByte():min(s.node.EndByte(), s.node.StartByte()+2*maxShort)]
			return v.lang == lang.Python && documented.Match(head)
		}
		if s.kind.role.Is(syntax.If, syntax.ElseIf) {
			if cond := v.field(s.node, "condition"); cond != nil && guards.MatchString(v.text(cond)) {
				return true
			}
		}
	}
	return false
}

// isProgram tells whether people run the file, which then speaks to them.
func (v *visitor) isProgram() bool {
	if !v.program.asked {
		re := programMarks[v.lang]
		v.program.asked, v.program.yes = true, bytes.HasPrefix(v.f.Source, []byte("#!")) || re != nil && re.Match(v.f.Source)
	}
	return v.program.yes
}

var (
	literal = regexp.MustCompile("^[^('\"`]*[( ]\\s*[a-zA-Z@$]{0,2}(?:\"{3}|'{3}|[\"'`])")
	word    = regexp.MustCompile(`[A-Za-z]{2,}`)
	// verbs are places in a text for values, values those that show any value.
	verbs  = regexp.MustCompile(`%[-+# 0-9.]*[a-zA-Z]|\{[^}]*\}|\\[a-z]`)
	values = regexp.MustCompile(`%[+#]?[vr]|\{`)
	// documented is in the text that says what a function of Python is for.
	documented = regexp.MustCompile(`(?i)(?:"{3}|'{3})[^"']*\b(?:print|show|display|output|dump|list|draw)`)
)

// isProse tells whether output is an empty line or begins with a text that is
// worded for people, or rules a line.
func (v *visitor) isProse(n *syntax.Node) bool {
	call := string(v.f.Source[n.StartByte():min(n.EndByte(), n.StartByte()+2*maxShort)])
	if strings.HasSuffix(call, "()") || call == "print" {
		return true
	}
	open := literal.FindString(call)
	if open == "" {
		return false
	}
	text, _, _ := strings.Cut(call[len(open):], open[len(open)-1:])
	text = strings.TrimSpace(strings.TrimSuffix(text, `\n`))
	text = strings.TrimLeft(strings.TrimPrefix(text, `\n`), "([<*-= ")
	fixed := verbs.ReplaceAllString(text, "")
	if !strings.ContainsFunc(fixed, unicode.IsLetter) {
		return !values.MatchString(text) // part of a table
	}
	words := len(word.FindAllString(fixed, 8))
	capital := text[0] >= 'A' && text[0] <= 'Z'
	return words >= 4 || words >= 3 && capital || strings.ContainsAny(text[len(text)-1:], ".!?")
}
