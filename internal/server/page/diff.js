// The change as a diff, with marks of references and boxes of comments at their lines.

import { count, element, plain, short, visible } from "./text.js";

/** @typedef {import("./types.js").Change} Change */
/** @typedef {import("./types.js").Place} Place */

const first = 400; // lines of a file that are shown before the visitor asks for more
const most = 3; // marks in a line, before they are only counted
const names = { added: "added", deleted: "deleted", renamed: "renamed", copied: "copied", modified: "" };

/**
 * A view of a change in an element. onpick is called for a mark that is clicked, onlight for
 * marks under the pointer or with the focus (null: none).
 * @param {HTMLElement} root
 * @param {{ onpick: (ref: number) => void, onlight: (refs: number[] | null) => void }} options
 */
export function diffView(root, { onpick, onlight }) {
	/** @type {FileView[]} */ let files = [];
	/** @type {Place[]} */ let places = [];
	/** @type {Map<number, HTMLElement[]>} */ let marks = new Map(); // of references
	/** @type {Element[]} */ let lit = [];

	/**
	 * The row of a line, which is made if it is not there yet; null if the diff has no such line.
	 * @param {Place} place
	 * @param {number} n
	 */
	function rowAt(place, n) {
		for (const f of files) {
			if (f.path !== (place.path ?? "")) continue;
			const at = f.at(place.side ?? "new", n);
			if (at !== undefined) return f.row(at);
		}
		return null;
	}

	/**
	 * The rows of a place that are shown; without lines the head of its file.
	 * @param {Place} place
	 */
	function rowsOf(place) {
		const rows = [];
		const from = place.start_line ?? 0, to = Math.min(Math.max(place.end_line ?? 0, from), from + 2000);
		for (let n = from; n > 0 && n <= to; n++) {
			for (const f of files) {
				if (f.path !== (place.path ?? "")) continue;
				const at = f.at(place.side ?? "new", n);
				const row = at === undefined ? undefined : f.rows[at];
				if (row) rows.push(row);
			}
		}
		if (rows.length === 0) {
			const f = files.find((one) => one.path === (place.path ?? "") && place.path);
			if (f) rows.push(f.head);
		}
		return rows;
	}

	/** @param {number[]} refs */
	function light(refs) {
		for (const e of lit) e.classList.remove("on");
		lit = refs.flatMap((k) => [...(places[k] ? rowsOf(places[k]) : []), ...(marks.get(k) ?? [])]);
		for (const e of lit) e.classList.add("on");
	}

	/**
	 * Puts the mark of a reference beside its first line.
	 * @param {number} k
	 */
	function mark(k) {
		const place = places[k], row = place.start_line ? rowAt(place, place.start_line) : null;
		const cell = row?.querySelector(".marks") ?? files.find((f) => f.path === place.path)?.head.querySelector(".marks");
		if (!cell) return;
		const button = element("button", { type: "button", className: "mark", tabIndex: -1, "data-ref": k, title: short(place.text ?? "") }, String(k + 1));
		button.ariaLabel = `Reference ${k + 1}`;
		cell.append(button);
		const more = cell.children.length - most;
		if (more > 0) /** @type {HTMLElement} */ (cell).dataset.more = `+${more}`;
		marks.set(k, [...(marks.get(k) ?? []), button]);
	}

	const refsOf = (/** @type {EventTarget | null} */ target) => {
		const e = /** @type {Element} */ (target), button = e.closest?.(".mark");
		if (button instanceof HTMLElement) return [Number(button.dataset.ref)];
		const row = e.closest?.("tr");
		if (!row) return null;
		const at = places.flatMap((p, k) => (p.start_line && rowsOf(p).includes(row) ? [k] : []));
		return at.length ? at : null;
	};
	/** @type {Element | null} */ let over = null;
	root.addEventListener("pointermove", (e) => {
		const on = /** @type {Element} */ (e.target).closest?.(".mark, tr");
		if (on === over) return;
		over = on;
		onlight(on ? refsOf(on) : null);
	});
	root.addEventListener("pointerleave", () => { over = null; onlight(null); });
	root.addEventListener("focusin", (e) => onlight(refsOf(e.target)));
	root.addEventListener("focusout", () => onlight(null));
	root.addEventListener("click", (e) => {
		const button = /** @type {Element} */ (e.target).closest?.(".mark");
		if (button instanceof HTMLElement) onpick(Number(button.dataset.ref));
	});
	root.addEventListener("keydown", (e) => {
		const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[e.key];
		if (!step || !(/** @type {Element} */ (e.target).classList.contains("mark"))) return;
		const all = /** @type {HTMLElement[]} */ ([...root.querySelectorAll(".mark")]);
		const next = all[all.indexOf(/** @type {HTMLElement} */ (e.target)) + step];
		if (!next) return;
		e.preventDefault();
		focus(next);
	});

	/** @param {HTMLElement} button */
	function focus(button) {
		for (const b of root.querySelectorAll(".mark[tabindex='0']")) /** @type {HTMLElement} */ (b).tabIndex = -1;
		button.tabIndex = 0;
		button.focus({ preventScroll: true });
		reveal(button);
	}

	/** @param {Element} e */
	function reveal(e) {
		const box = root.getBoundingClientRect(), r = e.getBoundingClientRect();
		if (root.scrollHeight > root.clientHeight) { // it scrolls by itself
			if (r.top < box.top + 40 || r.bottom > box.bottom - 40) root.scrollTop += r.top - box.top - box.height / 3;
		} else e.scrollIntoView({ block: "center" });
	}

	return {
		/**
		 * Shows a change with the places of references, and boxes at the places of comments.
		 * @param {Change} change
		 * @param {Place[]} refs
		 * @param {{ place: Place, box: HTMLElement }[]} [comments]
		 */
		show(change, refs, comments = []) {
			places = refs;
			marks = new Map();
			lit = [];
			files = change.files.map((f) => new FileView(f));
			root.replaceChildren(...files.map((f) => f.section));
			if (change.left) root.append(element("p", { className: "hint" }, `${count(change.left, "more line")} of this change cannot be shown here. The score counts them.`));
			if (files.length === 0) root.append(element("p", { className: "hint" }, "The change has no files."));
			refs.forEach((_, k) => mark(k));
			const start = root.querySelector(".mark");
			if (start instanceof HTMLElement) start.tabIndex = 0;
			for (const { place, box } of comments) {
				const row = place.end_line ? rowAt(place, place.end_line) ?? rowAt(place, place.start_line ?? 0) : null;
				const f = files.find((one) => one.path === place.path);
				if (row) row.after(element("tr", { className: "said" }, element("td", { colspan: "4" }, box)));
				else if (f) f.head.after(box);
				else root.prepend(box);
			}
		},
		/**
		 * Shows how each reference is matched.
		 * @param {(k: number) => { mark: string, name: string }} sign
		 */
		update(sign) {
			for (const [k, buttons] of marks) {
				const { mark, name } = sign(k);
				for (const b of buttons) {
					b.classList.remove("good", "part", "bad", "soft");
					b.classList.add(mark);
					b.ariaLabel = `Reference ${k + 1}${name && ", " + name}`;
				}
			}
		},
		light,
		/**
		 * Scrolls to a reference.
		 * @param {number} k
		 * @param {boolean} take whether its mark takes the focus
		 */
		go(k, take) {
			const button = marks.get(k)?.[0], row = rowsOf(places[k] ?? {})[0];
			if (button && take) focus(button);
			else if (button ?? row) reveal(button ?? row);
			return Boolean(button ?? row);
		},
		/** @param {Place} place */
		has: (place) => rowsOf(place).length > 0,
	};
}

/** A file of the change. Its rows are made when they are needed. */
class FileView {
	/** @param {import("./types.js").ChangedFile} file */
	constructor(file) {
		this.path = file.path;
		/** @type {(HTMLTableRowElement | undefined)[]} */
		this.rows = [];
		/** @type {{ line?: import("./types.js").Line, section?: string }[]} */
		this.lines = file.hunks.flatMap((h, i) => [...(i > 0 || h.section ? [{ section: h.section ?? "" }] : []), ...h.lines.map((line) => ({ line }))]);
		this.places = { old: new Map(), new: new Map() };
		this.lines.forEach(({ line }, at) => {
			if (line?.old) this.places.old.set(line.old, at);
			if (line?.new) this.places.new.set(line.new, at);
		});
		this.body = element("tbody");
		const facts = [names[file.status], file.old_path && `from ${plain(file.old_path)}`, file.binary && "binary"].filter(Boolean).join(" ");
		this.head = element("h3", { className: "name" }, element("span", {}, plain(file.path) || "the file"), element("span", { className: "of" }, facts),
			element("span", { className: "lines" }, element("ins", {}, `+${file.added}`), " ", element("del", {}, `−${file.deleted}`)), element("span", { className: "marks" }));
		this.more = element("p", { className: "rest" });
		const table = element("table", { className: "diff", ariaLabel: `Changed lines of ${plain(file.path) || "the file"}` },
			element("colgroup", {}, ...["no", "no", "marks", "code"].map((name) => element("col", { className: `col-${name}` }))), this.body);
		this.section = element("section", { className: "filed" }, this.head, ...(this.lines.length ? [table] : []), this.more);
		this.until(first);
	}

	/** @param {string} side @param {number} n @returns {number | undefined} */
	at(side, n) {
		return this.places[side === "old" ? "old" : "new"].get(n);
	}

	/** @param {number} at */
	row(at) {
		if (!this.rows[at]) this.until(at + 20);
		return /** @type {HTMLTableRowElement} */ (this.rows[at]);
	}

	/**
	 * Shows the lines up to a number.
	 * @param {number} end
	 */
	until(end) {
		const from = this.rows.length;
		for (let i = from; i < Math.min(end, this.lines.length); i++) this.rows.push(row(this.lines[i]));
		this.body.append(.../** @type {HTMLTableRowElement[]} */ (this.rows.slice(from)));
		const left = this.lines.length - this.rows.length;
		this.more.hidden = left === 0;
		if (left === 0) return;
		const n = Math.min(left, 5 * first);
		this.more.replaceChildren(element("button", { type: "button", className: "button", onclick: () => this.until(this.rows.length + n) }, `Show ${count(n, "more line")} of ${left}`));
	}
}

/**
 * @param {{ line?: import("./types.js").Line, section?: string }} of
 * @returns {HTMLTableRowElement}
 */
function row({ line, section }) {
	if (!line) return element("tr", { className: "section" }, element("td", { colspan: "4" }, "⋯ " + plain(section ?? "")));
	const kind = { "+": "add", "-": "delete", " ": "same" }[line.op] ?? "same";
	const code = element("td", { className: "code", "data-op": line.op });
	if (line.op !== " ") code.append(element("span", { className: "unseen" }, line.op === "+" ? "added: " : "deleted: "));
	for (const p of line.parts) {
		const text = visible(p.text);
		code.append(p.kind || p.changed ? element("span", { className: `${p.kind ? "k-" + p.kind : ""}${p.changed ? " word" : ""}` }, text) : text);
	}
	if (line.left) code.append(element("span", { className: "of" }, `… and ${count(line.left, "more byte")}`));
	if (line.no_eol) code.append(element("span", { className: "of", title: "There is no newline at the end of the file." }, " ⏎̸"));
	const no = (/** @type {number | undefined} */ n) => element("td", { className: "no", "data-n": n ? String(n) : "" });
	return element("tr", { className: kind }, no(line.old), no(line.new), element("td", { className: "marks" }), code);
}
