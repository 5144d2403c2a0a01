package sts

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// formKind says what a form of the table is compared with, and what is cut where it fits.
type formKind uint8

const (
	folded     formKind = iota // the summary of a <details>: the whole block is cut
	foldedCode                 // the same, where the block holds code
	severity                   // a line that rates the finding, if it is set off by a mark: it is cut; see cutter.headlines
	keyed                      // the same, set off or not
	footer                     // a line about the bot or for another machine: it is cut
	apart                      // a footer, if the line is set off
	label                      // what stands before a finding, in the line as it is written: its groups are cut
	tagged                     // what ends the line of a finding, as it is written: its groups are cut
)

// Words of the forms.
const (
	levelWord = `(?:critical|blocker|blocking|high|major|medium|moderate|low|minor|trivial|nitpick|important|p[0-4]|sev(?:erity)?[ -]?[0-5])`
	issueWord = `(?:(?:potential|possible|probable) (?:issue|bug|problem)|(?:refactor(?:ing)?|code) suggestion|bug[ _]risk|(?:codebase )?verification(?: (?:agent|inconclusive|successful|failed))?|analysis chain|nitpick comments|(?:review|action) (?:required|recommended)|quick win|heavy lift|poor tradeoff|low value)`
	ratedWord = `(?:` + levelWord + `(?:[ -](?:severity|priority|risk|impact|effort|level|confidence|issue|bug))?(?: \([a-z ]{1,20}\))?|` + issueWord + `)`
	themeWord = `(?:(?:bug|issue|security|privacy|reliability|stability|availability|performance|scalability|style|syntax|logic|functional|correctness|data|integrity|integration|testing|tests?|documentation|docs|maintainability|readability|typing|best[ -]practices?|code[ -](?:quality|style|smell)|complexity|general|enhancement|error[ -]handling|naming|suggestion|refactor(?:ing)?|chore|todo|incremental|learned best practice)\b ?&? ?)+`
	anyWord   = `(?:` + ratedWord + `|` + themeWord + `)`
	labelWord = `(?:(?:` + themeWord + ` ?[|/,·•–—-] ?)?` + ratedWord + `|suggestion|issue|bug|logic|style|syntax|question|todo|thought|chore|nit|` + ratings + `: ?` + rate + `)`
	ratings   = `(?:severity|priority|importance|confidence(?: score)?|category|impact|effort|risk|level|score|suggestion importance(?: ?1-10)?|estimated effort(?: to review)?(?: ?1-5)?)`
	rate      = `(?:` + anyWord + `|[0-9.]+ ?%?(?: ?/ ?[0-9]+)?)`
	placeWord = `(?:a_place|[\w./@+-]+:[0-9]+(?:[-:][0-9]+)*|\(?(?:lines?|l) ?#?[0-9]+(?: ?- ?l?[0-9]+)?\)?|[0-9]+(?: ?- ?[0-9]+)?)`
	somewhere = `(?:(?:at |in |(?:file|location|path|lines?)[ :]*)*(?:` + placeWord + `|[\w/@+-]+\.[a-z]{1,5} \([0-9]+\))[ ,]*){1,3}`
	botName   = `@?(?:code ?rabbit(?:ai)?|codex|chatgpt[\w -]*|openai[\w -]*|qodo[\w -]*|codium[\w -]*|pr-agent|greptile(?:ai)?|cursor(?: bugbot)?|bugbot|(?:github )?copilot|gemini[\w -]*|sourcery(?:-ai)?|ellipsis(?:-dev)?|claude[\w ]*|an? (?:ai|bot)|ai)`
	change    = `(?:fix(?:es)?|changes?|suggestions?|implementation|patch|diff|code|edits?|refactor(?:ing)?|solution|tests?|improvements?|updates?)`
	opening   = `(?:\*\*|__|\*|_)`
	noWord    = `(?:[^\pL\pN\n*_]{1,12}\b|)` // emoji and blanks before a word; \b spares the search for one within them
)

// forms are the parts that review bots add to a finding. Kinds before label are compared with the
// whole of a text in lower case, without marks, emoji and tags (see plainText).
// A form is a shape or a fixed phrase, never the wording of a finding; a line with more words is a
// reviewer's. Changing a form means raising formsVersion.
var forms = []struct {
	kind    formKind
	pattern string
}{
	// Ratings and places: CodeRabbit, Cursor, Greptile, Qodo, Gemini.
	{severity, `(?:` + somewhere + `[ :]*)?` + ratedWord + `(?:[ |/,:·•—–-]+` + anyWord + `)*(?:[ |,:·•—–-]+` + somewhere + `)?`},
	{severity, `(?:` + somewhere + `[ :]*)?` + themeWord + `(?:[ |/,:·•—–-]+` + anyWord + `)*[ |/,:·•—–-]+` + ratedWord + `(?:[ |,:·•—–-]+` + somewhere + `)?`},
	{severity, themeWord + `(?: ?[|•·] ?` + themeWord + `)+|` + rate + ` (?:severity|priority|importance|confidence)(?: (?:issue|bug|finding))?`},
	{severity, `(?:issue|finding|comment|problem) #?[0-9]+(?: \(` + ratedWord + `\))?|(?:at |in )?(?:a_place|[\w./@+-]+:[0-9]+(?:[-:][0-9]+)*|lines? [0-9]+(?: ?- ?[0-9]+)?)(?:[ ,]+lines? [0-9]+(?: ?- ?[0-9]+)?)?|[\w/@.+-]+ lines? [0-9]+`},
	{keyed, `(?:` + ratings + ` ?[:=|–—-]+ ?` + rate + `[ |,;·•—–-]*)+`},
	{keyed, `(?:(?:file|location|lines?|path) ?: ?` + somewhere + ` ?)+|(?:file|path) ?: ?[\w/@.+-]+ lines? ?: ?[0-9-]+|in a_place (?:around |at |on |near |between )?lines? [0-9 ,and–-]+|[\w/@.+-]+\.[a-z]{1,5} \([0-9]+\)|https?://\S+/blob/\S+ l[0-9]+(?:-l[0-9]+)?`},
	{keyed, `description start|bugbot.*`}, // comments of Cursor

	// Foldings of CodeRabbit.
	{folded, `analysis chain|scripts? executed|walkthrough|tools|additional context used|(?:recent )?review (?:details|info)|(?:run )?configuration(?: used)?|commits|finishing touches|tips?|share|chat|help|commands?|reviewed changes|verification script|skipped due to learnings|fix all .*\bwith ai agents`},
	{folded, `learnings?(?: (?:added|used|applied))?(?:: .*)?|files? .*(?:selected for processing|with no reviewable changes|skipped|ignored|not (?:reviewed|summarized)).*|(?:code graph analysis|linked repositories|web quer(?:y|ies)|citations|pre-merge checks|sequence diagram).*`},
	{folded, `(?:[\w.-]+ )?(?:ruff|pylint|flake8|mypy|eslint|biome|oxlint|golangci-lint|shellcheck|markdownlint(?:-cli2)?|languagetool|ast-grep|gitleaks|checkov|hadolint|yamllint|actionlint|semgrep|clang(?:-tidy)?|cppcheck|phpstan|phpmd|rubocop|detekt|swiftlint|pmd|buf|sqlfluff|github (?:actions|check runs)[\w :,/-]*)(?: \(.*\))?`},
	// Prompts and suggestions of any bot.
	{folded, `(?:[\w ]{0,30} )?prompts? (?:for|to|with)\b[\w ,-]*(?: \([0-9]+\))?|(?:ai|agents?|llm) prompts?|committable suggestion`},
	{foldedCode, `(?:[\w-]+ ){0,2}(?:committable|suggested|proposed|recommended|optional)(?: [\w-]+){1,3}(?::.*| ?\(.*\)| (?:for|to|in|using|with)\b.*)?|(?:possible|example|alternative)(?: [\w-]+){0,2} ` + change + `(?: .*)?|apply (?:this |the )?` + change + `|(?:existing|improved) code`},
	// Foldings of Qodo, Greptile, Cursor, Copilot, Gemini and Sourcery.
	{folded, `suggestion importance.*|(?:additional )?locations?(?: \([0-9]+\))?|(?:important )?files? changed(?: \(.*\))?|show a summary per file|confidence score.*|context used.*|about .*\bin github|using gemini.*|original comment.*|interacting with \w+|customizing your experience|getting help|need help on this pr.*|how to use .*|get the most .*|learn more.*|\w+ is free for .*|.*\bconsider sharing .*|fix in (?:cursor|web)|(?:style guide )?references|here s what i looked at .*`},

	// Reactions of any bot.
	{footer, `a thumb\b.*\b(?:react(?:ing)? with|please click)\b.*|a thumb (?:(?:was|is) this (?:\w+ )?)?(?:useful|helpful)|was this (?:comment |review |suggestion |report )?(?:helpful|useful)|help me be more useful|(?:share|leave|give|send)(?: us)?(?: your)? feedback`},
	{apart, `(?:please )?(?:rate|help (?:us )?improve) (?:this|these|my|our|future) (?:reviews?|comments?|suggestions?)\b.*|please (?:click|react|leave)\b.*\b(?:each|this|my|our) (?:comment|review)s?\b.*|help me be more useful\b.*|(?:note:? )?if this (?:suggestion|comment|code review)\b.*`},
	// What the bot is, and what it can do.
	{footer, `(?:copilot|codex|chatgpt|gemini|claude|ai) (?:uses ai|is powered by|(?:can|may|might) make mistakes)(?:\. .*)?|check for mistakes|` + botName + ` (?:has )?reviewed (?:[0-9]+ (?:out )?of [0-9]+ .*|your changes and found .*)|bugbot autofix .*|provide feedback on copilot.*`},
	{footer, `(?:this|the above) (?:comment|review|suggestion|message|reply|summary)(?: was| is| has been)? (?:automatically |auto-)?(?:generated|created|posted|written|made) (?:by|with|using) ` + botName + `|this comment was generated because it violated a code review rule.*|workflow id ?:? wflow.*`},
	{apart, `(?:this|the above) (?:comment|review|suggestion|message|reply|summary)(?: was| is| has been)? (?:automatically |auto-)?(?:generated|created|posted|written|made) (?:by|with|using) ` + botName + `\b.*|(?:this is )?(?:an? )?(?:auto(?:matically|matic)?[ -]?generated|automated|ai[ -]generated) (?:comment|review|reply|message|suggestion)(?: (?:by|from) .*|[ .·•|—-].*)?`},
	{footer, `(?:reply|comment) with @.*|originally posted by @.*|thank(?:s| you) for using ` + botName + `.*|you can customize ellipsis by .*|want (?:\w+ to fix these issues|me to fix this).*`},
	{apart, `(?:reply|comment|mention|tag|ask|type|use|to (?:trigger|ask|request|start))\b.*@(?:coderabbit|codex|qodo|greptile|cursor|copilot|gemini|sourcery|ellipsis|claude).*|(?:reply|comment|respond)\b.* with /.*`},
	{footer, `(?:review(?:ed)?|generated|posted|created|written|spotted|found|reported|powered|made|suggested) (?:by|with|using|via) ` + botName + `(?:[ ,(|·•—–-].*)?`},
	{apart, `(?:(?:auto(?:mated|matic)?|ai|code) )*(?:review(?:ed)?|generated|posted|created|spotted|reported|powered|suggested) (?:by|with|using|via) [^\s,;:]+(?: [^\s,;:]+){0,4}(?: for commit [0-9a-f]+.*)?|triggered by .*\brules?\b.*`},
	{apart, `explain how i think|show (?:more|less|full context)|view (?:in|on|full|more|details|suggestion)\b.*|learn more.*|(?:context|rule) used.*|learned from|[\w.-]+/[\w.-]+ [0-9]+|(?:reviews \([0-9]+\):? )?last reviewed commit.*|[0-9]+ files? reviewed.*|edit code review agent settings.*|(?:add copilot custom|tip:? customize your code|create the file).*|(?:(?:edit|dismiss|resolve|ignore|hide|more info|chat|docs|install|upgrade|configure|settings|code review settings)[ |,·•/-]*)+`},
	{footer, `(?:(?:fix|open|view|apply|resolve|implement)(?: this| it| all| fix| issue)? (?:in|with|using) (?:(?:cursor|web|claude(?: code)?|codex|copilot|vs ?code|windsurf|ai|an agent|agent|ide|chat|qodo|coderabbit|greptile|devin)(?: or )?)+[ |,·•/-]*)+`},
	// Lines around suggestions, scripts and prompts: CodeRabbit, Qodo, Greptile.
	{apart, `(?:apply|commit|accept|use)(?: this| these| the| following){0,2} ` + change + `(?: below| to .*)?|(?:recommendation|suggestion|fix|how to fix|(?:style guide )?references)`},
	{footer, `also applies to:? (?:lines? )?[0-9][0-9 ,–-]*|\(?refers to lines? [0-9 ,–-]+\)?|committable suggestion skipped.*|(?:committable|suggested|proposed|recommended|possible|example) ` + change + `|(?:important )?carefully review the code before committing\b.*|ai(?:[ -]generated)? (?:suggestions?|fix(?:es)?|code|comments?) (?:may|might|can|could) (?:be|contain|make)\b.*|scripts? executed|repository: [\w.-]+/[\w.-]+|length of output: [0-9]+|learnings? added|ⓘ? ?copy this prompt\b.*|(?:as per|based on) (?:coding guidelines|learnings|path instructions)|addressed in commits? [0-9a-f]{7}.*`},
	{footer, `(?:\w+ )?prompt (?:for|to fix)(?: all| this| these| review| comments?| with| an?)* (?:ai|llms?|coding agents?|agents?)(?: agents?| assistants?| tools?)?`},
	// Lines around the findings of a whole review.
	{footer, `actionable comments posted: [0-9]+|some comments are outside the diff and can t be posted inline.*|(?:nitpick|outside diff range|duplicate|additional) comments \([0-9]+\)|comments suppressed due to low confidence \([0-9]+\)|codex review|here are some automated review suggestions .*|reviewed commit: [0-9a-f]+|hey\b.* i ve (?:reviewed your changes|found [0-9]+ issues?).*|pr (?:reviewer guide|code suggestions)|here are some key observations to aid .*|explore these optional code suggestions|no relevant tests|no security concerns identified|recommended focus areas for review`},
	{apart, `pull request overview|reviewed changes`},

	// Labels: Sourcery, Greptile, Qodo, Cursor. Marks set them off; "nit: …" is a person's.
	{label, `(?i)^((?:` + opening + `\[?|\[)` + noWord + labelWord + `(?: ?[|/,·•:—–\]-] ?` + noWord + anyWord + `)*(?: ?\([\w /,-]{1,40}\))?(?:\]?:` + opening + `|\]?` + opening + ` ?(?:\(` + ratedWord + `\))?(?::|[—–|-] )|\]` + opening + `?:?))`},
	{label, `(?i)^(?:#{1,6} +[*_]{0,3}|[*_]{1,3})` + noWord + `(` + labelWord + `(?: ?\([\w /,-]{1,40}\))?: )`},
	{label, `(?i)^(\p{So}[^\pL\pN\n*_]{0,12}(?:` + opening + `|\b)` + ratedWord + `(?: ?[|/·•] ?` + anyWord + `)*[*_]{0,2} ?(?::|[—–-] )[*_]{0,2})`},
	{label, `(?i)^(\p{So}[^\pL\pN\n*_]{0,12}` + opening + `(?:bug|warning|issue):?` + opening + `:?)`},
	{label, `(?i)^(` + opening + `?` + noWord + `(?:suggestion|issue|question|todo|thought|chore|note|nit|nitpick) ?\([\w ,-]{1,40}\):` + opening + `?)`},
	{label, `^(#{1,2} +Code Review)\s*$`},
	{label, "^(P[0-4](?::| [—–-]) )|^(`[0-9]+(?:-[0-9]+)?`: )"},
	{tagged, `(?i)([*_]{0,2}[\[(](?:[\w *\[\]/-]{1,40}[,;|] ?)*(?:importance|severity|priority|confidence|score)[ :=]{0,3}[\w./%-]{1,12}(?:[,;|] ?[\w :/-]{1,40})*[\])][*_]{0,2})\s*$`},
	{tagged, `(?i)([*_]{0,2}\[` + ratedWord + `\][*_]{0,2})\s*$`},
	{tagged, "(?i)[.!?)`]\\s([*_]{0,2}\\[" + anyWord + `\][*_]{0,2})\s*$`},
	{tagged, `(?i)((?:\s*<code>` + noWord + anyWord + `</code>)+)\s*$`},
}

// formsVersion is the version of the table in signatures.
const formsVersion = "forms/1"

// formsOf are the table's expressions, by kind. Those of a kind are compiled when they are first
// used: most reviews need two kinds. Each form is an expression of its own: one of all forms of a
// kind would try all of them at each byte.
var formsOf = func() (of [tagged + 1]func() []*regexp.Regexp) {
	for kind := range of {
		of[kind] = sync.OnceValue(func() []*regexp.Regexp { return compileForms(formKind(kind)) })
	}
	return of
}()

func compileForms(kind formKind) (out []*regexp.Regexp) {
	for _, f := range forms {
		p := f.pattern
		if f.kind != kind {
			continue
		}
		if kind < label {
			p = `^(?:` + p + `)$`
		}
		out = append(out, regexp.MustCompile(p))
	}
	return out
}

// labelled reports whether the first word of a text begins as one of labels does. Few lines have
// such a word, and the forms of labels try much.
func labelled(text string) bool {
	at := strings.IndexFunc(text, isAlnum)
	if at < 0 || text[at] <= '9' {
		return at >= 0
	}
	word := text[at:min(len(text), at+firstLetters)]
	if end := strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
		word = word[:end]
	}
	return labelStarts()[strings.ToLower(word)]
}

// firstLetters is how much of a word labelStarts has.
const firstLetters = 4

// labelStarts are the beginnings of the first words of labels: of labelWord and of the forms.
var labelStarts = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(`critical blocker high major medium moderate low minor trivial nitpick important p severity sev potential possible probable refactor code bug
		verification analysis review action quick heavy poor issue security privacy reliability stability availability performance scalability style syntax logic functional
		correctness data integrity integration tests documentation docs maintainability readability typing best complexity general enhancement error naming suggestion chore todo
		incremental learned question thought nit priority importance confidence category impact effort risk level score estimated warning note`) {
		out[w[:min(len(w), firstLetters)]] = true
	}
	return out
})

// fits reports whether a text is a form of the kind, or has one for kinds from label on.
func fits(kind formKind, text string) bool {
	return text != "" && slices.ContainsFunc(formsOf[kind](), func(form *regexp.Regexp) bool { return form.MatchString(text) })
}

// groups are the groups of the form of the kind that a text has first, as pairs of places. A group
// without text is at -1.
func groups(kind formKind, text string) (first []int) {
	for _, form := range formsOf[kind]() {
		if !form.MatchString(text) { // which is cheaper
			continue
		}
		if m := form.FindStringSubmatchIndex(text); first == nil || m[0] < first[0] {
			first = m
		}
		if first[0] == 0 {
			break
		}
	}
	return first[min(2, len(first)):]
}
