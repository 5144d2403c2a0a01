// Package adapter defines the contract between the runner in analyzers and the
// adapters in the directories beside this package. A Tool is data, which says how to
// find, ask and run a program, and a Table, which says where its findings are in its output.
//
// An adapter starts no program, opens no file and does not know the files' real names.
// The runner does all of this.
package adapter

import (
	"cmp"

	"crscore/internal/findings"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
)

// Tool is one external analyzer.
type Tool struct {
	Name string // as in flags and signatures: "radon"
	// Languages are the languages of the files that the tool can analyse.
	Languages []lang.Name
	// Program is the tool's name on PATH, Name where it is empty. NodeModule is the path of its program in a
	// node_modules folder, "" if npm does not have it.
	Program, NodeModule string
	// Install is the command that installs the tool, on Debian where systems differ.
	// InstallOn has the commands for other systems, by Go's names of them.
	Install   string
	InstallOn map[string]string
	// NotOn are the systems on which crscore cannot run the tool, with the reason.
	NotOn map[string]string
	// Version says how to ask the tool for its version.
	Version Version
	// Project says how to run a tool that needs the whole project. It is nil for a tool
	// that reads single files.
	Project *Project
	// Keep are the environment variables, besides PATH, that the tool may see.
	Keep []Variable
	// Env are variables that are the same on every machine.
	Env []string
	// Config are files with the tool's fixed configuration. The runner puts them beside
	// the analysed files.
	Config []ConfigFile
	// Prepare returns the text that the tool sees instead of a file's text, with the same
	// lines. nil means the text itself. It is for tools that a text can make read other
	// files or skip checks.
	Prepare func(text string) string
	// Args are the arguments before the names of the files. If Names is one of them, the
	// names take its place.
	Args []string
	// Exits are the exit statuses after which the output can be read. After any other
	// status, or after a status other than 0 without output, the tool has failed.
	Exits []int
	// Batch is the largest number of files for one start of a slow tool. 0 leaves it to
	// the runner.
	Batch int
	// Hints say what a person can do about a failure.
	Hints []Hint
	// Parse reads the output. A program can print anything, so Parse returns an error
	// for output that the tool does not print, and never a part of the report.
	Parse func(stdout []byte) (Report, error)
}

// HowToInstall returns the command that installs the tool on a system, "" if crscore cannot
// run it there.
func (t Tool) HowToInstall(system string) string {
	if t.NotOn[system] != "" {
		return ""
	}
	return cmp.Or(t.InstallOn[system], t.Install)
}

// Batch is the reason in NotOn for tools that start by a batch file on Windows.
const Batch = "it starts by a batch file there, whose arguments Windows would interpret as commands"

// Names is an argument that stands for the names of the files, joined by commas.
const Names = "{files}"

// Project says how to run a tool in a copy of a project.
type Project struct {
	// Module is the name of a file such as go.mod. The tool is started in the nearest
	// folder above a file that has a Module, with the folders of many files as arguments.
	// Without a Module the tool is started at the project's root, once for each file.
	Module string
	// After returns the arguments after the name of a file. has reports whether the
	// project has files in a language. After is for tools without a Module and may be nil.
	After func(path string, has func(lang.Name) bool) []string
	// Skips says why the tool would skip a file without a message, "" if the tool reads
	// it. A skipped file must not look like a clean file. Skips may be nil.
	Skips func(path, text string) string
}

// Hint adds advice (Do) to a reason that contains a text (Says).
type Hint struct {
	// Says is a part of the reason, in the tool's own words. Do is the advice.
	Says, Do string
}

// Version says how to ask for a version and which versions are supported.
type Version struct {
	// Args are the arguments that make the tool print its version; nil means --version.
	Args []string
	// Pattern finds the version in the output, as its first group.
	Pattern *regexp.Regexp
	// From is the first supported version, Before the first version that is too new.
	From, Before string
}

// Variable is an environment variable that the tool may see.
type Variable struct {
	// Name is the name of the variable. If it is not set, its value is the folder Home of the
	// real home directory, because the tool sees another home. With an empty Home, or without
	// such a folder, the variable stays unset.
	Name, Home string
}

// ConfigFile is a file that the runner writes for the tool.
type ConfigFile struct {
	// Name is the path beside the analysed files. Text is the content.
	Name, Text string
}

// Report is the content of a tool's output. Its paths are the paths that the tool was
// given.
type Report struct {
	// Findings are the tool's findings, in the order of the output; none for clean files.
	Findings []findings.Finding
	// Unread are the files that the tool could not analyse, such as files with syntax
	// errors.
	Unread []Unread
	// Failed says why the tool has no answer for any file, although its exit status is
	// good; "" if it has an answer.
	Failed string
}

// Unread is a file that a tool could not analyse, and why.
type Unread struct {
	// Path is the path that the tool was given. Reason is the tool's message.
	Path, Reason string
}

// Through returns the exit statuses from 0 to last, for tools whose exit status is a
// number of findings or a set of bits.
func Through(last int) []int {
	all := make([]int, last+1)
	for i := range all {
		all[i] = i
	}
	return all
}
