// The decision of the gate: a verdict on each comment of a bot, at its lines in the change.

import { diffView } from "./diff.js";
import { placeOf, refText } from "./evidence.js";
import { count, digits, element, plain, short, words } from "./text.js";

/** @typedef {import("./types.js").Decision} Decision */
/** @typedef {import("./types.js").Verdict} Verdict */
/** @typedef {import("./types.js").Ref} Ref */

/** @type {Record<string, string>} */
const why = { elsewhere: "about other code", empty: "says nothing about the code", vague: "nothing shows what it is about", repeated: "says what a better comment says", "too-many": "beyond the limit of comments", con: "Con is too low" };
/** @type {Record<string, string>} */
const outcomes = { pass: "The comments pass", fail: "The comments fail", undecided: "There is no decision" };

/** @param {Verdict} v */
function badge(v) {
	if (v.status !== "scored") return element("span", { className: "badge soft" }, "no score");
	return v.kept ? element("span", { className: "badge good" }, "keep") : element("span", { className: "badge bad" }, `drop: ${why[v.dropped ?? ""] ?? short(v.dropped ?? "")}`);
}

/** @param {Verdict} v */
const called = (v) => (v.summary ? "Summary" : `Comment ${v.comment}`);

/**
 * A comment with its verdict: whole, with what it is about and a way to its lines, or as it
 * stands at its lines.
 * @param {Verdict} v @param {Ref[]} refs @param {HTMLElement} [at] the comment at its lines
 */
function box(v, refs, at) {
	const place = placeOf({ path: v.file ?? v.path, side: v.side, start_line: v.start_line, end_line: v.end_line });
	const facts = [v.con === undefined ? "" : `Con ${digits(v.con)}`, v.scope && v.scope !== "hunk" ? `compared with the ${v.scope}` : "", v.verdict || !v.off_topic ? [v.verdict, v.why].filter(Boolean).map((text) => short(text ?? "")).join(": ") : `nothing but ${plain(v.off_topic)}`].filter(Boolean).join(" · ");
	const about = (v.about ?? []).filter((a) => refs[a.ref - 1]).map((a) => element("li", {}, words(a.sentence), element("span", { className: "to" }, `nearest (${digits(a.similarity)}): `), refText(refs[a.ref - 1], a.ref - 1, false)));
	return element("div", { className: `verdict ${v.status !== "scored" ? "open-case" : v.kept ? "kept" : "dropped"}` },
		element("p", { className: "row" }, at ? element("button", { type: "button", className: "place", onclick: () => at.scrollIntoView({ block: "center" }) }, element("b", {}, called(v))) : element("b", {}, called(v)), badge(v), element("span", { className: "of" }, [place, facts].filter(Boolean).join(" · "))),
		element("p", {}, words(v.body)), ...(v.reason ? [element("p", { className: "of" }, short(v.reason))] : []), ...(v.note ? [element("p", { className: "of" }, short(v.note))] : []),
		...(at && about.length ? [element("details", {}, element("summary", {}, "What it is about"), element("ol", { className: "about" }, ...about))] : []));
}

/**
 * A view of decisions in an element, with tools at its end.
 * @param {HTMLElement} root
 * @param {HTMLElement[]} [tools]
 */
export function verdictView(root, tools = []) {
	const head = element("div", { className: "board decision" }), warned = element("div", { className: "note", hidden: true });
	const change = element("div", { className: "pane", tabIndex: 0, role: "region", ariaLabel: "Change" });
	const list = element("div", { className: "pane evidence", tabIndex: 0, role: "region", ariaLabel: "Comments" });
	const signature = element("code");
	root.replaceChildren(head, warned, element("div", { className: "panes" }, change, list), element("div", { className: "signed" }, element("h3", {}, "Signature"), element("p", {}, signature), element("p", { className: "row" }, ...tools)));
	const diff = diffView(change, { onpick: () => {}, onlight: () => {} });
	new ResizeObserver(() => root.style.setProperty("--board", `${head.offsetHeight}px`)).observe(head);

	return {
		/**
		 * Shows a decision.
		 * @param {Decision} d
		 */
		show(d) {
			const refs = d?.refs ?? [];
			if (typeof d?.outcome !== "string" || !Array.isArray(d.comments)) throw new Error("There is no decision in it.");
			const r = d.review ?? {}, kept = d.comments.filter((v) => v.kept).length;
			const numbers = /** @type {const} */ (["con", "comp", "rel"]).map((name) => element("div", { className: "number" }, element("dt", {}, name[0].toUpperCase() + name.slice(1)), element("dd", {}, element("span", {}, r[name] === undefined ? "–" : digits(r[name])))));
			const reasons = d.reasons ?? [];
			const counts = /** @type {const} */ (["about", "elsewhere", "empty", "vague", "undecided"]).map((name) => ({ name, n: d.comments.filter((v) => v.verdict === name).length })).filter(({ n }) => n > 0).map(({ name, n }) => `${n} ${name}`).join(", ");
			head.replaceChildren(element("dl", { className: "numbers" }, ...numbers), element("div", {}, element("p", { className: `outcome ${d.outcome}` }, outcomes[d.outcome] ?? short(d.outcome), `: ${kept} of ${count(d.comments.length, "comment")} kept${counts && ` (${counts})`}`),
				...(reasons.length ? [element("ul", {}, ...reasons.map((text) => element("li", {}, short(text))))] : [])));
			const warnings = d.warnings ?? [];
			warned.hidden = warnings.length === 0;
			warned.replaceChildren(element("h3", {}, "Warnings"), element("ul", {}, ...warnings.map((w) => element("li", {}, short(w)))));
			const boxes = d.comments.map((v) => box(v, refs));
			diff.show(d.change ?? { files: [] }, [], d.comments.map((v, i) => ({ place: { path: v.file ?? v.path, side: v.side, start_line: v.start_line, end_line: v.end_line }, box: boxes[i] })));
			const missed = d.missed ?? [];
			list.replaceChildren(element("h3", {}, `Comments (${d.comments.length})`), element("ol", { className: "verdicts", role: "list" }, ...d.comments.map((v, i) => element("li", {}, box(v, refs, boxes[i])))),
				...(d.missed ? [element("h3", {}, `Missed by the kept comments (${missed.length})`), element("ol", { className: "missed", role: "list" }, ...missed.map((ref) => element("li", { className: "ref bad" }, refText(ref, refs.findIndex((r) => r.text === ref.text && r.path === ref.path && r.start_line === ref.start_line), false))))] : []));
			signature.textContent = plain(d.signature ?? "");
			return `${outcomes[d.outcome] ?? d.outcome}: ${kept} of ${count(d.comments.length, "comment")} kept.`;
		},
	};
}
