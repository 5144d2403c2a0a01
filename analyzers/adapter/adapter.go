// Package adapter is the contract between the runner in analyzers and the
// adapters in the directories beside this one: a Tool says in data how a program
// is found, asked and run, and in one function how its output is read.
//
// An adapter starts nothing, opens no file and knows nothing of the files' real
// names: all that is the runner's.
package adapter

import (
	"regexp"

	"crscore/internal/findings"
	"crscore/internal/lang"
)

// Tool is one external analyzer.
type Tool struct {
	Name      string // as in flags and signatures: "radon"
	Languages []lang.Name
	// Program is what the tool is called on PATH, NodeModule where its program
	// is in a node_modules folder ("" when npm does not have it).
	Program, NodeModule string
	// Install says in one command how it is got.
	Install string
	// Version is how the tool is asked for its version.
	Version Version
	// Project says how a tool is run that needs the whole project, and not only
	// the files that it is asked about; nil for a tool that reads loose files.
	Project *Project
	// Keep are variables of the environment that the tool may see besides PATH.
	Keep []Variable
	// Env are variables that are the same on every machine.
	Env []string
	// Config are files that stand beside the analysed ones: the tool's own fixed
	// configuration.
	Config []ConfigFile
	// Prepare gives what the tool sees instead of a file's text, line for line; nil
	// means the text itself. It is for tools that read other files when a text says so.
	Prepare func(text string) string
	// Args are the arguments before the names of the files, or around them where
	// Names is one of them.
	Args []string
	// Exits are the exit statuses with which the output can be read; with any
	// other, or with any but 0 and no output, the tool has failed.
	Exits []int
	// Batch is how many files one start is given at most, for a tool that is slow;
	// 0 leaves it to the runner.
	Batch int
	// Hints say what a person can do about a failure.
	Hints []Hint
	// Parse reads the output. It is given whatever a program printed, so it
	// returns an error where that is not what the tool prints, and never half of it.
	Parse func(stdout []byte) (Report, error)
}

// Names stands among a tool's arguments for the names of the files, with commas
// between them.
const Names = "{files}"

// Project says how a tool is run in a copy of a project.
type Project struct {
	// Module is the name of a file such as go.mod. The tool is started in the
	// nearest folder above a file that has one, and given the folders of the files,
	// many at a time. Without it the tool is started at the project's root and
	// given one file at a time.
	Module string
	// After gives the arguments after the name of a file; has tells whether the
	// project has files of a language. It is for tools without a Module, and may be nil.
	After func(path string, has func(lang.Name) bool) []string
	// Skips says why the tool would pass over a file in silence, which must not
	// look as if it had found nothing; "" when it reads it. It may be nil.
	Skips func(path, text string) string
}

// Hint adds to a reason that says something what a person can do about it.
type Hint struct {
	Says, Do string
}

// Version says how to ask for a version and which are known to work.
type Version struct {
	Args []string
	// Pattern finds the version in what is printed, as its first group.
	Pattern *regexp.Regexp
	// From is the first supported version, Before the first that is not any more.
	From, Before string
}

// Variable is one of the environment's that is handed on. Home is where tools
// look below the home directory when it is not set; they see another home.
type Variable struct {
	Name, Home string
}

// ConfigFile is a file that the runner writes for the tool.
type ConfigFile struct {
	Name, Text string
}

// Report is what a tool said about the files that it was given. Paths are those
// the tool was given.
type Report struct {
	Findings []findings.Finding
	// Unread are the files that the tool could not analyse, such as those with
	// syntax errors.
	Unread []Unread
	// Failed says why the tool has no answer about any of them, although it has
	// ended well; "" when it has.
	Failed string
}

// Unread is a file that a tool could not analyse, and why.
type Unread struct {
	Path, Reason string
}

// Through are all exit statuses from 0 to last, for tools that count in them.
func Through(last int) []int {
	all := make([]int, last+1)
	for i := range all {
		all[i] = i
	}
	return all
}

// Priority is the severity of a priority as PMD and its like give it: 1 is "change
// absolutely required", 5 "optional".
func Priority(priority int) findings.Severity {
	switch {
	case priority <= 2:
		return findings.Error
	case priority == 3:
		return findings.Warning
	}
	return findings.Info
}
