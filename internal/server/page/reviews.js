// Several reviews of a change: a table of their scores, and all of them side by side.

import { refSign, refText, sign, signMark } from "./evidence.js";
import { nameOf, numbersOf, scores, title } from "./judged.js";
import { count, digits, element, short, words } from "./text.js";

/** @typedef {import("./types.js").Judged} Judged */
/** @typedef {import("./score.js").Rule} Rule */

const columns = 12; // reviews side by side
const sentences = 50; // of a review side by side

/**
 * A row a review, with the labels of people and other metrics where the reviews have them.
 * @param {Judged[]} reviews @param {Judged} one the review that is shown @param {Rule} rule
 * @param {(at: number) => void} choose
 */
export function reviewsTable(reviews, one, rule, choose) {
	const people = reviews.some((r) => r.row.human), extra = [...new Set(reviews.flatMap((r) => Object.keys(r.row.metrics ?? {})))].slice(0, 4);
	const head = ["Review", ...scores.map(title), ...(people ? ["People: con", "comp", "rel"] : []), ...extra].map((name, i) => element("th", { scope: "col", className: i ? "num" : "" }, short(name)));
	const number = (/** @type {number | undefined} */ v, form = digits) => element("td", { className: "num" }, typeof v === "number" ? form(v) : "–");
	const rows = reviews.map((r, i) => {
		const n = numbersOf(r, rule), on = r === one;
		const pick = element("button", { type: "button", className: "button plain", ariaPressed: String(on), onclick: () => choose(i) }, nameOf(r));
		const own = scores.map((name) => {
			const td = element("td", { className: "num share" }, n ? digits(n[name]) : r.scored ? "–" : name === "con" ? "no score" : "");
			td.style.setProperty("--share", String((n && n[name]) || 0));
			return td;
		});
		const human = people ? scores.map((name) => number(r.row.human?.[name], String)) : [];
		return element("tr", { className: on ? "marked" : "" }, element("th", { scope: "row" }, pick), ...own, ...human, ...extra.map((name) => number(r.row.metrics?.[name])));
	});
	return element("table", { className: "reviews" }, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows));
}

/**
 * Reviews as columns: their sentences, and below which of them covers each reference.
 * @param {Judged[]} reviews @param {import("./types.js").Ref[]} refs @param {Rule} rule
 */
export function sideBySide(reviews, refs, rule) {
	const shown = reviews.slice(0, columns), none = { index: -1, similarity: 0 };
	const said = (/** @type {Judged} */ r) => {
		if (r.sentences.length === 0) return element("td", {}, short(r.row.reason ?? "no sentences"));
		return element("td", {}, element("ol", { className: "beside-sentences" }, ...r.sentences.slice(0, sentences).map((s, i) => {
			const mark = sign(rule, r.best.sentences[i] ?? none);
			return element("li", { className: mark.mark }, signMark(mark), words(s.text, r.code[i]));
		})), ...(r.sentences.length > sentences ? [element("p", { className: "hint" }, `and ${r.sentences.length - sentences} more`)] : []));
	};
	const covered = (/** @type {Judged} */ r, /** @type {number} */ k) => {
		const b = r.best.refs[k];
		if (!r.known || !b || r.refs[k]?.text !== refs[k].text) return element("td", {}, "–"); // it may have had other references
		const mark = refSign(rule, b);
		return element("td", { className: `num ${mark.mark}` }, signMark(mark), ` ${digits(b.similarity)}`);
	};
	const head = element("tr", {}, element("td", {}), ...shown.map((r) => element("th", { scope: "col" }, nameOf(r))));
	const body = refs.map((ref, k) => element("tr", {}, element("th", { scope: "row" }, refText(ref, k, false)), ...shown.map((r) => covered(r, k))));
	const table = element("table", { className: "reviews beside-table" }, element("thead", {}, head), element("tbody", {}, element("tr", {}, element("th", { scope: "row" }, "Sentences"), ...shown.map(said)), ...body));
	const left = reviews.length - shown.length;
	return [table, ...(left > 0 ? [element("p", { className: "hint" }, `${count(left, "more review")} ${left === 1 ? "is" : "are"} not shown side by side.`)] : [])];
}
