// A review's sentences, each with the references that it matches, and the references that no
// sentence covers.

import { cover, credit, matched, usesTau } from "./score.js";
import { count, digits, element, plain, short, words } from "./text.js";

/** @typedef {import("./types.js").Judged} Judged */
/** @typedef {import("./types.js").Ref} Ref */
/** @typedef {import("./score.js").Rule} Rule */
/** @typedef {import("./score.js").Best} Best */
/** @typedef {{ mark: string, sign: string, name: string, credit: number }} Sign */

const few = 100; // items of a list before the visitor asks for more
const group = 3; // references below a sentence, before the visitor asks for more
const little = 0.1; // a credit that deserves no better sign than a cross
const covered = 0.5; // the credit from which a reference is not missed, as for crscore gate

/**
 * The sign of a sentence by a rule, or of it and a reference: matched, in part, or not.
 * @param {Rule} rule
 * @param {Best} b
 * @param {number} c its credit
 * @returns {Sign}
 */
export function sign(rule, b, c = credit(rule, b.similarity)) {
	if (b.index < 0) return { mark: rule.mode === "soft" ? "soft" : "bad", sign: rule.mode === "soft" ? "·" : "✗", name: "without partner", credit: 0 };
	if (Number.isNaN(c)) return { mark: "soft", sign: "·", name: "not known", credit: c };
	if (rule.mode === "soft") return { mark: "soft", sign: "·", name: "", credit: c };
	if (matched(rule, b.similarity) || (rule.mode === "ramp" && c === 1)) return { mark: "good", sign: "✓", name: "matched", credit: c };
	if (rule.mode === "ramp" && c >= little) return { mark: "part", sign: "◐", name: "matched in part", credit: c };
	return { mark: "bad", sign: "✗", name: "not matched", credit: c };
}

/** The sign of a reference. @param {Rule} rule @param {Best} b */
export const refSign = (rule, b) => sign(rule, b, cover(rule, b));

/**
 * A similarity, with its credit if that is another number.
 * @param {Rule} rule @param {number} s @param {number} c
 */
function worth(rule, s, c) {
	const differs = rule.mode === "calibrated" || (rule.mode === "ramp" && c >= little && c < 1) || (rule.mode === "soft" && c > s);
	return digits(s) + (differs ? `, credit ${digits(c)}` : "");
}

/**
 * The place of a reference, for the eye.
 * @param {import("./types.js").Place} r
 */
export function placeOf(r) {
	const lines = r.start_line ? `${r.start_line}${(r.end_line ?? 0) > r.start_line ? `–${r.end_line}` : ""}` : "";
	const place = r.path ? r.path + (lines && ":" + lines) : lines && `line ${lines}`;
	return plain(place) + (r.side === "old" && place ? " (old)" : "");
}

/**
 * The number of a reference (from 0; below 0 for none), its text, and what it is.
 * @param {Ref} r @param {number} k
 * @param {boolean} anchored whether the page has its lines
 */
export function refText(r, k, anchored) {
	const place = placeOf(r), facts = element("span", { className: "of" });
	if (r.kind !== "claim") facts.append(element("b", {}, plain(r.kind)), place ? " · " : "");
	if (place) facts.append(anchored ? element("button", { type: "button", className: "place", tabIndex: -1, "data-go": k }, place) : place);
	const source = [r.source + (r.rule ? ` ${r.rule}` : ""), r.weight !== undefined && r.weight !== 1 ? `weighs ${r.weight}` : ""].filter(Boolean).join(" · ");
	return element("span", { className: "what" }, element("span", { className: "n" }, k >= 0 ? `${k + 1}. ` : ""), words(r.text), element("span", { className: "meta" }, facts,
		element("details", { className: "source" }, element("summary", { tabIndex: -1, ariaLabel: k >= 0 ? `Source of reference ${k + 1}` : "Source" }, "source"), short(source))));
}

/** @param {Sign} s */
export function signMark(s) {
	const e = element("span", { className: "sign" }, s.sign);
	if (s.name) {
		e.setAttribute("role", "img");
		e.ariaLabel = s.name;
	} else e.ariaHidden = "true";
	return e;
}

/**
 * What of the evidence is shown.
 * @typedef {"all" | "missed" | "off-topic" | "smells"} Filter
 */

/**
 * A view of the evidence in two elements. onlight is called with the references and sentences
 * that belong to what is under the pointer or has the focus; ongo for a reference that the
 * visitor wants to see in the change.
 * @param {{ sentences: HTMLElement, missed: HTMLElement }} roots
 * @param {{ onlight: (refs: number[] | null) => void, ongo: (ref: number, take: boolean) => void, anchored: (ref: Ref) => boolean }} options
 */
export function evidenceView(roots, { onlight, ongo, anchored }) {
	/** @type {Judged} */ let data;
	/** @type {Rule} */ let rule;
	/** @type {Filter} */ let filter = "all";
	const sides = /** @type {const} */ (["sentences", "missed"]);
	let shown = { sentences: few, missed: few };
	/** @type {Set<number>} */ let whole = new Set(); // sentences of which all references are shown

	/** @param {number} i @param {number} k @returns {number} NaN where it is not known */
	const similarity = (i, k) => {
		if (data.matrix) return Math.min(Math.max(Math.fround(data.matrix[i][k]), 0), 1);
		const s = data.best.sentences[i], r = data.best.refs[k];
		return s.index === k ? s.similarity : r.index === i ? r.similarity : NaN;
	};

	/**
	 * The references of a sentence: those that it matches, or its nearest.
	 * @param {number} i
	 */
	function partners(i) {
		const all = data.refs.map((_, k) => ({ index: k, similarity: similarity(i, k) })).filter((b) => b.similarity >= 0).sort((a, b) => b.similarity - a.similarity || a.index - b.index);
		const good = usesTau(rule.mode) ? all.filter((b) => ["good", "part"].includes(sign(rule, b).mark)) : [];
		return good.length ? good : all.slice(0, 1);
	}

	/** References that are not covered, the heaviest first; all where there is no threshold. */
	function missed() {
		const at = data.refs.map((r, k) => ({ k, weight: r.weight ?? 1, credit: refSign(rule, data.best.refs[k]).credit }));
		return at.filter((r) => r.weight > 0 && (!usesTau(rule.mode) || r.credit < covered)).sort((a, b) => b.weight - a.weight || a.credit - b.credit || a.k - b.k);
	}

	/** @param {Best} b @param {boolean} near */
	function refItem(b, near) {
		const s = sign(rule, b), worthy = worth(rule, b.similarity, s.credit);
		return element("li", { className: `ref ${s.mark}`, tabIndex: -1, "data-ref": b.index }, signMark(s), refText(data.refs[b.index], b.index, anchored(data.refs[b.index])),
			element("span", { className: "to" }, near ? `nearest (${worthy})` : `(${worthy})`));
	}

	/** @param {number} i */
	function sentenceItem(i) {
		const one = data.sentences[i], s = sign(rule, data.best.sentences[i]), found = partners(i).filter((b) => filter !== "smells" || isSmell(b.index));
		const near = s.mark === "bad" || s.mark === "soft";
		const list = element("ol", { className: "refs", role: "list", ariaLabel: `References of sentence ${i + 1}` }, ...found.slice(0, whole.has(i) ? found.length : group).map((b) => refItem(b, near)));
		const left = found.length - list.childElementCount;
		const more = left > 0 ? [element("button", { type: "button", className: "button plain", tabIndex: -1, "data-whole": i }, count(left, "more reference"))] : [];
		return element("li", { id: `sentence-${i + 1}`, className: `sentence ${s.mark}`, tabIndex: -1, "data-sentence": i }, element("div", { className: "line" }, signMark(s), element("span", { className: "what" },
			element("span", { className: "n" }, `${i + 1}. `), words(one.text, data.code?.[i]), one.points_back ? element("span", { className: "of" }, "refers to the sentence before") : "", one.why ? element("span", { className: "of" }, one.why) : "")), ...(list.childElementCount ? [list] : []), ...more);
	}

	/** @param {number} k */
	function missedItem(k) {
		const b = data.best.refs[k], s = refSign(rule, b);
		const near = b.index >= 0 ? `nearest to sentence ${b.index + 1} (${worth(rule, b.similarity, s.credit)})` : "the review has no sentences";
		return element("li", { id: `reference-${k + 1}`, className: `ref ${s.mark}`, tabIndex: -1, "data-ref": k }, signMark(s), refText(data.refs[k], k, anchored(data.refs[k])), element("span", { className: "to" }, near));
	}

	const isSmell = (/** @type {number} */ k) => data.refs[k].kind === "smell";
	const offTopic = (/** @type {number} */ i) => sign(rule, data.best.sentences[i]).mark === "bad";

	/**
	 * Fills a list with its items, and a button for more.
	 * @param {"sentences" | "missed"} side @param {number[]} of @param {(at: number) => HTMLElement} make
	 */
	function fill(side, of, make) {
		const list = element("ol", { role: "list", className: side, id: `${side}-list`, "aria-labelledby": `${side}-title` }, ...of.slice(0, shown[side]).map(make));
		const left = of.length - list.childElementCount;
		/** @type {HTMLElement[]} */ const parts = [list];
		if (of.length === 0) parts.push(element("p", { className: "hint" }, "None."));
		if (left > 0) parts.push(element("p", { className: "rest" }, element("button", { type: "button", className: "button", "data-more": side }, `Show ${Math.min(left, few)} more of ${left}`)));
		roots[side].replaceChildren(...parts);
		rove(roots[side]);
	}

	/** One stop for the Tab key in a list; arrow keys go on. @param {HTMLElement} root */
	function rove(root) {
		const item = root.querySelector(stops);
		if (item instanceof HTMLElement) item.tabIndex = 0;
	}

	function draw() {
		const opened = [...roots.sentences.querySelectorAll("details[open]"), ...roots.missed.querySelectorAll("details[open]")].map((e) => /** @type {HTMLElement} */ (e.closest("li"))?.dataset.ref);
		const missing = missed();
		const counts = { missed: missing.length, "off-topic": data.sentences.filter((_, i) => offTopic(i)).length, smells: data.refs.filter((_, k) => isSmell(k)).length };
		let sentences = data.sentences.map((_, i) => i), refs = missing.map((r) => r.k);
		if (filter === "off-topic") sentences = sentences.filter(offTopic);
		if (filter === "smells") {
			sentences = sentences.filter((i) => !offTopic(i) && partners(i).some((b) => isSmell(b.index)));
			refs = refs.filter(isSmell);
		}
		fill("sentences", sentences, sentenceItem);
		fill("missed", refs, missedItem);
		for (const k of opened) for (const e of [...roots.sentences.querySelectorAll(`li[data-ref="${k}"] details`), ...roots.missed.querySelectorAll(`li[data-ref="${k}"] details`)]) /** @type {HTMLDetailsElement} */ (e).open = true;
		light(lit);
		return counts;
	}

	const lightOf = (/** @type {EventTarget | null} */ target) => {
		const li = /** @type {Element} */ (target)?.closest?.("li[data-ref], li[data-sentence]");
		if (!(li instanceof HTMLElement)) return null;
		if (li.dataset.ref) return [Number(li.dataset.ref)];
		return partners(Number(li.dataset.sentence)).map((b) => b.index);
	};
	// The pointer counts when it moves, not when the page moves below it, and goes before what
	// has the focus until that changes.
	/** @type {{ pointer: Element | null, focus: Element | null }} */
	const on = { pointer: null, focus: null };
	const attend = (/** @type {"pointer" | "focus"} */ what, /** @type {Element | null} */ li) => {
		if (on[what] === li) return;
		on[what] = li;
		if (what === "focus") on.pointer = null;
		onlight(lightOf(on.pointer ?? on.focus));
	};
	const stops = "li[tabindex], button[data-whole]";
	const itemOf = (/** @type {EventTarget | null} */ e) => /** @type {Element} */ (e)?.closest?.("li[data-ref], li[data-sentence]") ?? null;

	for (const side of sides) {
		const root = roots[side];
		root.addEventListener("pointermove", (e) => attend("pointer", itemOf(e.target)));
		root.addEventListener("pointerleave", () => attend("pointer", null));
		root.addEventListener("focusin", (e) => attend("focus", itemOf(e.target)));
		root.addEventListener("focusout", () => attend("focus", null));
		root.addEventListener("click", (e) => {
			const target = /** @type {Element} */ (e.target), button = target.closest("button, summary");
			if (button instanceof HTMLElement && button.dataset.go) return ongo(Number(button.dataset.go), e.detail === 0); // by a key
			if (button instanceof HTMLElement && button.dataset.whole) {
				whole.add(Number(button.dataset.whole));
				draw();
				const li = document.getElementById(`sentence-${Number(button.dataset.whole) + 1}`);
				return li && focus(li, root);
			}
			if (button instanceof HTMLElement && button.dataset.more) {
				const at = shown[side];
				shown[side] += few;
				draw();
				const li = root.querySelectorAll(":scope > ol > li")[at];
				return li instanceof HTMLElement && focus(li, root);
			}
			if (button || getSelection()?.toString()) return;
			const refs = lightOf(target);
			if (refs?.length) ongo(refs[0], false);
		});
		root.addEventListener("keydown", (e) => keys(e, root));
	}

	/** @param {KeyboardEvent} e @param {HTMLElement} root */
	function keys(e, root) {
		const li = e.target;
		if (!(li instanceof HTMLElement) || !li.matches(stops) || e.ctrlKey || e.metaKey || e.altKey) return;
		const all = /** @type {HTMLElement[]} */ ([...root.querySelectorAll(stops)]), at = all.indexOf(li);
		const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[e.key];
		if (to !== undefined) {
			e.preventDefault();
			focus(all[Math.min(Math.max(to, 0), all.length - 1)], root);
		} else if (li instanceof HTMLButtonElement) {
			return; // it has its own keys
		} else if (e.key === "Enter" || e.key === "ArrowRight") {
			const refs = lightOf(li);
			if (refs?.length) ongo(refs[0], true);
			e.preventDefault();
		} else if (e.key === " ") {
			const details = li.querySelector(":scope > .what details");
			if (details instanceof HTMLDetailsElement) {
				details.open = !details.open;
				e.preventDefault();
			}
		}
	}

	/** @param {HTMLElement} item @param {HTMLElement} root */
	function focus(item, root) {
		for (const e of root.querySelectorAll("[tabindex='0']")) /** @type {HTMLElement} */ (e).tabIndex = -1;
		item.tabIndex = 0;
		item.focus();
	}

	/** @type {number[]} */ let lit = [];
	/** @param {number[]} refs */
	function light(refs) {
		lit = refs;
		for (const side of sides) {
			for (const li of roots[side].querySelectorAll("li.on")) li.classList.remove("on");
			for (const k of refs) {
				for (const li of roots[side].querySelectorAll(`li[data-ref="${k}"]`)) {
					li.classList.add("on");
					li.parentElement?.closest("li.sentence")?.classList.add("on");
				}
			}
		}
	}

	/** @param {number} k @returns {{ side: "sentences" | "missed", li: HTMLElement } | null} the first item of a reference */
	function itemAt(k) {
		for (const side of sides) {
			const li = roots[side].querySelector(`li[data-ref="${k}"]`);
			if (li instanceof HTMLElement) return { side, li };
		}
		return null;
	}

	return {
		/**
		 * Takes the evidence of another review, which update then shows.
		 * @param {Judged} next
		 */
		take(next) {
			lit = [];
			on.pointer = on.focus = null;
			data = next;
			shown = { sentences: few, missed: few };
			whole = new Set();
		},
		/** Shows the evidence by a rule. @param {Rule} by */
		update(by) {
			rule = by;
			return draw();
		},
		/** @param {Filter} next */
		filter(next) {
			filter = next;
			return data ? draw() : null;
		},
		light,
		/**
		 * Makes sure that a reference has an item, if need be without a filter, and returns the
		 * list that has it.
		 * @param {number} k
		 */
		reach(k) {
			const there = itemAt(k);
			if (there) return { side: there.side, filter };
			filter = "all";
			const at = missed().findIndex((r) => r.k === k), i = data.best.refs[k]?.index ?? -1;
			if (at >= 0) shown.missed = Math.max(shown.missed, at + 1);
			else if (i >= 0) {
				whole.add(i);
				shown.sentences = Math.max(shown.sentences, i + 1);
			}
			draw();
			return { side: itemAt(k)?.side, filter };
		},
		/**
		 * Gives the focus to the first item of a reference.
		 * @param {number} k
		 */
		focus(k) {
			const there = itemAt(k);
			if (there) focus(there.li, roots[there.side]);
		},
	};
}
