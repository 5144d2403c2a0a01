// The reviews of an answer, made ready to be shown.

import { best, modes, ruleSignature, score } from "./score.js";
import { codeOf, short } from "./text.js";

/** @typedef {import("./types.js").Answer} Answer */
/** @typedef {import("./types.js").Judged} Judged */
/** @typedef {import("./score.js").Rule} Rule */

export const scores = /** @type {const} */ (["con", "comp", "rel"]);

/** @type {(name: string) => string} */
export const title = (name) => name[0].toUpperCase() + name.slice(1);

/** @param {Judged} r */
export const nameOf = (r) => short(r.row.review || "review");

/**
 * The scores of a review by a rule, or those of its row where that is all there is; null for
 * a review without a score.
 * @param {Judged} r @param {Rule} rule
 */
export function numbersOf(r, rule) {
	if (r.known) return score(r.best, r.weights, rule);
	return r.scored ? { con: r.row.con ?? NaN, comp: r.row.comp ?? NaN, rel: r.row.rel ?? NaN } : null;
}

/** The rule of a row. @param {import("./types.js").Row} row @returns {Rule} */
const ruleOf = (row) => ({ mode: row.mode ?? "", tau: row.tau, low: row.low, slope: row.slope, ...(row.comp_by === "noisy-or" && { comp: row.comp_by }) });

/**
 * Checks an answer and returns its reviews with their evidence.
 * @param {Answer} answer
 * @returns {{ rule: Rule, reviews: Judged[], warnings: string[] }}
 */
export function ready(answer) {
	if (!Array.isArray(answer?.results) || answer.results.length === 0) throw new Error("There is no result in it.");
	const warnings = [...(answer.warnings ?? [])];
	const reviews = answer.results.map((row) => {
		if (!row || typeof row.status !== "string" || !modes.includes(row.mode ?? "") || !["best", "noisy-or"].includes(row.comp_by ?? "best")) throw new Error("There is no result in it.");
		const refs = row.explain?.refs?.length ? row.explain.refs : answer.refs ?? [], sentences = row.explain?.sentences ?? [];
		if (![...sentences, ...refs].every((e) => typeof e?.text === "string")) throw new Error("A sentence or a reference has no text.");
		const scored = row.status === "scored", rule = ruleOf(row);
		if (scored && row.similarities && row.similarities.length !== sentences.length) throw new Error(`It has ${sentences.length} sentences, and similarities for ${row.similarities.length}.`);
		const matrix = scored ? row.similarities : undefined;
		const partners = matrix || !scored ? best(matrix ?? [], refs.length) : {
			sentences: sentences.map((s) => ({ index: (s.ref ?? 0) - 1, similarity: s.similarity ?? 0 })),
			refs: refs.map((r) => ({ index: (r.sentence ?? 0) - 1, similarity: r.similarity ?? 0, own: { rule: ruleSignature(rule), credit: r.credit ?? 0 } })),
		};
		const known = scored && (sentences.length > 0 || !row.sentences); // else the row has numbers alone
		/** @type {Judged} */
		const out = { row, scored, known, rule, matrix, best: partners, refs, sentences, weights: refs.map((r) => r.weight ?? 1), code: typeof row.text === "string" ? codeOf(row.text, sentences) : [] };
		const mine = out.known ? score(partners, out.weights, rule) : null;
		for (const name of scores) {
			if (out.known && !(mine && Math.abs(mine[name] - (row[name] ?? NaN)) < 1e-9)) {
				warnings.push(`This page finds ${name} of the review ${short(row.review)} to be ${mine?.[name]}, the service ${row[name]}: one of the two is wrong. Please report it.`);
			}
		}
		return out;
	});
	return { rule: reviews[0].rule, reviews, warnings };
}
