// Package limits is the table of what an input may cost. Nobody vouches for a diff, a review, an answer of a model or
// the output of a tool, so whatever reads one stops at a limit of this table, and says so. docs/limits.md shows it.
//
// Package crscore/sts imports nothing outside of its room, and has a table of its own: crscore/sts/internal/limits.
package limits

import "time"

// A file, and one side of it.
const (
	FileParsed        = 1 << 20   // bytes of a text that is parsed as a whole; longer ones are generated or minified, and their hunks are parsed one by one
	FileTree          = 512 << 10 // bytes of a text whose tree makes claims; a larger tree costs more than its claims are worth
	FileOutlined      = 1 << 20   // bytes of a text that is compared as an outline; a larger one is compared hunk by hunk
	FileAnalyzed      = 4 << 20   // bytes of a text that an external tool gets
	FileHead          = 600       // bytes at the beginning that are searched for the mark of a generated file
	PathBytes         = 4096      // bytes of a path; no system has longer ones, and every statement about a file repeats its path
	FileFacts         = 2000      // facts that are collected before they are ranked
	TreeDepth         = 1000      // levels of nodes, so that a walk may recurse; of 9,509 real files the deepest has 946
	MatchedDepth      = 300       // levels of nodes that are matched; deeper ones are compared as a whole
	MatchedTokens     = 400       // tokens of a node that are looked at to compare it
	AlignedChildren   = 1 << 16   // product of the numbers of children that are aligned exactly
	PairedChildren    = 1 << 12   // product of the numbers of children whose pairs are all compared
	LooseNodes        = 4000      // nodes that are looked at for moves
	Climb             = 200       // nodes on the way up from a node of a claim; hostile input nests without end
	NestedAbove       = 5         // nodes above a place that are looked at for what surrounds it
	CallChain         = 100       // calls of a chain that are looked into
	CalleeBytes       = 400       // bytes before the arguments of a call that are read
	ArgumentAbove     = 5         // nodes on the way up from a node to the argument that it is in
	RunLines          = 4000      // lines of a run of changed lines that are read
	CommentRun        = 500       // comments of code that are read as one
	Aliases           = 100       // variables of a text that are followed, each by a walk through its function
	NamingNodes       = 400       // nodes that an element is named by; each of a thousand items asks what their list is called
	CodeCommentBytes  = 1 << 14   // bytes of a comment of code that are read
	DocTags           = 100       // tags of a documentation that are read
	RewordedWords     = 1200      // words of a text that are compared one by one, which takes time and room by their square
	OutlineNodes      = 50_000    // nodes of an outline; those beyond are left out
	OutlineDepth      = 100       // levels of an outline
	OutlineValue      = 1 << 13   // bytes of a value of an outline; a longer one is cut
	OutlineFlow       = 500       // lines of a value in brackets; one that is never closed would take the whole file
	OutlineTag        = 1 << 13   // bytes of a tag; of thousands with an open quotation mark, each would be searched to the end
	OutlineSiblings   = 4000      // pairs of siblings between the same neighbours; more are not compared
	OutlineWords      = 300       // words of a node that are compared
	MacroBytes        = 300       // bytes of the arguments of a macro
	ConstantDepth     = 8         // levels of an expression that is looked into for a constant
	ValueAbove        = 40        // nodes on the way up from an expression to the function whose value it may be
	NameBytes         = 500       // bytes of a name in code; a longer one is ignored
	QualifiedBytes    = 1000      // bytes of a qualified name; a longer one begins anew, since names of hostile nesting take quadratic room
	Declarators       = 8         // declarators around the name of a function in C
	NotedBytes        = 2000      // bytes of a text that is searched for names
	Scopes            = 60        // scopes around a name, above which its variable is not searched
	NodesAbove        = 40        // nodes that a rule of smells looks outwards
	NumberAbove       = 60        // nodes around a number that are examined for its meaning
	SettingsLine      = 4000      // bytes of a line that are searched for settings
	WordBytes         = 200       // bytes of a text, or beside a node, that are compared with words
	MethodsFollowed   = 200       // methods of a class, above which only small ones are followed
	FunctionBytes     = 1 << 13   // bytes of a function that is searched for what it does with an error
	BranchBytes       = 2000      // bytes of a branch that is compared
	CommentRunBytes   = 8000      // bytes of comments of code in a row that are looked at
	Todos             = 20        // places in a comment of code that are looked at for a marker
	TodoLines         = 6         // lines that are searched for the issue of a marker
	ImportBytes       = 4000      // bytes of an import that is examined
	SwitchAssignments = 100       // assignments that are looked for in a switch
	CaseBytes         = 3000      // bytes of a case that is looked at
)

// A change.
const (
	ChangeLines      = 4 << 20         // lines of hunks; each takes 40 bytes, many times the bytes of a short line
	ChangeWarnings   = 20              // files and lines that warnings name one by one
	ChangeOldBytes   = 64 << 20        // bytes of the old texts of all files that git is asked for
	ChangeParsed     = 4 << 20         // bytes of all texts that are parsed
	ChangeFragments  = 4000            // texts that are parsed
	ChangeWork       = 512 << 20       // work of the parser
	ChangeParseTime  = 5 * time.Second // processor time of the parser, for work that is slower than usual; the signature has the files that were not read
	ChangeFramed     = 4 << 20         // bytes that are parsed again in further frames of hunks
	ChangeClaimsWork = 16 << 20        // work of making claims, in units of some hundred nanoseconds
	ChangeChecked    = 16 << 20        // bytes of the lines and whole files that comments are checked against
	ChangeWhole      = 8 << 20         // bytes of whole files that claims of a model are checked against
	WarnedParses     = 20              // files that warnings of the parser name
	WarnedClaims     = 10              // files that warnings of claims name; all are counted
	PastedLine       = 400             // characters of a changed line that is compared with quotations
	PastedLines      = 2000            // changed lines that are searched for quotations
	ChangeRefs       = 10_000          // references of a change
	RefBytes         = 8 << 10         // bytes of the text of a reference, since ready claims can have any length; a longer one is cut
	ImplicationLines = 50              // lines of an implication that smells are compared with
	HunkFramed       = 32 << 10        // bytes of a hunk that gets several frames
	HunkFrames       = 16              // frames of a hunk that are tried
	HunkClosers      = 64              // brackets that a frame opens before a hunk or closes after it
	HunkBlocks       = 40              // blocks that are opened before a hunk or closed after it
	HunkDirectives   = 50              // directives of a hunk that are looked at
	FrameNodes       = 1 << 13         // nodes that are looked at to judge a frame
	ChangePieces     = 32              // pieces for a model; if they are cut again, twice as many calls are allowed
	PromptLine       = 2000            // bytes of a line in a prompt; a longer one, of a minified file, is cut
	ShownBytes       = 8 << 20         // bytes of the lines that are shown
	ShownLines       = 20_000          // lines that are shown
	ShownLine        = 2_000           // bytes of a line that are shown
	ShownPairs       = 2_500           // comparisons of lines within a run, to mark words
	ShownWords       = 200             // words of a line that is compared with another
	ShownCompared    = 4_000_000       // words of all comparisons
)

// A review.
const (
	ReviewBytes     = 4 << 20             // bytes of a review
	ReviewSentences = 50_000              // sentences of a review
	ChangeSentences = 4 * ReviewSentences // sentences of all reviews of a change together
	ChangePairs     = 1 << 24             // similarities of a change: sentences of all reviews times references
	CommonWords     = 1 << 36             // words of a review that its reference has, times words of the reference that the review has, for ROUGE-L: 2 to 3 seconds
	EditCells       = 1 << 34             // product of the characters of a review and its reference, for the edit distance
	TERWords        = 1_000               // words of a text, for TER
)

// A comment of a bot.
const (
	CommentsBytes  = 32 << 20  // bytes of a file of comments
	Comments       = 50_000    // comments in a file
	CommentAnswers = 100       // answers in a chain that is followed to its comment
	CommentBytes   = 16 << 10  // bytes that are read, without the parts that bots add
	CommentWhole   = 256 << 10 // bytes with the parts that bots add
	NamedAround    = 100       // bytes of the words around a name that are looked at
	NamedBytes     = 100       // bytes of a name in prose
)

// Rows of studies and runs.
const (
	StudyScores       = 8 << 20      // scores that a comparison keeps: half a gigabyte
	StudyNumbers      = 16 << 20     // numbers of samples and draws that a study holds: 128 MiB
	Systems           = 1000         // systems; more are the names of the reviews in their place
	Languages         = 100          // languages, each of which has a study of its own
	SystemBytes       = 500          // bytes of the name of a system or language
	ScoreSize         = 1e100        // size of a score, above which numbers cannot be added up
	Resamples         = 100_000      // draws of a bootstrap
	Flips             = 1_000_000    // draws of a permutation test
	Folds             = 1000         // folds, each of which is one more fit
	SelectionFolds    = 20           // folds where the mode is selected; each pair is one more fit of every mode
	CalibrationSteps  = 5e9          // work of a bootstrap; it draws less often before it takes longer
	TruthGrades       = 20           // different grades of a column that is right; more are no grades
	GradeCuts         = 1000         // places where scores may be cut into grades; the search grows with their square
	Taus              = 1000         // thresholds that are tried
	Raters            = 30           // raters of a study, whose pairs are all compared
	Contenders        = 100          // metrics of a table, whose draws are kept
	RatedReviews      = 26           // reviews of a sheet, each of which has a letter
	BenchBytes        = 64 << 20     // bytes of an unpacked file of a benchmark
	BenchPulls        = 20_000       // pull requests of a benchmark
	BenchReferences   = 500          // references of a pull request; the best assignment grows with their square
	BenchComments     = 5000         // comments of a system on a pull request
	GoldenPairs       = 2_000_000    // pairs of golden comments and candidates of a file
	GoldenBytes       = 8 << 10      // bytes of a golden comment without its blocks of code
	GoldenWords       = 200          // distinct words of a golden comment that are no stop words
	RevisionRows      = 1 << 20      // rows of a study of revisions, which keeps their numbers and ids
	RevisionBytes     = 256 << 10    // bytes of a revised text
	RevisionSteps     = 1 << 28      // comparisons of tokens of two texts: half a second
	AssignedFrom      = 256          // variables on the right side of an assignment that are looked at
	MinifiedLine      = 5000         // bytes of a line, from which on a file is minified and not perturbed
	JudgedReviews     = 12           // reviews of a change in a call for criteria; models lose track of longer lists
	Votes             = 99           // votes on a review
	Seed              = 1 << 30      // the largest seed, which servers keep in 32 bits
	Parts             = 1000         // parts of a dataset, and shards of a run
	SplitBytes        = 2 << 20      // bytes of split.json, four times what the most parts need
	InputFiles        = 100_000      // files of a distributed run, whose names are a part of the job
	IDPlaces          = 10           // places of an id that is used twice
	ViewedChanges     = 1 << 20      // changes of a dataset in the viewer
	ViewedReviews     = 1 << 21      // reviews of a dataset in the viewer
	ViewedMetrics     = 64           // other numbers of a review in the viewer
	ViewedID          = 200          // bytes of an id in the index
	ViewedReasons     = 10_000       // different reasons in the index
	ViewedKinds       = 1 << 16      // different kinds and sources of references in the index
	ViewedExamples    = 10           // examples of a problem in the index
	Grams             = 64 << 20 / 8 // sets of letters of all changes, in 64 bits; those behind have no set
	ChangeGrams       = 4 << 10 / 8  // set of letters of a change, in 64 bits
	CopyBytes         = 64 << 30     // bytes of a temporary copy; a packed file can unpack to any size
	Pixels            = 64 << 20     // pixels of a PNG: 256 MiB
	Reasons           = 1000         // kinds of reasons without a score that a run keeps in memory
	ReasonsShown      = 3            // reasons that the end of a run has
	TableSignatures   = 5            // signatures below a table
	SeenIDs           = 50           // ids of reviews that an error names
	TableSystems      = 1000         // systems of a table, with 32 KiB for each
	SystemColumns     = 40           // columns of the name of a system in a table
	BrokenFiles       = 5            // files with syntax errors that are named
	MessagesOfKind    = 10           // messages of a kind; a dataset may have millions of faulty lines
	LibraryMessage    = 300          // bytes of a message of a library
	FileNameBytes     = 4096         // bytes of the name of a file to write
	ScreenColumns     = 100          // columns of texts on a screen; longer lines are hard to read
	StopWordsBytes    = 1 << 20      // bytes of a file of stop words
	WorstCases        = 1000         // worst cases that are kept and shown
	FileSignatures    = 1000         // signatures of files
	ListedIDs         = 10           // ids that are listed for a person; JSON has all
	ComparedNumbers   = 2            // numbers that are compared at once
	Served            = 1 << 10      // MiB of a request and requests in the queue of a server; both are in memory
	ParquetPage       = 128 << 20    // bytes of a page of a Parquet file
	ParquetHeld       = 512 << 20    // bytes of the pages and dictionaries of all columns at a time
	ParquetValues     = 1 << 24      // values of a page
	ParquetRow        = 1 << 22      // values in the lists of a row
	ParquetFooter     = 64 << 20     // bytes of the metadata of a Parquet file
	ParquetItems      = 1 << 20      // items in lists of the metadata
	ParquetOpen       = 1 << 16      // structures of the metadata that have begun, or are to come in a list
	ParquetColumns    = 1 << 22      // elements of the schema, times row groups
	ParquetSchema     = 10_000       // elements of the schema
	ParquetGroups     = 1 << 15      // row groups, as the format has it
	ParquetHeader     = 1 << 20      // bytes of the header of a page
	ChangeReviews     = 50_000       // reviews of a change, of which as many sentences are scored; more are a table with another column for id
	LineBytes         = 64 << 20     // bytes of a line or a row of a dataset
	KnownIDs          = 1 << 20      // ids that are remembered to find duplicates: 38 MB
	SuggestedFields   = 50           // names of fields that are looked at for a suggestion
	Predictions       = 100          // answers of a revision
	RevisionName      = 500          // bytes of ids and names of tools of a revision
	GroupedBytes      = 64 << 20     // bytes of the cells of a table whose rows may be in any order
	TableColumns      = 4096         // columns of a table that is read
	FileScores        = 1 << 20      // scores of a file, which studies keep in memory
	Ratings           = 1 << 20      // items of a table of ratings, which are all in memory
	TableRaters       = 100          // raters of a table of ratings
	MatrixText        = 1 << 20      // bytes of a text of a matrix file: the stem, an id, a reason
	MatrixDescription = 8 << 20      // bytes of a block without its values
	MatrixValues      = 1 << 25      // similarities of a block: 128 MiB
	MatrixRefs        = 1 << 16      // references of a block, and its points
	MatrixReviews     = 1 << 16      // reviews of a block
	MatrixSentences   = 1 << 20      // sentences of a review of a block
	JournalLine       = 256          // bytes of a line of a journal, with its line end
	JournalWait       = time.Second  // wait before changes are written to the disk, so that a slow run loses little
	JournalBatch      = 256          // changes that are written to the disk together
	ManifestBytes     = 8 << 20      // bytes of run.json
)

// An answer of a model, and models.
const (
	ReplyBytes     = 16 << 20    // bytes of what a server sends
	SaidBytes      = 256 << 10   // bytes of the text of an answer
	ServerMessage  = 300         // bytes of a server's text in an error
	ErrorDepth     = 10          // items and levels of the lists in an error that are read
	ServerWait     = time.Minute // wait that a server may ask for; one that asks for more is not asked again
	SlowServers    = 2           // servers that may use up the time for one question
	Servers        = 64          // servers of a model
	AnswerItems    = 200         // claims or comments of an answer; more are an error
	ClaimBytes     = 1000        // bytes of a claim, far beyond the 25 words that are asked for
	ListingBytes   = 16 << 20    // bytes of the hub's answer about a model
	ModelManifest  = 1 << 20     // bytes of the manifest of a model
	ModelFiles     = 64          // files of a model
	ModelPath      = 255         // bytes of the path of a file of a model
	ModelConfig    = 4 << 20     // bytes of the settings of a model that are described
	ModelTokenizer = 256 << 20   // bytes of a tokenizer that is described
	ModelReadme    = 64 << 10    // bytes of the card of a model
)

// Output of tools, and settings.
const (
	FindingsBytes    = 64 << 20      // bytes of a file of findings
	FindingsExpanded = FindingsBytes // bytes of the messages and paths of all findings; many can refer to one message
	FindingText      = 400           // characters of a message, of a reason and of the names of rules and tools
	FindingBases     = 10            // folders that are named relative to other folders
	FindingPath      = 64 << 10      // bytes of a path that gets a folder
	SmellText        = 300           // characters of an external tool's finding in a smell
	GitConfig        = 1 << 20       // bytes of the names of git's settings
	GitFilters       = 1000          // settings of filters, each of which is an argument of git
	GitErrors        = 1 << 16       // bytes of git's standard error
	ConfigBytes      = 1 << 20       // bytes of a file of settings
	ProfileBytes     = 1 << 20       // bytes of a file with a scoring rule
	Ignores          = 1000          // patterns of a file of settings
	IgnoreBytes      = 400           // bytes of a pattern
)

// A request, and its answer.
const (
	Connections     = 1024              // connections that are open at a time; more wait
	HeaderBytes     = 16 << 10          // bytes of the header of a request
	BodiesBytes     = 64 << 20          // bytes of the bodies of all requests; there is always room for two of the largest
	RefusedBytes    = 64 << 20          // bytes of the rest of a refused body that are discarded
	PointerBytes    = 1000              // bytes of the place of an error; a field's name can be as long as a request
	RequestReviews  = 1000              // reviews of a request
	ResponseBytes   = 32 << 20          // bytes of an answer; every statement about a file repeats its path
	HeldBytes       = 8 * ResponseBytes // bytes of the answers that clients have not taken yet
	ResponseNumbers = 1 << 20           // similarities of an answer
	PageRows        = 500               // rows of a page of the viewer
	QueryBytes      = 16 << 10          // bytes of a query of the viewer
	QueryText       = 200               // characters of a text to search for
	SearchTime      = 2 * time.Minute   // time that a search reads
	Searches        = 3                 // searches that go on, or whose results are kept
)
