// A result as one file that shows itself: the page without its form, with the answer inside.

/** @typedef {import("./types.js").Answer} Answer */

const place = "<!--answer-->";

/**
 * Saves a result as a file. The rule and the review are where it begins.
 * @param {Answer} answer
 * @param {{ rule: import("./score.js").Rule, at: number }} state
 */
export async function share(answer, state) {
	const shell = await fetch("share.html", { mode: "same-origin", credentials: "omit", redirect: "error" }).then((a) => {
		if (!a.ok) throw new Error(`The service answered ${a.status}.`);
		return a.text();
	});
	// Without "<" nothing in the data can end the element that holds it.
	const data = JSON.stringify({ answer, state }).replaceAll("<", "\\u003c");
	const file = new Blob([shell.replace(place, () => data)], { type: "text/html" });
	const link = document.createElement("a");
	link.href = URL.createObjectURL(file);
	link.download = "review.html";
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
