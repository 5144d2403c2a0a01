package smells

import (
	"bytes"
	"strings"
	"unicode"

	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
	"crscore/internal/syntax"
)

// Output that was left in after debugging. Messages of a program to its user look nearly
// the same, so any sign of such a message prevents a finding.

var (
	ecmaDebug  = kinds("console.log", "console.debug", "console.dir", "console.trace", "console.table", "alert")
	debugCalls = map[lang.Name]set{
		lang.Python: kinds("print", "pprint", "pprint.pprint", "breakpoint", "pdb.set_trace", "ipdb.set_trace"),
		lang.Java: kinds("System.out.println", "System.out.print", "System.out.printf", "e.printStackTrace", "ex.printStackTrace", "e1.printStackTrace", "t.printStackTrace", "err.printStackTrace",
			"error.printStackTrace", "exc.printStackTrace", "exception.printStackTrace", "ioe.printStackTrace", "th.printStackTrace", "throwable.printStackTrace"),
		lang.JavaScript: ecmaDebug, lang.TypeScript: ecmaDebug, lang.TSX: ecmaDebug,
		lang.Go: kinds("fmt.Println", "fmt.Printf", "fmt.Print", "println", "print", "spew.Dump"),
		lang.C:  kinds("printf"), lang.Cpp: kinds("printf"), // only with a text that says so
		lang.CSharp: kinds("Console.WriteLine", "Console.Write", "Debugger.Break", "System.Diagnostics.Debugger.Break"),
		lang.PHP:    kinds("var_dump", "print_r", "var_export", "dd", "dump", "debug_print_backtrace"),
		lang.Ruby:   kinds("puts", "p", "pp", "binding.pry", "binding.irb", "byebug"),
		lang.Rust:   kinds("println", "print", "dbg"),
	}
	// surelyDebug are functions whose output no user should see.
	surelyDebug = kinds("breakpoint", "pdb.set_trace", "ipdb.set_trace", "spew.Dump", "Debugger.Break",
		"binding.pry", "binding.irb", "byebug", "dbg", "debugger")
	// boxed matches an alert that is not meant for users. debugText matches the beginning
	// of a text that says that it is for debugging.
	boxed     = regexp.MustCompile(`^alert\(\s*(?:['"][a-z0-9 _.:=>-]{0,12}['"]\s*(?:\+.*|,.*)?|\d+)\)$`)
	debugText = regexp.MustCompile(`(?i)^(?:debug|dbg|xxx|got here|here\b|-+ ?here\b|i am here)`)
)

// programMarks match code of files that people run, by language.
var (
	ecmaProgram  = regexp.MustCompile(`\bprocess\.(?:argv|exit|stdout)\b|\b(?:require\(|from )['"](?:yargs|commander|minimist|inquirer|prompts|chalk|cli-color|child_process|meow|command-line-args|shelljs|gulp|ora)['"]`)
	programMarks = map[lang.Name]*regexp.Regexp{
		lang.Python: regexp.MustCompile(`(?m)^if\s+__name__\s*==|^\s*(?:import|from) (?:argparse|click|optparse|getopt|fire|docopt|typer|distutils|setuptools|cmd)\b|` +
			`\bsys\.(?:argv|exit)\b|\b(?:raw_)?input\(`),
		lang.Java:       regexp.MustCompile(`\bstatic void main\s*\(`),
		lang.JavaScript: ecmaProgram, lang.TypeScript: ecmaProgram, lang.TSX: ecmaProgram,
		lang.Go:     regexp.MustCompile(`(?m)^package main\b|\b(?:flag|pflag)\.Parse\(|\bcobra\.Command\b|\bcli\.Context\b|\bos\.(?:Exit|Args|Stdout|Stderr|Stdin)\b|^func Example`),
		lang.CSharp: regexp.MustCompile(`\bstatic (?:async )?(?:void|int|Task(?:<int>)?) Main\s*\(`),
		lang.PHP:    regexp.MustCompile(`\$argv\b|\bPHP_SAPI\b`),
		lang.Ruby:   regexp.MustCompile(`(?m)\bARGV\b|\bOptionParser\b|\$PROGRAM_NAME\b|__FILE__ ==|== __FILE__|\bThor\b|^\s*(?:task|namespace) |\bexit\b`),
		lang.Rust:   regexp.MustCompile(`\bfn main\(|\bclap\b|\bstructopt\b|\benv::args\b`),
	}
)

var (
	// meant matches a comment above a debugger stop that says that the stop is intended.
	meant = regexp.MustCompile(`(?i)intentional|on purpose`)
	// shows matches the name of a function or class that prints.
	shows = regexp.MustCompile(`(?i)print|show|display|dump|report|usage|help|list|debug|trace|output|render|describe|summar|banner|echo|warn|verbose|menu|prompt|notify|command|console|runner|cli\b|(?:^|[._])main$|(?:^|[._])(?:log|cmd)|logger`)
	// reports matches the name of a function that prints a trace.
	reports = regexp.MustCompile(`(?i)print|report|dump|trace|log`)
	// guards is in the condition of output that is asked for.
	guards = regexp.MustCompile(`(?i)debug|verbos|emit|print|show|quiet|silent|trace|dry_?run|noisy|log|interactive|isatty|dump|version|help|usage|console`)
	// programDirs matches the folders of files that people run, or read to learn.
	programDirs = regexp.MustCompile(`(?i)(?:^|/)(?:examples?|demos?|samples?|docs?|\w*scripts?|bin|tools?|bench(?:marks?)?|tutorials?|cmd|cli|testing|profiling|perf|reporters?|migrations?)/|` +
		`(?:^|/)\w*(?:log|logger|logging|console|print(?:er)?|postinstall|preinstall|gulpfile|gruntfile|webpack[\w.]*|setup|build|release|deploy|migrate|bench\w*)\.\w+$`)
	// logs matches the name of something that writes to a log.
	logs = regexp.MustCompile(`(?i)^\s*(?:const |let |var )?\w*(?:log|debug|print|trace|report)\w*\s*[:=]`)
	// told matches output that is meant for users.
	told = regexp.MustCompile(`(?i)[( ].*(?:\b|_)(?:display_\w+|banner|usage|help|version|eval|__doc__)(?:\W|_|$)`)
	// waived matches a comment that says that the output is intended, or that tells a
	// linter to be silent.
	waived = regexp.MustCompile(`(?i)eslint-disable|intentional|on purpose|noqa|nolint|NOSONAR|(?:pylint|rubocop): ?disable|(?:#|//|\*).*\b(?:print|show|display|output|log|report|tell|inform)`)
)

// printsOfPurpose is the number of calls in a file above which printing is the purpose of the
// file.
const printsOfPurpose = 5

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
	case "body_statement", "block_body", "then":
		v.rubyStops(n)
		return
	default:
		if !v.named(n, debugCalls[v.lang]) {
			return
		}
		name = strings.TrimPrefix(strings.TrimSuffix(v.callee(n), "!"), "System.Diagnostics.") // a macro of Rust has the sign
		if !debugCalls[v.lang][name] || v.lang == lang.Python && strings.Contains(v.text(n), "file=") {
			return
		}
		if (name == "print_r" || name == "var_export") && strings.HasSuffix(strings.ReplaceAll(v.text(n), " ", ""), ",true)") {
			return // it returns the text
		}
	}
	first, last := v.f.Lines(n)
	if !v.inside(first, last) || name == "alert" && !boxed.MatchString(v.text(n)) {
		return
	}
	trace := strings.HasSuffix(name, ".printStackTrace") && !reports.MatchString(v.around(0).function)
	says := !trace && debugText.MatchString(v.said(n))
	if (v.lang == lang.C || v.lang == lang.Cpp) && !says {
		return // the program can only print this way
	}
	if surelyDebug[name] || trace {
		if above, behind := v.beside(n); waived.Match(behind) || !trace && meant.Match(above) {
			return
		}
	}
	if v.lang == lang.PHP && (v.around(1).kind.role == syntax.Arguments || v.around(2).kind.role == syntax.Arguments) {
		return // the author wanted to return the text
	}
	if !surelyDebug[name] && !trace && (v.forUsers(n, says) || !says && len(name) > 2 && v.occurs(name) > printsOfPurpose) {
		return
	}
	v.say(n, "", fill{"call": name})
}

// rubyStops finds the stops for a debugger of Ruby that are a mere name.
func (v *visitor) rubyStops(n *syntax.Node) {
	if v.lang != lang.Ruby || v.occurs("byebug") == 0 && v.occurs("debugger") == 0 {
		return
	}
	for _, c := range v.parts(n) {
		if name := v.text(c.Node); c.kind.role == syntax.Identifier && (name == "byebug" || name == "debugger") {
			v.say(c.Node, "", fill{"call": name})
		}
	}
}

// forUsers reports whether there is a sign that the output is meant for users. A text that
// says that it is for debugging is a sign against it.
func (v *visitor) forUsers(n *syntax.Node, debug bool) bool {
	if shows.MatchString(v.around(0).function) || !debug && (v.isProgram() || programDirs.MatchString(v.path) || told.MatchString(v.text(n)) || v.lang == lang.Go && v.isTest() || v.lang != lang.Java && v.isProse(n)) {
		return true
	}
	if before, behind := v.beside(n); waived.Match(before) || waived.Match(behind) {
		return true
	}
	for up := 1; up < limits.NodesAbove; up++ {
		s := v.around(up)
		if s.node == nil {
			break
		}
		if s.kind.role.IsFunction() {
			head := v.f.Source[s.node.StartByte():min(s.node.EndByte(), s.node.StartByte()+2*limits.WordBytes)]
			return v.lang == lang.Python && documented.Match(head)
		}
		if s.kind.role.Is(syntax.Pair, syntax.Declarator, syntax.Variable, syntax.Assign) &&
			logs.Match(v.f.Source[s.node.StartByte():min(s.node.EndByte(), s.node.StartByte()+2*quotedBytes)]) {
			return true
		}
		if s.kind.role == syntax.Binary && guards.Match(v.f.Source[s.node.StartByte():n.StartByte()]) {
			return true
		}
		if s.kind.role.Is(syntax.If, syntax.ElseIf) {
			if cond := v.field(s.node, "condition"); cond != nil && guards.MatchString(v.text(cond)) {
				return true
			}
		}
	}
	return false
}

// isProgram reports whether people run the file, so that its output is for them.
func (v *visitor) isProgram() bool {
	return v.program.to(func() bool {
		re := programMarks[v.lang]
		return bytes.HasPrefix(v.f.Source, []byte("#!")) || re != nil && re.Match(v.f.Source)
	})
}

var (
	literal = regexp.MustCompile("^[^('\"`]*[( ]\\s*(?:(?:_|__|t|gettext)\\(\\s*|\\(\\s*)?[a-zA-Z@$]{0,2}(?:\"{3}|'{3}|[\"'`])")
	word    = regexp.MustCompile(`[A-Za-z]{2,}`)
	// verbs are places in a text for values, values those that show any value.
	verbs  = regexp.MustCompile(`%[-+# 0-9.]*[a-zA-Z]|\{[^}]*\}|\\[a-z]`)
	values = regexp.MustCompile(`%[+#]?[vr]|\{`)
	// documented matches the docstring of a function of Python that prints.
	documented = regexp.MustCompile(`(?i)(?:"{3}|'{3})[^"']*\b(?:print|show|display|output|dump|list|draw)`)
)

// isProse reports whether output is an empty line or begins with a text that is
// worded for people, or rules a line.
func (v *visitor) isProse(n *syntax.Node) bool {
	call := string(v.f.Source[n.StartByte():min(n.EndByte(), n.StartByte()+2*limits.WordBytes)])
	if strings.HasSuffix(call, "()") || call == "print" {
		return true
	}
	if literal.FindString(call) == "" {
		return false
	}
	text := v.said(n)
	fixed := verbs.ReplaceAllString(text, "")
	if !strings.ContainsFunc(fixed, unicode.IsLetter) {
		return !values.MatchString(text) // part of a table
	}
	words := len(word.FindAllString(fixed, 8))
	capital := text[0] >= 'A' && text[0] <= 'Z'
	return words >= 4 || words >= 3 && capital || strings.ContainsAny(text[len(text)-1:], ".!?")
}

// said returns the beginning of the text of an output, without signs and spaces around it.
func (v *visitor) said(n *syntax.Node) string {
	call := string(v.f.Source[n.StartByte():min(n.EndByte(), n.StartByte()+2*limits.WordBytes)])
	open := literal.FindString(call)
	if open == "" {
		return ""
	}
	text, _, _ := strings.Cut(call[len(open):], open[len(open)-1:])
	text = strings.TrimSpace(strings.TrimSuffix(text, `\n`))
	return strings.TrimLeft(strings.TrimPrefix(text, `\n`), "([<*-= ")
}
