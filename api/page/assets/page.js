// Asks for the page again while it is looked at. Without this file nothing is lost but that.
"use strict";
const pauseMs = 30000;
async function refresh() {
  const main = document.querySelector("main[data-live]");
  if (!main || document.hidden || main.contains(document.activeElement)) return;
  const lost = document.getElementById("lost");
  try {
    const answer = await fetch(location.href, { credentials: "same-origin" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const next = page.querySelector("main[data-live]");
    if (!answer.ok || !next) throw new Error("no page");
    main.replaceChildren(...next.childNodes);
    document.getElementById("made").replaceChildren(...page.getElementById("made").childNodes);
    lost.textContent = "";
  } catch {
    lost.textContent = "No newer page could be had since then.";
  }
}
setInterval(refresh, pauseMs);
