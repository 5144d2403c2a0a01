// Made from openapi.json: go test ./internal/server -run TestTypes -update

/** The change for a page: files, hunks, and lines in parts. */
export type Change = {
	files: Array<{
		/** The number of added lines. */
		added: number;
		binary?: boolean;
		deleted: number;
		hunks: Array<{
			lines: Array<Line>;
			section?: string;
		}>;
		lang?: string;
		/** The path before a rename. */
		old_path?: string;
		path: string;
		status: "modified" | "added" | "deleted" | "renamed" | "copied";
	}>;
	/** The number of lines that are not shown, because the change is too large. */
	left?: number;
};

/** How Comp credits a reference: by its best sentence, or in modes soft and ramp by all sentences. Absent in answers: best. */
export type CompBy = "best" | "noisy-or";

/** A claim of a model that is no reference. */
export type Dropped = {
	detail: string;
	end_line?: number;
	kind: "claim" | "implication" | "smell";
	path?: string;
	/** The kind of fault. */
	reason: string;
	rule?: string;
	side?: "old" | "new";
	source: string;
	start_line?: number;
	text: string;
};

/** The evidence for a score. */
export type Explain = {
	dropped?: Array<Dropped>;
	refs: Array<Ref>;
	sentences: Array<{
		/** Its share in Con. */
		credit: number;
		end: number;
		matched?: boolean;
		points_back?: boolean;
		/** The most similar reference, counted from 1. */
		ref: number;
		similarity: number;
		/** The first byte in the review. */
		start: number;
		text: string;
		/** Which evidence shaped the similarity. */
		why?: string;
	}>;
};

export type File = {
	/** The whole new text; absent or null for a deleted file. */
	new?: string | null;
	/** The whole old text; absent or null for an added file. */
	old?: string | null;
	path: string;
};

export type GateAnswer = {
	change?: Change;
	comments: Array<Verdict>;
	given?: Review;
	/** The comments that are kept: JSON, or a string if the request had a string. */
	kept?: Array<unknown> | object | string;
	/** The references that the review covers by less than half, the heaviest first. */
	missed?: Array<Ref>;
	mode: Mode;
	/** undecided: a comment has no score. */
	outcome: "pass" | "fail" | "undecided";
	policy: Policy;
	/** Why the outcome is not pass. */
	reasons: Array<string>;
	/** The references of the change, which about.ref counts, if the request asks for the change. */
	refs?: Array<Ref>;
	review: Review;
	signature: string;
	/** The numbers of comments with each verdict, kept or not. */
	verdicts: {
		about: number;
		elsewhere: number;
		empty: number;
		undecided: number;
		vague: number;
	};
	warnings?: Array<string>;
};

export type GateRequest = {
	/** With kept: leave the verdicts out. */
	bare?: boolean;
	/** Adds the change as a page draws it. */
	change?: boolean;
	/** The comments as crscore gate reads them: JSON as it is (GitHub, GitLab, rdjson, SARIF), or any format as a string. */
	comments: Array<unknown> | object | string;
	/** The format of the comments; by default the service detects it. */
	comments_format?: "" | "github" | "gitlab" | "rdjson" | "rdjsonl" | "sarif" | "text" | "paragraphs";
	comp_by?: CompBy;
	/** The change: a unified diff of any number of files, or bare hunks (@@) of one file. */
	diff?: string;
	/** Whole files in the place of the diff. */
	files?: Array<File>;
	/** Adds the comments that are kept, in the format of the request. */
	kept?: boolean;
	/** The language, if the path does not show it. */
	lang?: string;
	/** The lower threshold of mode ramp. */
	low?: number | null;
	mode?: Mode;
	/** The whole new text, for a diff of one file. */
	new?: string | null;
	/** The whole old text, for a diff of one file. It makes better claims. */
	old?: string | null;
	/** The file that bare hunks belong to. */
	path?: string;
	policy?: Policy;
	/** The slope of mode calibrated. */
	slope?: number | null;
	/** The threshold. An error for a mode without a threshold. */
	tau?: number | null;
};

export type Health = {
	status: "ok" | "ready";
};

export type Line = {
	/** The number of bytes that are cut off. */
	left?: number;
	new?: number;
	/** The file has no newline at its end. */
	no_eol?: boolean;
	/** The number of the line on the old side; absent if the side does not have the line. */
	old?: number;
	op: "+" | "-" | " ";
	parts: Array<{
		/** The other side does not have these words there. */
		changed?: boolean;
		kind?: "comment" | "keyword" | "number" | "string" | "type";
		text: string;
	}>;
};

/** How similarities are scored. */
export type Mode = "hard" | "soft" | "ramp" | "calibrated";

/** The conditions that comments must meet; by default none. */
export type Policy = {
	/** Adds what the change refutes in a comment. Needs the whole files, and drops nothing. */
	checks?: boolean;
	/** The verdicts whose comments are dropped, and repeated for comments that say what kept ones say. */
	drop?: Array<"elsewhere" | "empty" | "vague" | "repeated">;
	/** Adds elsewhere and empty to drop. */
	drop_off_topic?: boolean;
	/** The outcome for a review without any comment. */
	empty?: "" | "pass" | "fail";
	/** Keep at most this many comments, the best; 0 keeps all. */
	max_comments?: number;
	/** The least Comp of the review. */
	min_comp?: number;
	/** The least Con of each comment. A comment below it is dropped if the policy drops any comments, and else fails the review. */
	min_con?: number;
	/** The least Rel of the review. */
	min_rel?: number;
};

/** An error (RFC 9457). */
export type Problem = {
	/** The cause, for a person to read. */
	detail: string;
	/** The byte of the body after which the JSON is malformed. */
	offset?: number;
	/** The place in the request's JSON (RFC 6901). */
	pointer?: string;
	status: number;
	/** The name of the status. */
	title: string;
	type: string;
};

/** A pseudo-reference: a statement that a review of the change could make. */
export type Ref = {
	/** Its share in Comp. */
	credit?: number;
	end_line?: number;
	kind: "claim" | "implication" | "smell";
	/** Absent in a mode without a threshold. */
	matched?: boolean;
	path?: string;
	/** The rule that made the reference. */
	rule?: string;
	/** The most similar sentence of the review, counted from 1; 0 for none. */
	sentence?: number;
	side?: "old" | "new";
	similarity?: number;
	source: string;
	start_line?: number;
	text: string;
	/** The weight, if it is not 1. */
	weight?: number;
};

export type RefsAnswer = {
	change?: Change;
	dropped?: Array<Dropped>;
	/** Why there is no reference. */
	reason?: string;
	refs: Array<Ref>;
	/** The version and the sources of the references. */
	signature: string;
	warnings: Array<string>;
};

export type RefsRequest = {
	/** Adds the change as a page draws it. */
	change?: boolean;
	/** The change: a unified diff of any number of files, or bare hunks (@@) of one file. */
	diff?: string;
	/** Whole files in the place of the diff. */
	files?: Array<File>;
	/** The language, if the path does not show it. */
	lang?: string;
	/** The whole new text, for a diff of one file. */
	new?: string | null;
	/** The whole old text, for a diff of one file. It makes better claims. */
	old?: string | null;
	/** The file that bare hunks belong to. */
	path?: string;
};

export type Result = {
	comp?: number;
	comp_by?: CompBy;
	con?: number;
	explain?: Explain;
	/** The id of the change: empty here. */
	id: string;
	/** What made the numbers: score. */
	kind?: string;
	/** Only in mode ramp. */
	low?: number;
	mode: Mode;
	note?: string;
	/** Why there is no score. */
	reason?: string;
	/** The number of references. */
	refs?: number;
	rel?: number;
	review: string;
	/** The number of sentences. */
	sentences?: number;
	signature: string;
	/** With similarities: what stands in the signature before the mode with its numbers, and behind. */
	signature_around?: Array<string>;
	/** A row a sentence, a number a reference. Absent if the review was not compared. */
	similarities?: Array<Array<number>>;
	/** Only in mode calibrated. */
	slope?: number;
	status: Status;
	/** The same as review. */
	system?: string;
	/** Absent in a mode without a threshold. */
	tau?: number;
	/** The weights of references in comp, where they are not all 1. */
	weights?: string;
};

/** Several comments judged as one review. */
export type Review = {
	comments: number;
	comp?: number;
	con?: number;
	reason?: string;
	refs: number;
	rel?: number;
	sentences: number;
	status: Status;
};

export type ScoreAnswer = {
	change?: Change;
	comp_by?: CompBy;
	/** Only in mode ramp. */
	low?: number;
	mode: Mode;
	/** The references that the reviews were compared with. */
	refs: Array<Ref>;
	/** One result a review, in the order of the reviews. */
	results: Array<Result>;
	/** Everything that shaped the numbers, in one line. */
	signature: string;
	/** Only in mode calibrated. */
	slope?: number;
	/** Absent in a mode without a threshold. */
	tau?: number;
	warnings: Array<string>;
};

export type ScoreRequest = {
	/** Adds the change as a page draws it. */
	change?: boolean;
	comp_by?: CompBy;
	/** The change: a unified diff of any number of files, or bare hunks (@@) of one file. */
	diff?: string;
	/** Adds the evidence: sentences, references, similarities. */
	explain?: boolean;
	/** Whole files in the place of the diff. */
	files?: Array<File>;
	/** The language, if the path does not show it. */
	lang?: string;
	/** The lower threshold of mode ramp. */
	low?: number | null;
	mode?: Mode;
	/** The whole new text, for a diff of one file. */
	new?: string | null;
	/** The whole old text, for a diff of one file. It makes better claims. */
	old?: string | null;
	/** The file that bare hunks belong to. */
	path?: string;
	/** Each review is an object, or its text alone. */
	reviews: Array<string | {
		/** The system that wrote the review; by default the review's number. */
		id?: string;
		text: string;
	}>;
	/** Adds the matrix of similarities of each review, so that a client can compute other rules. */
	similarities?: boolean;
	/** The slope of mode calibrated. */
	slope?: number | null;
	/** The threshold. An error for a mode without a threshold. */
	tau?: number | null;
};

/** Whether the review has a score. */
export type Status = "scored" | "unscored";

export type Verdict = {
	about?: Array<{
		credit: number;
		ref: number;
		sentence: string;
		similarity: number;
	}>;
	body: string;
	/** What the change refutes in the comment, if the policy asks for it. */
	checks?: Array<{
		check: string;
		evidence: string;
	}>;
	/** The number of the comment in its file, counted from 1; 0 for the summary. */
	comment: number;
	comp?: number;
	con?: number;
	/** Why the comment is not kept: a verdict, repeated (kept comments say the same), too-many (beyond max_comments) or con (below min_con). */
	dropped?: "elsewhere" | "empty" | "vague" | "repeated" | "too-many" | "con";
	end_line?: number;
	/** The path in the change, if the change has the file. */
	file?: string;
	kept: boolean;
	note?: string;
	/** The kind of a comment of nothing but such remarks; remark: in other words, or boilerplate. */
	off_topic?: "praise" | "process" | "remark";
	/** The probability that the comment is about its hunk rather than about other code. */
	p?: number;
	path?: string;
	reason?: string;
	refs: number;
	/** The references that the comment was compared with: of its hunk, its file or the change. */
	scope?: "hunk" | "file" | "change";
	sentences: number;
	side?: "old" | "new";
	start_line?: number;
	status: Status;
	/** The comment is the text above the others. */
	summary?: boolean;
	/** about: it has names or words of its hunk. elsewhere: it is about other code. empty: nothing but praise, process remarks and boilerplate. vague: nothing shows what it is about. Absent for a summary, and without a score. */
	verdict?: "about" | "elsewhere" | "empty" | "vague" | "undecided";
	/** A phrase: what speaks for the verdict. */
	why?: string;
	/** The log-odds of p. */
	z?: number;
};
