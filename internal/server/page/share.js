// A result as one file that shows itself: the page without its form, with the answer inside.

const place = '>"answer"<'; // in share.html

/**
 * What a file shows: an answer, with the rule and the review where it begins, or a decision.
 * @typedef {{ answer: import("./types.js").Answer, state: { rule: import("./score.js").Rule, at: number } } | { decision: import("./types.js").Decision }} Shared
 */

/**
 * Saves a result as a file.
 * @param {Shared} what
 */
export async function share(what) {
	const shell = await fetch("share.html", { mode: "same-origin", credentials: "omit", redirect: "error" }).then((a) => {
		if (!a.ok) throw new Error(`The service answered ${a.status}.`);
		return a.text();
	});
	// Without "<" nothing in the data can end the element that holds it.
	const data = JSON.stringify(what).replaceAll("<", "\\u003c");
	const file = new Blob([shell.replace(place, () => `>${data}<`)], { type: "text/html" });
	const link = document.createElement("a");
	link.href = URL.createObjectURL(file);
	link.download = "review.html";
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
