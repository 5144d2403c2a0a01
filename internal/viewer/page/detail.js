// The change that is open: the result of its reviews, as the page of the service shows it, and
// what is to be known of the evidence.

import { ask } from "./ask.js";
import { result } from "./result.js";
import { digits, element, plain, short, visible } from "./text.js";

/** @typedef {import("./score.js").Rule} Rule */
/** @typedef {{ status: string, reason?: string, con: number | null, comp: number | null, rel: number | null }} Standing */
/** @typedef {import("./types.js").Row & { text: string, run: Standing }} Reviewed */
/** @typedef {{ id: string, line: number, lang: string, place: number, total: number, evidence: { from: string, why?: string, signature?: string }, results: Reviewed[] }} Own */
/** @typedef {Omit<import("./types.js").Answer, "results"> & Own} Opened */

const long = 20_000; // characters of a text that are shown

/** @param {number | null} v */
const show = (v) => (v === null ? "–" : digits(v));

/**
 * Shows changes in a dialog. onrule and onreview get what the visitor chose there.
 * @param {HTMLDialogElement} dialog
 * @param {{ onclose: () => void, onstep: (step: number) => void, onrule: (rule: Rule) => void, onreview: (name: string) => void, standards: Rule[] }} options
 */
export function detail(dialog, { onclose, onstep, onrule, onreview, standards }) {
	const by = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
	let asked = 0, quiet = true, asking = new AbortController();
	const view = result(by("detail-result"), {
		standards,
		say: (text) => (by("detail-said").textContent = text),
		onrule: (rule) => quiet || onrule(rule),
		onreview,
	});
	by("close").addEventListener("click", onclose);
	by("previous").addEventListener("click", () => onstep(-1));
	by("next").addEventListener("click", () => onstep(1));
	dialog.addEventListener("cancel", (event) => { // Escape
		event.preventDefault();
		onclose();
	});

	/**
	 * The numbers of the run, where the evidence is not the run's.
	 * @param {Opened} a
	 */
	function numbers(a) {
		const metrics = [...new Set(a.results.flatMap((r) => Object.keys(r.metrics ?? {})))];
		const head = ["System", "Con", "Comp", "Rel", ...metrics, "Status"].map((name) => element("th", { scope: "col" }, short(name)));
		const rows = a.results.map(({ review, run, metrics: own }) => element("tr", {}, element("th", { scope: "row" }, short(review)),
			...[run.con, run.comp, run.rel, ...metrics.map((name) => own?.[name] ?? null)].map((v) => element("td", {}, show(v))), element("td", {}, short(run.status + (run.reason ? ": " + run.reason : "")))));
		return element("div", { className: "scroll", tabIndex: 0, role: "region", ariaLabel: "Scores of the run" }, element("table", { className: "numbers-of" },
			element("caption", { className: "hint" }, "Scores of the run"), element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows)));
	}

	/**
	 * The reviews as they are written.
	 * @param {Opened} a
	 */
	function texts(a) {
		return element("details", { className: "more" }, element("summary", {}, `The reviews as they are written (${a.results.length})`), ...a.results.flatMap((r) => [
			element("h3", {}, short(r.review)), element("p", { className: "quote" }, visible(r.text.slice(0, long)) + (r.text.length > long ? `… and ${r.text.length - long} more characters` : "")),
		]));
	}

	/**
	 * @param {Opened} a
	 * @param {string} review
	 * @param {Rule | null} rule
	 */
	function draw(a, review, rule) {
		by("detail-where").textContent = `Line ${a.line} of the dataset${a.lang ? `, language ${plain(a.lang)}` : ""}. ` + ({
			run: "The evidence is the run's.",
			again: "The run did not keep its evidence. Scored again with the same signature, the change has the same scores: this is their evidence.",
		}[a.evidence.from] ?? "");
		const bare = a.results.some((r) => !r.mode || (a.evidence.from === "none" && r.status === "scored")); // without evidence
		const foreign = a.evidence.from === "other" || bare;
		by("detail-notes").replaceChildren(...(a.evidence.why ? [element("p", { className: "note" }, short(a.evidence.why))] : []), ...(foreign && a.results.length > 0 ? [numbers(a)] : []));
		const root = by("detail-result");
		root.hidden = a.results.length === 0 || bare;
		if (root.hidden) for (const w of a.warnings ?? []) by("detail-notes").append(element("p", { className: "note" }, short(w)));
		else by("detail-said").textContent = view.show(a, { review, ...(rule && a.evidence.from !== "other" && { rule }) });
		by("detail-texts").replaceChildren(a.results.length === 0 ? element("p", {}, "The change has no review.") : texts(a));
	}

	/** Shows whether there are changes before and behind a place of the table. @param {number} at @param {number} total */
	function placed(at, total) {
		by("previous").disabled = at <= 0;
		by("next").disabled = at < 0 || at >= total - 1;
	}

	return {
		placed,
		/**
		 * Opens a change. It returns its place in the table, -1 for none.
		 * @param {string} id
		 * @param {string} review the review to begin with
		 * @param {URLSearchParams} query
		 * @param {Rule | null} rule null for that of the run
		 */
		async open(id, review, query, rule) {
			const number = ++asked;
			asking.abort();
			asking = new AbortController();
			by("detail-title").textContent = short(id);
			dialog.ariaBusy = "true";
			by("detail-result").hidden = true; // it is that of another change
			by("detail-notes").replaceChildren();
			by("detail-texts").replaceChildren();
			by("detail-where").textContent = "Reading…";
			if (!dialog.open) dialog.showModal();
			try {
				const a = /** @type {Opened} */ (await ask("api/change?" + query, asking.signal));
				if (number !== asked) return undefined;
				quiet = true; // the rule that is shown is no choice
				placed(a.place, a.total);
				draw(a, review, rule);
				by("detail-body").scrollTop = 0;
				return a.place;
			} catch (error) {
				if (number !== asked) return undefined;
				by("detail-where").textContent = "";
				by("detail-result").hidden = true;
				by("detail-texts").replaceChildren();
				by("detail-notes").replaceChildren(element("p", { className: "alert", role: "alert" }, error instanceof Error ? short(error.message) : String(error)));
				return undefined;
			} finally {
				if (number === asked) {
					quiet = false;
					dialog.ariaBusy = null;
				}
			}
		},
		close() {
			asked++;
			asking.abort();
			if (dialog.open) dialog.close();
		},
	};
}
