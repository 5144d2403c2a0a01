// The result of scoring: the change, its reviews, the scores with their rule, and the evidence.

import { ruleSignature, usesTau } from "./score.js";
import { diffView } from "./diff.js";
import { evidenceView, refSign, sign } from "./evidence.js";
import { frame } from "./frame.js";
import { nameOf, numbersOf, ready, scores, title } from "./judged.js";
import { reviewsTable, sideBySide } from "./reviews.js";
import { ruleControls } from "./rule.js";
import { digits, element, plain, short } from "./text.js";

/** @typedef {import("./types.js").Answer} Answer */
/** @typedef {import("./types.js").Judged} Judged */
/** @typedef {import("./score.js").Rule} Rule */

/**
 * What a side of the evidence comes to, in words.
 * @param {Rule} rule @param {import("./score.js").Best[]} side @param {string} one "sentence is on topic" @param {string} many
 * @param {(rule: Rule, b: import("./score.js").Best) => { credit: number }} of
 */
function tally(rule, side, one, many, of = sign) {
	if (side.length === 0) return `there are no ${many.split(" ")[0]}`;
	const sum = side.reduce((all, b) => all + of(rule, b).credit, 0);
	if (Number.isNaN(sum)) return "not known: it needs all similarities";
	if (!usesTau(rule.mode) && rule.comp && of !== sign) return `${sum.toFixed(1)} of ${side.length} by all sentences`;
	if (!usesTau(rule.mode)) return side.length === 1 ? "the best similarity" : `mean of ${side.length} best similarities`;
	return rule.mode === "hard" ? `${sum} of ${side.length} ${side.length === 1 ? one : many}` : `${sum.toFixed(1)} of ${side.length} by credit`;
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
	const at = frame(root, tools);
	const diff = diffView(at.change, {
		onpick: (k) => {
			const there = evidence.reach(k);
			at.filters.check(there.filter);
			at.tabs.show(there.side === "missed" ? "missed" : "review");
			evidence.focus(k);
		},
		onlight: light,
	});
	const evidence = evidenceView({ sentences: at.sentences, missed: at.missed }, {
		onlight: light,
		ongo: (k, take) => {
			const tabbed = at.tabs.seen();
			if (tabbed) at.tabs.show("change");
			diff.go(k, take || tabbed); // what had the focus is out of sight
		},
		anchored: (r) => diff.has(r),
	});
	const controls = ruleControls(at.form, { standards, onchange: (next) => {
		rule = next;
		update();
		onrule(rule);
		clearTimeout(quiet); // said when the slider rests
		quiet = setTimeout(() => say(`${spoken()}.`), 700);
	} });
	at.filters.onchange(filter);
	at.beside.addEventListener("toggle", compare);

	/** @param {number[] | null} refs */
	function light(refs) {
		diff.light(refs ?? []);
		evidence.light(refs ?? []);
	}

	/** @param {import("./evidence.js").Filter} id */
	function filter(id) {
		at.filters.check(id);
		if (id === "missed") at.tabs.show("missed");
		if (id === "off-topic") at.tabs.show("review");
		told(evidence.filter(id));
	}

	/** @param {Record<string, number> | null} counts */
	function told(counts) {
		if (!counts) return;
		const thresholds = usesTau(rule.mode);
		at.filters.count(counts, thresholds);
		if (!at.filters.valid()) return filter("all");
		at.missedTitle.textContent = thresholds ? `Missed by the review (${counts.missed} of ${one.refs.length})` : `References, the least covered first (${one.refs.length})`;
		at.tabs.missed.textContent = thresholds ? `Missed ${counts.missed}` : "References";
	}

	function spoken() {
		const n = numbersOf(one, rule);
		return n ? scores.map((name) => `${title(name)} ${digits(n[name])}`).join(", ") : "no score";
	}

	/** Shows a review. @param {number} i */
	function choose(i) {
		one = reviews[i];
		if (one.scored) rule = controls.answer(one.rule);
		else rule ??= one.rule; // the other reviews keep the rule that was chosen
		at.unscored.hidden = one.scored;
		at.unscored.textContent = one.scored ? "" : `No score: ${short(one.row.reason ?? "no reason is given")}`;
		at.board.hidden = !one.scored;
		const noted = one.scored && !one.known ? "The evidence of this review was not kept: its numbers stay as they are." : one.row.note ?? "";
		at.note.hidden = !noted;
		at.note.textContent = short(noted);
		const gone = one.row.explain?.dropped ?? [];
		at.dropped.hidden = gone.length === 0;
		at.dropped.children[0].textContent = `Claims that do not count (${gone.length})`;
		at.dropped.children[1].replaceChildren(...gone.map((d) => element("li", {}, short(`${d.text} (${d.reason}: ${d.detail})`))));
		at.sentencesTitle.textContent = (reviews.length > 1 ? `${nameOf(one)}: s` : "S") + `entences (${one.sentences.length})`;
		const places = JSON.stringify(one.refs.map((r) => [r.text, r.path, r.side, r.start_line, r.end_line]));
		if (places !== drawn) diff.show(answer.change ?? { files: [] }, one.refs);
		drawn = places;
		evidence.take(one);
		update();
	}

	/** Shows the scores by the rule, without a request. */
	function update() {
		const n = numbersOf(one, rule);
		for (const name of scores) {
			at.numbers[name].textContent = n ? digits(n[name]) : "–";
			/** @type {HTMLElement} */ (at.numbers[name].nextElementSibling).style.setProperty("--share", String((n && n[name]) || 0));
		}
		at.conMeans.textContent = tally(rule, one.best.sentences, "sentence is on topic", "sentences are on topic");
		at.compMeans.textContent = tally(rule, one.best.refs, "reference is covered", "references are covered", refSign) + (one.weights.some((w) => w !== one.weights[0]) ? ", by weight" : "");
		told(evidence.update(rule));
		diff.update((k) => (one.best.refs[k] ? refSign(rule, one.best.refs[k]) : { mark: "soft", name: "" }));
		if (reviews.length > 1) {
			at.list.replaceChildren(reviewsTable(reviews, one, rule, picked));
			compare();
		}
		signIt();
	}

	/** @param {number} i */
	function picked(i) {
		choose(i);
		onreview(one.row.review);
		say(`${nameOf(one)}: ${spoken()}.`);
		/** @type {HTMLElement | null} */ (at.list.querySelector("[aria-pressed=true]"))?.focus();
	}

	function compare() {
		if (answer && at.beside.open) at.beside.children[1].replaceChildren(...sideBySide(reviews, answer.refs?.length ? answer.refs : one.refs, rule));
	}

	/** Shows the signature of the scores that are shown. */
	function signIt() {
		const served = plain(one.row.signature || answer.signature || ""), same = !one.scored || controls.own();
		const around = one.row.signature_around, mine = same ? served : around && plain([around[0], ruleSignature(rule), around[1]].filter(Boolean).join(" "));
		at.signature.textContent = mine ?? served;
		at.copied.textContent = "";
		at.signatureMeans.textContent = same ? "It names everything that shapes these scores."
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
			at.warned.hidden = made.warnings.length === 0;
			at.warned.children[1].replaceChildren(...made.warnings.map((w) => element("li", {}, short(w))));
			at.list.hidden = at.beside.hidden = reviews.length < 2;
			const first = start.at !== undefined && start.at < reviews.length ? start.at : reviews.findIndex((r) => r.row.review === start.review);
			choose(first >= 0 ? first : Math.max(reviews.findIndex((r) => r.scored), 0));
			if (start.rule && one.scored) controls.choose(start.rule);
			return one.scored ? `Scored: ${spoken()}.` : at.unscored.textContent ?? "";
		},
		/** @returns {{ rule: Rule, at: number }} what is chosen */
		state: () => ({ rule, at: Math.max(reviews.indexOf(one), 0) }),
		/** @param {Rule} next */
		update: (next) => controls.choose(next),
	};
}

