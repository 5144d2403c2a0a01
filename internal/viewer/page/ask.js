// Requests to the viewer.

import { plain } from "./text.js";

/** Asks the viewer. The error says what is wrong, for a person.
 * @param {string} path @param {AbortSignal} [signal] @returns {Promise<any>} */
export async function ask(path, signal) {
	/** @type {Response} */
	let answer;
	try {
		answer = await fetch(path, { signal, headers: { Accept: "application/json" } });
	} catch (error) {
		if (signal?.aborted) throw error;
		throw new Error("The viewer cannot be reached: it was ended, or its machine sleeps. Start crscore view again.");
	}
	const text = await answer.text();
	/** @type {any} */
	let value = null;
	try {
		value = JSON.parse(text);
	} catch {
		throw new Error(`The viewer answered ${answer.status} with something that is no JSON.`);
	}
	if (!answer.ok) throw new Error(plain(`${value?.title ?? "The viewer answered " + answer.status}: ${value?.detail ?? ""}`));
	return value;
}
