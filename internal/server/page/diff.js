// The change as a diff, with marks of references and boxes of comments at their lines.

import { count, element, plain, short, visible } from "./text.js";

/** @typedef {import("./types.js").Change} Change */
/** @typedef {import("./types.js").Place} Place */

const first = 400; // lines of a file that are shown before the visitor asks for more
const most = 2; // marks in a line, before the visitor asks for more
const room = 2_000; // lines of all files that are shown at first
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
	/** @type {(k: number) => { mark: string, name: string }} */ let signs = () => ({ mark: "soft", name: "" });

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
	 * Puts the mark of a reference in a cell.
	 * @param {number} k @param {Element} cell
	 */
	function put(k, cell) {
		const button = element("button", { type: "button", className: "mark", tabIndex: -1, "data-ref": k, title: short(places[k].text ?? "") }, String(k + 1));
		const { mark, name } = signs(k);
		sign(button, k, mark, name);
		cell.querySelector(".more-marks")?.remove();
		cell.append(button);
		const more = cell.children.length - most;
		if (more > 0) cell.append(element("button", { type: "button", className: "more-marks", tabIndex: -1, ariaLabel: `${more} more marks`, onclick: () => cell.classList.add("open") }, `+${more}`));
		marks.set(k, [...(marks.get(k) ?? []), button]);
	}

	/** @param {HTMLElement} button @param {number} k @param {string} mark @param {string} name */
	function sign(button, k, mark, name) {
		button.classList.remove("good", "part", "bad", "soft");
		button.classList.add(mark);
		button.ariaLabel = `Reference ${k + 1}${name && ", " + name}`;
	}

	/** The first line of a reference gets its mark, when the line is shown; else the head of its file. @param {number} k */
	function mark(k) {
		const place = places[k], of = files.filter((f) => f.path === (place.path ?? ""));
		const f = of.find((one) => place.start_line && one.at(place.side ?? "new", place.start_line) !== undefined);
		const at = f?.at(place.side ?? "new", place.start_line ?? 0);
		if (f && at !== undefined) f.whenShown(at, (row) => put(k, /** @type {Element} */ (row.querySelector(".marks"))));
		else if (of[0] && place.path) put(k, /** @type {Element} */ (of[0].head.querySelector(".marks")));
	}

	const refsOf = (/** @type {EventTarget | null} */ target) => {
		const e = /** @type {Element} */ (target), button = e.closest?.(".mark");
		if (button instanceof HTMLElement) return [Number(button.dataset.ref)];
		const line = lineOf.get(/** @type {HTMLTableRowElement} */ (e.closest?.("tr")));
		if (!line) return null;
		const at = places.flatMap((p, k) => {
			const n = p.side === "old" ? line.old : line.new;
			return (p.path ?? "") === line.path && p.start_line && n >= p.start_line && n <= Math.max(p.end_line ?? 0, p.start_line) ? [k] : [];
		});
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
		button.closest(".marks")?.classList.add("open"); // what is hidden takes no focus
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
			let left = room;
			files = change.files.map((f) => {
				const view = new FileView(f, Math.min(first, Math.max(left, 0)));
				left -= view.rows.length;
				return view;
			});
			signs = () => ({ mark: "soft", name: "" });
			root.replaceChildren(...files.map((f) => f.section));
			if (change.left) root.append(element("p", { className: "hint" }, `${count(change.left, "more line")} of this change cannot be shown here. The score counts them.`));
			if (files.length === 0) root.append(element("p", { className: "hint" }, "The change has no files."));
			refs.forEach((_, k) => mark(k));
			const start = root.querySelector(".mark");
			if (start instanceof HTMLElement) start.tabIndex = 0;
			for (const { place, box } of comments.toReversed()) { // the first of a line comes first
				const row = place.end_line ? rowAt(place, place.end_line) ?? rowAt(place, place.start_line ?? 0) : null;
				const f = files.find((one) => one.path === place.path);
				if (row) row.after(element("tr", { className: "said" }, element("td", { colspan: "4" }, box)));
				else if (f) f.head.after(box);
				else root.prepend(box);
			}
		},
		/**
		 * Shows how each reference is matched.
		 * @param {(k: number) => { mark: string, name: string }} of
		 */
		update(of) {
			signs = of;
			for (const [k, buttons] of marks) {
				const { mark, name } = of(k);
				for (const b of buttons) sign(b, k, mark, name);
			}
		},
		light,
		/**
		 * Scrolls to a reference.
		 * @param {number} k
		 * @param {boolean} take whether its mark takes the focus
		 */
		go(k, take) {
			if (places[k]?.start_line) rowAt(places[k], places[k].start_line ?? 0); // it may not be shown yet
			const button = marks.get(k)?.[0], row = rowsOf(places[k] ?? {})[0];
			if (button && take) focus(button);
			else if (button ?? row) reveal(button ?? row);
			return Boolean(button ?? row);
		},
		/** @param {Place} place */
		has: (place) => rowsOf(place).length > 0,
	};
}

/** The file and the numbers of a row. @type {WeakMap<HTMLTableRowElement, { path: string, old: number, new: number }>} */
const lineOf = new WeakMap();

/** A file of the change. Its rows are made when they are needed. */
class FileView {
	/** @param {import("./types.js").ChangedFile} file @param {number} rows that are shown at first */
	constructor(file, rows) {
		this.path = file.path;
		/** @type {HTMLTableRowElement[]} */
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
		/** @type {Map<number, ((row: HTMLTableRowElement) => void)[]>} */
		this.waiting = new Map();
		this.until(rows);
	}

	/** @param {string} side @param {number} n @returns {number | undefined} */
	at(side, n) {
		return this.places[side === "old" ? "old" : "new"].get(n);
	}

	/** Does something with a row as soon as it is shown. @param {number} at @param {(row: HTMLTableRowElement) => void} use */
	whenShown(at, use) {
		if (this.rows[at]) use(this.rows[at]);
		else this.waiting.set(at, [...(this.waiting.get(at) ?? []), use]);
	}

	/** @param {number} at */
	row(at) {
		if (!this.rows[at]) this.until(at + 20);
		return this.rows[at];
	}

	/**
	 * Shows the lines up to a number.
	 * @param {number} end
	 */
	until(end) {
		const from = this.rows.length;
		for (let i = from; i < Math.min(end, this.lines.length); i++) {
			const made = row(this.lines[i]), { line } = this.lines[i];
			if (line) lineOf.set(made, { path: this.path, old: line.old ?? 0, new: line.new ?? 0 });
			this.rows.push(made);
			for (const use of this.waiting.get(i) ?? []) use(made);
			this.waiting.delete(i);
		}
		this.body.append(...this.rows.slice(from));
		const left = this.lines.length - this.rows.length;
		this.more.hidden = left === 0;
		if (left === 0) return;
		const n = Math.min(left, 2 * room);
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
	const [indent] = /^[ \t]*/.exec(line.parts.map((p) => p.text).join("").slice(0, 80)) ?? [""];
	code.style.setProperty("--indent", `${Math.min(indent.replaceAll("\t", "    ").length, 24) + 2}ch`); // where wrapped lines go on
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
