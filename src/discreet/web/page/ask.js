// One way to the server: a question with the token, an answer or an error that says how to mend it.

import { visible } from "/dom.js";

const token = (() => {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    sessionStorage.setItem("token", given);
    history.replaceState(null, "", "/"); // not in the address bar, where it might be copied
  }
  return given ?? sessionStorage.getItem("token") ?? "";
})();

export async function ask(what, fields = {}, signal = undefined) {
  let response;
  try {
    response = await fetch(`/api/${what}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-discreet-token": token },
      body: JSON.stringify(fields),
      signal,
    });
  } catch (failure) {
    if (failure.name === "AbortError") throw failure;
    throw new Error("the server does not answer; start discreet serve again");
  }
  if (response.status === 403) throw new Error("this page has no key; open the address that discreet serve printed");
  let answer;
  try {
    answer = await response.json();
  } catch {
    throw new Error(`the server said ${response.status}; reload the page`);
  }
  if (answer.error) throw new Error(visible([answer.error.message, answer.error.hint].filter(Boolean).join("; ")));
  return answer;
}

// Ask on submit; a new question ends the one before it, and who waits is told how long.
export function onSubmit(section, what, read, show) {
  const form = section.querySelector("form");
  const status = section.querySelector(".status");
  const place = section.querySelector(".answer");
  let running = null;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    running?.abort();
    const mine = (running = new AbortController());
    const started = performance.now();
    const tick = () => {
      const seconds = Math.round((performance.now() - started) / 1000);
      if (mine === running) status.textContent = seconds ? `working, ${seconds} s …` : "working …";
    };
    tick();
    const clock = setInterval(tick, 1000);
    section.classList.remove("failed");
    place.setAttribute("aria-busy", "true");
    try {
      const shown = await show(await ask(what, await read(form), mine.signal));
      if (mine !== running) return;
      place.replaceChildren(...shown);
      status.textContent = "";
    } catch (failure) {
      if (failure.name === "AbortError" || mine !== running) return;
      place.replaceChildren();
      section.classList.add("failed");
      status.textContent = failure.message;
    } finally {
      clearInterval(clock);
      if (mine === running) place.removeAttribute("aria-busy");
    }
  });
}

// Numbers may be typed with blanks; names are compared exactly, so theirs stay.
export function numbers(form, names) {
  return Object.fromEntries(names.map((name) => [name, form.elements[name].value.replace(/\s+/g, "")]));
}

export function texts(form, names) {
  return Object.fromEntries(names.map((name) => [name, form.elements[name].value]));
}

export function lines(text) {
  return text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
}
