// The elements of a result, with its tabs (for small screens) and filters.

import { scores, title } from "./judged.js";
import { element } from "./text.js";

/** @typedef {import("./evidence.js").Filter} Filter */

/**
 * Makes the elements of a result in an element, with tools beside the signature.
 * @param {HTMLElement} root
 * @param {HTMLElement[]} tools
 */
export function frame(root, tools) {
	const part = (/** @type {string} */ id, /** @type {string} */ name, /** @type {any} */ properties = {}, /** @type {(Node | string)[]} */ ...children) =>
		/** @type {HTMLElement} */ (element(/** @type {any} */ (name), { id, ...properties }, ...children));
	const region = (/** @type {string} */ ariaLabel) => ({ tabIndex: 0, role: "region", ariaLabel }); // it scrolls, and keys must reach it
	const numbers = Object.fromEntries(scores.map((name) => [name, part(name, "span")]));
	const conMeans = part("con-means", "span"), compMeans = part("comp-means", "span");
	const means = { con: ["Conciseness: ", conMeans], comp: ["Comprehensiveness: ", compMeans], rel: ["Relevance: harmonic mean of both"] };
	const form = part("rule", "form", { ariaLabel: "Scoring rule", noValidate: true });
	const board = part("board", "div", { className: "board" }, element("dl", { className: "numbers" }, ...scores.map((name) => element("div", { className: "number" }, element("dt", {}, title(name)),
		element("dd", {}, numbers[name], element("span", { className: "bar", "aria-hidden": "true" }), element("span", { className: "means" }, ...means[name]))))), form);
	const unscored = part("unscored", "p", { className: "note", hidden: true }), note = part("note", "p", { className: "note", hidden: true });
	const warned = part("warnings", "div", { className: "note", hidden: true }, element("h3", {}, "Warnings"), element("ul"));
	const list = part("reviews-list", "div", { className: "scroll", hidden: true, ...region("Reviews of this change") });
	const sentencesTitle = part("sentences-title", "h3"), missedTitle = part("missed-title", "h3");
	const change = part("pane-change", "div", { className: "pane", tabIndex: 0, "aria-labelledby": "tab-change" }), sentences = part("sentences", "div"), missed = part("missed", "div");
	const panels = [change, part("pane-review", "section", { "aria-labelledby": "tab-review" }, sentencesTitle, sentences), part("pane-missed", "section", { "aria-labelledby": "tab-missed" }, missedTitle, missed)];
	const pair = part("pair", "div", { className: "panes" }, change, element("div", { className: "pane evidence", ...region("Evidence") }, element("div", { className: "found" }, ...panels.slice(1))));
	const beside = /** @type {HTMLDetailsElement} */ (part("beside", "details", { className: "more beside", hidden: true }, element("summary", {}, "All reviews side by side"), element("div", { className: "scroll", ...region("All reviews side by side") })));
	const dropped = part("dropped", "details", { className: "more", hidden: true }, element("summary"), element("ul"));
	const signature = part("signature", "code"), copied = part("copied", "span", { className: "hint", role: "status" }), signatureMeans = part("signature-means", "p", { className: "hint" });
	const copy = part("copy", "button", { type: "button", className: "button" }, "Copy the signature");
	const signed = part("signed", "div", { className: "signed", tabIndex: -1 }, element("h3", {}, "Signature"), element("p", {}, signature), element("p", { className: "row" }, copy, ...tools, copied), signatureMeans);
	const tabs = tabsOf(root, panels), filters = filtersOf(root);
	root.replaceChildren(unscored, list, board, warned, note, element("a", { className: "skip", href: "#signed" }, "Skip the change and the evidence"),
		element("div", { className: "row bar-of-filters" }, tabs.bar, filters.bar), pair, beside, dropped, signed);
	// The board stays in sight; what scrolls below it has the rest of the height.
	new ResizeObserver(() => {
		tabs.roles();
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
	return { numbers, conMeans, compMeans, form, board, unscored, note, warned, list, sentencesTitle, missedTitle, change, sentences, missed, beside, dropped, signature, copied, signatureMeans, tabs, filters };
}

/**
 * Tabs for the panels of a result, which small screens show one at a time.
 * @param {HTMLElement} root @param {HTMLElement[]} panels
 */
function tabsOf(root, panels) {
	const names = { change: "Change", review: "Review", missed: "Missed" };
	const bar = element("div", { className: "tabs", role: "tablist", ariaLabel: "What is shown" }, ...Object.entries(names).map(([id, name]) =>
		element("button", { type: "button", id: `tab-${id}`, role: "tab", "aria-controls": `pane-${id}`, "data-tab": id }, name)));
	const all = /** @type {HTMLElement[]} */ ([...bar.children]);
	/** @param {string} name */
	function show(name) {
		root.dataset.tab = name;
		for (const b of all) {
			b.ariaSelected = String(b.dataset.tab === name);
			b.tabIndex = b.dataset.tab === name ? 0 : -1;
		}
	}
	bar.addEventListener("click", (e) => {
		const name = /** @type {HTMLElement} */ (e.target).dataset.tab;
		if (name) show(name);
	});
	bar.addEventListener("keydown", (e) => {
		const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
		if (!step) return;
		const to = all[(all.findIndex((b) => b.tabIndex === 0) + step + all.length) % all.length];
		show(to.dataset.tab ?? "");
		to.focus();
	});
	show("review");
	return {
		bar, show, missed: all[2],
		/** Whether there are tabs to see. */
		seen: () => bar.checkVisibility(),
		/** Without tabs to see there are no panels of tabs. */
		roles() {
			for (const p of panels) p.setAttribute("role", bar.checkVisibility() ? "tabpanel" : "region");
		},
	};
}

/**
 * The filters of a result, with a number each.
 * @param {HTMLElement} root
 */
function filtersOf(root) {
	const names = { all: "All", missed: "Missed", "off-topic": "Off topic", smells: "Smells" };
	const bar = element("fieldset", { className: "modes filters" }, element("legend", { className: "unseen" }, "Show"));
	/** @type {{ radio: HTMLInputElement, tally: HTMLElement }[]} */ const all = [];
	for (const [id, name] of Object.entries(names)) {
		const radio = element("input", { type: "radio", name: "filter", value: id }), tally = element("span", { className: "tally" });
		bar.append(element("label", {}, radio, name, tally));
		all.push({ radio, tally });
	}
	/** @param {string} id */
	function check(id) {
		root.dataset.filter = id;
		for (const { radio } of all) radio.checked = radio.value === id;
	}
	check("all");
	return {
		bar, check,
		/** Shows how many items each filter has. Without thresholds nothing is missed or off topic. @param {Record<string, number>} counts @param {boolean} thresholds */
		count(counts, thresholds) {
			for (const { radio, tally } of all) {
				const has = radio.value === "smells" || thresholds;
				radio.disabled = radio.value !== "all" && !has;
				tally.textContent = has && radio.value in counts ? ` ${counts[radio.value]}` : "";
			}
		},
		/** Whether the chosen filter can be used. */
		valid: () => !all.some(({ radio }) => radio.checked && radio.disabled),
		/** @param {(id: Filter) => void} use */
		onchange(use) {
			for (const { radio } of all) radio.addEventListener("change", () => use(/** @type {Filter} */ (radio.value)));
		},
	};
}
