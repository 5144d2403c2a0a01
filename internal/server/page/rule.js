// The controls of the scoring rule: its mode, and a slider for each of its numbers.

import { canNoisyOr, modes, number, usesTau } from "./score.js";
import { element } from "./text.js";

/** @typedef {import("./score.js").Rule} Rule */

/** @type {Record<string, string>} */
const meaning = {
	hard: "A sentence or reference is matched if its best similarity is greater than τ.",
	soft: "Con and Comp are means of the best similarities. There is no threshold.",
	ramp: "A sentence or reference is matched from τ on, not matched up to the lower threshold, and matched in part between the two.",
	calibrated: "A similarity becomes a probability of a match: one half at τ, rising with the slope. Con and Comp are means of the best probabilities.",
};

/** @type {[name: "tau" | "low" | "slope", label: string, min: number, max: number, step: number][]} */
const sliders = [["tau", "Threshold τ", 0, 1, 0.01], ["low", "Lower threshold", 0, 1, 0.01], ["slope", "Slope", 0.5, 50, 0.5]];

/** @type {(a: Rule, b: Rule) => boolean} */
const same = (a, b) => a.mode === b.mode && a.tau === b.tau && a.low === b.low && a.slope === b.slope && a.comp === b.comp;

/**
 * Makes the controls in a form. onchange gets each rule that is chosen. standards are the
 * service's rules, where the sliders start in another mode.
 * prefix goes before the ids of the controls, where a page has them twice.
 * @param {HTMLElement} form
 * @param {{ standards: Rule[], onchange: (rule: Rule) => void, prefix?: string }} options
 */
export function ruleControls(form, { standards, onchange, prefix = "" }) {
	/** @type {Rule | null} */ let own = null; // the rule of the answer
	/** @type {Rule | null} */ let rule = null;
	/** @type {Record<string, Rule>} */ let chosen = {}; // the rules that were moved, by mode
	const means = element("p", { className: "hint means", id: prefix + "rule-means" });
	const reset = element("button", { type: "button", className: "button plain", id: prefix + "reset", hidden: true }, "Back to the original rule");
	const radios = modes.map((mode) => element("input", { type: "radio", name: prefix + "mode", value: mode, onchange: () => to(mode) }));
	const rows = sliders.map(([name, label, min, max, step]) => {
		const slider = element("input", { type: "range", id: prefix + name, min, max, step, oninput: () => set(name, slider.valueAsNumber), onblur: rest, onpointerup: rest });
		const field = element("input", { type: "number", id: `${prefix}${name}-exact`, ariaLabel: `${label}, exactly`, min: 0, step: "any", oninput: typed, onblur: () => { rest(); if (has(name) !== undefined) write(name); } });
		if (name !== "slope") field.max = "1";
		function typed() {
			const v = field.valueAsNumber, good = name === "slope" ? v > 0 && v <= Number.MAX_VALUE : v >= 0 && v <= 1;
			field.ariaInvalid = good ? null : "true";
			if (good) set(name, v + 0);
		}
		return { name, slider, field, row: element("div", { className: "slide", "data-of": name }, element("label", { htmlFor: prefix + name }, label), slider, field) };
	});
	const every = element("input", { type: "checkbox", id: prefix + "noisy-or", onchange: () => {
		if (rule) choose({ ...rule, comp: every.checked ? "noisy-or" : undefined });
	} });
	const everyRow = element("label", { className: "every" }, every, "Comp by all sentences (noisy-or)");
	form.append(
		element("fieldset", { className: "modes" }, element("legend", { className: "unseen" }, "Mode"), ...radios.map((r) => element("label", {}, r, r.value))),
		element("div", { className: "slides" }, ...rows.map((r) => r.row), everyRow), means, reset);
	form.addEventListener("submit", (e) => e.preventDefault());
	reset.addEventListener("click", () => {
		chosen = {};
		if (own) choose({ ...own }, false);
		radios.find((r) => r.checked)?.focus();
	});

	/** @param {string} name @returns {number | undefined} */
	const has = (name) => /** @type {any} */ (rule)?.[name];
	/** @param {string} mode */
	const standard = (mode) => (own?.mode === mode ? own : standards.find((r) => r.mode === mode));

	/** @param {Rule} next */
	function choose(next, keep = true) {
		rule = next;
		if (keep) chosen[rule.mode] = rule;
		draw();
		onchange(rule);
	}
	/** @param {string} mode */
	function to(mode) {
		const start = chosen[mode] ?? standard(mode), tau = rule?.tau ?? 0.5;
		choose(start ? { ...start } : { mode, ...(usesTau(mode) && { tau }), ...(mode === "ramp" && { low: 0 }), ...(mode === "calibrated" && { slope: 10 }) });
	}
	/** @type {Rule | null} */ let before = null; // the rule when a number began to move
	/** @param {"tau" | "low" | "slope"} name @param {number} v */
	function set(name, v) {
		before ??= rule;
		if (!before) return;
		const next = { ...before, [name]: v };
		if (next.mode === "ramp" && (next.low ?? 0) > (next.tau ?? 0)) next[name === "tau" ? "low" : "tau"] = v; // one moves the other, until it comes back
		choose(next);
	}
	function rest() {
		before = null;
	}
	/** @param {string} name */
	function write(name) {
		const field = rows.find((r) => r.name === name)?.field;
		if (!field) return;
		field.value = String(has(name));
		field.ariaInvalid = null;
	}
	function draw() {
		for (const radio of radios) radio.checked = radio.value === rule?.mode;
		for (const { name, slider, field, row } of rows) {
			const v = has(name);
			row.hidden = v === undefined;
			if (v === undefined) continue;
			slider.value = String(v);
			slider.ariaValueText = number(v);
			if (document.activeElement !== field) write(name);
		}
		everyRow.hidden = !rule || !canNoisyOr(rule.mode);
		every.checked = rule?.comp === "noisy-or";
		reset.hidden = !own || !rule || same(rule, own);
		means.textContent = !rule ? "" : meaning[rule.mode] + (rule.comp ? " For Comp, the credits of all sentences add up like independent probabilities." : "") + (standard(rule.mode) ? "" : " There are no measured thresholds for this mode: the sliders start at any value.");
	}

	return {
		/**
		 * Shows the rule of an answer. A rule that was chosen before stays.
		 * @param {Rule} answered
		 * @returns {Rule} the rule to show the answer by
		 */
		answer(answered) {
			own = answered;
			if (!rule || !chosen[rule.mode]) rule = { ...(rule ? standard(rule.mode) ?? own : own) };
			draw();
			return rule;
		},
		/**
		 * Shows a rule that somebody else keeps, null for none, beside the original one.
		 * @param {Rule | null} next @param {Rule | null} original
		 */
		show(next, original) {
			rule = next;
			own = original;
			draw();
		},
		/**
		 * Sets the rule, as if it was chosen.
		 * @param {Rule} next
		 */
		choose,
		/** Whether the rule is the answer's. */
		own: () => rule !== null && own !== null && same(rule, own),
	};
}
