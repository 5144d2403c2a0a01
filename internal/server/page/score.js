// The arithmetic of the Go package score. A test compares the two. Similarities are
// float32 in both.

export const modes = ["hard", "soft", "ramp", "calibrated"];

export const usesTau = (mode) => mode !== "soft";

// A similarity from JSON, which may be the short form of a float32.
const similarity = (v) => {
	const s = Math.fround(v);
	if (!Number.isFinite(s) || s > 1 + 1e-5) throw new RangeError(`a similarity is ${v}, not in [0,1]`);
	return Math.min(Math.max(s, 0), 1);
};

const above = (s, tau) => Math.fround(s) > Math.fround(tau);

// The most similar partner of each sentence (row) and each reference (column). They do
// not depend on the rule.
export function best(matrix, refs) {
	const none = (n) => Array.from({ length: n }, () => ({ index: -1, similarity: 0 }));
	const out = { sentences: none(matrix.length), refs: none(refs) };
	const offer = (b, index, s) => {
		if (b.index < 0 || s > b.similarity) {
			b.index = index;
			b.similarity = s;
		}
	};
	matrix.forEach((row, i) => {
		if (row.length !== refs) throw new RangeError(`row ${i} of the matrix has ${row.length} similarities, not ${refs}`);
		row.forEach((v, j) => {
			const s = similarity(v);
			offer(out.sentences[i], j, s);
			offer(out.refs[j], i, s);
		});
	});
	return out;
}

// The credit of a similarity by the rule, from 0 to 1.
export function credit(rule, s) {
	if (rule.mode === "soft") return s;
	if (rule.mode === "calibrated") return 1 / (1 + Math.exp(-rule.slope * (s - rule.tau)));
	if (rule.mode === "ramp" && rule.low < rule.tau) return Math.min(Math.max((s - rule.low) / (rule.tau - rule.low), 0), 1);
	return above(s, rule.tau) ? 1 : 0;
}

export const matched = (rule, s) => usesTau(rule.mode) && above(s, rule.tau);

// Con, Comp and Rel, or null if the weights of all references are 0.
export function score(found, weights, rule) {
	if (!weights.some((w) => w > 0)) return null;
	const mean = (side, weight) => {
		if (side.length === 0) return 0;
		let sum = 0, whole = 0;
		side.forEach((b, i) => {
			const w = weight(i);
			if (b.index >= 0) sum += w * credit(rule, b.similarity);
			whole += w;
		});
		return sum / whole;
	};
	const con = mean(found.sentences, () => 1), comp = mean(found.refs, (j) => weights[j]);
	return { con, comp, rel: con + comp === 0 ? 0 : (2 * con * comp) / (con + comp) };
}

// A number as in a signature: the shortest form, with an exponent where Go's 'g' has it.
export function number(v) {
	if (v === 0) return "0";
	const [digits, exponent] = v.toExponential().split("e"), e = Number(exponent);
	if (e >= -4 && e < 6) return String(v);
	return digits + (e < 0 ? "e-" : "e+") + String(Math.abs(e)).padStart(2, "0");
}

// The rule as in a signature, without the weights.
export function ruleSignature(rule) {
	let s = "mode=" + rule.mode;
	if (usesTau(rule.mode)) s += " tau=" + number(rule.tau);
	if (rule.mode === "ramp") s += " low=" + number(rule.low);
	if (rule.mode === "calibrated") s += " slope=" + number(rule.slope);
	return s;
}

// The signature with another rule in the place of its own. null if its own rule is not
// found exactly once.
export function resign(signature, from, to) {
	const parts = (" " + signature + " ").split(" " + ruleSignature(from) + " ");
	return parts.length === 2 ? parts.join(" " + ruleSignature(to) + " ").trim() : null;
}
