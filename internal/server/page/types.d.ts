// The types of the service's answers (openapi.json), and of what the page makes of them. The
// file is for tsc; it is not served.

import type { Best, Rule } from "./score.js";

export interface Part { text: string; kind?: string; changed?: boolean }
export interface Line { op: "+" | "-" | " "; old?: number; new?: number; parts: Part[]; left?: number; no_eol?: boolean }
export interface ChangedFile {
	path: string; old_path?: string; status: "added" | "deleted" | "modified" | "renamed" | "copied"; lang?: string; binary?: boolean;
	added: number; deleted: number; hunks: { section?: string; lines: Line[] }[];
}
export interface Change { files: ChangedFile[]; left?: number }

export interface Place { path?: string; side?: string; start_line?: number; end_line?: number; text?: string }
export interface Ref extends Place {
	kind: string; text: string; source: string; rule?: string; weight?: number;
	sentence?: number; similarity?: number;
}
export interface Sentence { text: string; start?: number; end?: number; points_back?: boolean; ref?: number; similarity?: number }
export interface Dropped extends Ref { reason: string; detail: string }
export interface Human { con: number; comp: number; rel: number }

export interface Row {
	id: string; review: string; status: string; reason?: string; note?: string; signature: string;
	con?: number; comp?: number; rel?: number; mode?: string; tau?: number; low?: number; slope?: number;
	explain?: { sentences: Sentence[]; refs: Ref[]; dropped?: Dropped[] };
	similarities?: number[][]; text?: string; human?: Human; metrics?: Record<string, number>;
}
export interface Answer { signature: string; refs?: Ref[]; warnings?: string[]; results: Row[]; change?: Change }

export interface Judged {
	row: Row; scored: boolean; rule: Rule; matrix?: number[][]; best: { sentences: Best[]; refs: Best[] };
	sentences: Sentence[]; refs: Ref[]; weights: number[]; code: string[][];
}

export interface Verdict extends Place {
	comment: number; file?: string; summary?: boolean; status: string; reason?: string; con?: number; note?: string; scope?: string;
	kept: boolean; dropped?: string; off_topic?: string; body: string; about?: { sentence: string; ref: number; similarity: number; credit: number }[];
	checks?: { text?: string; message?: string }[];
}
export interface Decision {
	outcome: "pass" | "fail" | "undecided"; reasons: string[]; comments: Verdict[]; missed?: Ref[]; mode: string; signature: string; warnings?: string[];
	review: { status: string; reason?: string; comments: number; con?: number; comp?: number; rel?: number };
	given?: Decision["review"]; change?: Change;
}
