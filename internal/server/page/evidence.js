// Sentences and references side by side, with the links between them. Texts come from
// strangers: they are set as text, never as markup.

import { credit, matched } from "./score.js";

const few = 200; // items of a side that are shown before one asks for more
const long = 1000; // characters of a text that are shown
const little = 0.1; // a credit that deserves no better sign than a cross

const bidi = "\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069";
const unseen = new RegExp(`[\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029${bidi}]`, "g");

// A text with invisible characters, and characters that change the direction, spelled out.
export function plain(text) {
	return text.replace(/[\n\t\r]+/g, " ").replace(unseen, (c) => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

export function element(name, properties, ...children) {
	const e = Object.assign(document.createElement(name), properties);
	e.append(...children);
	return e;
}

// The part of a text that is shown, and the number of characters that are not.
function cut(text) {
	if (text.length <= long) return [text, 0];
	const shown = text.slice(0, long).replace(/[\ud800-\udbff]$/, "");
	return [shown, text.length - shown.length];
}

// A text of a line or two.
export function short(text) {
	const [shown, left] = cut(text);
	return plain(shown) + (left ? `… and ${left} more characters` : "");
}

// A text in parts: words, and code between backticks.
function words(text) {
	const [shown, left] = cut(text), out = element("bdi");
	plain(shown).split(/`([^`]+)`/).forEach((part, i) => part && out.append(i % 2 ? element("code", {}, part) : part));
	if (left) out.append(element("span", { className: "of" }, `and ${left} more characters`));
	return out;
}

const two = (v) => v.toFixed(2);

// The sign of a sentence or reference by a rule: matched, in part, or not.
export function sign(rule, b) {
	if (b.index < 0) return { mark: rule.mode === "soft" ? "soft" : "bad", sign: rule.mode === "soft" ? "·" : "✗", name: "without partner", credit: 0 };
	const c = credit(rule, b.similarity);
	if (rule.mode === "soft") return { mark: "soft", sign: "·", name: "", credit: c };
	if (matched(rule, b.similarity) || (rule.mode === "ramp" && c === 1)) return { mark: "good", sign: "✓", name: "matched", credit: c };
	if (rule.mode === "ramp" && c >= little) return { mark: "part", sign: "◐", name: "matched in part", credit: c };
	return { mark: "bad", sign: "✗", name: "not matched", credit: c };
}

// A similarity, with its credit if that is another number.
function worth(rule, s, c) {
	const differs = rule.mode === "calibrated" || (rule.mode === "ramp" && c >= little && c < 1);
	return two(s) + (differs ? `, credit ${two(c)}` : "");
}

// A view of the evidence in the page's elements.
export function evidence() {
	const $ = (id) => document.getElementById(id);
	const svg = $("links");
	const sides = [
		{ list: $("sentences"), rest: $("sentences-rest"), prefix: "sentence", other: "reference", words: { good: "matches", part: "partly matches", bad: "nearest to", soft: "nearest to" } },
		{ list: $("references"), rest: $("references-rest"), prefix: "reference", other: "sentence", words: { good: "matched by", part: "partly matched by", bad: "nearest to", soft: "nearest to" } },
	];
	let data, rule, lines = [], now = [], places = null, frame = 0;

	// An item of a side: what changes with the rule is noted down beside it.
	function item(side, i) {
		const one = data.sides[side].items[i];
		const view = { sign: element("span", { className: "sign" }), to: element("span", { className: "to" }), before: new Text(), after: new Text(), mark: "new" };
		const partner = data.best[side][i].index;
		if (partner >= 0) {
			const other = sides[side].other;
			view.to.append(view.before, element("a", { href: `#${other}-${partner + 1}` }, `${other} ${partner + 1}`), view.after);
		}
		view.sign.setAttribute("role", "img");
		view.li = element("li", { id: `${sides[side].prefix}-${i + 1}` }, view.sign, element("span", { className: "what" },
			element("span", { className: "n" }, `${i + 1}. `), words(one.text), one.of ? element("span", { className: "of" }, one.of) : "", view.to));
		view.li.dataset.side = side;
		view.li.dataset.index = i;
		return view;
	}

	// Shows the items of a side up to a number.
	function fill(side, until) {
		const { list, rest } = sides[side], all = data.sides[side];
		while (all.views.length < Math.min(until, all.items.length)) {
			const view = item(side, all.views.length);
			all.views.push(view);
			list.append(view.li);
		}
		const left = all.items.length - all.views.length;
		rest.hidden = left === 0;
		rest.replaceChildren();
		if (left > 0) {
			const more = element("button", { type: "button", className: "button" }, `Show ${Math.min(left, few)} more of ${left}`);
			more.addEventListener("click", () => {
				const first = all.views.length;
				places = null;
				fill(side, first + few);
				link();
				update(rule);
				all.views[first].li.querySelector("a")?.focus();
			});
			rest.append(more);
		}
	}

	// The lines to draw: from each item to its most similar partner, where both are shown.
	function link() {
		const pairs = new Map();
		data.best.forEach((side, s) => side.forEach((b, i) => {
			const [sentence, reference] = s === 0 ? [i, b.index] : [b.index, i];
			if (b.index >= 0 && sentence < data.sides[0].views.length && reference < data.sides[1].views.length) pairs.set(`${sentence} ${reference}`, { sentence, reference, similarity: b.similarity });
		}));
		lines = [...pairs.values()].map((l) => ({ ...l, path: document.createElementNS("http://www.w3.org/2000/svg", "path") }));
		now = [];
		svg.replaceChildren(...lines.map((l) => l.path));
	}

	function draw(list) {
		const { width, heights } = places;
		for (const { sentence, reference, path } of list) {
			const from = heights[0][sentence], to = heights[1][reference];
			path.setAttribute("d", `M0 ${from}C${width / 2} ${from} ${width / 2} ${to} ${width} ${to}`);
		}
	}

	// Measures where the items are and moves the lines there.
	function place() {
		frame = 0;
		places = null;
		if (!data || !svg.checkVisibility()) return;
		const box = svg.getBoundingClientRect();
		const heights = data.sides.map((side) => side.views.map((v) => {
			const r = v.li.getBoundingClientRect();
			return (r.top + r.bottom) / 2 - box.top;
		}));
		places = { width: box.width, heights };
		draw(lines);
		draw(now);
	}
	const later = () => { frame ||= requestAnimationFrame(place); };
	const watch = new ResizeObserver(later);
	sides.forEach((s) => watch.observe(s.list));
	watch.observe(svg);

	function light(li) {
		for (const e of document.querySelectorAll(".pair li.on")) e.classList.remove("on");
		now.forEach((l) => l.path.remove());
		now = [];
		svg.classList.toggle("busy", Boolean(li));
		if (!li) return;
		const side = Number(li.dataset.side), i = Number(li.dataset.index);
		li.classList.add("on");
		const partners = data.sides[1 - side].views;
		partners.forEach((view, k) => {
			const [sentence, reference] = side === 0 ? [i, k] : [k, i];
			const similarity = Math.min(Math.max(Math.fround(data.matrix[sentence][reference]), 0), 1);
			const nearest = data.best[side][i].index === k;
			const s = sign(rule, { index: k, similarity });
			if (!nearest && (s.mark === "bad" || s.mark === "soft")) return;
			view.li.classList.add("on");
			const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
			path.setAttribute("class", `now ${s.mark}`);
			now.push({ sentence, reference, path });
			svg.append(path);
		});
		if (places) draw(now);
	}
	// The pointer counts when it moves, not when the page moves below it, and goes before
	// what has the focus until that changes.
	const on = { pointer: null, focus: null };
	const attend = (what, li) => {
		if (on[what] === li) return;
		on[what] = li;
		if (what === "focus") on.pointer = null;
		light(on.pointer ?? on.focus);
	};
	for (const { list } of sides) {
		list.addEventListener("pointermove", (e) => attend("pointer", e.target.closest("li")));
		list.addEventListener("pointerleave", () => attend("pointer", null));
		list.addEventListener("focusin", (e) => attend("focus", e.target.closest("li")));
		list.addEventListener("focusout", () => attend("focus", null));
	}

	// Signs, words and lines under a rule; the texts stay.
	function update(next) {
		rule = next;
		data.sides.forEach((side, s) => side.views.forEach((view, i) => {
			const b = data.best[s][i], x = sign(rule, b), after = ` (${worth(rule, b.similarity, x.credit)})`;
			if (view.mark !== x.mark) { // what stays as it is costs no layout
				view.li.classList.remove(view.mark);
				view.li.classList.add(x.mark);
				view.mark = x.mark;
				view.sign.textContent = x.sign;
				view.sign.ariaLabel = x.name;
				view.sign.ariaHidden = x.name ? null : "true";
				view.before.data = sides[s].words[x.mark] + " ";
			}
			if (view.after.data !== after) view.after.data = after;
		}));
		for (const l of lines) {
			const x = sign(rule, { index: 0, similarity: l.similarity });
			l.path.setAttribute("class", x.mark);
			l.path.setAttribute("display", x.mark === "bad" ? "none" : "inline");
			l.path.setAttribute("stroke-width", (1 + 1.4 * x.credit).toFixed(2));
		}
	}

	return {
		// The sides are { items: [{ text, of }] }, the best partners lists by side.
		show(next, first) {
			on.pointer = on.focus = places = null;
			data = { ...next, sides: next.sides.map((items) => ({ items, views: [] })) };
			sides.forEach((s, i) => { s.list.replaceChildren(); fill(i, few); });
			link();
			update(first);
			later();
		},
		update,
	};
}
