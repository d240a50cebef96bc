// The dialog in which an agent is set up: its name, and a field for each parameter.

import { get, Refused } from "./api.js";
import { t } from "./words.js";

const dialog = document.getElementById("agent");
const names = document.getElementById("agent-name");
const fields = document.getElementById("agent-parameters");
const problem = document.getElementById("agent-problem");
let known = null;

function field(parameter) {
  const label = document.createElement("label");
  const text = document.createElement("span");
  text.textContent = parameter.name;
  text.title = parameter.help;
  let input;
  if (parameter.kind === "bool" || parameter.choices) {
    input = document.createElement("select");
    const values = parameter.choices ?? ["yes", "no"];
    const shown = (value) => (parameter.kind === "bool" ? t(`agent.${value}`) : value);
    input.append(new Option(t("agent.default"), ""));
    input.append(...values.map((value) => new Option(shown(value), value)));
  } else {
    input = document.createElement("input");
    input.type = parameter.kind === "str" ? "text" : "number";
    if (parameter.kind !== "str") {
      input.step = parameter.kind === "int" ? 1 : "any";
      if (parameter.low !== null) input.min = parameter.low;
      if (parameter.high !== null) input.max = parameter.high;
    }
    input.placeholder = parameter.default ?? t("agent.default");
  }
  input.name = parameter.name;
  label.append(text, input);
  return label;
}

function showParameters() {
  const agent = known.find((each) => each.name === names.value);
  document.getElementById("agent-summary").textContent = agent.summary;
  fields.replaceChildren(...agent.parameters.map(field));
  problem.hidden = true;
}

function specification() {
  const set = [...fields.querySelectorAll("input, select")]
    .filter((input) => input.value !== "")
    .map((input) => `${input.name}=${input.value}`);
  return set.length ? `${names.value}:${set.join(",")}` : names.value;
}

// The specification that the visitor sets up for a game, or null.
export async function setUpAgent(game) {
  if (!known) {
    known = (await get("opponents", { game })).agents;
    names.append(...known.map((agent) => new Option(agent.name, agent.name)));
    names.value = "alphabeta";
    names.addEventListener("change", showParameters);
  }
  showParameters();
  dialog.showModal();
  return new Promise((resolve) => {
    const use = document.getElementById("agent-use");
    const done = (result) => {
      use.removeEventListener("click", check);
      dialog.close();
      resolve(result);
    };
    async function check() {
      try {
        done((await get("check", { game, agent: specification() })).agent);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        problem.textContent = error.message;
        problem.hidden = false;
      }
    }
    use.addEventListener("click", check);
    dialog.addEventListener("close", () => done(null), { once: true });
  });
}
