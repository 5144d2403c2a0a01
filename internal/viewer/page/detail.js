// The change that is open: its reviews with their numbers, their texts and the evidence.

import { ask, element, plain } from "./ask.js";

const long = 20_000; // characters of a text that are shown

/** @param {string} text */
const cut = (text) => plain(text.length > long ? text.slice(0, long) + `… and ${text.length - long} more characters` : text);
/** @param {number | null | undefined} v */
const digits = (v) => (v === null || v === undefined ? "–" : v.toFixed(2));

/** @typedef {{rules: any[], rule: any, first: boolean, last: boolean}} Context */

/** Shows changes in a dialog.
 * @param {HTMLDialogElement} dialog
 * @param {{onclose: () => void, onstep: (step: number) => void, onrule: (rule: any) => void}} options */
export function detail(dialog, options) {
	const by = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
	let asked = 0;
	by("close").addEventListener("click", () => options.onclose());
	by("previous").addEventListener("click", () => options.onstep(-1));
	by("next").addEventListener("click", () => options.onstep(1));
	dialog.addEventListener("cancel", (event) => { // Escape
		event.preventDefault();
		options.onclose();
	});

	/** @param {any} a */
	function table(a) {
		const metrics = [...new Set(a.results.flatMap((/** @type {any} */ r) => Object.keys(r.metrics ?? {})))], labelled = a.results.some((/** @type {any} */ r) => r.human);
		const t = element("table", ""), head = element("tr", "");
		for (const name of ["System", "Con", "Comp", "Rel", ...(labelled ? ["human Con", "human Comp", "human Rel"] : []), ...metrics, ""]) head.append(element("th", "", plain(name)));
		t.append(element("thead", ""), element("tbody", ""));
		t.tHead.append(head);
		for (const r of a.results) {
			const row = element("tr", ""), { run } = r;
			row.append(element("th", "", plain(r.review)));
			for (const v of [run.con, run.comp, run.rel]) row.append(element("td", "", digits(v)));
			if (labelled) for (const v of [r.human?.con, r.human?.comp, r.human?.rel]) row.append(element("td", "", v === undefined ? "–" : String(v)));
			for (const name of metrics) row.append(element("td", "", digits(r.metrics?.[/** @type {string} */ (name)])));
			row.append(element("td", "", run.status === "scored" ? "" : plain(run.status + (run.reason ? ": " + run.reason : ""))));
			t.tBodies[0].append(row);
		}
		const scroll = element("div", "scroll");
		scroll.append(t);
		return scroll;
	}

	/** @param {any} a */
	function evidence(a) {
		const out = [];
		for (const r of a.results) {
			out.push(element("h3", "", plain(r.review)), element("p", "quote", cut(r.text) || "The review is empty."));
			for (const s of r.explain?.sentences ?? []) {
				out.push(element("p", "hint", `${digits(s.similarity)} ${plain(s.text)}${s.ref ? ` — reference ${s.ref}` : ""}`));
			}
		}
		if (a.refs.length > 0) out.push(element("h3", "", "References"));
		a.refs.forEach((/** @type {any} */ ref, /** @type {number} */ i) => out.push(element("p", "hint", `${i + 1}. ${plain(ref.text)} (${ref.kind})`)));
		return out;
	}

	return {
		/** @param {string} id @param {URLSearchParams} query @param {Context} context */
		async open(id, query, context) {
			const number = ++asked;
			by("detail-title").textContent = plain(id);
			by("previous").disabled = context.first;
			by("next").disabled = context.last;
			by("detail-body").replaceChildren(element("p", "hint", "Reading…"));
			if (!dialog.open) dialog.showModal();
			try {
				const a = await ask("api/change?" + query);
				if (number !== asked) return;
				const notes = a.warnings.map((/** @type {string} */ w) => element("p", "note", plain(w)));
				if (a.evidence.why) notes.push(element("p", "note", plain(a.evidence.why)));
				by("detail-body").replaceChildren(element("p", "hint", `Line ${a.line} of the dataset${a.lang ? ", language " + plain(a.lang) : ""}`), ...notes, table(a), ...evidence(a));
			} catch (error) {
				if (number === asked) by("detail-body").replaceChildren(element("p", "alert", error instanceof Error ? error.message : String(error)));
			}
		},
		close() {
			asked++;
			if (dialog.open) dialog.close();
		},
	};
}
