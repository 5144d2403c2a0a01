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
	issueWord = `(?:(?:potential|possible|probable) (?:issue|bug|problem)|refactor(?:ing)? suggestion|code suggestion|bug[ _]risk|verification (?:agent|inconclusive|successful|failed)|quick win|heavy lift|poor tradeoff)`
	themeWord = `(?:bug|issue|security|performance|style|syntax|logic|correctness|functional correctness|data integrity(?: integration)?|stability availability|testing|tests?|documentation|docs|maintainability(?: code quality)?|maintainability|readability|typing|best[ -]practices?|code[ -](?:quality|style|smell|refactoring)|complexity|general|enhancement|error[ -]handling|naming|suggestion|refactor(?:ing)?|chore|todo|possible (?:issue|bug)|incremental(?: ?\[?\*\]?)?|learned best practice|confidence)`
	ratedWord = `(?:` + levelWord + `(?:[ -](?:severity|priority|risk|impact|effort|level|confidence|issue|bug))?|` + issueWord + `)`
	anyWord   = `(?:` + ratedWord + `|` + themeWord + `)`
	labelWord = `(?:(?:` + themeWord + ` ?[|/,·•–—-] ?)?` + ratedWord + `|suggestion|issue|bug|logic|style|syntax)`
	ratings   = `(?:severity|priority|importance|confidence(?: score)?|category|impact|effort|risk|level|score|review priority|suggestion importance(?: ?1-10)?|estimated effort(?: to review)?(?: ?1-5)?)`
	rate      = `(?:` + anyWord + `|[0-9.]+ ?%?(?: ?/ ?[0-9]+)?)`
	somewhere = `(?:(?:at |in |(?:file|location|lines?)[ :]*)*(?:a_place|[\w./@+-]+:[0-9]+(?:[-:][0-9]+)*|\(?(?:lines?|l) ?#?[0-9]+(?: ?- ?l?[0-9]+)?\)?|[0-9]+(?: ?- ?[0-9]+)?)[ ,]*){1,3}`
	botName   = `@?(?:code ?rabbit(?:ai)?|codex|chatgpt[\w -]*|openai[\w -]*|qodo[\w -]*|codium[\w -]*|pr-agent|greptile(?:ai)?|cursor(?: bugbot)?|bugbot|(?:github )?copilot|gemini[\w -]*|sourcery(?:-ai)?|ellipsis(?:-dev)?|claude[\w ]*|ai)`
)

// forms are the parts that review bots add to a finding. Folded, severity, footer and apart are
// compared with the whole of a text in lower case, without marks, emoji and tags (see plainText).
// A form is a shape or a fixed phrase, never the wording of a finding; a line with words beside the
// form is no machine's. Changing a form means raising formsVersion.
var forms = []struct {
	kind    formKind
	pattern string
}{
	// Severity: CodeRabbit, Cursor, Greptile, Qodo, Gemini, Ellipsis, and footers of other bots.
	{severity, ratedWord + `(?:[ |/,:·•—–-]+` + anyWord + `)*(?:[ |,:·•—–-]+` + somewhere + `)?`},
	{severity, themeWord + `(?:[ |/,:·•—–-]+` + anyWord + `)*[ |/,:·•—–-]+` + ratedWord + `(?:[ |,:·•—–-]+` + somewhere + `)?`},
	{severity, `(?:` + ratings + `[ :=|-]+` + rate + `[ |,;·•—–-]*)+`},
	{severity, `(?:file|location|line|lines|path)[ :]+` + somewhere},
	{severity, rate + ` (?:severity|priority|importance|confidence)(?: (?:issue|bug|finding))?`},

	// Details: CodeRabbit.
	{folded, `analysis chain|scripts? executed|walkthrough|tools|additional context used|learnings?(?: (?:added|used|applied))?(?:: .*)?|(?:recent )?review (?:details|info)|(?:run )?configuration(?: used)?|commits|files? .*(?:selected for processing|with no reviewable changes|skipped|ignored|not (?:reviewed|summarized)).*|code graph analysis.*|linked repositories.*|web quer(?:y|ies).*|finishing touches|tips?|share|(?:chat|support|help|commands?|documentation|status|settings?)(?: (?:and|&) \w+)*(?: \(.*\))?|citations?:?.*|pre-merge checks.*|sequence diagrams?(?: .*)?|(?:changes|changed files|file summaries|show a summary per file|reviewed changes)`},
	{folded, `(?:[\w.-]+ )?(?:ruff|pylint|flake8|mypy|eslint|biome|oxlint|golangci-lint|shellcheck|markdownlint(?:-cli2)?|languagetool|ast-grep|gitleaks|checkov|hadolint|yamllint|actionlint|semgrep|clang(?:-tidy)?|cppcheck|phpstan|phpmd|rubocop|detekt|swiftlint|pmd|buf|sqlfluff|github (?:actions|check runs)[\w :,/-]*)(?: \(.*\))?`},
	// Details: suggestions and prompts of all of them.
	{folded, `(?:.*\b)?prompts?\b.*\b(?:ai|agents?|llms?|fix|claude|cursor|codex|copilot)\b.*|(?:ai|agents?|llm) prompts?|.*\b(?:committable|suggested|proposed)\b.*\b(?:fix(?:es)?|changes?|suggestions?|implementation|patch|diff|code|edits?|refactor(?:ing)?|solution|tests?|improvements?|updates?|addition|approach)\b.*|(?:committable )?suggestion|apply (?:this |the )?(?:diff|patch|fix|suggestion)|(?:example|possible|recommended) (?:fix|implementation|patch)|(?:existing|improved) code|additional locations?(?: \([0-9]+\))?`},
	// Details: Qodo, Greptile, Sourcery, Copilot, Gemini.
	{folded, `suggestion importance.*|(?:important )?files? changed(?: \(.*\))?|confidence score.*|context used.*|(?:hi|hey|hello) @?[\w.-]+.*|need help.*|interacting with \w+|customizing your experience|getting help|using \w+(?: code assist)?|about .*\bin github|original comment.*|resolved comments.*|.*\b(?:feedback|how to use|get the most|learn more)\b.*|low confidence`},

	// Footers: the reactions that Codex, Sourcery, Ellipsis, Greptile and Qodo ask for.
	{footer, `(?:is|was|were) (?:this|these|that)(?: \w+){0,3} (?:helpful|useful|correct|accurate|valuable)\b.*|useful\b.{0,3}react(?: with)?\b.*|(?:please )?react with\b.*|please (?:click|react|leave|give)\b.*(?:each comment|feedback|reaction|improve).*|help me be more useful.*|(?:please )?(?:rate|help (?:us )?improve) (?:this|these|my|our|future) (?:reviews?|comments?|suggestions?)\b.*|(?:share|leave|give|send)(?: us| me)?(?: your)? feedback.*`},
	// Footers: what the bot is and what it can do.
	{footer, botName + ` (?:uses|is powered by|can|may|might) .*(?:ai|mistakes|errors)\b.*|` + botName + ` reviewed [0-9]+ (?:out )?of [0-9]+ .*|check for mistakes|(?:this|the above) (?:comment|review|suggestion|message|reply|summary)(?: was| is| has been)? (?:an? )?(?:auto(?:matically|matic)?[ -]*(?:generated|created|posted)|(?:generated|created|posted|written|made) (?:by|with|automatically|using)).*|(?:this is )?an? (?:auto(?:matically|matic)?[ -]?(?:generated|ed)?|automated|ai)[ -]*(?:generated )?(?:comment|review|reply|message)(?: by .*)?|(?:reply|comment|mention|tag|ask|type|use|to (?:trigger|ask|request|start).*)\b.*@(?:coderabbit|codex|qodo|greptile|cursor|copilot|gemini|sourcery|ellipsis|claude).*|thanks? (?:you )?for using .*|you can (?:customize|disable|configure|change|turn|ask|tag|mention)\b.*(?:ellipsis|coderabbit|greptile|sourcery|gemini|copilot|codex|bugbot|cursor|qodo).*|(?:looking forward to|like .* follow us).*`},
	{footer, `(?:review(?:ed)?|generated|posted|created|written|spotted|found|reported|powered|made|sent|suggested) (?:by|with|using|via) ` + botName + `(?:[ ,(|·•—–-].*)?`},
	{apart, `(?:(?:auto(?:mated|matic)? |ai |code )*review(?:ed)?|generated|posted|created|spotted|reported|powered|suggested) (?:by|with|using|via) [^\s,.;:]+(?: [^\s,.;:]+){0,3}(?: for commit [0-9a-f]+.*)?`},
	{apart, `(?:explain how i think|show (?:more|less|full context)|view (?:in|on|full|more|details|suggestion).*|learn more.*|(?:edit|dismiss|resolve|ignore|hide|more info|chat|docs|documentation|install|upgrade|configure|settings)(?:[ |,·•/-]+(?:edit|dismiss|resolve|ignore|hide|more info|chat|docs|documentation|install|upgrade|configure|settings))*|context used.*|last reviewed commit.*|(?:rule|references?|source|cwe|owasp)[ :].{0,200}https?://\S+)`},
	{footer, `(?:(?:fix|open|view|apply|resolve|implement)(?: this| it| all| fix| issue)? (?:in|with|using) (?:cursor|web|claude(?: code)?|codex|copilot|vs ?code|windsurf|ai|an agent|agent|ide|chat|qodo|coderabbit|greptile|devin)[ |,·•/-]*)+`},
	// Lines around suggestions, scripts and prompts.
	{footer, `(?:apply|commit|accept|use)(?: this| these| the| following){0,2} (?:diff|patch|suggestions?|fix(?:es)?|changes?)(?: below)?:?|also applies to:? .{1,120}|(?:committable suggestion|suggested change)(?: skipped.*)?:?|carefully review the (?:code|suggestion).*|(?:important )?carefully review .{0,20}before (?:committing|applying|merging).*|(?:please )?(?:verify|review|test)(?: that)? (?:this|the|ai) (?:generated )?(?:suggestion|fix|code) (?:carefully )?before (?:committing|applying|merging|using).*|(?:ai|these|this|generated)(?: \w+)? (?:suggestions?|fix(?:es)?|code) (?:may|might|can|could) (?:be (?:wrong|incorrect|incomplete)|contain).*|scripts? executed:?|repository: [\w.-]+/[\w.-]+|length of output: [0-9]+|learnings? added:?|(?:.*\b)?prompt (?:for|to fix)\b.{0,20}\b(?:ai|agents?|llms?|with)\b.{0,30}:?|suggested implementation:?|(?:path|file):? \S+ (?:line|lines):? [0-9 :-]+|fingerprint(?:ing)?:.*`},

	// Labels: Sourcery, Greptile, Qodo, Cursor, Gemini. Set off by emphasis or brackets; "nit: …" is a person's.
	{label, `(?i)^((?:(?:\*\*|__|\*|_)\[?|\[)[^\pL\pN\n]{0,12}` + labelWord + `(?: ?[|/,·•:—–-] ?[^\pL\pN\n]{0,6}` + anyWord + `)*(?: ?\([\w /,-]{1,40}\))?(?:\]?:(?:\*\*|__|\*|_)|\]?(?:\*\*|__|\*|_) ?(?::|[—–|-] )|\](?:\*\*|__|\*|_)?:?))`},
	{label, `(?i)^(?:#{1,6} +|\*\*|__|\*|_)+[^\pL\pN\n*_]{0,12}(` + labelWord + `(?: ?\([\w /,-]{1,40}\))?: )`},
	{label, `(?i)^(\pS[^\pL\pN\n]{0,12}` + ratedWord + `(?: ?[|/·•] ?` + anyWord + `)*[*_]{0,2} ?(?::|[—–-] )[*_]{0,2})`},
	{label, `(?i)^((?:\*\*)?(?:suggestion|issue|question|todo|thought|chore|praise|note) ?\([\w ,-]{1,40}\):(?:\*\*)?)`},
	{tagged, `(?i)[*_]{0,2}[\[(](?:[\w /-]{1,40}[,;|] ?)*(?:importance|severity|priority|confidence|score)[ :=]{0,3}[\w./%-]{1,12}(?:[,;|] ?[\w :/-]{1,40})*[\])][*_]{0,2}\s*$`},
	{tagged, `(?i)(?:[*_]{1,2}[\[(]|\[)` + ratedWord + `[\])][*_]{0,2}\s*$`},
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
