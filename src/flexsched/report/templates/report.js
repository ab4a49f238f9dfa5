"use strict";

/** Draws the chart whose specification stands beside it. */
async function draw(figure) {
  const place = figure.querySelector(".chart");
  const spec = JSON.parse(figure.querySelector("script").textContent);
  try {
    place.addEventListener("click", answerTouch);
    await vegaEmbed(place, spec, { renderer: "svg", actions: false });
  } catch (error) {
    place.textContent = `This chart could not be drawn: ${error.message}`;
    throw error;
  }
}

/** Shows the values at a touched place: Vega waits for a move of the pointer, a touch has none. */
function answerTouch(event) {
  if (event.pointerType !== "touch") return;
  const { clientX, clientY } = event;
  event.target.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, clientX, clientY }));
}

document.addEventListener("pointerdown", () => {
  document.getElementById("vg-tooltip-element")?.classList.remove("visible");
});

const charts = [...document.querySelectorAll("figure[data-figure]")];
Promise.all(charts.map(draw)).then(() => {
  document.documentElement.dataset.charts = "drawn";
});

// Boxes wider than the screen say so; a box in a closed part gets its width on opening.
const widths = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    target.classList.toggle("wide", target.scrollWidth > target.clientWidth + 1);
  }
});
for (const box of document.querySelectorAll(".scroll")) widths.observe(box);

// A closed part would be missing on paper.
window.addEventListener("beforeprint", () => {
  for (const part of document.querySelectorAll("details")) part.open = true;
});
