// The arithmetic of the Go package score. A test compares the two. Similarities are
// float32 in both.

/** A rule of scoring, with the parameters of its mode. Comp takes the best sentence of a reference where there is no comp. @typedef {{ mode: string, tau?: number, low?: number, slope?: number, comp?: "noisy-or" }} Rule */
/** A partner: its index, or -1 for none. A reference has the similarities to all sentences, or its credit by one rule, if they are known. @typedef {{ index: number, similarity: number, all?: number[], own?: { rule: string, credit: number } }} Best */
/** The most similar partner of each. @typedef {{ sentences: Best[], refs: Best[] }} Partners */

export const modes = ["hard", "soft", "ramp", "calibrated"];

/** @param {string} mode */
export const usesTau = (mode) => mode !== "soft";

/** Whether all sentences can count for a reference. @param {string} mode */
export const canNoisyOr = (mode) => mode === "soft" || mode === "ramp";

/** A similarity from JSON, which may be the short form of a float32. @param {number} v */
const similarity = (v) => {
	const s = Math.fround(v);
	if (!Number.isFinite(s) || s > 1 + 1e-5) throw new RangeError(`a similarity is ${v}, not in [0,1]`);
	return Math.min(Math.max(s, 0), 1);
};

/** @param {number} s @param {number} tau */
const above = (s, tau) => Math.fround(s) > Math.fround(tau);

/**
 * The most similar partner of each sentence (row) and each reference (column), and all
 * similarities of each reference. They do not depend on the rule.
 * @param {number[][]} matrix
 * @param {number} refs
 * @returns {Partners}
 */
export function best(matrix, refs) {
	const none = { index: -1, similarity: 0 };
	const out = { sentences: matrix.map(() => ({ ...none })), refs: Array.from({ length: refs }, () => ({ ...none, all: /** @type {number[]} */ ([]) })) };
	const offer = (/** @type {Best} */ b, /** @type {number} */ index, /** @type {number} */ s) => {
		if (b.index < 0 || s > b.similarity) {
			b.index = index;
			b.similarity = s;
		}
	};
	/** @type {Set<string>} */ const seen = new Set(); // a repeated sentence counts once for noisy-or
	matrix.forEach((row, i) => {
		const key = row.map(Math.fround).join(), repeated = seen.has(key);
		seen.add(key);
		if (row.length !== refs) throw new RangeError(`row ${i} of the matrix has ${row.length} similarities, not ${refs}`);
		row.forEach((v, j) => {
			const s = similarity(v);
			offer(out.sentences[i], j, s);
			offer(out.refs[j], i, s);
			out.refs[j].all.push(repeated ? 0 : s);
		});
	});
	return out;
}

/** The credit of a similarity by the rule, from 0 to 1. @param {Rule} rule @param {number} s */
export function credit({ mode, tau = NaN, low = NaN, slope = NaN }, s) {
	if (mode === "soft") return s;
	if (mode === "calibrated") return 1 / (1 + Math.exp(-slope * (s - tau)));
	if (mode === "ramp" && low < tau) return Math.min(Math.max((s - low) / (tau - low), 0), 1);
	return above(s, tau) ? 1 : 0;
}

/**
 * The credit of a reference by the rule; NaN where it needs similarities that are not known.
 * @param {Rule} rule @param {Best} b
 */
export function cover(rule, b) {
	if (b.index < 0) return 0;
	if (!rule.comp) return credit(rule, b.similarity);
	if (!b.all) return b.own?.rule === ruleSignature(rule) ? b.own.credit : NaN;
	let u = 0;
	for (const s of b.all) {
		const c = credit(rule, s);
		u = Math.min(Math.max(u + c * (1 - u), c), 1);
	}
	return u;
}

/** @param {Rule} rule @param {number} s */
export const matched = ({ mode, tau = NaN }, s) => usesTau(mode) && above(s, tau);

/**
 * Con, Comp and Rel, or null if the weights of all references are 0. Comp and Rel are NaN
 * where the credit of a reference is.
 * @param {Partners} found
 * @param {number[]} weights
 * @param {Rule} rule
 */
export function score(found, weights, rule) {
	if (!weights.some((w) => w > 0)) return null;
	const mean = (/** @type {Best[]} */ side, /** @type {(b: Best) => number} */ worth, /** @type {(i: number) => number} */ weight) => {
		if (side.length === 0) return 0;
		let sum = 0, whole = 0;
		side.forEach((b, i) => {
			const w = weight(i);
			if (b.index >= 0) sum += w * worth(b);
			whole += w;
		});
		return sum / whole;
	};
	const con = mean(found.sentences, (b) => credit(rule, b.similarity), () => 1), comp = mean(found.refs, (b) => cover(rule, b), (j) => weights[j]);
	return { con, comp, rel: con + comp === 0 ? 0 : (2 * con * comp) / (con + comp) };
}

/** A number as in a signature: the shortest form, with an exponent where Go's 'g' has it. @param {number} v */
export function number(v) {
	if (v === 0) return "0";
	const [digits, exponent] = v.toExponential().split("e"), e = Number(exponent);
	if (e >= -4 && e < 6) return String(v);
	return digits + (e < 0 ? "e-" : "e+") + String(Math.abs(e)).padStart(2, "0");
}

/** The rule as in a signature, without the weights. @param {Rule} rule */
export function ruleSignature({ mode, tau = NaN, low = NaN, slope = NaN, comp }) {
	let s = "mode=" + mode;
	if (usesTau(mode)) s += " tau=" + number(tau);
	if (mode === "ramp") s += " low=" + number(low);
	if (mode === "calibrated") s += " slope=" + number(slope);
	if (comp) s += " comp=" + comp;
	return s;
}
