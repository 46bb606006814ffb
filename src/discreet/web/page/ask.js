// One way to the server: a question with the token, an answer or an error that says how to mend it.

import { field, formOf, make, the, visible } from "./dom.js";

/** @typedef {Record<string, string | boolean | string[] | object[]>} Fields */

const token = (() => {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    sessionStorage.setItem("token", given);
    history.replaceState(null, "", "/"); // not in the address bar, where it might be copied
  }
  return given ?? sessionStorage.getItem("token") ?? "";
})();

/** What the server refuses, and which field it is about. */
export class Refusal extends Error {
  /** @param {string} message @param {string} [parameter] */
  constructor(message, parameter = "") {
    super(message);
    this.parameter = parameter;
  }
}

/**
 * @param {string} what
 * @param {Fields} [fields]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export function ask(what, fields = {}, signal = undefined) {
  return post(what, JSON.stringify(fields), { "content-type": "application/json" }, signal);
}

/**
 * Hand a file over to the program on this machine.
 * @param {File} file
 * @param {number} most
 * @param {AbortSignal} [signal]
 */
export async function upload(file, most, signal = undefined) {
  if (file.size > most) {
    throw new Refusal(`${visible(file.name)} is larger than ${Math.floor(most / 2 ** 20)} MiB; give its address`, "file");
  }
  return post("upload", file, { "content-type": "application/octet-stream", "x-discreet-file": encodeURIComponent(file.name) }, signal);
}

/**
 * @param {string} what
 * @param {BodyInit} body
 * @param {Record<string, string>} headers
 * @param {AbortSignal} [signal]
 */
async function post(what, body, headers, signal) {
  let response;
  try {
    response = await fetch(`/api/${what}`, { method: "POST", headers: { ...headers, "x-discreet-token": token }, body, signal });
  } catch (failure) {
    if (signal?.aborted) throw failure;
    throw new Refusal("the server does not answer; start discreet serve again");
  }
  if (response.status === 403) throw new Refusal("this page has no key; open the address that discreet serve printed");
  let answer;
  try {
    answer = await response.json();
  } catch {
    throw new Refusal(`the server said ${response.status}; reload the page`);
  }
  if (answer.error) {
    const { message, hint, parameter } = answer.error;
    throw new Refusal(visible([message, hint].filter(Boolean).join("; ")).replaceAll("`", ""), parameter);
  }
  return answer;
}

/**
 * One question at a time in a section: a new one, or Stop, ends the one before it; who waits is told how long.
 * @param {HTMLElement} section
 */
export function runner(section) {
  const status = the(":scope > .state .status", section);
  const stop = the(":scope > .state .stop", section);
  /** @type {AbortController | null} */
  let running = null;
  let refused = false;
  stop.addEventListener("click", () => {
    if (!running) return;
    running.abort();
    running = null;
    stop.hidden = true;
    status.textContent = "stopped";
  });
  /**
   * @param {(signal: AbortSignal) => Promise<string | void>} work What it returns is said.
   * @param {{quiet?: boolean}} [options] What is quiet says nothing unless it takes long, or fails; what others were refused stays.
   */
  return async (work, { quiet = false } = {}) => {
    running?.abort();
    const mine = (running = new AbortController());
    const started = performance.now();
    let spoke = !quiet;
    const tick = () => {
      const seconds = Math.round((performance.now() - started) / 1000);
      if (mine !== running || (quiet && !seconds)) return;
      spoke = true;
      status.textContent = seconds ? `working, ${seconds} s …` : "working …";
      stop.hidden = false;
    };
    tick();
    const clock = setInterval(tick, 1000);
    section.classList.remove("failed");
    if (!quiet || refused) clearErrors(section);
    refused = false;
    try {
      const said = await work(mine.signal);
      if (mine === running && spoke) status.textContent = said ?? "";
    } catch (failure) {
      if (mine.signal.aborted || mine !== running) return;
      refused = true;
      section.classList.add("failed");
      status.textContent = tell(failure, section);
    } finally {
      clearInterval(clock);
      if (mine === running) {
        if (spoke) stop.hidden = true;
        running = null;
      }
    }
  };
}

/**
 * Ask on submit, and put what is shown in the place of the answer before.
 * @param {HTMLElement} section
 * @param {string} what
 * @param {(form: HTMLFormElement) => Fields | Promise<Fields>} read
 * @param {(found: any) => Node[]} show
 */
export function onSubmit(section, what, read, show) {
  const form = formOf(section);
  const run = runner(section);
  const place = the(":scope > .answer", section);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    return run(async (signal) => {
      place.setAttribute("aria-busy", "true");
      try {
        place.replaceChildren(...show(await ask(what, await read(form), signal)));
      } catch (failure) {
        if (!signal.aborted) place.replaceChildren();
        throw failure;
      } finally {
        place.removeAttribute("aria-busy");
      }
    });
  });
  return run;
}

/**
 * The words of a failure; where it is about a field, they stand beside it too, and the field is found.
 * @param {unknown} failure
 * @param {HTMLElement} section
 */
export function tell(failure, section) {
  const message = failure instanceof Error ? failure.message : String(failure);
  const parameter = failure instanceof Refusal ? failure.parameter : "";
  const forms = [...section.querySelectorAll("form"), .../** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll("main form"))];
  const place = parameter && forms.map((form) => field(form, parameter)).find((found) => found instanceof HTMLElement);
  if (!place) return message;
  const words = make("p", { class: "error", id: `${place.id}-error` }, message);
  place.setAttribute("aria-invalid", "true");
  place.setAttribute("aria-describedby", words.id);
  place.closest(".field")?.append(words);
  place.closest(".field")?.addEventListener("input", () => clearErrors(section), { once: true });
  if (!section.contains(place)) return message; // the words wait there, and are said here
  place.focus();
  return "";
}

/** @param {HTMLElement} section */
function clearErrors(section) {
  for (const words of [...section.querySelectorAll(".field > .error"), ...document.querySelectorAll("main .field > .error")]) words.remove();
  for (const place of document.querySelectorAll("[aria-invalid]")) {
    place.removeAttribute("aria-invalid");
    place.removeAttribute("aria-describedby");
  }
}

/**
 * Numbers may be typed with blanks; names are compared exactly, so theirs stay.
 * @template {string} K
 * @param {HTMLFormElement} form
 * @param {K[]} names
 * @returns {Record<K, string>}
 */
export function numbers(form, names) {
  return /** @type {Record<K, string>} */ (Object.fromEntries(names.map((name) => [name, field(form, name).value.replace(/\s+/g, "")])));
}

/**
 * @template {string} K
 * @param {HTMLFormElement} form
 * @param {K[]} names
 * @returns {Record<K, string>}
 */
export function texts(form, names) {
  return /** @type {Record<K, string>} */ (Object.fromEntries(names.map((name) => [name, field(form, name).value])));
}
