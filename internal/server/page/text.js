// Texts come from strangers: they are set as text, never as markup.

const long = 1000; // characters of a text that are shown

// Controls, marks of direction, spaces without width, and tags.
const unseen = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/**
 * A text with invisible characters, and characters that change the direction, spelled out.
 * Tabs stay.
 * @param {string} text
 */
export function visible(text) {
	return text.replace(unseen, (c) => `⟨U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/**
 * The same in one line.
 * @param {string} text
 */
export const plain = (text) => visible(text.replace(/[\n\t\r]+/g, " "));

/**
 * An element with properties and children. Properties that begin with "data-" or "aria-", and
 * role, are set as attributes.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, any>} [properties]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(name, properties = {}, ...children) {
	const e = document.createElement(name);
	for (const [key, value] of Object.entries(properties)) {
		if (/^(data-|aria-|role$|for$|colspan$|scope$)/.test(key)) e.setAttribute(key, value);
		else Object.assign(e, { [key]: value });
	}
	e.append(...children);
	return e;
}

/**
 * The part of a text that is shown, and the number of characters that are not.
 * @param {string} text
 * @returns {[string, number]}
 */
function cut(text) {
	if (text.length <= long) return [text, 0];
	const shown = text.slice(0, long).replace(/[\ud800-\udbff]$/, "");
	return [shown, text.length - shown.length];
}

/**
 * A text of a line or two.
 * @param {string} text
 */
export function short(text) {
	const [shown, left] = cut(text);
	return plain(shown) + (left ? `… and ${left} more characters` : "");
}

/**
 * A text in parts: words, and code between backticks. code has more pieces that are code.
 * @param {string} text
 * @param {string[]} [code]
 */
export function words(text, code = []) {
	const [shown, left] = cut(text), out = element("bdi");
	const pieces = code.filter((piece) => piece.length > 1).sort((a, b) => b.length - a.length).map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
	const parts = new RegExp(["`[^`]+`", ...pieces.map((piece) => `(?<![\\p{L}\\p{N}_])${piece}(?![\\p{L}\\p{N}_])`)].join("|"), "gu");
	let at = 0;
	const line = plain(shown);
	for (const found of line.matchAll(parts)) {
		out.append(line.slice(at, found.index), element("code", {}, found[0].replace(/^`(.+)`$/, "$1")));
		at = found.index + found[0].length;
	}
	out.append(line.slice(at));
	if (left) out.append(element("span", { className: "of" }, ` and ${left} more characters`));
	return out;
}

/**
 * The pieces between backticks in each sentence of a review, which have lost their backticks.
 * @param {string} review
 * @param {{ start?: number, end?: number }[]} sentences places in bytes
 */
export function codeOf(review, sentences) {
	const bytes = new TextEncoder().encode(review), decoder = new TextDecoder();
	return sentences.map((s) => [...decoder.decode(bytes.subarray(s.start ?? 0, s.end ?? 0)).matchAll(/`([^`\n]{1,200})`/g)].slice(0, 50).map((found) => found[1]));
}

/**
 * @param {number} n
 * @param {string} one
 * @param {string} [many]
 */
export const count = (n, one, many = one + "s") => `${n} ${n === 1 ? one : many}`;

/**
 * A number from 0 to 1 for the eye, a dash where it is not known.
 * @param {number | undefined} v
 */
export const digits = (v) => (Number.isNaN(v) ? "–" : (v ?? 0).toFixed(2));
