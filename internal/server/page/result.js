// The result of scoring: the change, its reviews, the scores with their rule, and the evidence.

import { best, modes, resign, score, usesTau } from "./score.js";
import { diffView } from "./diff.js";
import { evidenceView, refText, sign, signMark } from "./evidence.js";
import { ruleControls } from "./rule.js";
import { codeOf, count, digits, element, plain, short, words } from "./text.js";

/** @typedef {import("./types.js").Answer} Answer */
/** @typedef {import("./types.js").Judged} Judged */
/** @typedef {import("./score.js").Rule} Rule */

const columns = 12; // reviews side by side

/** @type {(name: string) => string} */
const title = (name) => name[0].toUpperCase() + name.slice(1);
const scores = /** @type {const} */ (["con", "comp", "rel"]);

/**
 * Checks an answer and returns its reviews with their evidence.
 * @param {Answer} answer
 * @returns {{ rule: Rule, reviews: Judged[], warnings: string[] }}
 */
export function ready(answer) {
	if (!Array.isArray(answer?.results) || answer.results.length === 0) throw new Error("There is no result in it.");
	const warnings = [...(answer.warnings ?? [])];
	const reviews = answer.results.map((row) => {
		if (!row || typeof row.status !== "string" || !modes.includes(row.mode ?? "")) throw new Error("There is no result in it.");
		const refs = row.explain?.refs?.length ? row.explain.refs : answer.refs ?? [], sentences = row.explain?.sentences ?? [];
		if (![...sentences, ...refs].every((e) => typeof e?.text === "string")) throw new Error("A sentence or a reference has no text.");
		const scored = row.status === "scored", rule = { mode: row.mode ?? "", tau: row.tau, low: row.low, slope: row.slope };
		if (scored && row.similarities && row.similarities.length !== sentences.length) throw new Error(`It has ${sentences.length} sentences, and similarities for ${row.similarities.length}.`);
		const matrix = scored ? row.similarities : undefined;
		const partners = matrix || !scored ? best(matrix ?? [], refs.length) : {
			sentences: sentences.map((s) => ({ index: (s.ref ?? 0) - 1, similarity: s.similarity ?? 0 })),
			refs: refs.map((r) => ({ index: (r.sentence ?? 0) - 1, similarity: r.similarity ?? 0 })),
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

/**
 * A view of results in an element. say is told what a screen reader should say; standards are
 * the rules that the modes start with; onrule and onreview tell what the visitor chooses.
 * @param {HTMLElement} root
 * @param {{ standards: Rule[], say?: (text: string) => void, onrule?: (rule: Rule) => void, onreview?: (name: string) => void, tools?: HTMLElement[] }} options
 */
export function result(root, { standards, say = () => {}, onrule = () => {}, onreview = () => {}, tools = [] }) {
	/** @type {Answer} */ let answer;
	/** @type {Judged[]} */ let reviews = [];
	/** @type {Judged} */ let one; // the review that is shown
	/** @type {Rule} */ let rule;
	let quiet = 0, drawn = ""; // the places of the references that the diff shows

	// ——— The elements ———

	const part = (/** @type {string} */ id, /** @type {string} */ name, /** @type {any} */ properties = {}, /** @type {(Node | string)[]} */ ...children) =>
		/** @type {HTMLElement} */ (element(/** @type {any} */ (name), { id, ...properties }, ...children));
	const conMeans = part("con-means", "span"), compMeans = part("comp-means", "span");
	const means = { con: ["Conciseness: ", conMeans], comp: ["Comprehensiveness: ", compMeans], rel: ["Relevance: harmonic mean of both"] };
	const numbers = Object.fromEntries(scores.map((name) => [name, part(name, "span")]));
	const board = part("board", "div", { className: "board" }, element("dl", { className: "numbers" }, ...scores.map((name) => element("div", { className: "number" }, element("dt", {}, title(name)),
		element("dd", {}, numbers[name], element("span", { className: "bar", "aria-hidden": "true" }), element("span", { className: "means" }, ...means[name]))))));
	const form = part("rule", "form", { ariaLabel: "Scoring rule", noValidate: true });
	board.append(form);
	const unscored = part("unscored", "p", { className: "note", hidden: true }), note = part("note", "p", { className: "note", hidden: true });
	const warned = part("warnings", "div", { className: "note", hidden: true }, element("h3", {}, "Warnings"), element("ul"));
	const list = part("reviews-list", "div", { className: "scroll", hidden: true, tabIndex: 0, role: "region", ariaLabel: "Reviews of this change" });
	const sides = { change: "Change", review: "Review", missed: "Missed" };
	const tabs = element("div", { className: "tabs", role: "tablist", ariaLabel: "What is shown" }, ...Object.entries(sides).map(([id, name]) =>
		element("button", { type: "button", id: `tab-${id}`, role: "tab", "aria-controls": `pane-${id}`, "data-tab": id }, name)));
	const sentencesTitle = part("sentences-title", "h3"), missedTitle = part("missed-title", "h3");
	const panes = {
		change: part("pane-change", "div", { className: "pane", tabIndex: 0, role: "tabpanel", "aria-labelledby": "tab-change" }),
		review: part("sentences", "div"), missed: part("missed", "div"),
	};
	const filters = element("fieldset", { className: "modes filters" }, element("legend", { className: "unseen" }, "Show"));
	const found = element("div", { className: "found" },
		element("section", { id: "pane-review", role: "tabpanel", "aria-labelledby": "tab-review" }, sentencesTitle, panes.review),
		element("section", { id: "pane-missed", role: "tabpanel", "aria-labelledby": "tab-missed" }, missedTitle, panes.missed));
	const pair = part("pair", "div", { className: "panes" }, panes.change, element("div", { className: "pane evidence", tabIndex: 0, role: "region", ariaLabel: "Evidence" }, found));
	const beside = part("beside", "details", { className: "more beside", hidden: true }, element("summary", {}, "All reviews side by side"), element("div", { className: "scroll", tabIndex: 0, role: "region", ariaLabel: "All reviews side by side" }));
	const dropped = part("dropped", "details", { className: "more", hidden: true }, element("summary"), element("ul"));
	const signature = part("signature", "code"), copied = part("copied", "span", { className: "hint", role: "status" }), signatureMeans = part("signature-means", "p", { className: "hint" });
	const copy = part("copy", "button", { type: "button", className: "button" }, "Copy the signature");
	const signed = part("signed", "div", { className: "signed", tabIndex: -1 }, element("h3", {}, "Signature"), element("p", {}, signature), element("p", { className: "row" }, copy, ...tools, copied), signatureMeans);
	root.replaceChildren(unscored, list, board, warned, note, element("a", { className: "skip", href: "#signed" }, "Skip the change and the evidence"),
		element("div", { className: "row bar-of-filters" }, tabs, filters), pair, beside, dropped, signed);

	// ——— What belongs together ———

	const diff = diffView(panes.change, {
		onpick: (k) => {
			const there = evidence.reach(k);
			checked(there.filter);
			tab(there.side === "missed" ? "missed" : "review");
			evidence.focus(k);
		},
		onlight: (refs) => light(refs),
	});
	const evidence = evidenceView({ sentences: panes.review, missed: panes.missed }, {
		onlight: (refs) => light(refs),
		ongo: (k, take) => {
			const tabbed = tabs.checkVisibility();
			if (tabbed) tab("change");
			diff.go(k, take || tabbed); // what had the focus is out of sight
		},
		anchored: (r) => diff.has(r),
	});
	/** @param {number[] | null} refs */
	function light(refs) {
		diff.light(refs ?? []);
		evidence.light(refs ?? []);
	}
	const controls = ruleControls(form, { standards, onchange: (next) => {
		rule = next;
		update();
		onrule(rule);
		clearTimeout(quiet); // said when the slider rests
		quiet = setTimeout(() => say(`${spoken()}.`), 700);
	} });

	/** @param {string} name */
	function tab(name) {
		root.dataset.tab = name;
		for (const b of tabs.children) {
			const on = /** @type {HTMLElement} */ (b).dataset.tab === name;
			b.ariaSelected = String(on);
			/** @type {HTMLElement} */ (b).tabIndex = on ? 0 : -1;
		}
	}
	tabs.addEventListener("click", (e) => {
		const name = /** @type {HTMLElement} */ (e.target).dataset.tab;
		if (name) tab(name);
	});
	tabs.addEventListener("keydown", (e) => {
		const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
		if (!step) return;
		const all = /** @type {HTMLElement[]} */ ([...tabs.children]), to = all[(all.findIndex((b) => b.tabIndex === 0) + step + all.length) % all.length];
		tab(to.dataset.tab ?? "");
		to.focus();
	});
	tab("review");

	const names = /** @type {const} */ ({ all: "All", missed: "Missed", "off-topic": "Off topic", smells: "Smells" });
	/** @type {Record<string, HTMLElement>} */ const tallies = {};
	for (const [id, name] of Object.entries(names)) {
		const radio = element("input", { type: "radio", name: "filter", value: id, checked: id === "all" });
		radio.addEventListener("change", () => filter(/** @type {any} */ (id)));
		tallies[id] = element("span", { className: "tally" });
		filters.append(element("label", {}, radio, name, tallies[id]));
	}
	/** @param {"all" | "missed" | "off-topic" | "smells"} id */
	function filter(id) {
		checked(id);
		if (id === "missed") tab("missed");
		if (id === "off-topic") tab("review");
		told(evidence.filter(id));
	}
	/** @param {string} id */
	function checked(id) {
		root.dataset.filter = id;
		for (const radio of filters.querySelectorAll("input")) radio.checked = radio.value === id;
	}
	checked("all");

	/** @param {Record<string, number> | null} counts */
	function told(counts) {
		const thresholds = usesTau(rule.mode);
		for (const [id, n] of Object.entries(counts ?? {})) tallies[id].textContent = thresholds || id === "smells" ? ` ${n}` : "";
		for (const radio of filters.querySelectorAll("input")) radio.disabled = !thresholds && ["missed", "off-topic"].includes(radio.value);
		const chosen = filters.querySelector("input:checked:disabled");
		if (chosen) return filter("all"); // nothing is missed without a threshold
		const missing = counts?.missed ?? 0;
		missedTitle.textContent = thresholds ? `Missed by the review (${missing} of ${one.refs.length})` : `References, the least covered first (${one.refs.length})`;
		/** @type {HTMLElement} */ (tabs.children[2]).textContent = thresholds ? `Missed ${missing}` : "References";
	}

	// The board stays in sight; what scrolls below it has the rest of the height.
	const roles = () => { // without tabs to see there are no panels of tabs
		const tabbed = tabs.checkVisibility();
		for (const pane of [panes.change, ...found.children]) pane.setAttribute("role", tabbed ? "tabpanel" : "region");
	};
	new ResizeObserver(() => {
		roles();
		root.style.setProperty("--board", `${board.offsetHeight}px`);
		if (board.offsetHeight) document.documentElement.style.scrollPaddingTop = `${board.offsetHeight + 16}px`;
	}).observe(board);

	copy.addEventListener("click", async () => {
		try {
			await navigator.clipboard.writeText(signature.textContent ?? "");
			copied.textContent = "Copied.";
		} catch { // only where the page came over HTTPS or from this machine
			getSelection()?.selectAllChildren(signature);
			copied.textContent = "Selected: copy it with Ctrl + C.";
		}
	});

	// ——— Showing ———

	const nameOf = (/** @type {Judged} */ r) => short(r.row.review || "review");

	/** The scores of a review by the chosen rule, or those of its row where that is all there is. @param {Judged} r */
	function numbersOf(r) {
		if (r.known) return score(r.best, r.weights, rule);
		return r.scored ? { con: r.row.con ?? NaN, comp: r.row.comp ?? NaN, rel: r.row.rel ?? NaN } : null;
	}

	function spoken() {
		const n = numbersOf(one);
		return n ? scores.map((name) => `${title(name)} ${digits(n[name])}`).join(", ") : "no score";
	}

	/** @param {number} i */
	function choose(i) {
		one = reviews[i];
		if (one.scored) rule = controls.answer(one.rule);
		else rule ??= one.rule; // the other reviews keep the rule that was chosen
		unscored.hidden = one.scored;
		unscored.textContent = one.scored ? "" : `No score: ${short(one.row.reason ?? "no reason is given")}`;
		board.hidden = !one.scored;
		const noted = one.scored && !one.known ? "The evidence of this review was not kept: its numbers stay as they are." : one.row.note ?? "";
		note.hidden = !noted;
		note.textContent = short(noted);
		const gone = one.row.explain?.dropped ?? [];
		dropped.hidden = gone.length === 0;
		dropped.children[0].textContent = `Claims that do not count (${gone.length})`;
		dropped.children[1].replaceChildren(...gone.map((d) => element("li", {}, short(`${d.text} (${d.reason}: ${d.detail})`))));
		sentencesTitle.textContent = (reviews.length > 1 ? `${nameOf(one)}: s` : "S") + `entences (${one.sentences.length})`;
		const places = JSON.stringify([one.refs.map((r) => [r.text, r.path, r.side, r.start_line, r.end_line])]);
		if (places !== drawn) diff.show(answer.change ?? { files: [] }, one.refs);
		drawn = places;
		evidence.take(one);
		update();
	}

	// Shows the scores by the rule, without a request.
	function update() {
		const n = numbersOf(one);
		for (const name of scores) {
			numbers[name].textContent = n ? digits(n[name]) : "–";
			/** @type {HTMLElement} */ (numbers[name].nextElementSibling).style.setProperty("--share", String(n ? n[name] : 0));
		}
		/** @param {import("./score.js").Best[]} side @param {string} singular @param {string} plural */
		const tally = (side, singular, plural) => {
			if (side.length === 0) return `there are no ${plural.split(" ")[0]}`;
			if (!usesTau(rule.mode)) return side.length === 1 ? "the best similarity" : `mean of ${side.length} best similarities`;
			const sum = side.reduce((all, b) => all + sign(rule, b).credit, 0);
			return rule.mode === "hard" ? `${sum} of ${side.length} ${side.length === 1 ? singular : plural}` : `${sum.toFixed(1)} of ${side.length} by credit`;
		};
		conMeans.textContent = tally(one.best.sentences, "sentence is on topic", "sentences are on topic");
		compMeans.textContent = tally(one.best.refs, "reference is covered", "references are covered") + (one.weights.some((w) => w !== one.weights[0]) ? ", by weight" : "");
		told(evidence.update(rule));
		diff.update((k) => (one.best.refs[k] ? sign(rule, one.best.refs[k]) : { mark: "soft", name: "" }));
		if (reviews.length > 1) all();
		signIt();
	}

	// The table of all reviews.
	function all() {
		const people = reviews.some((r) => r.row.human), extra = [...new Set(reviews.flatMap((r) => Object.keys(r.row.metrics ?? {})))].slice(0, 4);
		const head = ["Review", ...scores.map(title), ...(people ? ["People: con", "comp", "rel"] : []), ...extra].map((name, i) => element("th", { scope: "col", className: i ? "num" : "" }, short(name)));
		const rows = reviews.map((r, i) => {
			const n = numbersOf(r), on = r === one;
			const pick = element("button", { type: "button", className: "button plain", ariaPressed: String(on), onclick: () => {
				choose(i);
				onreview(r.row.review);
				say(`${nameOf(r)}: ${spoken()}.`);
				/** @type {HTMLElement | null} */ (list.querySelector("[aria-pressed=true]"))?.focus();
			} }, nameOf(r));
			const human = people ? scores.map((name) => element("td", { className: "num" }, r.row.human ? String(r.row.human[name]) : "–")) : [];
			const more = extra.map((name) => element("td", { className: "num" }, typeof r.row.metrics?.[name] === "number" ? digits(r.row.metrics[name]) : "–"));
			const own = scores.map((name) => {
				const td = element("td", { className: "num share" }, n ? digits(n[name]) : r.scored ? "–" : name === "con" ? "no score" : "");
				td.style.setProperty("--share", String(n ? n[name] : 0));
				return td;
			});
			return element("tr", { className: on ? "marked" : "" }, element("th", { scope: "row" }, pick), ...own, ...human, ...more);
		});
		list.replaceChildren(element("table", { className: "reviews" }, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows)));
		if (/** @type {HTMLDetailsElement} */ (beside).open) compare();
	}
	beside.addEventListener("toggle", () => answer && /** @type {HTMLDetailsElement} */ (beside).open && compare());

	// Reviews as columns: their sentences, and below which of them covers each reference.
	function compare() {
		const shown = reviews.slice(0, columns), refs = answer.refs?.length ? answer.refs : one.refs;
		const cell = (/** @type {Judged} */ r) => element("td", {}, r.scored || r.sentences.length ? element("ol", { className: "beside-sentences" }, ...r.sentences.slice(0, 50).map((s, i) =>
			element("li", { className: sign(rule, r.best.sentences[i] ?? { index: -1, similarity: 0 }).mark }, signMark(sign(rule, r.best.sentences[i] ?? { index: -1, similarity: 0 })), words(s.text, r.code[i])))) : short(r.row.reason ?? ""));
		const head = element("tr", {}, element("td", {}), ...shown.map((r) => element("th", { scope: "col" }, nameOf(r))));
		const body = refs.map((ref, k) => element("tr", {}, element("th", { scope: "row" }, refText(ref, k, false)), ...shown.map((r) => {
			const b = r.best.refs[k];
			if (!r.scored || !b) return element("td", {}, "–");
			const s = sign(rule, b);
			return element("td", { className: `num ${s.mark}` }, signMark(s), ` ${digits(b.similarity)}`);
		})));
		beside.children[1].replaceChildren(element("table", { className: "reviews beside-table" }, element("thead", {}, head),
			element("tbody", {}, element("tr", {}, element("th", { scope: "row" }, "Sentences"), ...shown.map(cell)), ...body)),
			...(reviews.length > columns ? [element("p", { className: "hint" }, `${count(reviews.length - columns, "more review")} are not shown side by side.`)] : []));
	}

	// Shows the signature of the scores that are shown.
	function signIt() {
		const served = plain(one.row.signature || answer.signature || ""), same = !one.scored || controls.own();
		const mine = same ? served : resign(served, one.rule, rule);
		signature.textContent = mine ?? served;
		copied.textContent = "";
		signatureMeans.textContent = same ? "It names everything that shapes these scores."
			: mine ? "It has the mode and thresholds chosen above. This page computed the scores from the similarities, by the same arithmetic."
			: "It names the original rule, not the rule chosen above.";
	}

	return {
		/**
		 * Shows an answer; the error says what is wrong with it.
		 * @param {Answer} next
		 * @param {{ rule?: Rule, review?: string, at?: number }} [start] the rule, and the name or the place of the review to begin with
		 */
		show(next, start = {}) {
			const made = ready(next);
			answer = next;
			drawn = "";
			reviews = made.reviews;
			warned.hidden = made.warnings.length === 0;
			warned.children[1].replaceChildren(...made.warnings.map((w) => element("li", {}, short(w))));
			list.hidden = beside.hidden = reviews.length < 2;
			const at = start.at !== undefined && start.at < reviews.length ? start.at : reviews.findIndex((r) => r.row.review === start.review);
			choose(at >= 0 ? at : Math.max(reviews.findIndex((r) => r.scored), 0));
			if (start.rule && one.scored) controls.choose(start.rule);
			return one.scored ? `Scored: ${spoken()}.` : unscored.textContent ?? "";
		},
		/** @returns {{ rule: Rule, at: number }} what is chosen */
		state: () => ({ rule, at: Math.max(reviews.indexOf(one), 0) }),
		/** @param {Rule} next */
		update: (next) => controls.choose(next),
	};
}

