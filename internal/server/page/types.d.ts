// What the page makes of the service's answers, whose types are in api.d.ts. The file is for
// tsc; it is not served.

import type { Change, Dropped, Explain, GateAnswer, Line, Ref, Result, ScoreAnswer, Verdict } from "./api.d.ts";
import type { Best, Rule } from "./score.js";

export type { Change, Dropped, Line, Ref, Verdict };
export type Decision = GateAnswer;
export type ChangedFile = Change["files"][number];
export type Part = Line["parts"][number];
export type Sentence = Explain["sentences"][number];

export interface Place { path?: string; side?: string; start_line?: number; end_line?: number; text?: string }
export interface Human { con: number; comp: number; rel: number }

/** A result; the viewer has more to say about it. */
export type Row = Result & { text?: string; human?: Human; metrics?: Record<string, number> };
export type Answer = Omit<ScoreAnswer, "mode" | "results"> & { results: Row[] };

export interface Judged {
	row: Row; scored: boolean; known: boolean; rule: Rule; matrix?: number[][]; best: { sentences: Best[]; refs: Best[] };
	sentences: Sentence[]; refs: Ref[]; weights: number[]; code: string[][];
}
