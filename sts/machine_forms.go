package sts

import (
	"regexp"
	"strings"
	"sync"
)

// formKind says what a form of the table is compared with, and what is cut where it fits.
type formKind uint8

const (
	folded   formKind = iota // the summary of a <details>: the whole block is cut
	severity                 // a line that rates the finding: the line is cut; see cutter.headlines
	footer                   // a line about the bot or for another machine: the line is cut
	apart                    // a footer, if the line is set off: by emphasis, a link, a tag or an emoji
	label                    // what stands before a finding, in the line as it is written: its first group is cut
	tagged                   // what ends the line of a finding, as it is written: it is cut
)

// Words of the forms.
const (
	levelWord = `(?:critical|blocker|blocking|high|major|medium|moderate|low|minor|trivial|nitpick|important|p[0-4]|sev(?:erity)?[ -]?[0-5])`
	issueWord = `(?:(?:potential|possible|probable) (?:issue|bug|problem)|(?:refactor(?:ing)?|code) suggestion|bug[ _]risk|verification (?:agent|inconclusive|successful|failed)|quick win|heavy lift|poor tradeoff)`
	ratedWord = `(?:` + levelWord + `(?:[ -](?:severity|priority|risk|impact|effort|level|confidence|issue|bug))?(?: \([a-z ]{1,20}\))?|` + issueWord + `)`
	themeWord = `(?:bug|issue|security|reliability|performance|style|syntax|logic|(?:functional )?correctness|data integrity(?: integration)?|stability availability|testing|tests?|documentation|docs|maintainability(?: code quality)?|readability|typing|best[ -]practices?|code[ -](?:quality|style|smell)|complexity|general|enhancement|error[ -]handling|naming|suggestion|refactor(?:ing)?|chore|todo|incremental|learned best practice)`
	anyWord   = `(?:` + ratedWord + `|` + themeWord + `)`
	labelWord = `(?:(?:` + themeWord + ` ?[|/,·•–—-] ?)?` + ratedWord + `|suggestion|issue|bug|logic|style|syntax)`
	ratings   = `(?:severity|priority|importance|confidence(?: score)?|category|impact|effort|risk|level|score|suggestion importance(?: ?1-10)?|estimated effort(?: to review)?(?: ?1-5)?)`
	rate      = `(?:` + anyWord + `|[0-9.]+ ?%?(?: ?/ ?[0-9]+)?)`
	somewhere = `(?:(?:at |in |(?:file|location|lines?)[ :]*)*(?:a_place|[\w./@+-]+:[0-9]+(?:[-:][0-9]+)*|\(?(?:lines?|l) ?#?[0-9]+(?: ?- ?l?[0-9]+)?\)?|[0-9]+(?: ?- ?[0-9]+)?)[ ,]*){1,3}`
	botName   = `@?(?:code ?rabbit(?:ai)?|codex|chatgpt[\w -]*|openai[\w -]*|qodo[\w -]*|codium[\w -]*|pr-agent|greptile(?:ai)?|cursor(?: bugbot)?|bugbot|(?:github )?copilot|gemini[\w -]*|sourcery(?:-ai)?|ellipsis(?:-dev)?|claude[\w ]*|an? (?:ai|bot)|ai)`
	change    = `(?:fix(?:es)?|changes?|suggestions?|implementation|patch|diff|code|edits?|refactor(?:ing)?|solution|tests?|improvements?|updates?)`
	opening   = `(?:\*\*|__|\*|_)`
	noWord    = `[^\pL\pN\n*_]{0,12}` // emoji and blanks
)

// forms are the parts that review bots add to a finding. Folded, severity, footer and apart are
// compared with the whole of a text in lower case, without marks, emoji and tags (see plainText).
// A form is a shape or a fixed phrase, never the wording of a finding; a line with more words is a
// reviewer's. Changing a form means raising formsVersion.
var forms = []struct {
	kind    formKind
	pattern string
}{
	// Ratings: CodeRabbit, Cursor, Greptile, Qodo, Gemini.
	{severity, ratedWord + `(?:[ |/,:·•—–-]+` + anyWord + `)*(?:[ |,:·•—–-]+` + somewhere + `)?`},
	{severity, themeWord + `(?:[ |/,:·•—–-]+` + anyWord + `)*[ |/,:·•—–-]+` + ratedWord + `(?:[ |,:·•—–-]+` + somewhere + `)?`},
	{severity, themeWord + `(?: ?[|•·] ?` + themeWord + `)+`},
	{severity, `(?:` + ratings + ` ?[:=|–—-]+ ?` + rate + `[ |,;·•—–-]*)+`},
	{severity, rate + ` (?:severity|priority|importance|confidence)(?: (?:issue|bug|finding))?`},
	{severity, `(?:file|location|lines?|path) ?: ?` + somewhere + `|in a_place (?:around |at |on |near |between )?lines? [0-9 ,and–-]+`},
	{severity, `description start|bugbot.*`}, // comments of Cursor

	// Foldings of CodeRabbit.
	{folded, `analysis chain|scripts? executed|walkthrough|tools|additional context used|(?:recent )?review (?:details|info)|(?:run )?configuration(?: used)?|commits|finishing touches|tips?|share|chat|help|commands?|reviewed changes`},
	{folded, `learnings?(?: (?:added|used|applied))?(?:: .*)?|files? .*(?:selected for processing|with no reviewable changes|skipped|ignored|not (?:reviewed|summarized)).*|(?:code graph analysis|linked repositories|web quer(?:y|ies)|citations|pre-merge checks|sequence diagram).*`},
	{folded, `(?:[\w.-]+ )?(?:ruff|pylint|flake8|mypy|eslint|biome|oxlint|golangci-lint|shellcheck|markdownlint(?:-cli2)?|languagetool|ast-grep|gitleaks|checkov|hadolint|yamllint|actionlint|semgrep|clang(?:-tidy)?|cppcheck|phpstan|phpmd|rubocop|detekt|swiftlint|pmd|buf|sqlfluff|github (?:actions|check runs)[\w :,/-]*)(?: \(.*\))?`},
	// Prompts and suggestions of any bot.
	{folded, `(?:[\w ]{0,30} )?prompts? (?:for|to|with)\b[\w &,-]*(?: \([0-9]+\))?|(?:ai|agents?|llm) prompts?`},
	{folded, `(?:[\w-]+ ){0,2}(?:committable|suggested|proposed|recommended|possible|example|alternative)(?: [\w-]+){0,2} ` + change + `(?::.*| ?\(.*\)| (?:for|to|in|using|with)\b.*)?|apply (?:this |the )?` + change + `|(?:existing|improved) code`},
	// Foldings of Qodo, Greptile, Cursor, Copilot, Gemini and Sourcery.
	{folded, `suggestion importance.*|(?:additional )?locations?(?: \([0-9]+\))?|(?:important )?files? changed(?: \(.*\))?|show a summary per file|confidence score.*|context used.*|about .*\bin github|using gemini.*|original comment.*|interacting with \w+|customizing your experience|getting help|need help on this pr.*|how to use .*|get the most .*|learn more.*|\w+ is free for .*|.*\bconsider sharing .*`},

	// Reactions: Codex, Sourcery, Ellipsis, Greptile.
	{footer, `useful\b.{0,3}react\b.*|(?:please )?react with\b.*|was this (?:comment |review |suggestion )?(?:helpful|useful).*|please (?:click|react|leave)\b.*\b(?:each|this|my|our) (?:comment|review)s?\b.*|help me be more useful.*|(?:please )?(?:rate|help (?:us )?improve) (?:this|these|my|our|future) (?:reviews?|comments?|suggestions?)\b.*|(?:share|leave|give|send)(?: us)?(?: your)? feedback`},
	// What the bot is, and what it can do.
	{footer, `(?:copilot|codex|chatgpt|gemini|claude|ai) (?:uses ai|is powered by|(?:can|may|might) make mistakes)\b.*|check for mistakes|` + botName + ` reviewed [0-9]+ (?:out )?of [0-9]+ .*`},
	{footer, `(?:this|the above) (?:comment|review|suggestion|message|reply|summary)(?: was| is| has been)? (?:automatically |auto-)?(?:generated|created|posted|written|made) (?:by|with|using) ` + botName + `\b.*|(?:this is )?an? (?:auto(?:matically|matic)?[ -]?generated|automated|ai[ -]generated) (?:comment|review|reply|message|suggestion)(?: (?:by|from) .*)?`},
	{footer, `(?:reply|comment|mention|tag|ask|type|use|to (?:trigger|ask|request|start))\b.*@(?:coderabbit|codex|qodo|greptile|cursor|copilot|gemini|sourcery|ellipsis|claude).*|(?:reply|comment) with @.*|originally posted by @.*|thank(?:s| you) for using ` + botName + `.*|you can customize ellipsis by .*`},
	{footer, `(?:review(?:ed)?|generated|posted|created|written|spotted|found|reported|powered|made|suggested) (?:by|with|using|via) ` + botName + `(?:[ ,(|·•—–-].*)?`},
	{apart, `(?:(?:auto(?:mated|matic)?|ai|code) )*(?:review(?:ed)?|generated|posted|created|spotted|reported|powered|suggested) (?:by|with|using|via) [^\s,;:]+(?: [^\s,;:]+){0,4}(?: for commit [0-9a-f]+.*)?`},
	{apart, `explain how i think|show (?:more|less|full context)|view (?:in|on|full|more|details|suggestion)\b.*|learn more.*|context used.*|last reviewed commit.*|(?:(?:edit|dismiss|resolve|ignore|hide|more info|chat|docs|install|upgrade|configure|settings|code review settings)[ |,·•/-]*)+`},
	{footer, `(?:(?:fix|open|view|apply|resolve|implement)(?: this| it| all| fix| issue)? (?:in|with|using) (?:(?:cursor|web|claude(?: code)?|codex|copilot|vs ?code|windsurf|ai|an agent|agent|ide|chat|qodo|coderabbit|greptile|devin)(?: or )?)+[ |,·•/-]*)+`},
	// Lines around suggestions, scripts and prompts: CodeRabbit, Qodo, Greptile.
	{footer, `(?:apply|commit|accept|use)(?: this| these| the| following){0,2} ` + change + `(?: below)?|also applies to:? (?:lines? )?[0-9][0-9 ,–-]*|\(?refers to lines? [0-9 ,–-]+\)?|committable suggestion skipped.*|(?:committable|suggested|proposed|recommended|possible|example) ` + change + `|(?:recommendation|suggestion|fix|how to fix|references)|(?:important )?carefully review the code before .*|ai(?:[ -]generated)? (?:suggestions?|fix(?:es)?|code|comments?) (?:may|might|can|could) (?:be|contain|make)\b.*|scripts? executed|repository: [\w.-]+/[\w.-]+|length of output: [0-9]+|learnings? added|ⓘ? ?copy this prompt\b.*`},
	{footer, `(?:\w+ )?prompt (?:for|to fix)(?: all| this| these| review| comments?| with| an?)* (?:ai|llms?|coding agents?|agents?)(?: agents?| assistants?| tools?)?`},

	// Labels: Sourcery, Greptile, Qodo, Cursor. Marks set them off; "nit: …" is a person's.
	{label, `(?i)^((?:` + opening + `\[?|\[)` + noWord + labelWord + `(?: ?[|/,·•:—–\]-] ?` + noWord + anyWord + `)*(?: ?\([\w /,-]{1,40}\))?(?:\]?:` + opening + `|\]?` + opening + ` ?(?::|[—–|-] )|\]` + opening + `?:?))`},
	{label, `(?i)^(?:#{1,6} +|` + opening + `)+` + noWord + `(` + labelWord + `(?: ?\([\w /,-]{1,40}\))?: )`},
	{label, `(?i)^(\pS` + noWord + opening + `?` + ratedWord + `(?: ?[|/·•] ?` + anyWord + `)*[*_]{0,2} ?(?::|[—–-] )[*_]{0,2})`},
	{label, `(?i)^(` + opening + `?` + noWord + `(?:suggestion|issue|question|todo|thought|chore|note) ?\([\w ,-]{1,40}\):` + opening + `?)`},
	{label, `^(P[0-4](?::| [—–-]) )`},
	{tagged, `(?i)[*_]{0,2}[\[(](?:[\w /-]{1,40}[,;|] ?)*(?:importance|severity|priority|confidence|score)[ :=]{0,3}[\w./%-]{1,12}(?:[,;|] ?[\w :/-]{1,40})*[\])][*_]{0,2}\s*$`},
	{tagged, `(?i)[*_]{0,2}\[` + ratedWord + `\][*_]{0,2}\s*$`},
}

// formsVersion is the version of the table in signatures.
const formsVersion = "forms/1"

// formsOf are the table's expressions, one a kind. They are compiled when they are first used.
var formsOf = sync.OnceValue(func() map[formKind]*regexp.Regexp {
	parts, out := map[formKind][]string{}, map[formKind]*regexp.Regexp{}
	for _, f := range forms {
		p := f.pattern
		if f.kind < label {
			p = `^(?:` + p + `)$`
		}
		parts[f.kind] = append(parts[f.kind], p)
	}
	for kind, p := range parts {
		out[kind] = regexp.MustCompile(strings.Join(p, "|"))
	}
	return out
})
