// What an agent thinks, in words and numbers.

import { textElement } from "./table.js";
import { t } from "./words.js";

const number = new Intl.NumberFormat(document.documentElement.lang);

function line(title, text) {
  const row = document.createElement("div");
  const name = document.createElement("dt");
  const value = document.createElement("dd");
  name.textContent = title;
  value.textContent = text;
  row.append(name, value);
  return row;
}

export function thoughts(decision) {
  const list = document.createElement("dl");
  if (decision.shown) list.append(line(t("think.value"), decision.shown.text));
  if (decision.depth) list.append(line(t("think.depth"), decision.depth));
  if (decision.simulations) {
    list.append(line(t("think.simulations"), number.format(decision.simulations)));
  } else if (decision.nodes) list.append(line(t("think.nodes"), number.format(decision.nodes)));
  const expected = decision.principal_variation;
  if (expected.length > 1) list.append(line(t("think.line"), expected.slice(0, 10).join(" ")));
  if (!decision.shown?.points) return list;
  const details = document.createElement("details");
  details.className = "raw";
  details.append(textElement("summary", t("analyse.details")), decision.shown.points);
  const all = document.createElement("div");
  all.append(list, details);
  return all;
}

export function progressShown(decision) {
  document.getElementById("thinking").replaceChildren(thoughts(decision));
}
