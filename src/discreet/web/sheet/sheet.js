const chosen = Object.fromEntries([...document.querySelectorAll("select")].map((one) => [one.name, one]));
const show = () => {
  for (const block of document.querySelectorAll("[data-level]")) {
    const { level, of } = block.dataset;
    block.hidden = level !== chosen.level.value || (of !== undefined && of !== chosen.of.value);
  }
};
for (const one of Object.values(chosen)) {
  one.closest(".choose").hidden = false;
  one.addEventListener("change", show);
}
show();
