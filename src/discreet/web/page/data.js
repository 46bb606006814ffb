// Data: the table is handed over, or named by its address; its columns are listed as its header declares them.

import { offer as offerMore } from "./columns.js";
import { Refusal, ask, runner, tell, upload } from "./ask.js";
import { field, formOf, make, table, the } from "./dom.js";
import { offerColumns, state, tableFields } from "./state.js";

/** @param {HTMLElement} section */
export function start(section) {
  const form = formOf(section);
  const run = runner(section);
  const answer = the(".answer", section);
  const forget = the("#forget", section);

  /** @param {File} file */
  const take = (file) => run(async (signal) => {
    answer.replaceChildren();
    const held = await upload(file, state.maxUpload, signal);
    state.upload = { id: held.upload, name: held.name };
    field(form, "source").value = "";
    forget.hidden = false;
    return list(signal);
  });

  /** @param {AbortSignal} signal */
  const list = async (signal) => {
    const name = state.upload?.name ?? field(form, "source").value;
    if (!name) throw new Refusal("there is no table; choose a file, or give an address", "source");
    offer([]);
    const found = await ask("columns", tableFields(), signal);
    offer(found.columns);
    if (!found.columns.length) {
      answer.replaceChildren(next());
      return "Its columns are asked for by name.";
    }
    const rows = found.columns.map((/** @type {{name: string, type: string}} */ column) => [column.name, column.type]);
    answer.replaceChildren(
      table({ caption: `Columns of ${found.name}`, headings: ["Column", "Type, as declared"], rows, csv: "" }, { kind: "texts" }), next());
    if (found.hint) throw new Refusal(found.hint.replaceAll("`", ""), "delimiter");
    return `${found.name}: ${found.columns.length} columns. No row was looked at.`;
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    return run(list);
  });
  field(form, "file").addEventListener("change", () => {
    const file = field(form, "file").files?.[0];
    if (file) take(file);
  });
  field(form, "source").addEventListener("input", () => {
    state.upload = null;
    forget.hidden = true;
  });
  for (const name of ["delimiter", "encoding", "no_header"]) {
    field(form, name).addEventListener("change", () => { if (state.upload) run(list); });
  }
  forget.addEventListener("click", () => run(async (signal) => {
    await ask("forget", {}, signal);
    state.upload = null;
    forget.hidden = true;
    form.reset();
    answer.replaceChildren();
    field(form, "file").focus();
    return "The file is forgotten.";
  }));
  onDrop(section, (files) => {
    if (files.length === 1) take(files[0]);
    else tell(new Refusal("drop one file", "file"), section);
  });
}

function next() {
  return make("p", {}, make("a", { class: "button", href: "#question" }, "Next: the question"));
}

/** @param {import("./state.js").Column[]} columns */
function offer(columns) {
  const question = formOf(the("#question"));
  state.columns = columns;
  offerMore(question);
  offerColumns(question, "column", columns, "choose a column");
  offerColumns(question, "by", columns, "no groups");
  offerColumns(question, "id_column", columns, "none: a record is a row");
}

/**
 * Files that are dropped on a section.
 * @param {HTMLElement} section
 * @param {(files: File[]) => void} take
 */
export function onDrop(section, take) {
  const zone = the(".drop", section);
  section.addEventListener("dragover", (event) => {
    event.preventDefault();
    zone.classList.add("over");
  });
  section.addEventListener("dragleave", () => zone.classList.remove("over"));
  section.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length) take(files);
  });
}
