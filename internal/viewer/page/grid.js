// A table of which only the rows in sight are in the document. Rows come in pages, when they
// are needed.

const rowHeight = 30; // as in view.css
const pageRows = 100;
const keptPages = 30;
const overscan = 6; // rows beyond the edges
const maxHeight = 8_000_000; // pixels: browsers have limits

/** @typedef {{key: string, title: string, width: string, sort: string | null, head?: (cell: HTMLElement) => void}} Column */
/** @typedef {{cells: ((cell: HTMLElement) => void)[], label: string, id: string}} Row */
/** @typedef {{fetch: (from: number, count: number, signal: AbortSignal) => Promise<Row[]>, onopen: (id: string, column: string) => void, onsort: (sort: string) => void, onfail: (error: unknown) => void}} Options */

/** Makes a grid of an element, which scrolls.
 * @param {HTMLElement} root
 * @param {Options} options */
export function grid(root, options) {
	root.setAttribute("role", "grid");
	const head = element("div", "grid-head"), body = element("div", "grid-body");
	head.setAttribute("role", "rowgroup");
	body.setAttribute("role", "rowgroup");
	root.replaceChildren(head, body);
	/** @type {Column[]} */
	let columns = [];
	/** @type {Map<number, Row[] | null>} */
	let pages = new Map();
	let total = 0, abort = new AbortController(), sorted = "", down = false;
	let active = { row: 1, column: 0 }; // row 0 is the head
	/** @type {Map<number, HTMLElement>} */
	const drawn = new Map();

	/** @param {string} tag @param {string} name */
	function element(tag, name) {
		const e = document.createElement(tag);
		e.className = name;
		return e;
	}

	const height = () => Math.min(total * rowHeight, maxHeight);
	const room = () => Math.max(root.clientHeight - head.offsetHeight, rowHeight);
	// A very long table scrolls in larger steps than its pixels.
	const top = () => {
		const way = height() - room(), whole = total * rowHeight - room();
		return way <= 0 ? 0 : root.scrollTop * (whole / way);
	};
	const toScroll = (/** @type {number} */ y) => {
		const way = height() - room(), whole = total * rowHeight - room();
		return whole <= 0 ? 0 : y * (way / whole);
	};

	/** The row at an index, undefined before it is there. @param {number} index */
	const rowAt = (index) => pages.get(Math.floor(index / pageRows))?.[index % pageRows];

	/** @param {number} page */
	async function load(page) {
		if (pages.has(page)) return;
		pages.set(page, null);
		const { signal } = abort, here = pages;
		try {
			const rows = await options.fetch(page * pageRows, pageRows, signal);
			if (here !== pages) return;
			pages.set(page, rows);
			for (const old of pages.keys()) {
				if (pages.size <= keptPages) break;
				if (old !== page) pages.delete(old);
			}
			draw(true);
		} catch (error) {
			if (here !== pages || signal.aborted) return;
			pages.delete(page);
			options.onfail(error);
		}
	}

	/** @param {boolean} [again] */
	function draw(again = false) {
		const first = Math.max(Math.floor(top() / rowHeight) - overscan, 0);
		const last = Math.min(Math.ceil((top() + room()) / rowHeight) + overscan, total);
		for (const [index, row] of drawn) {
			if (index < first || index >= last) {
				row.remove();
				drawn.delete(index);
			}
		}
		const shift = root.scrollTop - top();
		/** @type {HTMLElement | null} */
		let before = null;
		for (let index = first; index < last; index++) {
			let row = drawn.get(index);
			const data = rowAt(index);
			if (data === undefined) load(Math.floor(index / pageRows));
			if (row === undefined || (again && row.dataset.id === undefined && data !== undefined)) {
				const made = make(index, data);
				if (row !== undefined) row.replaceWith(made);
				else if (before !== null) before.after(made);
				else body.prepend(made);
				drawn.set(index, made);
				row = made;
			}
			row.style.transform = `translateY(${index * rowHeight + shift}px)`;
			before = row;
		}
		mark();
	}

	/** @param {number} index @param {Row | undefined} data */
	function make(index, data) {
		const row = element("div", "grid-row");
		row.setAttribute("role", "row");
		row.setAttribute("aria-rowindex", String(index + 2));
		row.dataset.index = String(index);
		if (data !== undefined) row.dataset.id = data.id;
		columns.forEach((column, k) => {
			const cell = element("div", "cell");
			cell.setAttribute("role", k === 0 ? "rowheader" : "gridcell");
			cell.setAttribute("aria-colindex", String(k + 1));
			cell.id = `cell-${index + 1}-${k}`;
			if (column.key === "id") cell.classList.add("id");
			if (data === undefined) cell.textContent = "…";
			else data.cells[k](cell);
			row.append(cell);
		});
		return row;
	}

	/** Shows which cell is active. */
	function mark() {
		for (const cell of root.querySelectorAll(".cell.active")) cell.classList.remove("active");
		const cell = document.getElementById(`cell-${active.row}-${active.column}`);
		if (cell === null) root.removeAttribute("aria-activedescendant");
		else {
			cell.classList.add("active");
			root.setAttribute("aria-activedescendant", cell.id);
		}
	}

	/** Goes to a cell, and scrolls to it. @param {number} row @param {number} column */
	function go(row, column) {
		active = { row: Math.min(Math.max(row, 0), total), column: Math.min(Math.max(column, 0), columns.length - 1) };
		if (active.row > 0) {
			const y = (active.row - 1) * rowHeight, seen = room();
			if (y < top()) root.scrollTop = toScroll(y);
			else if (y + rowHeight > top() + seen) root.scrollTop = Math.ceil(toScroll(y + rowHeight - seen));
		}
		draw();
		const cell = document.getElementById(`cell-${active.row}-${active.column}`);
		const first = /** @type {HTMLElement | null} */ (head.querySelector(".cell.id"));
		if (cell !== null && first !== null && active.column > 0) { // the first column covers others
			const left = cell.offsetLeft - first.offsetWidth, right = cell.offsetLeft + cell.offsetWidth;
			if (left < root.scrollLeft) root.scrollLeft = left;
			else if (right > root.scrollLeft + root.clientWidth) root.scrollLeft = right - root.clientWidth;
		}
	}

	function act() {
		if (active.row === 0) {
			const { sort } = columns[active.column];
			if (sort !== null) options.onsort(sort);
			return;
		}
		const row = rowAt(active.row - 1);
		if (row !== undefined) options.onopen(row.id, columns[active.column].key);
	}

	root.addEventListener("scroll", () => draw(), { passive: true });
	new ResizeObserver(() => draw()).observe(root);
	root.addEventListener("keydown", (event) => {
		if (event.ctrlKey && !["Home", "End"].includes(event.key) || event.altKey || event.metaKey) return;
		const page = Math.max(Math.floor(room() / rowHeight) - 1, 1), { row, column } = active;
		/** @type {Record<string, () => void>} */
		const keys = {
			ArrowDown: () => go(row + 1, column), ArrowUp: () => go(row - 1, column), ArrowLeft: () => go(row, column - 1), ArrowRight: () => go(row, column + 1),
			PageDown: () => go(row + page, column), PageUp: () => go(Math.max(row - page, Math.min(row, 1)), column),
			Home: () => (event.ctrlKey ? go(1, 0) : go(row, 0)), End: () => (event.ctrlKey ? go(total, columns.length - 1) : go(row, columns.length - 1)),
			Enter: act, " ": act,
		};
		const key = keys[event.key];
		if (key === undefined) return;
		event.preventDefault();
		key();
	});
	root.addEventListener("click", (event) => {
		const cell = event.target instanceof Element ? event.target.closest(".cell") : null;
		const at = cell?.id.match(/^cell-(\d+)-(\d+)$/);
		if (!at) return;
		active = { row: Number(at[1]), column: Number(at[2]) };
		mark();
		act();
	});

	function drawHead() {
		const row = element("div", "grid-row");
		row.setAttribute("role", "row");
		row.setAttribute("aria-rowindex", "1");
		columns.forEach((column, k) => {
			const cell = element("div", "cell");
			cell.setAttribute("role", "columnheader");
			cell.setAttribute("aria-colindex", String(k + 1));
			cell.id = `cell-0-${k}`;
			if (column.key === "id") cell.classList.add("id");
			const name = element("span", "name");
			const here = column.sort !== null && column.sort === sorted;
			name.textContent = column.title + (here ? (down ? " ▾" : " ▴") : "");
			name.title = column.title;
			if (column.sort !== null) cell.setAttribute("aria-sort", here ? (down ? "descending" : "ascending") : "none");
			cell.append(name);
			column.head?.(cell);
			row.append(cell);
		});
		head.replaceChildren(row);
		mark();
	}

	return {
		/** Sets the columns, and the order that they show.
		 * @param {Column[]} list @param {string} sort @param {boolean} isDown */
		columns(list, sort, isDown) {
			columns = list;
			sorted = sort;
			down = isDown;
			root.style.setProperty("--columns", list.map((c) => c.width).join(" "));
			root.setAttribute("aria-colcount", String(list.length));
			active.column = Math.min(active.column, list.length - 1);
			drawHead();
		},
		/** Draws the heads again. */
		heads: drawHead,
		/** Shows other rows: so many, and the first of them. Without keep from the top.
		 * @param {number} count @param {Row[]} first @param {number} from @param {boolean} keep */
		rows(count, first, from, keep) {
			abort.abort();
			abort = new AbortController();
			pages = new Map([[Math.floor(from / pageRows), first]]);
			total = count;
			for (const row of drawn.values()) row.remove();
			drawn.clear();
			root.setAttribute("aria-rowcount", String(count + 1));
			body.style.height = height() + "px";
			if (!keep) {
				root.scrollTop = 0;
				active.row = Math.min(active.row, 1);
			}
			active.row = Math.min(active.row, total);
			draw();
		},
		/** The first row of the page that is in sight. */
		from: () => Math.floor(Math.floor(top() / rowHeight) / pageRows) * pageRows,
		/** The id of a row, which is fetched if needed. @param {number} index */
		async id(index) {
			if (index < 0 || index >= total) return null;
			if (rowAt(index) === undefined) {
				const page = Math.floor(index / pageRows);
				pages.delete(page);
				await load(page);
			}
			return rowAt(index)?.id ?? null;
		},
		/** Makes a row the active one. @param {number} index */
		go: (index) => go(index + 1, active.column),
		total: () => total,
	};
}
