// A function that looks at the page that is open and returns its faults, but for those that
// axe-core knows. A page that is alone may have no script and refer to nothing.
async (/** @type {boolean} */ open, /** @type {boolean} */ alone) => {
	/** @type {string[]} */
	const faults = [];
	const bad = (/** @type {string} */ what, /** @type {Element | null} */ e = null) => {
		faults.push(what + (e ? ": " + (e.textContent || e.outerHTML).trim().replace(/\s+/g, " ").slice(0, 80) : ""));
	};
	/** @type {(selector: string, root?: ParentNode | null) => Element[]} */
	const all = (selector, root) => [...(root ?? document).querySelectorAll(selector)];
	document.querySelectorAll("details").forEach((d) => (d.open = open));
	// What the browser does not draw before it is in sight would be missing in pictures.
	/** @type {NodeListOf<HTMLElement>} */
	const elements = document.querySelectorAll("body *");
	elements.forEach((e) => getComputedStyle(e).contentVisibility === "auto" && (e.style.contentVisibility = "visible"));
	for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame); // for scripts that draw when sizes change
	const shown = (/** @type {Element} */ e) => e.checkVisibility() && e.getClientRects().length > 0;

	// Width.
	const page = document.documentElement;
	if (page.scrollWidth > page.clientWidth) bad(`the page is ${page.scrollWidth} wide, the screen ${page.clientWidth}`);
	for (const e of all("body *")) {
		if (!shown(e) || e.closest(".scroll table, [role=grid] *, svg *")) continue;
		const r = e.getBoundingClientRect();
		if (r.left < -0.5 || r.right > page.clientWidth + 0.5) bad(`<${e.localName}> leaves the screen`, e);
	}
	if (!document.querySelector('meta[name="viewport"][content*="width=device-width"]')) bad("no viewport for phones");

	// Words of controls.
	for (const e of all("button, label, legend, summary, [role=tab]").filter(shown)) {
		for (const text of [...e.childNodes].filter((n) => n instanceof Text)) {
			const range = document.createRange();
			range.selectNodeContents(text);
			const lines = new Set([...range.getClientRects()].map((r) => r.top)).size, words = text.data.trim().split(/\s+/).length;
			if (text.data.length < 40 && lines > words) bad(`${words} words on ${lines} lines`, e);
		}
	}

	// Texts in drawings.
	let drawings = 0;
	/** @type {NodeListOf<SVGSVGElement>} */
	const images = document.querySelectorAll("svg[role=img]");
	for (const svg of images) {
		if (!svg.querySelector(":scope > title")?.textContent.trim()) bad("a drawing without title");
		if (!svg.querySelector(":scope > desc")?.textContent.trim()) bad("a drawing without description");
		if (!shown(svg)) continue;
		drawings++;
		const frame = svg.getBoundingClientRect();
		const scale = svg.getScreenCTM()?.a ?? 0;
		const texts = all("text", svg).map((e) => ({ e, r: e.getBoundingClientRect() }));
		for (const { e, r } of texts) {
			if (r.left < frame.left - 1 || r.right > frame.right + 1 || r.top < frame.top - 2 || r.bottom > frame.bottom + 2) bad("text leaves its drawing", e);
			if (parseFloat(getComputedStyle(e).fontSize) * scale < 10) bad("text below 10 pixels", e);
		}
		texts.forEach(({ e: a, r }, i) =>
			texts.slice(i + 1).forEach(({ e: b, r: s }) => {
				// A glyph is smaller than its box.
				const x = Math.min(r.right, s.right) - Math.max(r.left, s.left), y = Math.min(r.bottom, s.bottom) - Math.max(r.top, s.top);
				if (x > 1 && y > 0.25 * Math.min(r.height, s.height)) bad(`text covers "${b.textContent}"`, a);
			}));
		for (const p of all("path", svg)) {
			const r = p.getBoundingClientRect();
			if (r.left < frame.left - 6 || r.right > frame.right + 6 || r.top < frame.top - 6 || r.bottom > frame.bottom + 6) bad(`a path (${p.getAttribute("class")}) leaves its drawing`, svg.querySelector("title"));
		}
	}
	const expected = new Set(all("figure").filter((f) => f.querySelector("svg[role=img]"))).size;
	if (drawings !== expected) bad(`${drawings} drawings are shown of ${expected}`);
	if (/NaN|Infinity|undefined/.test(all("svg *").map((e) => e.getAttribute("d") || "").join())) bad("a path that is not made of numbers");

	// Lines between the items of two lists.
	for (const svg of all("svg.links").filter(shown)) {
		const middles = all("ol", svg.parentElement).map((ol) => [...ol.children].map((li) => { const r = li.getBoundingClientRect(); return (r.top + r.bottom) / 2; }));
		for (const p of svg.querySelectorAll("path")) {
			[0, p.getTotalLength()].forEach((at, side) => {
				const y = p.getPointAtLength(at).matrixTransform(p.getScreenCTM() ?? undefined).y;
				if (!middles[side].some((m) => Math.abs(m - y) < 2)) bad(`a link ends at ${y}, the items are at ${middles[side]}`);
			});
		}
	}

	// Contrast of text with what is behind it.
	const canvas = /** @type {OffscreenCanvasRenderingContext2D} */ (new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true }));
	const rgba = (/** @type {string} */ color) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); return canvas.getImageData(0, 0, 1, 1).data; };
	const light = (/** @type {string} */ color) => {
		const [r, g, b] = [...rgba(color)].map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const behind = (/** @type {Element | null} */ e) => {
		for (; e; e = e.parentElement) {
			const c = getComputedStyle(e).backgroundColor;
			if (rgba(c)[3] === 255) return c;
		}
		return "white";
	};
	const seen = new Map();
	for (const e of all("body *")) {
		if (!shown(e) || ![...e.childNodes].some((n) => n instanceof Text && n.data.trim()) || e.closest("title, desc")) continue;
		const style = getComputedStyle(e), color = e.localName === "text" ? style.fill : style.color, back = behind(e);
		const key = color + back;
		if (!seen.has(key)) {
			const [a, b] = [light(color), light(back)].sort((x, y) => y - x);
			seen.set(key, (a + 0.05) / (b + 0.05));
		}
		if (seen.get(key) < 4.5) bad(`contrast ${seen.get(key).toFixed(2)} of ${color} on ${back}`, e);
	}

	// Structure.
	if (alone && (document.scripts.length || all("*").some((e) => [...e.attributes].some((a) => a.name.startsWith("on"))))) bad("the page has scripts");
	if (alone && all("[src], [href]:not([href^='#']), link, iframe, object, embed").length) bad("the page refers to something outside");
	const ids = all("[id]").map((e) => e.id);
	if (new Set(ids).size !== ids.length) bad("ids are not unique");
	return faults;
}
