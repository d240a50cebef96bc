// The dialog in which an agent is set up: its name, and a field with its help for each parameter.

import { get, Refused } from "./api.js";
import { byId, textElement } from "./table.js";
import { t } from "./words.js";

const dialog = byId("agent");
const names = byId("agent-name");
const main = byId("agent-parameters");
const further = byId("agent-further-parameters");
const problem = byId("agent-problem");
let known = null;

function field(parameter) {
  const label = document.createElement("label");
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
  const help = textElement("span", parameter.help, "help");
  help.lang = "en";
  help.id = `help-${parameter.name}`;
  input.setAttribute("aria-describedby", help.id);
  label.append(textElement("span", parameter.title), input);
  const whole = document.createElement("div");
  whole.append(label, help);
  return whole;
}

function showParameters() {
  const agent = known.find((each) => each.name === names.value);
  byId("agent-summary").textContent = agent.summary;
  main.replaceChildren(...agent.parameters.filter((each) => each.is_main).map(field));
  further.replaceChildren(...agent.parameters.filter((each) => !each.is_main).map(field));
  byId("agent-further").hidden = !further.children.length;
  byId("agent-further").open = !main.children.length;
  problem.hidden = true;
  showSpecification();
}

function specification() {
  const set = [...dialog.querySelectorAll("[aria-describedby]")]
    .filter((input) => input.value !== "")
    .map((input) => `${input.name}=${input.value}`);
  return set.length ? `${names.value}:${set.join(",")}` : names.value;
}

const showSpecification = () => (byId("agent-spec").textContent = specification());

// The specification that the visitor sets up for a game, or null.
export async function setUpAgent(game) {
  if (!known) {
    known = (await get("opponents", { game })).agents;
    names.append(...known.map((agent) => new Option(agent.title, agent.name)));
    names.value = "alphabeta";
    names.addEventListener("change", showParameters);
    dialog.addEventListener("input", showSpecification);
  }
  showParameters();
  dialog.showModal();
  return new Promise((resolve) => {
    const use = byId("agent-use");
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
