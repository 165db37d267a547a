// Returns what is wrong with a page: overflow, overlaps, and what keeps people from reading it.
(() => {
  const wrong = [];
  const name = (e) => e.tagName.toLowerCase() + (e.className ? "." + e.className : "") + " " + (e.textContent || "").trim().slice(0, 30);
  const shown = (e) => { const r = e.getBoundingClientRect(); return r.width > 0 && r.height > 0 && r.right > 0; };
  if (document.documentElement.scrollWidth > innerWidth) wrong.push(`overflows: ${document.documentElement.scrollWidth} of ${innerWidth} px`);
  for (const e of document.body.querySelectorAll("*")) {
    const r = e.getBoundingClientRect();
    if (shown(e) && r.right > innerWidth + 1 && !e.closest(".scroll")) wrong.push("sticks out: " + name(e));
    const boxes = [...e.children].filter((c) => shown(c) && !["inline", "contents"].includes(getComputedStyle(c).display) && getComputedStyle(c).position !== "absolute");
    for (let i = 1; i < boxes.length; i++) {
      const a = boxes[i - 1].getBoundingClientRect(), b = boxes[i].getBoundingClientRect();
      const x = Math.min(a.right, b.right) - Math.max(a.left, b.left), y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (x > 1 && y > 1) wrong.push(`overlap: ${name(boxes[i - 1])} and ${name(boxes[i])}`);
    }
  }
  if (!document.documentElement.lang || !document.title) wrong.push("no language or title");
  for (const mark of ["main", "nav[aria-label]", "header", "h1"]) if (document.querySelectorAll(mark).length !== 1) wrong.push(`not one ${mark}`);
  let level = 0;
  for (const h of document.querySelectorAll("h1,h2,h3,h4")) {
    if (+h.tagName[1] > level + 1) wrong.push("a level of headings is left out before: " + name(h));
    level = +h.tagName[1];
  }
  for (const e of document.querySelectorAll("input:not([type=hidden]),select,meter")) if (!(e.labels && e.labels.length) && !e.ariaLabel) wrong.push("no label: " + name(e));
  for (const e of document.querySelectorAll("a,button,caption,th")) if (!e.textContent.trim()) wrong.push("no text: " + name(e));
  for (const e of document.querySelectorAll("th")) if (!e.scope) wrong.push("no scope: " + name(e));
  for (const e of document.querySelectorAll("table")) if (!e.caption && !e.closest("[aria-label]")) wrong.push("a table without a name");
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  if (new Set(ids).size !== ids.length) wrong.push("an id twice");
  const rgb = (text) => text.match(/[\d.]+/g).map(Number);
  const light = (c) => { const [r, g, b] = c.map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
  for (const e of document.body.querySelectorAll("*")) {
    if (!shown(e) || e.tagName === "METER" || e.tagName === "OPTION" || ![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
    const a = light(rgb(getComputedStyle(e).color).slice(0, 3)), b = light(ground(e).slice(0, 3));
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) wrong.push(`contrast ${contrast.toFixed(1)}: ${name(e)}`);
  }
  return wrong;
})()
